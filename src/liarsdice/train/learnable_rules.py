"""Which rules networks can learn, and under which ones the champion plays rounds by more than its network."""

from __future__ import annotations

from liarsdice.bots.neural.observation import SEAT_SLOTS, require_supported
from liarsdice.core.errors import LiarsDiceError, UnavailableError
from liarsdice.core.rules.ruleset_io import find_rules
from liarsdice.sim.compile import compile_rules
from liarsdice.sim.vector_env import VectorEnv
from liarsdice.train.load_networks import WHOLE_CHAMPION
from liarsdice.values.round_plays import RoundPlays

MAX_SEATS = 6
"""The most seats of a training table, unless the rules need more."""


def check_learnable(name: str) -> None:
    """Check that rules exist, and that networks can play them with the seats of a training table.

    Raises `UnavailableError`, or what `find_rules` and `compile_rules` raise.
    """
    rules = find_rules(name)
    min_seats = rules.players.min
    try:
        require_supported(rules)
        if min_seats > SEAT_SLOTS:
            raise UnavailableError(f"networks learn at tables of up to {SEAT_SLOTS}, not of {min_seats}")
        for seats in {min_seats, min(max(min_seats, MAX_SEATS), rules.players.max or MAX_SEATS)}:
            compile_rules(rules, seats)
    except LiarsDiceError as error:
        raise type(error)(f"{name} cannot be learned: {error}") from error


def check_rounds_known(name: str) -> None:
    """Raise `UnavailableError` if a run of these rules cannot know how the champion plays rounds of two."""
    rules = find_rules(name)
    try:
        RoundPlays(VectorEnv(compile_rules(rules, rules.players.min), 1))
    except UnavailableError as error:
        raise UnavailableError(
            f"{WHOLE_CHAMPION} cannot be an opponent or end matches under {name}: {error}"
        ) from error
