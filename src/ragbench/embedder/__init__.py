"""Models that map texts to vectors, and the cache in front of them."""
