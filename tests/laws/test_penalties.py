"""Penalties can be reported at any time; pending ones are limited, and special rounds keep enough players."""

from __future__ import annotations

import random
from collections.abc import Iterator
from copy import deepcopy

from hypothesis import assume, given

from liarsdice.core.actions import Penalise
from liarsdice.core.engine.engine import decide, evolve_all, legal
from liarsdice.core.engine.state import Phase, State
from liarsdice.core.errors import IllegalActionError
from liarsdice.core.events import MatchStarted, RoundStarted
from liarsdice.core.rules.choices import PenaltyTiming, PenaltyTrigger
from liarsdice.core.rules.meaning import least_dice, players_may_be_out
from liarsdice.core.rules.overlay import patched
from liarsdice.core.rules.parts import Penalty, SpecialRound
from liarsdice.core.rules.ruleset import Ruleset
from liarsdice.play.match import Dealer
from tests.laws.random_matches import RandomMatch, random_match
from tests.laws.random_rulesets import seeds, tables
from tests.laws.reference_engine import ReferenceState, plain_rules
from tests.laws.reference_penalties import may_be_penalised

ASKED = PenaltyTrigger.ASKS_DICE_LEFT
MOST_DUE = 100


def with_penalty(rules: Ruleset, timing: PenaltyTiming) -> Ruleset:
    bidding = {"bidding__show_dice": None, "bidding__pass_with": ()}
    return patched(rules, penalties=(Penalty(trigger=ASKED),), penalty_timing=timing, **bidding)


def states_with_reference(match: RandomMatch) -> Iterator[tuple[State, ReferenceState]]:
    """Every state in which a penalty can be reported, with a copy of the reference engine's state at that point."""
    reference = ReferenceState(plain_rules(match.ruleset))
    reference.apply([MatchStarted(match.ruleset, match.names)])
    for step in match.steps:
        if step.before.phase in (Phase.DEAL, Phase.BIDDING):
            yield step.before, deepcopy(reference)
        reference.apply(step.events)


def is_refused(state: State, seat: int) -> bool:
    try:
        return not decide(state, seat, Penalise(ASKED))
    except IllegalActionError:
        return True


@given(tables(), seeds)
def test_however_often_penalties_are_reported_what_is_due_stays_bounded(table: tuple[Ruleset, int], seed: int) -> None:
    rules, seats = table
    match = random_match(with_penalty(rules, PenaltyTiming.END_OF_ROUND), seats, seed, 6)
    rng = random.Random(seed)
    for state, reference in states_with_reference(match):
        reported = state
        for _ in range(MOST_DUE + 5):
            seat = rng.choice(reported.alive())
            allowed = may_be_penalised(reference, seat, ASKED.value, ())
            assert (Penalty(trigger=ASKED) in legal(reported).penalties) is allowed is not is_refused(reported, seat)
            if allowed:
                events = decide(reported, seat, Penalise(ASKED))
                reported = evolve_all(reported, events)
                reference.apply(events)
        assert len(reported.penalties) == len(reference.due) == MOST_DUE


@given(tables(), seeds)
def test_a_special_round_is_called_off_when_its_player_or_too_many_others_are_out_before_it(
    table: tuple[Ruleset, int], seed: int
) -> None:
    rules, seats = table
    assume(rules.starting_stakes > 1 and players_may_be_out(rules) and least_dice(rules) == 1)
    rules = patched(rules, special_round=rules.special_round or SpecialRound(min_players=3))
    rng = random.Random(seed)
    for state, reference in states_with_reference(
        random_match(with_penalty(rules, PenaltyTiming.IMMEDIATE), seats, seed)
    ):
        between = state
        while between.phase is Phase.DEAL:
            started, *_ = decide(between, None, Dealer(seed).action(between))
            assert isinstance(started, RoundStarted)
            assert started.starter == reference.turn()
            assert started.special_seat == reference.special_to_come()
            events = decide(between, rng.choice(between.alive()), Penalise(ASKED))
            between = evolve_all(between, events)
            reference.apply(events)
