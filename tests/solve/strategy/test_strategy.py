"""Written-down strategies: what they answer, how good they are by independent counts, and their files."""

from __future__ import annotations

import msgspec
import numpy as np
import pytest

from liarsdice.core.actions import Challenge, Deal
from liarsdice.core.engine.engine import decide, evolve_all, start
from liarsdice.core.engine.state import State
from liarsdice.core.engine.view import view
from liarsdice.core.errors import IllegalActionError, MalformedError, UnavailableError
from liarsdice.core.events import StarterFound
from liarsdice.core.rules.bids import Bid
from liarsdice.core.rules.choices import StarterMethod
from liarsdice.core.rules.presets import preset
from liarsdice.core.rules.ruleset import Labels, Ruleset, patched
from liarsdice.solve.cfr.method import Bounds, Method
from liarsdice.solve.cfr.solver import Solver, solve
from liarsdice.solve.game.public_tree import Tree, dice_lost, tree_of
from liarsdice.solve.game.round_game import round_of, with_faces
from liarsdice.solve.game.round_start import Opening
from liarsdice.solve.strategy.average_strategy import shares_of, strategy_of, written
from liarsdice.solve.strategy.call_frequency import habits
from liarsdice.solve.strategy.strategy import Strategy
from tests.solve import brute


def rules_of(name: str, faces: int) -> Ruleset:
    return with_faces(preset(name).ruleset, faces)


def tree(rules: Ruleset, dice: tuple[int, int], *, sure_calls: bool = True) -> Tree:
    table = round_of(rules, Opening(dice))
    return tree_of(table, dice_lost(table), sure_calls=sure_calls)


def learned(name: str, dice: tuple[int, int], faces: int, iterations: int = 100) -> Strategy:
    solver = Solver(tree(rules_of(name, faces), dice))
    solver.iterate(iterations)
    return strategy_of(solver)


@pytest.mark.parametrize("name", ["openspiel", "perudo", "snyd-stairs", "chui-niu"])
@pytest.mark.parametrize("lanes", [1, 32])
@pytest.mark.parametrize("method", list(Method))
def test_bounds_by_plain_array_steps_are_those_of_the_compiled_walk(name: str, lanes: int, method: Method) -> None:
    solver = Solver(tree(rules_of(name, 3), (2, 1)), method, lanes=lanes, double=True)
    for iterations in (1, 30):
        solver.iterate(iterations)
        compiled, plain = solver.bounds(), strategy_of(solver).bounds
        assert (plain.low, plain.high) == pytest.approx((compiled.low, compiled.high), abs=1e-6)


@pytest.mark.parametrize(
    "name, dice, faces",
    [("openspiel", (1, 1), 2), ("perudo", (1, 1), 2), ("snyd-joker", (1, 1), 3), ("chui-niu", (1, 1), 2)],
)
@pytest.mark.parametrize("iterations", [1, 40])
def test_no_pure_strategy_wins_more_than_the_best_response(
    name: str, dice: tuple[int, int], faces: int, iterations: int
) -> None:
    solver = Solver(tree(rules_of(name, faces), dice, sure_calls=False))
    solver.iterate(iterations)
    strategy = strategy_of(solver)
    assert brute.value(strategy, 0) == pytest.approx(strategy.bounds.high, abs=1e-9)
    assert brute.value(strategy, 1) == pytest.approx(-strategy.bounds.low, abs=1e-9)


@pytest.mark.parametrize("name", ["openspiel", "perudo", "snyd", "snyd-joker", "mustache"])
@pytest.mark.parametrize("dice, faces", [((1, 1), 4), ((2, 1), 3)])
def test_leaving_out_hands_that_are_sure_to_win_by_calling_loses_nothing(
    name: str, dice: tuple[int, int], faces: int
) -> None:
    rules = rules_of(name, faces)
    reduced, whole = tree(rules, dice), tree(rules, dice, sure_calls=False)
    assert reduced.kinds[reduced.root].size < whole.kinds[whole.root].size
    solver = Solver(reduced)
    solver.iterate(200)
    strategy = strategy_of(solver)
    spread = written(whole, _spread(strategy, whole), 200, "dcfr")
    assert spread.bounds.low == pytest.approx(strategy.bounds.low, abs=1e-6)
    assert spread.bounds.high == pytest.approx(strategy.bounds.high, abs=1e-6)
    other = solve(Solver(whole), target=1e-3)
    assert strategy.bounds.low <= other.high + 1e-6
    assert other.low <= strategy.bounds.high + 1e-6


def _spread(strategy: Strategy, whole: Tree) -> np.ndarray[tuple[int], np.dtype[np.float32]]:
    """A reduced strategy on the unreduced tree: who is sure calls, and where nobody comes, too."""
    plain = Strategy(whole, np.zeros(0, np.float32), Bounds(0, 0, 0, 0), "")
    rows: list[float] = []

    def add(number: int, bids: tuple[Bid, ...]) -> None:
        kind = whole.kinds[number]
        actions = plain.actions(kind)
        situation = whole.round.situations[kind.situation]
        hands = [whole.round.hands[situation.mover][kind.mine[place]] for place in kind.active]
        plays = []
        for hand in hands:
            try:
                plays.append(strategy.play(hand, bids))
            except UnavailableError:
                plays.append({actions[0]: 1.0})
        rows.extend(play.get(action, 0.0) for action in actions for play in plays)
        for child, (bid, _) in zip(kind.children, situation.raises, strict=False):
            add(child, (*bids, bid))

    add(whole.root, ())
    return np.array(rows, np.float32)


def test_a_hand_plays_by_the_chances_that_were_learned() -> None:
    strategy = learned("openspiel", (1, 1), 6)
    first = strategy.play((3,))
    assert sum(first.values()) == pytest.approx(1)
    assert list(first.values()) == sorted(first.values(), reverse=True)
    assert all(isinstance(action, Bid) for action in first)
    assert strategy.play((1,), [Bid(2, 6)]) == {Challenge(): 1.0}


def test_a_question_that_makes_no_sense_is_refused_with_the_reason() -> None:
    strategy = learned("openspiel", (2, 1), 3)
    with pytest.raises(MalformedError, match="the player on turn holds 2 dice with faces 1 to 3, not 1,2,3"):
        strategy.play((1, 2, 3))
    with pytest.raises(MalformedError, match="holds 1 die with faces 1 to 3, not 4"):
        strategy.play((4,), [Bid(1, 1)])
    with pytest.raises(IllegalActionError, match=r"1x1 after 1x2 is against the rules \(legal: one of 1x3, "):
        strategy.play((1, 1), [Bid(1, 2), Bid(1, 1)])
    with pytest.raises(IllegalActionError, match="4x1 as the first bid is against the rules"):
        strategy.play((1,), [Bid(4, 1)])
    with pytest.raises(UnavailableError, match="who holds 2,2 calls before this"):
        strategy.play((2, 2), [Bid(1, 1), Bid(3, 1), Bid(3, 2), Bid(3, 3)])
    with pytest.raises(UnavailableError, match="nobody bids on after 2x2: every hand that can be held here calls"):
        learned("snyd", (1, 1), 3).play((3,), [Bid(2, 1), Bid(2, 2), Bid(2, 3)])


def seated(rules: Ruleset, hands: tuple[tuple[int, ...], ...], bids: list[tuple[int, Bid]]) -> State:
    state = msgspec.structs.replace(start(rules, ("Ann", "Bo", "Cy")), dice=tuple(map(len, hands)))
    state = evolve_all(state, [StarterFound(2, StarterMethod.CHOSEN)])
    state = evolve_all(state, decide(state, None, Deal(hands)))
    for seat, bid in bids:
        state = evolve_all(state, decide(state, seat, bid))
    return state


def test_a_view_is_answered_whoever_sits_where() -> None:
    strategy = learned("perudo", (2, 1), 6)
    renamed = patched(preset("perudo").ruleset, labels=Labels(game="Ours"))
    state = seated(renamed, ((), (4,), (3, 3)), [(2, Bid(1, 4))])
    assert strategy.policy(view(state, 1)) == strategy.play((4,), [Bid(1, 4)])
    with pytest.raises(IllegalActionError, match="only who is on turn"):
        strategy.policy(view(state, 2))
    with pytest.raises(UnavailableError, match=r"plays 2v1 by the rules of Perudo, not 1v2 by Ours"):
        strategy.policy(view(seated(renamed, ((), (3, 4), (3,)), []), 2))
    with pytest.raises(UnavailableError, match="only rounds of two players are solved, and 3 hold dice"):
        strategy.policy(view(seated(renamed, ((2,), (4,), (3, 3)), []), 2))
    with pytest.raises(UnavailableError, match="not 2v1 by"):
        strategy.policy(view(seated(preset("basic").ruleset, ((), (4,), (3, 3)), []), 2))


def test_habits_are_shares_of_the_ways_that_hands_come() -> None:
    strategy = learned("openspiel", (1, 1), 3)
    found = {(one.bid, one.seat): one for one in habits(strategy)}
    first = found[Bid(1, 2), 1]
    opened = np.array([strategy.play((face,)).get(Bid(1, 2), 0) for face in (1, 2, 3)])
    weights = strategy.tree.round.weights[0]
    assert first.hands == ((1,), (2,), (3,))
    raised = opened @ weights  # and those who were raised from 1x1 come on top, at seat 0
    assert first.stands == pytest.approx([raised] * 3)
    for face, called in zip((1, 2, 3), first.called, strict=True):
        assert called == pytest.approx(strategy.play((face,), [Bid(1, 2)]).get(Challenge(), 0))


def test_a_hand_of_which_nothing_is_written_plays_anything() -> None:
    strategy = learned("openspiel", (1, 1), 3)
    empty = msgspec.structs.replace(strategy, shares=np.zeros_like(strategy.shares))
    assert list(empty.play((1,)).values()) == pytest.approx([1 / 6] * 6)


def test_shares_are_those_of_the_sums_whatever_the_lanes() -> None:
    solved = tree(rules_of("perudo", 3), (2, 1))
    found = []
    for lanes in (1, 8, 64):
        solver = Solver(solved, lanes=lanes, double=True)
        solver.iterate(10)
        found.append(shares_of(solver))
    assert found[1] == pytest.approx(found[0], abs=1e-6)
    assert found[2] == pytest.approx(found[0], abs=1e-6)
