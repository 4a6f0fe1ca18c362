"""Matches of simple bots by the rules of a table, from which values are fitted."""

from __future__ import annotations

import random
from collections.abc import Iterator

import msgspec

from liarsdice.analysis.fitted_values.seat_features import FloatArray
from liarsdice.bots.simple.inference import BID_CREDIT
from liarsdice.bots.simple.threshold import Threshold
from liarsdice.core.engine.state import State
from liarsdice.core.events import Event
from liarsdice.core.records.record import recorded_actions
from liarsdice.core.rules.ruleset import Ruleset
from liarsdice.play.match_runner import play_match
from liarsdice.values.round_ends import winners_share

THRESHOLDS, CREDITS = (0.3, 0.4, 0.5), (0.0, BID_CREDIT)
"""Each player is a bot that doubts from one of these thresholds on, and makes more or less of others' bids."""
MIN_MATCHES, MAX_MATCHES, MIN_STATES = 80, 400, 8_000
MAX_STATES = 40_000
"""From so many states on there are no more matches: one of six players with ten dice and 100 lives has 17,000.

Matches by presets have up to 400 at six seats, and too few to reach it; those of `cacho` at ten seats have about 930.
"""
SEED = 20_261_128


class SampledMatch(msgspec.Struct, frozen=True):
    """A match: its events, its states before each action, and the share that each seat won, float64 [seat]."""

    events: tuple[Event, ...]
    states: tuple[State, ...]
    shares: FloatArray


def sampled_matches(rules: Ruleset, seats: int) -> Iterator[SampledMatch]:
    """Yield matches, always the same ones for the same rules and seats: enough for `MIN_STATES` states.

    There are at least `MIN_MATCHES`, unless they have `MAX_STATES` states.
    """
    states = 0
    for number in range(MAX_MATCHES):
        if states >= MAX_STATES or (number >= MIN_MATCHES and states >= MIN_STATES):
            return
        match = play_sampled_match(rules, seats, f"{SEED}/{number}")
        states += len(match.states)
        yield match


def play_sampled_match(rules: Ruleset, seats: int, seed: str) -> SampledMatch:
    """Return a match between simple bots that the seed draws."""
    generator = random.Random(seed)
    bots = [Threshold(generator.choice(THRESHOLDS), generator.choice(CREDITS)) for _ in range(seats)]
    match = play_match(rules, bots, seed=seed).match
    before = tuple(state for state, _, _ in recorded_actions(match.events))
    return SampledMatch(tuple(match.events), before, won_shares(match.state))


def won_shares(state: State) -> FloatArray:
    """Return the share of a match that is over that each seat won, float64 [seat]."""
    return winners_share(tuple(seat in state.winners for seat in range(len(state.names))))
