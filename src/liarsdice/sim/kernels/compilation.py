"""How the simulator's kernels are compiled: entry points that are cached on disk, and parts inlined into them.

It is a module of its own because every kernel imports it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, cast

from numba import njit

from liarsdice.runtime.kernel_cache import cached_kernel
from liarsdice.runtime.source_digest import source_digest

Function = TypeVar("Function", bound=Callable[..., Any])

SOURCES = ("liarsdice.sim.array_schema", "liarsdice.sim.kernels")
"""Everything that the machine code depends on: a change in any of these files recompiles the kernels."""
OPTIONS: dict[str, Any] = {"nogil": True, "error_model": "numpy", "_nrt": False}
"""Without reference counting (`_nrt`): kernels allocate nothing, and counting would cost more than the work."""
DIGEST = source_digest(*SOURCES)


def entry_point(function: Function) -> Function:
    """Compile a kernel that Python calls; its machine code is cached on disk."""
    return cached_kernel(DIGEST, OPTIONS)(function)


def inlined(function: Function) -> Function:
    """Inline a function into its callers: passing a dozen arrays would take longer than its work."""
    return cast("Function", njit(forceinline=True, **OPTIONS)(function))
