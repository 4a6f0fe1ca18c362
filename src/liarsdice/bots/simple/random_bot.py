"""The random bot: any legal move is as good as another."""

from __future__ import annotations

import random

from liarsdice.core.actions import PlayerAction
from liarsdice.core.engine.view import View

P_OUT_OF_TURN = 0.05
"""How often the random bot calls when it is somebody else's turn. A fair draw would end nearly every round at once."""


class Random:
    """Draws one of its moves, all alike: every bid, call and direction is one move.

    Out of turn it calls in one case of twenty. Where quantities have no limit it bids no more than there are dice on
    the table, or else one of the lowest bids listed, so that a round stays a round.
    """

    def __init__(self, seed: int | str | None = None) -> None:
        self._seed = seed
        self._random = random.Random(seed)

    def __repr__(self) -> str:
        return f"Random({self._seed!r})"

    def act(self, view: View) -> PlayerAction | None:
        """Draw a move."""
        if not view.on_turn and self._random.random() >= P_OUT_OF_TURN:
            return None
        moves = view.moves
        if view.unlimited:
            bids = len(view.may_bid)
            on_table = sum(bid.quantity <= sum(view.dice) for bid in view.may_bid)
            moves = (*moves[: on_table or view.ruleset.dice.faces], *moves[bids:])
        return self._random.choice(moves) if moves else None
