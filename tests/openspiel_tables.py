"""Play in a round of two players as a table that OpenSpiel's algorithms read."""

from collections.abc import Callable, Mapping
from typing import Any

import pyspiel

from liarsdice.core.actions import Challenge
from liarsdice.core.rules.bids import Bid
from liarsdice.core.rules.tally import Hand

Table = dict[str, list[tuple[int, float]]]
"""The probability of each action, by OpenSpiel's name of an information state."""
Play = Callable[[Hand, tuple[Bid, ...]], Mapping[Any, float]]
"""The probability of each move of a hand after some bids."""


def load_game(dice: int, faces: int) -> pyspiel.Game:
    """Return OpenSpiel's game of two players with so many dice each."""
    return pyspiel.load_game(f"liars_dice(players=2,numdice={dice},dice_sides={faces})")


def openspiel_table(game: pyspiel.Game, play: Play) -> Table:
    """Return how both players play at all information states of the game."""
    dice, faces = game.get_parameters()["numdice"], game.get_parameters()["dice_sides"]
    challenge = 2 * dice * faces
    table: Table = {}

    def walk(state: pyspiel.State, bids: tuple[Bid, ...]) -> None:
        if state.is_terminal():
            return
        if state.is_chance_node():
            for face in state.legal_actions():
                walk(state.child(face), bids)
            return
        moves = {action: Bid(1 + action // faces, 1 + action % faces) for action in state.legal_actions()}
        moves.pop(challenge, None)
        known = state.information_state_string(state.current_player())
        if known not in table:
            probs = play(tuple(int(die) for die in known.split()[0]), bids)
            table[known] = [
                (action, probs.get(moves.get(action, Challenge()), 0.0)) for action in state.legal_actions()
            ]
        for action, bid in moves.items():
            walk(state.child(action), (*bids, bid))

    walk(game.new_initial_state(), ())
    return table
