"""HTML reports of runs and sweeps, self-contained, in Chinese and English."""
