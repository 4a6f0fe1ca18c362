"""A match played at random, but by the rules: the same seed gives the same match."""

from __future__ import annotations

import random
from collections.abc import Iterator
from functools import lru_cache

import msgspec

from liarsdice.core.actions import Action, Challenge, Exact, SetDirection
from liarsdice.core.engine.engine import decide, evolve_all, legal, start
from liarsdice.core.engine.state import Phase, State
from liarsdice.core.events import Event, MatchStarted
from liarsdice.core.rules.ruleset import Ruleset
from liarsdice.core.rules.tally import tally
from liarsdice.play.dealer import Dealer

NAMES = ("Ann", "Bo", "Cy", "Dee", "Eve", "Flo")
MOST_STEPS = 1_500


class Step(msgspec.Struct, frozen=True):
    """One action of a match: the state it was done in, who did it (None: the dealer), and what happened."""

    before: State
    seat: int | None
    action: Action
    events: tuple[Event, ...]
    after: State


class Played(msgspec.Struct, frozen=True):
    """A match up to where it was stopped."""

    ruleset: Ruleset
    names: tuple[str, ...]
    steps: tuple[Step, ...]
    state: State

    @property
    def events(self) -> tuple[Event, ...]:
        happened = (event for step in self.steps for event in step.events)
        return (MatchStarted(self.ruleset, self.names), *happened)


@lru_cache(maxsize=64)
def played(rules: Ruleset, seats: int, seed: int, most_steps: int = MOST_STEPS) -> Played:
    """A random match, broken off after `most_steps` actions."""
    rng, dealer = random.Random(seed), Dealer(seed)
    state = start(rules, NAMES[:seats])
    steps: list[Step] = []
    while state.phase is not Phase.OVER and len(steps) < most_steps:
        seat, action = _choose(state, rng, dealer)
        events = tuple(decide(state, seat, action))
        after = evolve_all(state, events)
        steps.append(Step(state, seat, action, events, after))
        state = after
    return Played(rules, NAMES[:seats], tuple(steps), state)


def _choose(state: State, rng: random.Random, dealer: Dealer) -> tuple[int | None, Action]:
    moves = legal(state)
    if moves.penalties and rng.random() < 0.04:
        seat = rng.choice(state.alive())
        return seat, dealer.penalty(state, seat, rng.choice(moves.penalties))
    if moves.turn is None:
        return None, dealer.action(state)
    if moves.directions and rng.random() < 0.4:
        return moves.turn, SetDirection(rng.choice(moves.directions))
    if moves.exact_callers and rng.random() < 0.5 and _is_exact(state):
        return rng.choice(moves.exact_callers), Exact()
    calls: list[tuple[int, Action]] = [(seat, Challenge()) for seat in moves.challengers]
    calls += [(seat, Exact()) for seat in moves.exact_callers]
    if calls and (not moves.bids or rng.random() < 0.25):
        return rng.choice(calls)
    lowest = moves.bids[: 1 + len(moves.bids) // 3] if rng.random() < 0.7 else moves.bids
    return moves.turn, rng.choice(lowest)


def _is_exact(state: State) -> bool:
    """Peeking, so that exact calls are right often enough to test what follows from them."""
    bid = state.bids[-1][1]
    return tally(state.ruleset, state.hands, bid.face, wilds_count=state.wilds_count).count == bid.quantity


def bidding_states(match: Played) -> Iterator[State]:
    """The states of a match in which a player is to act."""
    return (step.before for step in match.steps if step.before.phase is Phase.BIDDING)
