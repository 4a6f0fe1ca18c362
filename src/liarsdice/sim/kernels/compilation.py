"""How the simulator's kernels are compiled: entry points that are cached on disk, and parts inlined into them.

It is a module of its own because every kernel imports it.
"""

from collections.abc import Callable
from typing import Any, TypeVar, cast

import numpy as np
from numba import njit

from liarsdice.runtime.kernel_cache import cached_kernel
from liarsdice.runtime.source_digest import source_digest
from liarsdice.sim.array_schema import BatchState

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


GAMMA = np.uint64(0x9E3779B97F4A7C15)
MIX_1 = np.uint64(0xBF58476D1CE4E5B9)
MIX_2 = np.uint64(0x94D049BB133111EB)


@inlined
def mix_bits(x: Any) -> Any:  # noqa: ANN401  an unsigned number, which Python has no type for
    """SplitMix64's finaliser, uint64 to uint64."""
    x = (x ^ (x >> np.uint64(30))) * MIX_1
    x = (x ^ (x >> np.uint64(27))) * MIX_2
    return x ^ (x >> np.uint64(31))


@inlined
def first_state(seed: Any, number: Any) -> Any:  # noqa: ANN401  as `mix_bits`
    """The generator state (uint64) of match `number` of a seed; it depends on nothing else."""
    return mix_bits(mix_bits(np.uint64(seed) + GAMMA) ^ mix_bits(np.uint64(number) * GAMMA + MIX_1))


@inlined
def random_below(state: BatchState, i: int, count: int) -> int:
    """A random number 0..count-1 for match `i`, uniform up to a bias of count / 2^32."""
    state.rng[i] += GAMMA
    return int(((mix_bits(state.rng[i]) >> np.uint64(32)) * np.uint64(count)) >> np.uint64(32))
