"""What long-running programs share: atomic files, process pools, Ray, stop signals and the cache of compiled kernels.

Imports `core.errors` only; numba and Ray are loaded by the modules that need them.
Start with `atomic_files.py`, then `processes.py`.
"""
