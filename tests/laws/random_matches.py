"""Random matches that follow the rules; the same seed gives the same match."""

import random
from collections.abc import Iterator
from functools import lru_cache

import msgspec

from liarsdice.core.actions import (
    Action,
    AnswerDouble,
    BidAndShow,
    Challenge,
    ChallengePass,
    ChooseKind,
    ClaimExact,
    DeclareSpecial,
    Exact,
    Pass,
    Reroll,
    SetDirection,
)
from liarsdice.core.engine.engine import decide, evolve_all, legal, start
from liarsdice.core.engine.legal import showable_dice
from liarsdice.core.engine.state import Phase, State
from liarsdice.core.events import Event, MatchStarted
from liarsdice.core.rules.bids import Bid
from liarsdice.core.rules.ruleset import Ruleset
from liarsdice.core.rules.tally import tally
from liarsdice.play.match import Dealer

NAMES = ("Ann", "Bo", "Cy", "Dee", "Eve", "Flo")
MAX_STEPS = 1_500


class Step(msgspec.Struct, frozen=True):
    """One action of a match: the state before, the seat that acted (None: the dealer), the events, the state after."""

    before: State
    seat: int | None
    action: Action
    events: tuple[Event, ...]
    after: State


class RandomMatch(msgspec.Struct, frozen=True):
    """A match, over or stopped after a number of actions."""

    ruleset: Ruleset
    names: tuple[str, ...]
    steps: tuple[Step, ...]
    state: State

    @property
    def events(self) -> tuple[Event, ...]:
        events = (event for step in self.steps for event in step.events)
        return (MatchStarted(self.ruleset, self.names), *events)


@lru_cache(maxsize=64)
def random_match(rules: Ruleset, seats: int, seed: int, max_steps: int = MAX_STEPS) -> RandomMatch:
    """A random match, stopped after `max_steps` actions."""
    rng, dealer = random.Random(seed), Dealer(seed)
    state = start(rules, NAMES[:seats])
    steps: list[Step] = []
    while state.phase is not Phase.OVER and len(steps) < max_steps:
        seat, action = _choose(state, rng, dealer)
        events = tuple(decide(state, seat, action))
        after = evolve_all(state, events)
        steps.append(Step(state, seat, action, events, after))
        state = after
    return RandomMatch(rules, NAMES[:seats], tuple(steps), state)


def _choose(state: State, rng: random.Random, dealer: Dealer) -> tuple[int | None, Action]:
    moves = legal(state)
    if moves.penalties and rng.random() < 0.04:
        seat, (trigger, offence) = rng.choice(state.alive()), rng.choice(moves.penalties).punishes
        return seat, dealer.penalty(state, seat, trigger, offence=offence)
    if moves.turn is None:
        return None, dealer.action(state)
    if moves.answers:
        assert moves.turn is not None
        return moves.turn, AnswerDouble(rng.choice(moves.answers))
    if moves.kinds:
        return moves.turn, ChooseKind(rng.choice(moves.kinds))
    if moves.directions and rng.random() < 0.4:
        return moves.turn, SetDirection(rng.choice(moves.directions))
    if moves.may_declare and rng.random() < 0.6:
        return moves.turn, DeclareSpecial()
    if moves.may_reroll and rng.random() < 0.6:
        return moves.turn, Reroll()
    if moves.exact_callers and rng.random() < 0.5 and _is_exact(state):
        return rng.choice(moves.exact_callers), Exact()
    if moves.claimants and rng.random() < (0.8 if _is_exact(state) else 0.2):
        return moves.claimants[0], ClaimExact()
    calls: list[tuple[int, Action]] = [(seat, Challenge()) for seat in moves.challengers]
    calls += [(seat, Challenge(double=True)) for seat in moves.doublers]
    calls += [(seat, Exact()) for seat in moves.exact_callers]
    calls += [(moves.turn, ChallengePass())] if moves.may_challenge_pass else []
    if moves.may_pass and rng.random() < 0.4:
        return moves.turn, Pass()
    if calls and (not moves.bids or rng.random() < 0.25):
        return rng.choice(calls)
    lowest = moves.bids[: 1 + len(moves.bids) // 3] if rng.random() < 0.7 else moves.bids
    bid = rng.choice(lowest)
    return moves.turn, _with_shown_dice(state, bid, rng) if moves.may_show and rng.random() < 0.6 else bid


def _with_shown_dice(state: State, bid: Bid, rng: random.Random) -> Action:
    """A bid with some of the dice that may be shown with it; the bid alone if there are none."""
    dice = showable_dice(state, state.hands[state.turn], bid)
    most = min(len(dice), state.hidden_count(state.turn) - 1)
    return BidAndShow(bid, tuple(rng.sample(dice, rng.randint(1, most)))) if dice else bid


def _is_exact(state: State) -> bool:
    """Whether the standing bid is exactly right; hidden dice are used so that exact calls are right often enough."""
    bid = state.bids[-1][1]
    return tally(state.ruleset, state.hands, bid.face, wilds_count=state.wilds_count).count == bid.quantity


def bidding_states(match: RandomMatch) -> Iterator[State]:
    """The states of a match in which a player must act."""
    return (step.before for step in match.steps if step.before.phase is Phase.BIDDING)
