"""What long-running programs share: atomic files, process pools, Ray and signals.

Imports `core.errors` only.
Start with `atomic_files.py`.
"""
