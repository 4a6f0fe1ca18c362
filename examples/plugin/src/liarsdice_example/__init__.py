"""A bot and house rules that `pip install` adds to `liarsdice`; `pyproject.toml` names both."""

from __future__ import annotations

from liarsdice import Bid, Challenge, PlayerAction, View, patched, preset

TWO_DICE = patched(preset("perudo").ruleset, dice__per_player=2, exact_call=None, labels__game="Perudo with two dice")
"""The ruleset of the plugin; a `Preset` may have a source and a title, too."""


class Stubborn:
    """Bids the face that it holds most of, and challenges bids of more than half the dice."""

    def act(self, view: View) -> PlayerAction | None:
        """Return one of `view.moves`; out of turn None lets the bid stand."""
        if not view.on_turn:
            return None
        if view.may_challenge and view.bid is not None and view.bid.quantity > sum(view.dice) / 2:
            return Challenge()
        return min(view.may_bid, key=lambda bid: self._cost(view, bid)) if view.may_bid else Challenge()

    def _cost(self, view: View, bid: Bid) -> tuple[int, int]:
        return bid.quantity, -view.hand.count(bid.face)


def stubborn(seed: str) -> Stubborn:
    """Return a bot; this one needs no random numbers."""
    del seed
    return Stubborn()
