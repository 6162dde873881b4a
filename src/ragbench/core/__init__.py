"""Stages, fingerprints and the artifact store."""
