"""Written-down strategies, judged by OpenSpiel's own best responses on OpenSpiel's own game."""

from __future__ import annotations

import pyspiel
import pytest

from liarsdice.core.actions import Challenge
from liarsdice.core.errors import UnavailableError
from liarsdice.core.rules.bids import Bid
from liarsdice.core.rules.presets import preset
from liarsdice.solve.cfr.solver import Solver
from liarsdice.solve.game.public_tree import dice_lost_values, make_public_tree
from liarsdice.solve.game.round_game import make_round_game, with_faces
from liarsdice.solve.game.round_start import RoundStart
from liarsdice.solve.strategy.average_strategy import average_strategy, quantized
from liarsdice.solve.strategy.strategy import ActionProbs, Strategy

Table = dict[str, list[tuple[int, float]]]


def exported(game: pyspiel.Game, strategy: Strategy, dice: int, faces: int) -> Table:
    """The strategy as OpenSpiel reads one: by what it calls an information state, actions and their chances."""
    result: Table = {}

    def walk(state: pyspiel.State, bids: tuple[Bid, ...]) -> None:
        if state.is_terminal():
            return
        if state.is_chance_node():
            for face in state.legal_actions():
                walk(state.child(face), bids)
            return
        known = state.information_state_string(state.current_player())
        if known not in result:
            hand = tuple(int(die) for die in known.split()[0])
            try:
                play: ActionProbs = strategy.action_probs(hand, bids)
            except UnavailableError:  # nobody comes here who plays to win
                play = {Challenge(): 1.0}
            result[known] = [(action, _chance(play, action, dice, faces)) for action in state.legal_actions()]
        for action in state.legal_actions():
            if action < 2 * dice * faces:
                walk(state.child(action), (*bids, _bid(action, faces)))

    walk(game.new_initial_state(), ())
    return result


def _bid(action: int, faces: int) -> Bid:
    return Bid(1 + action // faces, 1 + action % faces)


def _chance(play: ActionProbs, action: int, dice: int, faces: int) -> float:
    return play.get(Challenge() if action == 2 * dice * faces else _bid(action, faces), 0.0)


@pytest.mark.parametrize("dice, faces", [(1, 3), (1, 5), (2, 2)])
@pytest.mark.parametrize("iterations", [1, 30, 300])
def test_openspiel_finds_the_same_exploitability(dice: int, faces: int, iterations: int) -> None:
    table = make_round_game(with_faces(preset("openspiel").ruleset, faces), RoundStart((dice, dice)))
    solver = Solver(make_public_tree(table, dice_lost_values(table)))
    solver.iterate(iterations)
    strategy = quantized(average_strategy(solver))
    game = pyspiel.load_game(f"liars_dice(players=2,numdice={dice},dice_sides={faces})")
    policy = exported(game, strategy, dice, faces)
    assert pyspiel.exploitability(game, policy) == pytest.approx(strategy.bounds.exploitability, abs=1e-9)
