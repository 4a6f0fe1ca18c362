"""The kernels' random numbers: SplitMix64 as published, uniform, and different for every match."""

from __future__ import annotations

import numpy as np

from liarsdice.core.rules.presets import preset
from liarsdice.sim.compile import compile_rules
from liarsdice.sim.kernels.compilation import GAMMA, first_state, mix_bits, random_below
from liarsdice.sim.vector_env import new_batch_state

PUBLISHED = (6457827717110365317, 3203168211198807973, 9817491932198370423, 4593380528125082431, 16408922859458223821)
"""The first outputs of SplitMix64 for the seed 1234567, as reference implementations print them."""
MASK = 2**64 - 1


def mix_bits_in_python(x: int) -> int:
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9 & MASK
    x = (x ^ (x >> 27)) * 0x94D049BB133111EB & MASK
    return x ^ (x >> 31)


def test_numbers_are_those_of_splitmix64() -> None:
    states = [(1234567 + number * int(GAMMA)) & MASK for number in range(1, 6)]
    assert tuple(int(mix_bits(np.uint64(state))) for state in states) == PUBLISHED
    assert tuple(map(mix_bits_in_python, states)) == PUBLISHED


def test_a_number_below_a_limit_is_uniform() -> None:
    state = new_batch_state(compile_rules(preset("basic").ruleset, 2), 1)
    counts = np.bincount([random_below(state, 0, 6) for _ in range(60_000)], minlength=6)
    assert len(counts) == 6
    assert np.abs(counts - 10_000).max() < 4.5 * np.sqrt(10_000 * 5 / 6)


def test_no_two_matches_begin_with_the_same_state() -> None:
    states = {int(first_state(seed, number)) for seed in range(100) for number in range(100)}
    assert len(states) == 100 * 100
