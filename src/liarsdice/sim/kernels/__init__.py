"""The simulator's numba kernels: everything that runs compiled, without allocation and without the interpreter lock.

Imports `sim.array_schema` and `runtime.kernel_cache`; modules build on each other from `random_numbers` to `batch`.
Start with `batch.py`, whose functions are called from Python; the others are compiled into them.
"""
