"""The gate: a run held against a committed baseline, question by question."""
