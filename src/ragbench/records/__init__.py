"""Frozen values that cross borders. Standard library only."""
