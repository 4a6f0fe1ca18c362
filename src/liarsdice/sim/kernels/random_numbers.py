"""Random numbers in kernels: SplitMix64, one generator for each match.

Steele, Lea and Flood, *Fast Splittable Pseudorandom Number Generators* (OOPSLA 2014).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from liarsdice.sim.array_schema import BatchState
from liarsdice.sim.kernels.compilation import inlined

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
