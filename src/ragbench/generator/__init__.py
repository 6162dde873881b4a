"""Generators: an answer, or a refusal, from a packed context."""
