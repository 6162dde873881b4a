"""Stages that reorder the head of a ranking."""
