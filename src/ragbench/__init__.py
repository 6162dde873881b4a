"""ragbench: an evaluation-first research harness for retrieval-augmented generation, zh and en."""

__version__ = "0.1.0"
