"""Retrievers: which routes are searched and how their lists become one ranking."""
