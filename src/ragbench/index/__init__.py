"""Dense indexes: nearest chunks of a query vector by cosine."""
