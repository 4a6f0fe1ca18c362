"""Vectorised simulation: rules compiled to arrays, numba kernels and batches of matches.

Imports numpy, numba, `runtime` and `core`; must not import `solve`.
Start with `compile.py`, then `vector_env.py` and `kernels/batch.py`.
"""
