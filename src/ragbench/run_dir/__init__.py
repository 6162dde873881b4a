"""The run directory: the truth about a run, written once and read by everything else."""
