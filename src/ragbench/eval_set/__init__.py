"""Eval sets: reading, checking, locating evidence, freezing, importing."""
