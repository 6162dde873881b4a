"""Sparse indexes: best chunks of a query text by its terms."""
