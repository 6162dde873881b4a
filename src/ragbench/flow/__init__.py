"""Flows: who owns the loop of the online half."""
