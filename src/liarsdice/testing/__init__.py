"""Golden scenarios: cases with an expected outcome, run through the engine.

Imports `core` only.
Start with `scenarios.py`.
"""
