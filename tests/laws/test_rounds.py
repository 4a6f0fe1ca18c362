"""Under random rules, the value of a solved round is that of a linear program over the engine's game tree."""

from __future__ import annotations

from unittest.mock import patch

from hypothesis import assume, given, settings
from hypothesis import strategies as st
from msgspec import UNSET

from liarsdice.core.errors import RulesetError, UnavailableError
from liarsdice.core.rules.choices import AllDifferent, SpecialTrigger
from liarsdice.core.rules.meaning import has_lives, lives_are_limited
from liarsdice.core.rules.overlay import patched
from liarsdice.core.rules.parts import Players
from liarsdice.core.rules.ruleset import Ruleset
from liarsdice.solve.cfr.solver import Method, Solver, solve
from liarsdice.solve.game.round_game import (
    RoundGame,
    RoundStart,
    count_bid_sequences,
    dice_lost_values,
    make_public_tree,
    make_round_game,
    of_round,
)
from liarsdice.solve.match_solver import MatchSolver, make_match_plan
from liarsdice.solve.strategy.average_strategy import average_strategy
from tests.laws.random_rulesets import rulesets
from tests.solve.sequence_form import CLOSE, SequenceForm, match_value

MAX_BID_SEQUENCES = 130
MAX_RAISES = "liarsdice.solve.game.round_game.MAX_RAISES"
NEAR = 1e-3


UNSOLVED = {
    "loss__out_below": None,
    "dice__faces_by_seat": None,
    "bidding__show_dice": None,
    "bidding__pass_with": (),
    "bidding__pass_dice": None,
    "bidding__face_off": None,
}
"""The rules that the solver does not know, switched off; further ones are in `solvable`."""


def solvable(rules: Ruleset) -> Ruleset:
    """Return the rules without those that the solver does not know."""
    changes: dict[str, object] = dict(UNSOLVED)
    if rules.special_round:
        changes |= {"special_round__trigger": SpecialTrigger.LOSES_DOWN_TO_ONE, "special_round__visibility": None}
    if rules.exact_call:
        changes["exact_call__min_dice"] = None
    return patched(rules, **changes)


@st.composite
def small_rounds(draw: st.DrawFn, *, of_matches: bool = False) -> tuple[Ruleset, RoundStart, RoundGame]:
    """Two-player rounds with few dice and faces, by rules under which bids rise; `of_matches`: lives run out."""
    try:
        rules = patched(solvable(draw(rulesets(most_dice=2))), players=Players())
        if of_matches and has_lives(rules) and not lives_are_limited(rules):
            rules = patched(rules, loss__lives=3)
    except RulesetError:  # the rules need one of those that were switched off
        assume(False)
    special = draw(st.sampled_from([None, 0, 1])) if rules.special_round else None
    had = draw(st.sampled_from([(), (0,), (1,)])) if rules.special_round else ()
    equal = (2, 2) if rules.count.all_different is AllDifferent.ROLLED_AGAIN else (1, 1)
    dice = draw(st.sampled_from([equal] if has_lives(rules) else [(1, 1), (2, 1), (1, 2)]))
    left = draw(st.tuples(st.integers(1, 3), st.integers(1, 3))) if lives_are_limited(rules) else UNSET
    opening = RoundStart(dice, draw(st.integers(0, 1)), special, had, lives=left)
    try:
        rules = of_round(rules, dice, draw(st.integers(2, 3)))
        with patch("liarsdice.solve.game.round_game.MAX_RAISES", MAX_BID_SEQUENCES):  # each raise ends another sequence
            table = make_round_game(rules, opening)
    except (RulesetError, UnavailableError):
        assume(False)
    assume(count_bid_sequences(table) <= MAX_BID_SEQUENCES)
    return rules, opening, table


@settings(max_examples=80)
@given(small_rounds())
def test_a_round_is_worth_what_a_linear_program_says(small: tuple[Ruleset, RoundStart, RoundGame]) -> None:
    rules, opening, table = small
    solver = Solver(make_public_tree(table, dice_lost_values(table)))
    solve(solver, target=NEAR, iterations=3_000)
    low, high = average_strategy(solver).bounds[2:]
    assert high - low <= 2.1 * NEAR
    assert low - 1e-7 <= SequenceForm(rules, opening).value() <= high + 1e-7


def leads_back(round_start: RoundStart, game: RoundGame) -> bool:
    """Whether the next round may start as this one did, as when dice are won back; bounds then close in slowly."""
    nexts = [outcome.next_start for outcome in game.outcomes if outcome.next_start is not None]
    return any(after.with_seat_0_opening() == round_start for after in nexts)


@settings(max_examples=25)
@given(small_rounds(of_matches=True))
def test_a_match_is_worth_what_linear_programs_from_its_end_say(small: tuple[Ruleset, RoundStart, RoundGame]) -> None:
    rules, opening, _ = small
    try:
        plan = make_match_plan(rules, opening)
    except UnavailableError:  # hands that grow without end
        assume(False)
    assume(not any(leads_back(round_start, game) for round_start, game in plan.rounds.items()))
    assume(all(len(group) == 1 for group in plan.groups))
    low, high = MatchSolver(plan, Method.DCFR, NEAR).run()
    assert high - low <= 2.1 * NEAR
    assert low - 10 * CLOSE <= match_value(rules, opening) <= high + 10 * CLOSE
