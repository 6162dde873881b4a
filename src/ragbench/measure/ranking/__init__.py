"""How well a list is ordered."""
