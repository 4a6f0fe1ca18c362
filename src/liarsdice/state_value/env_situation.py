"""Situations of the matches of an environment, as arrays."""

from __future__ import annotations

import numpy as np

from liarsdice.sim import array_schema as schema
from liarsdice.sim.vector_env import VectorEnv
from liarsdice.state_value.player_kinds import UNKNOWN_KIND
from liarsdice.state_value.situation import Situation


def situation_of_env(env: VectorEnv) -> Situation:
    """Return the situation of each match of an environment that waits for a player's move."""
    faces, places = env.rules.ruleset.dice.faces, env.rules.arrays.faces
    seats = np.arange(env.rules.seat_count)
    special_seat = env.match_field(schema.SPECIAL_SEAT).astype(np.int64)
    standing = env.match_field(schema.STANDING_BID)
    latest = env.seat_field(schema.LATEST_BID)
    low, high = env.bid_ranges[:, 0], env.bid_ranges[:, 1]
    lowest = np.zeros((len(env), faces), np.int64)
    lowest[:, places] = np.where(low <= high, low, 0)
    return Situation(
        rules=env.rules.ruleset,
        dice=env.dice.astype(np.int64),
        had_special=(env.seat_field(schema.HAD_SPECIAL) == 1) & (seats != special_seat[:, np.newaxis]),
        exempt=env.seat_field(schema.EXEMPT) == 1,
        exact_calls=env.seat_field(schema.EXACT_CALLS).astype(np.int64),
        latest_face=np.where(latest >= 0, places[np.maximum(latest, 0) % len(places)], -1).astype(np.int64),
        hands=env.hands.astype(np.int64),
        step=env.match_field(schema.STEP).astype(np.int64),
        turn=env.match_field(schema.TURN).astype(np.int64),
        quantity=np.where(standing >= 0, standing // len(places) + 1, 0).astype(np.int64),
        face=np.where(standing >= 0, places[np.maximum(standing, 0) % len(places)], -1).astype(np.int64),
        bidder=np.where(standing >= 0, env.match_field(schema.STANDING_BIDDER), -1).astype(np.int64),
        bid_count=env.match_field(schema.BID_COUNT).astype(np.int64),
        wilds=env.match_field(schema.WILDS_COUNT) == 1,
        special_seat=special_seat,
        round_number=env.match_field(schema.ROUND).astype(np.int64),
        lowest=lowest,
        players=np.full(env.dice.shape, UNKNOWN_KIND, np.int64),
    )
