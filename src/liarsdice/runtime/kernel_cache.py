"""A cache of compiled kernels that is keyed by the sources they were compiled from.

numba stores the machine code of `njit(cache=True)` functions on disk and reuses it as long as the file that holds the
function has the same date and size. A kernel that reads constants or calls functions of another module would go on with
what that module said when the kernel was compiled. Kernels compiled through this module are reused only while a digest
of every source file that goes into them is the same.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any, TypeVar, cast

from numba import njit
from numba.core.caching import FunctionCache, IndexDataCacheFile

KernelFunction = TypeVar("KernelFunction", bound=Callable[..., Any])


def cached_kernel(digest: str, options: Mapping[str, Any]) -> Callable[[KernelFunction], KernelFunction]:
    """A decorator that compiles a function with numba and keeps its machine code on disk for one source digest.

    `digest`: from `source_digest`, over the function's own module and all that it imports constants or kernels from.
    `options`: for `numba.njit`. The place of the cache follows numba's rules (`NUMBA_CACHE_DIR`, `__pycache__`).
    """

    def decorate(function: KernelFunction) -> KernelFunction:
        dispatcher = njit(**options)(function)
        dispatcher._cache = _SourceKeyedCache(function, digest)  # noqa: SLF001  where `enable_caching` puts its own
        return cast("KernelFunction", dispatcher)

    return decorate


class _SourceKeyedCache(FunctionCache):
    """numba's cache of one function, whose index is stamped with a digest instead of the file's date and size.

    An index with another stamp counts as empty and is overwritten, so that stale machine code does not pile up.
    """

    def __init__(self, function: Callable[..., Any], digest: str) -> None:
        # numba's internals have no types
        super().__init__(function)  # type: ignore[no-untyped-call]
        index_name = self._impl.filename_base
        self._cache_file = IndexDataCacheFile(self.cache_path, index_name, digest)  # type: ignore[no-untyped-call]

    def load_overload(self, sig: Any, target_context: Any) -> Any:  # noqa: ANN401  numba's own types
        """Return the machine code for argument types, None if it has to be compiled now, which is announced."""
        overload = super().load_overload(sig, target_context)  # type: ignore[no-untyped-call]
        if overload is None:
            announce_compilation()
        return overload


@cache
def announce_compilation() -> None:
    """Say once, on a terminal, that kernels are compiled: nothing else happens for a while."""
    if sys.stderr.isatty():
        sys.stderr.write("compiling once, about 20 s\n")
        sys.stderr.flush()
