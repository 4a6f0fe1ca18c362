"""What a player sees after the bids of a round."""

from __future__ import annotations

from liarsdice.core.rules.bids import Bid
from liarsdice.core.rules.presets import preset
from liarsdice.solve.game.round_game import RoundStart, state_before_bids, view_after


def test_a_view_has_the_bids_of_both_and_the_dice_of_the_seat() -> None:
    before = state_before_bids(preset("perudo").ruleset, RoundStart((2, 1)))
    opening = view_after(before, [], 0)
    assert (opening.bid, opening.on_turn, len(opening.hand), opening.dice) == (None, True, 2, (2, 1))
    bids = [Bid(1, 3), Bid(2, 3)]
    answer = view_after(before, bids[:1], 1)
    assert (answer.bid, answer.on_turn, len(answer.hand)) == (bids[0], True, 1)
    assert view_after(before, bids, 0).bids == ((0, bids[0]), (1, bids[1]))
