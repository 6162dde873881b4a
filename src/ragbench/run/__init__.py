"""Runs: configuration to experiment, execution through the store, the run directory, sinks."""
