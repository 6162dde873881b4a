"""Experiments: a claim from a file, measured on several eval sets, and a verdict with its interval."""
