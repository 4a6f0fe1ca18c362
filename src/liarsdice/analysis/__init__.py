"""Matches as a whole: playing them out, and what they tell."""
