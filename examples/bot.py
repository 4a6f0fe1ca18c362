"""A bot of your own in Python: copy this file and improve it.

Run it in the process of `liarsdice`, or as a program of its own with a time limit for each move:

    liarsdice simulate --bots python:examples/bot.py:bot,threshold
    liarsdice simulate --bots "exec:python examples/bot.py,threshold"
"""

from __future__ import annotations

import random

from liarsdice import Bid, Challenge, PlayerAction, View
from liarsdice.bots.external.subprocess_bot import serve


class Counter:
    """Expects that unseen dice show each face equally often, and sometimes one die more of the face that it bids.

    `boldness`: the probability, on each turn, that it expects one die more.
    """

    def __init__(self, seed: str, boldness: float = 0.1) -> None:
        self._random = random.Random(seed)
        self._boldness = boldness

    def act(self, view: View) -> PlayerAction | None:
        """Return one of `view.moves`; out of turn None lets the bid stand."""
        if not view.on_turn:
            return None
        extra = 1 if self._random.random() < self._boldness else 0
        if view.bid is not None and view.may_challenge and view.bid.quantity > self.expected(view, view.bid.face) + 1:
            return Challenge()
        if not view.may_bid:
            return Challenge()
        return max(view.may_bid, key=lambda bid: (self._margin(view, bid, extra), -bid.quantity))

    def expected(self, view: View, face: int) -> float:
        """Return the expected number of dice of a face, wild dice included."""
        special = view.ruleset.dice.special_face
        counting = {face, special} if view.wilds_count else {face}
        mine = sum(die in counting for die in view.hand)
        return mine + sum(view.others) * len(counting) / view.ruleset.dice.faces

    def _margin(self, view: View, bid: Bid, extra: int) -> float:
        return min(self.expected(view, bid.face) + extra - bid.quantity, 0)


def bot(seed: str) -> Counter:
    """Return a bot; the same seed makes the same decisions."""
    return Counter(seed)


if __name__ == "__main__":
    serve(bot)
