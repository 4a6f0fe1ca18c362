"""The engine's state of a match that is played in arrays, so that bots, narration and text work on it."""

from __future__ import annotations

from functools import lru_cache

import msgspec
import numpy as np

from liarsdice.core.engine.engine import start
from liarsdice.core.engine.state import Phase, State
from liarsdice.core.rules.bid_space import max_quantity
from liarsdice.core.rules.choices import Direction
from liarsdice.core.rules.ruleset import Ruleset
from liarsdice.sim import array_schema as schema
from liarsdice.sim.vector_env import VectorEnv


def seat_names(seats: int) -> tuple[str, ...]:
    """Return names for the seats of a match, in clockwise order.

    >>> seat_names(2)
    ('Player 0', 'Player 1')
    """
    return tuple(f"Player {seat}" for seat in range(seats))


@lru_cache(maxsize=16)
def _first_state(rules: Ruleset, seats: int) -> State:
    return start(rules, seat_names(seats))


def state_of_match(env: VectorEnv, match: int) -> State:
    """Return the state of one match of an environment. It holds every hand: show players only a `view` of it.

    Hands are sorted. The state lacks what only earlier rounds show (`revealed`), and after the end also the winners.
    """
    compiled = env.rules
    rules, fields, seats = compiled.ruleset, env.state.matches[match].tolist(), env.state.seats[match]
    dice = tuple(seats[:, schema.DICE].tolist())
    history = env.state.bid_history[match, : fields[schema.BID_COUNT]].tolist()
    phase = {schema.DEAL: Phase.DEAL, schema.BIDDING: Phase.BIDDING, schema.OVER: Phase.OVER}[fields[schema.PHASE]]
    in_play, special = phase is Phase.BIDDING, fields[schema.SPECIAL_SEAT]
    hands = tuple(
        tuple(face + 1 for face, count in enumerate(hand) for _ in range(count)) for hand in env.hands[match].tolist()
    )
    return msgspec.structs.replace(
        _first_state(rules, compiled.seat_count),
        dice=dice,
        phase=phase,
        rolling=(),
        round_number=fields[schema.ROUND],
        direction=Direction.CLOCKWISE if fields[schema.STEP] > 0 else Direction.ANTICLOCKWISE,
        direction_chosen=fields[schema.DIRECTION_CHOSEN] == 1,
        starter=fields[schema.STARTER],
        turn=fields[schema.TURN],
        max_quantity=max_quantity(rules, dice),
        bids=tuple((seat, compiled.bids[bid]) for seat, bid in history) if in_play else (),
        wilds_count=fields[schema.WILDS_COUNT] == 1,
        special_seat=None if special < 0 else special,
        had_special=tuple(np.flatnonzero(seats[:, schema.HAD_SPECIAL]).tolist()),
        exempt=tuple(np.flatnonzero(seats[:, schema.EXEMPT]).tolist()),
        exact_calls=tuple(seats[:, schema.EXACT_CALLS].tolist()),
        hands=hands if in_play else (),
    )
