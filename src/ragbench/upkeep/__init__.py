"""Upkeep of a stored index: a folder that lives on while its documents change."""
