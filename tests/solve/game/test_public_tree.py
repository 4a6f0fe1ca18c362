"""The reductions of the public tree lose nothing."""

from __future__ import annotations

import numpy as np
import pytest

from liarsdice.core.errors import UnavailableError
from liarsdice.core.rules.bids import Bid
from liarsdice.solve.cfr.solver import Bounds, Solver, solve
from liarsdice.solve.game.round_game import PublicTree
from liarsdice.solve.strategy.average_strategy import average_strategy, certify
from liarsdice.solve.strategy.strategy import Strategy
from tests.solve.solved_rounds import make_tree, rules_of


@pytest.mark.parametrize("name", ["openspiel", "perudo", "snyd", "snyd-joker", "mustache"])
@pytest.mark.parametrize("dice, faces", [((1, 1), 4), ((2, 1), 3)])
def test_leaving_out_hands_that_surely_call_loses_nothing(name: str, dice: tuple[int, int], faces: int) -> None:
    rules = rules_of(name, faces)
    reduced, whole = make_tree(rules, dice), make_tree(rules, dice, sure_calls=False)
    assert reduced.subtree_types[reduced.root].subtree_rows < whole.subtree_types[whole.root].subtree_rows
    solver = Solver(reduced)
    solver.iterate(200)
    strategy = average_strategy(solver)
    spread = certify(whole, _spread(strategy, whole), 200, "dcfr")
    assert spread.bounds.low == pytest.approx(strategy.bounds.low, abs=1e-6)
    assert spread.bounds.high == pytest.approx(strategy.bounds.high, abs=1e-6)
    other = solve(Solver(whole), target=1e-3)
    assert strategy.bounds.low <= other.high + 1e-6
    assert other.low <= strategy.bounds.high + 1e-6


def _spread(strategy: Strategy, whole: PublicTree) -> np.ndarray[tuple[int], np.dtype[np.float32]]:
    """A reduced strategy on the unreduced tree: who is sure calls, and where nobody comes, too."""
    plain = Strategy(whole, np.zeros(0, np.float32), Bounds(0, 0, 0, 0), "")
    rows: list[float] = []

    def add(number: int, bids: tuple[Bid, ...]) -> None:
        kind = whole.subtree_types[number]
        actions = plain.actions(kind)
        situation = whole.game.situations[kind.situation]
        hands = [whole.game.hands[situation.mover][kind.mover_hands[place]] for place in kind.deciding]
        plays = []
        for hand in hands:
            try:
                plays.append(strategy.action_probs(hand, bids))
            except UnavailableError:
                plays.append({actions[0]: 1.0})
        rows.extend(play.get(action, 0.0) for action in actions for play in plays)
        for child, (bid, _) in zip(kind.children, situation.raises, strict=False):
            add(child, (*bids, bid))

    add(whole.root, ())
    return np.array(rows, np.float32)
