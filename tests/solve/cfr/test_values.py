"""Solved rounds against published values, and against a linear program over a tree that the engine writes out."""

import pytest

from liarsdice.core.errors import MalformedError, UnavailableError
from liarsdice.core.rules.choices import FromSpecial, SpecialRank, ToSpecial
from liarsdice.core.rules.presets import preset
from liarsdice.core.rules.ruleset import Bidding, Guards, Ruleset, patched
from liarsdice.solve.cfr.memory_check import tree_that_fits
from liarsdice.solve.cfr.method import Method
from liarsdice.solve.cfr.solver import Solver, solve
from liarsdice.solve.game.public_tree import Tree, dice_lost, tree_of
from liarsdice.solve.game.round_game import round_of, ways_of, with_faces
from liarsdice.solve.game.round_start import Opening
from tests.solve.linear import Written

NAMES = (
    "openspiel",
    "basic",
    "chart",
    "mustache",
    "perudo",
    "snyd",
    "snyd-joker",
    "snyd-stairs",
    "chui-niu",
    "pirates",
)


def tree(rules: Ruleset, dice: tuple[int, int]) -> Tree:
    table = round_of(rules, Opening(dice))
    return tree_of(table, dice_lost(table))


@pytest.mark.parametrize(
    "name, dice, faces, low, high",
    [
        ("openspiel", (1, 1), 4, 1 / 16, 1 / 16),
        ("openspiel", (1, 1), 5, 1 / 125, 1 / 125),
        ("openspiel", (1, 1), 6, -0.02713182, -0.02713148),
        ("openspiel", (2, 2), 3, 5 / 81, 5 / 81),
        ("openspiel", (2, 2), 4, 0.062499, 0.062505),
        ("openspiel", (2, 1), 6, 0.21142, 0.21206),
        ("openspiel", (1, 2), 6, -0.16669, -0.16101),
        ("snyd", (1, 1), 3, -1 / 9, -1 / 9),
        ("snyd", (1, 1), 4, -1 / 8, -1 / 8),
        ("snyd", (1, 1), 5, -3 / 25, -3 / 25),
        ("snyd", (1, 1), 6, -1 / 9, -1 / 9),
        ("snyd", (2, 1), 6, 0.275, 0.276),
        ("snyd", (1, 2), 6, -22 / 81, -22 / 81),
        ("snyd-joker", (1, 1), 3, 1 / 3, 1 / 3),
        ("snyd-joker", (1, 1), 4, 0, 0),
        ("snyd-joker", (1, 1), 5, 0, 0),
        ("snyd-joker", (1, 1), 6, -7 / 327, -7 / 327),
        ("snyd-joker", (2, 1), 6, 7 / 27, 7 / 27),
        ("snyd-joker", (1, 2), 6, -5 / 54, -5 / 54),
    ],
)
def test_values_that_are_known_lie_within_the_bounds(
    name: str, dice: tuple[int, int], faces: int, low: float, high: float
) -> None:
    found = solve(Solver(tree(with_faces(preset(name).ruleset, faces), dice)), target=2e-4, iterations=2_000)
    assert found.exploitability <= 2e-4
    rounding = 1e-5
    assert found.low - rounding <= high
    assert low <= found.high + rounding


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("dice, faces", [((1, 1), 3), ((2, 1), 2), ((1, 2), 2)])
def test_a_linear_program_over_the_engine_s_own_tree_agrees(name: str, dice: tuple[int, int], faces: int) -> None:
    rules = with_faces(preset(name).ruleset, faces)
    found = solve(Solver(tree(rules, dice), double=True), target=1e-4, iterations=5_000)
    assert found.low - 1e-7 <= Written(rules, Opening(dice)).value() <= found.high + 1e-7


def test_bids_that_may_not_come_back_are_told_apart_by_all_that_were_made() -> None:
    rules = patched(
        with_faces(preset("joker").ruleset, 3),
        bidding=Bidding(
            special_rank=SpecialRank.CONVERT,
            to_special=ToSpecial.CEIL_HALF,
            from_special=FromSpecial.DOUBLE,
            special_may_open=False,
            min_open=2,
            no_repeat=True,
        ),
        guards=Guards(max_bids_per_round=20),
    )
    found = solve(Solver(tree(rules, (1, 1))), target=1e-3, iterations=5_000)
    assert found.low - 1e-6 <= Written(rules, Opening((1, 1))).value() <= found.high + 1e-6


@pytest.mark.parametrize("method", list(Method))
def test_every_method_comes_closer(method: Method) -> None:
    solver = Solver(tree(preset("openspiel").ruleset, (1, 1)), method)
    seen = []
    for more in (150, 450):
        solver.iterate(more)
        seen.append(solver.bounds().exploitability)
    # no method promises to come closer at every look, but four times the iterations halve the bound on regret
    assert 0 <= seen[1] < seen[0] / 2 < 2e-3


def test_how_many_ways_are_walked_together_changes_nothing() -> None:
    solved = tree(preset("perudo").ruleset, (2, 1))
    found = []
    for lanes in (1, 4, 32):
        solver = Solver(solved, lanes=lanes, double=True)
        solver.iterate(20)
        found.append(solver.bounds())
    assert found[1] == pytest.approx(found[0], abs=1e-9)
    assert found[2] == pytest.approx(found[0], abs=1e-9)


def test_two_threads_find_what_one_does(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("liarsdice.solve.cfr.tree_layout.WORTH_A_THREAD", 1)
    solved = tree(preset("perudo").ruleset, (2, 1))
    found = []
    for threads in (1, 2):
        solver = Solver(solved, threads=threads)
        solver.iterate(20)
        found.append(solver.bounds())
    assert found[1] == found[0]


def test_rules_without_an_end_are_refused_with_the_reason() -> None:
    with pytest.raises(UnavailableError, match="grows like a factorial"):
        round_of(preset("official").ruleset, Opening((1, 1)))
    with pytest.raises(MalformedError, match="two players with dice"):
        round_of(preset("basic").ruleset, Opening((0, 1)))


def test_what_does_not_fit_into_memory_is_refused_with_what_does() -> None:
    table = round_of(preset("openspiel").ruleset, Opening((2, 2)))
    assert ways_of(table) == 2**24
    with pytest.raises(UnavailableError, match=r"2v2 needs 0\.6 GiB of memory and 0\.0 are free; 1v2 fits"):
        tree_that_fits(table, Method.DCFR, free=20_000_000)
    with pytest.raises(UnavailableError, match=r"5v5 has 1\.2e\+18 public nodes, more than any memory holds; 1v2 fits"):
        tree_that_fits(round_of(preset("openspiel").ruleset, Opening((5, 5))), Method.DCFR, free=20_000_000)
