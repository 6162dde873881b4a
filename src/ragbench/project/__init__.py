"""Projects of users' own."""
