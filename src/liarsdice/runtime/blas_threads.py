"""The threads of numpy's linear algebra: one, where many small products are computed.

OpenBLAS starts a thread for each core, also for products that take microseconds. The threads then wait for each other
in a loop, and beside another busy process they take several times the CPU time of one.
"""

from __future__ import annotations

import os

THREAD_VARIABLE = "OPENBLAS_NUM_THREADS"
THREAD_VARIABLES = (THREAD_VARIABLE, "OMP_NUM_THREADS")
"""What OpenBLAS reads when numpy is loaded, the first that is set."""


def use_one_thread() -> None:
    """Let linear algebra use one thread in this process and in those that it starts, unless the environment says more.

    It has no effect once numpy is loaded.
    """
    if not any(os.environ.get(name) for name in THREAD_VARIABLES):
        os.environ[THREAD_VARIABLE] = "1"
