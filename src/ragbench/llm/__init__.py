"""Requests to models behind an HTTP address."""
