"""Bots that misjudge: each gets one thing wrong about the others' dice, and none its own dice."""

from __future__ import annotations

import pytest

from liarsdice.bots.simple.simple_bots import Misjudgement, Misjudging
from liarsdice.core.actions import Challenge, PlayerAction
from liarsdice.core.engine.view import view
from liarsdice.core.rules.bids import Bid
from liarsdice.core.rules.presets import preset
from tests.bots.positions import position

BASIC, PERUDO = preset("basic").ruleset, preset("perudo").ruleset


def answer(misjudgement: Misjudgement, own: tuple[int, ...], bids: str) -> PlayerAction | None:
    """The answer of the second of two players under perudo; the first holds fives."""
    return Misjudging(misjudgement).act(view(position(PERUDO, ((5,) * len(own), own), bids), 1))


def test_who_forgets_wilds_doubts_what_they_make_likely() -> None:
    # The other needs two of three dice: 26% with ones wild, 7% without; then one, with two own sixes: 70% and 42%.
    assert answer(Misjudgement.FORGETS_WILDS, (6, 2, 3), "3x6") == Challenge()
    assert answer(Misjudgement.FORGETS_WILDS, (6, 6, 3), "3x6") != Challenge()


def test_who_trusts_believes_an_unlikely_bid() -> None:
    assert answer(Misjudgement.TRUSTS, (6, 2, 3), "3x6") != Challenge()


@pytest.mark.parametrize("bids, doubts", [("2x6", False), ("3x6", False), ("4x6", True)])
def test_who_takes_the_average_holds_one_die_more_for_possible(bids: str, doubts: bool) -> None:
    # One own six; of the other's three dice one counts on average, with ones wild.
    assert (answer(Misjudgement.TAKES_AVERAGE, (6, 2, 3), bids) == Challenge()) == doubts


@pytest.mark.parametrize("bids, doubts", [("1x6", False), ("2x6", True)])
def test_who_guesses_doubts_one_die_above_the_average_without_wilds(bids: str, doubts: bool) -> None:
    # One own six; half a six among the other's three dice.
    assert (answer(Misjudgement.GUESSES, (6, 2, 3), bids) == Challenge()) == doubts


@pytest.mark.parametrize("misjudgement", list(Misjudgement))
def test_own_dice_are_known(misjudgement: Misjudgement) -> None:
    assert answer(misjudgement, (6, 1, 1), "3x6") != Challenge()  # true by the own dice
    assert answer(misjudgement, (2, 2, 3), "4x6") == Challenge()  # false by the own dice
    last = view(position(BASIC, ((5,), (3,)), "2x5"), 1)
    assert Misjudging(misjudgement).act(last) == Challenge()


@pytest.mark.parametrize("misjudgement", list(Misjudgement))
def test_a_bid_that_the_own_dice_rule_out_is_made_only_where_a_challenge_loses(misjudgement: Misjudgement) -> None:
    shown = view(position(BASIC, ((5,), (5,)), "1x5"), 1)  # proven, and the raises need what is not there but 2x5
    move = Misjudging(misjudgement).act(shown)
    assert move == Bid(2, 5) or (isinstance(move, Bid) and move.face == 6)
