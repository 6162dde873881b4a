"""How well questions are understood."""
