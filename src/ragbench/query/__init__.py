"""Query understanding: what a question is taken for and what is searched."""
