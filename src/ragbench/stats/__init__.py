"""Intervals and quantiles that give the same figures on every machine."""
