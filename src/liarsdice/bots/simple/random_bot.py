"""The random bot: every legal move is equally likely."""

from __future__ import annotations

import random

from liarsdice.core.actions import PlayerAction
from liarsdice.core.engine.view import View

P_OUT_OF_TURN = 0.05
"""The probability that the random bot calls out of turn. A uniform choice would end nearly every round at once."""


class Random:
    """Draws one of its legal moves uniformly: every bid, call and direction is one move.

    Out of turn it calls with probability `P_OUT_OF_TURN`. Where quantities have no limit, it draws among the bids of at
    most as many dice as are in play, or among the lowest bids if all are higher, so that a round stays playable.
    """

    def __init__(self, seed: int | str | None = None) -> None:
        self._seed = seed
        self._random = random.Random(seed)

    def __repr__(self) -> str:
        return f"Random({self._seed!r})"

    def act(self, view: View) -> PlayerAction | None:
        """Draw a move; out of turn mostly None."""
        if not view.on_turn and self._random.random() >= P_OUT_OF_TURN:
            return None
        moves = view.moves
        if view.unlimited:
            bid_count = len(view.may_bid)
            in_play = sum(bid.quantity <= sum(view.dice) for bid in view.may_bid)
            moves = (*moves[: in_play or view.ruleset.dice.faces], *moves[bid_count:])
        return self._random.choice(moves) if moves else None
