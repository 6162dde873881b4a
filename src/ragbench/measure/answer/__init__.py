"""Whether the answer is right, complete, grounded, cited, and given only when it should be."""
