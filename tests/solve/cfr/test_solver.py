"""The solver against published values, and against a linear program over a tree that the engine expands."""

from itertools import pairwise

import numpy as np
import pyspiel
import pytest

from liarsdice.core.errors import UnavailableError
from liarsdice.core.rules.bids import Bid
from liarsdice.core.rules.choices import HandBonus, ShedBy
from liarsdice.core.rules.overlay import patched
from liarsdice.core.rules.presets import preset
from liarsdice.core.rules.tally import Hand
from liarsdice.solve.cfr import kernel_layout as layout
from liarsdice.solve.cfr.method import Method
from liarsdice.solve.cfr.solver import Solver, make_tree_that_fits, solve
from liarsdice.solve.cfr.tree_layout import make_tree_layout
from liarsdice.solve.round_game import (
    RoundStart,
    count_bid_sequences,
    dice_lost_values,
    make_public_tree,
    make_round_game,
    with_faces,
)
from liarsdice.solve.strategy.average_strategy import average_strategy, quantized
from liarsdice.solve.strategy.export import answer_or_challenge
from liarsdice.solve.strategy.strategy import ActionProbs
from tests.openspiel_tables import load_game, openspiel_table
from tests.solve.sequence_form import CLOSE, SequenceForm
from tests.solve.solved_rounds import make_tree

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
def test_published_values_lie_within_the_bounds(
    name: str, dice: tuple[int, int], faces: int, low: float, high: float
) -> None:
    result = solve(Solver(make_tree(with_faces(preset(name).ruleset, faces), dice)), target=2e-4, iterations=2_000)
    assert result.exploitability <= 2e-4
    rounding = 1e-5
    assert result.low - rounding <= high
    assert low <= result.high + rounding


@pytest.mark.parametrize("faces, value", [(2, 3 / 8), (3, 1 / 27), (4, 1 / 16)])
def test_stairs_in_order_without_wild_dice_have_the_values_of_dudo_ai(faces: int, value: float) -> None:
    changes = {"count__hand_bonus": HandBonus.STAIRS_IN_ORDER, "wilds__special_is_wild": False}
    rules = with_faces(patched(preset("snyd-stairs").ruleset, **changes), faces)
    result = solve(Solver(make_tree(rules, (2, 1))), target=5e-4, iterations=2_000)
    assert result.low - CLOSE <= value <= result.high + CLOSE


def test_dice_that_count_double_are_solved_as_the_engine_counts_them() -> None:
    rules = with_faces(patched(preset("snyd").ruleset, dice__double=1), 2)
    result = solve(Solver(make_tree(rules, (2, 1)), double=True), target=1e-4, iterations=5_000)
    assert result.low - 1e-7 <= SequenceForm(rules, RoundStart((2, 1))).value() <= result.high + 1e-7


def test_where_players_shed_a_round_by_itself_is_won_as_where_they_lose_dice() -> None:
    rules = with_faces(preset("snyd-joker").ruleset, 3)
    for shed_by in (None, *ShedBy):
        result = solve(Solver(make_tree(patched(rules, loss__shed_by=shed_by), (2, 1))), target=2e-4, iterations=2_000)
        assert result.low - CLOSE <= 1 / 3 <= result.high + CLOSE


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("dice, faces", [((1, 1), 3), ((2, 1), 2), ((1, 2), 2)])
def test_a_linear_program_over_the_engine_s_own_tree_agrees(name: str, dice: tuple[int, int], faces: int) -> None:
    rules = with_faces(preset(name).ruleset, faces)
    result = solve(Solver(make_tree(rules, dice), double=True), target=1e-4, iterations=5_000)
    assert result.low - 1e-7 <= SequenceForm(rules, RoundStart(dice)).value() <= result.high + 1e-7


@pytest.mark.parametrize("method", list(Method))
def test_every_method_reduces_the_exploitability(method: Method) -> None:
    solver = Solver(make_tree(preset("openspiel").ruleset, (1, 1)), method)
    seen = []
    for more in (150, 450):
        solver.iterate(more)
        seen.append(solver.bounds().exploitability)
    # no method promises to come closer at every look, but four times the iterations halve the bound on regret
    assert 0 <= seen[1] < seen[0] / 2 < 2e-3


def test_the_number_of_lanes_changes_nothing() -> None:
    solved = make_tree(preset("perudo").ruleset, (2, 1))
    result = []
    for lanes in (1, 4, 32):
        solver = Solver(solved, lanes=lanes, double=True)
        solver.iterate(20)
        result.append(solver.bounds())
    assert result[1] == pytest.approx(result[0], abs=1e-9)
    assert result[2] == pytest.approx(result[0], abs=1e-9)


def test_two_threads_compute_what_one_does(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("liarsdice.solve.cfr.tree_layout.MIN_ROWS_PER_THREAD", 1)
    solved = make_tree(preset("perudo").ruleset, (2, 1))
    result = []
    for threads in (1, 2):
        solver = Solver(solved, threads=threads)
        solver.iterate(20)
        result.append(solver.bounds())
    assert result[1] == result[0]


def test_bounds_are_computed_seldom_until_the_target_is_near() -> None:
    checks: list[tuple[int, float]] = []
    target = 1e-4
    tree = make_tree(preset("openspiel").ruleset, (1, 1))
    solve(Solver(tree), target=target, on_progress=lambda now: checks.append((now.iterations, now.exploitability)))
    steps = [
        ((after - before) / before, found / target) for (before, found), (after, _) in pairwise(checks) if before >= 160
    ]
    assert len(steps) >= 3
    for step, away in steps:
        assert 0.04 <= step <= 0.3
        if away < 1.3:
            assert step < 0.18


@pytest.mark.parametrize("name", ["openspiel", "perudo", "chui-niu", "pirates"])
def test_hands_share_a_bucket_where_every_call_is_worth_the_same(name: str) -> None:
    tree = make_tree(with_faces(preset(name).ruleset, 4), (2, 1))
    arrays = make_tree_layout(tree)
    for subtree, fields in zip(tree.subtree_types, arrays.types, strict=True):
        situation = tree.game.situations[subtree.situation]
        calls, rows, columns = fields[[layout.CALLS, layout.MOVER_BUCKETS, layout.BIDDER_BUCKETS]]
        first = fields[layout.PAYOFFS_AT]
        payoffs = arrays.payoffs[first : first + calls * rows * columns].reshape(calls, rows, columns)
        by_mover, by_bidder = (
            arrays.lists[fields[at] : fields[at] + fields[count]]
            for at, count in (
                (layout.MOVER_BUCKETS_AT, layout.MOVER_HANDS),
                (layout.BIDDER_BUCKETS_AT, layout.BIDDER_HANDS),
            )
        )
        mover = situation.hand_buckets[situation.mover][list(subtree.mover_hands)]
        bidder = situation.hand_buckets[1 - situation.mover][list(subtree.bidder_hands)]
        for call, payoff in enumerate(situation.payoffs(tree.outcome_values)):
            assert payoffs[call][np.ix_(by_mover, by_bidder)].tolist() == payoff[np.ix_(mover, bidder)].tolist()
        if calls:
            assert len(np.unique(payoffs, axis=1)[0]) == rows
            assert len(np.unique(payoffs, axis=2)[0, 0]) == columns


def test_a_round_that_does_not_fit_into_memory_is_refused_with_one_that_does() -> None:
    table = make_round_game(preset("openspiel").ruleset, RoundStart((2, 2)))
    assert count_bid_sequences(table) == 2**24
    with pytest.raises(UnavailableError, match=r"2v2 needs 0\.6 GiB of memory and 0\.0 are free; 1v2 fits"):
        make_tree_that_fits(table, Method.DCFR, free=20_000_000)
    with pytest.raises(UnavailableError, match=r"5v5 has 1\.2e\+18 public nodes, more than any memory holds; 1v2 fits"):
        make_tree_that_fits(
            make_round_game(preset("openspiel").ruleset, RoundStart((5, 5))), Method.DCFR, free=20_000_000
        )


@pytest.mark.parametrize("dice, faces", [(1, 3), (1, 5), (2, 2)])
@pytest.mark.parametrize("iterations", [1, 30, 300])
def test_openspiel_finds_the_same_exploitability(dice: int, faces: int, iterations: int) -> None:
    table = make_round_game(with_faces(preset("openspiel").ruleset, faces), RoundStart((dice, dice)))
    solver = Solver(make_public_tree(table, dice_lost_values(table)))
    solver.iterate(iterations)
    strategy = quantized(average_strategy(solver))
    game = load_game(dice, faces)

    def play(hand: Hand, bids: tuple[Bid, ...]) -> ActionProbs:
        return answer_or_challenge(strategy, hand, bids)

    policy = openspiel_table(game, play)
    assert pyspiel.exploitability(game, policy) == pytest.approx(strategy.bounds.exploitability, abs=1e-9)
