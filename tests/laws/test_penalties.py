"""Penalties come at any time, and neither pile up without end nor leave a special round without its players."""

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
from liarsdice.core.rules.ruleset import Penalty, Ruleset, SpecialRound, patched
from liarsdice.play.dealer import Dealer
from tests.laws.playing import Played, played
from tests.laws.strategies import seeds, tables
from tests.laws.twin import Chronicle, may_be_penalised, plain

ASKED = PenaltyTrigger.ASKS_DICE_LEFT
MOST_DUE = 100


def with_penalty(rules: Ruleset, timing: PenaltyTiming) -> Ruleset:
    return patched(rules, penalties=(Penalty(trigger=ASKED),), penalty_timing=timing)


def chronicles(match: Played) -> Iterator[tuple[State, Chronicle]]:
    """Every state in which a penalty can be reported, beside a copy of what the event log says up to there."""
    known = Chronicle(plain(match.ruleset))
    known.note([MatchStarted(match.ruleset, match.names)])
    for step in match.steps:
        if step.before.phase in (Phase.DEAL, Phase.BIDDING):
            yield step.before, deepcopy(known)
        known.note(step.events)


def is_refused(state: State, seat: int) -> bool:
    try:
        return not decide(state, seat, Penalise(ASKED))
    except IllegalActionError:
        return True


@given(tables(), seeds)
def test_however_often_penalties_are_reported_what_is_due_stays_bounded(table: tuple[Ruleset, int], seed: int) -> None:
    rules, seats = table
    match = played(with_penalty(rules, PenaltyTiming.END_OF_ROUND), seats, seed, 6)
    rng = random.Random(seed)
    for state, known in chronicles(match):
        reported = state
        for _ in range(MOST_DUE + 5):
            seat = rng.choice(reported.alive())
            allowed = may_be_penalised(known, seat, ASKED.value, ())
            assert (ASKED in legal(reported).penalties) is allowed is not is_refused(reported, seat)
            if allowed:
                events = decide(reported, seat, Penalise(ASKED))
                reported = evolve_all(reported, events)
                known.note(events)
        assert len(reported.penalties) == len(known.due) == MOST_DUE


@given(tables(), seeds)
def test_a_special_round_is_called_off_when_its_player_or_too_many_others_are_out_before_it(
    table: tuple[Ruleset, int], seed: int
) -> None:
    rules, seats = table
    assume(rules.dice.per_player > 1)
    rules = patched(rules, special_round=rules.special_round or SpecialRound(min_players=3))
    rng = random.Random(seed)
    for state, known in chronicles(played(with_penalty(rules, PenaltyTiming.IMMEDIATE), seats, seed)):
        between = state
        while between.phase is Phase.DEAL:
            started, *_ = decide(between, None, Dealer(seed).action(between))
            assert isinstance(started, RoundStarted)
            assert started.starter == known.turn()
            assert started.special_seat == known.special_to_come()
            events = decide(between, rng.choice(between.alive()), Penalise(ASKED))
            between = evolve_all(between, events)
            known.note(events)
