"""What a question costs."""
