"""Pipelines: named slots holding stages, their artifacts, and the open online half."""
