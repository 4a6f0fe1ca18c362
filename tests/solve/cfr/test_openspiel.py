"""Written-down strategies, judged by OpenSpiel's own best responses on OpenSpiel's own game."""

from __future__ import annotations

import pyspiel
import pytest

from liarsdice.core.rules.bids import Bid
from liarsdice.core.rules.presets import preset
from liarsdice.core.rules.tally import Hand
from liarsdice.solve.cfr.solver import Solver
from liarsdice.solve.round_game import RoundStart, dice_lost_values, make_public_tree, make_round_game, with_faces
from liarsdice.solve.strategy.average_strategy import average_strategy, quantized
from liarsdice.solve.strategy.export import answer_or_challenge
from liarsdice.solve.strategy.strategy import ActionProbs
from tests.openspiel_tables import load_game, openspiel_table


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
