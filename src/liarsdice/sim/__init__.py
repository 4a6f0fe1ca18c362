"""Vectorised simulation: rules compiled to arrays, numba kernels and batches of matches.

Imports numpy, numba, `runtime` and `core`; knows nothing of `solve`.
Start with `compile.py`, then `kernels.py`.
"""
