"""Random rules: a solved round is worth what a linear program over the engine's own tree says."""

from __future__ import annotations

from hypothesis import assume, given, settings
from hypothesis import strategies as st

from liarsdice.core.errors import RulesetError, UnavailableError
from liarsdice.core.rules.ruleset import Players, Ruleset, patched
from liarsdice.solve.cfr.method import Method
from liarsdice.solve.cfr.solver import Solver, solve
from liarsdice.solve.game.public_tree import dice_lost, tree_of
from liarsdice.solve.game.round_game import Round, round_of, ways_of, with_faces
from liarsdice.solve.game.round_start import Opening
from liarsdice.solve.match_solver import MatchSolver, plan_of
from liarsdice.solve.strategy.average_strategy import strategy_of
from tests.laws.strategies import rulesets
from tests.solve.linear import CLOSE, Written, value_of_match

MOST_WAYS = 130
NEAR = 1e-3


@st.composite
def small_rounds(draw: st.DrawFn) -> tuple[Ruleset, Opening, Round]:
    """Rounds of two with few dice and faces, by rules under which bids rise."""
    rules = patched(draw(rulesets(most_dice=2)), players=Players())
    special = draw(st.sampled_from([None, 0, 1])) if rules.special_round else None
    had = draw(st.sampled_from([(), (0,), (1,)])) if rules.special_round else ()
    opening = Opening(draw(st.sampled_from([(1, 1), (2, 1), (1, 2)])), draw(st.integers(0, 1)), special, had)
    try:
        rules = with_faces(rules, draw(st.integers(2, 3)))
        table = round_of(rules, opening)
    except (RulesetError, UnavailableError):
        assume(False)
    assume(ways_of(table) <= MOST_WAYS)
    return rules, opening, table


@settings(max_examples=80)
@given(small_rounds())
def test_a_round_is_worth_what_a_linear_program_says(small: tuple[Ruleset, Opening, Round]) -> None:
    rules, opening, table = small
    solver = Solver(tree_of(table, dice_lost(table)))
    solve(solver, target=NEAR, iterations=3_000)
    low, high = strategy_of(solver).bounds[2:]
    assert high - low <= 2.1 * NEAR
    assert low - 1e-7 <= Written(rules, opening).value() <= high + 1e-7


@settings(max_examples=25)
@given(small_rounds())
def test_a_match_is_worth_what_linear_programs_from_its_end_say(small: tuple[Ruleset, Opening, Round]) -> None:
    rules, opening, _ = small
    try:
        plan = plan_of(rules, opening)
    except UnavailableError:  # hands that grow without end
        assume(False)
    assume(all(len(group) == 1 for group in plan.groups))
    low, high = MatchSolver(plan, Method.DCFR, NEAR).run()
    assert high - low <= 2.1 * NEAR
    assert low - 10 * CLOSE <= value_of_match(rules, opening) <= high + 10 * CLOSE
