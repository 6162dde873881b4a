"""How well a chunk set keeps evidence and structure whole."""
