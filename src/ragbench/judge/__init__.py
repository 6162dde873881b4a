"""Judges: which claims of an answer its context supports."""
