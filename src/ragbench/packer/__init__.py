"""Packers: what the generator reads, under a token budget."""
