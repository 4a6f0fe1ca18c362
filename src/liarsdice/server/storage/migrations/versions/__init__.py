"""The steps, by name."""
