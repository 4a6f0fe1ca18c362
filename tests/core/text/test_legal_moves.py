"""Legal moves as one line of text."""

from __future__ import annotations

import re

from hypothesis import given

from liarsdice.core.actions import Challenge, Exact, SetDirection
from liarsdice.core.engine.view import View, view
from liarsdice.core.rules.bid_space import UNCAPPED_QUANTITY
from liarsdice.core.rules.bids import Bid
from liarsdice.core.rules.choices import Direction
from liarsdice.core.rules.ruleset import Ruleset
from liarsdice.core.text.turn_text import legal_moves_text, move_text, moves_text
from tests.laws.random_matches import bidding_states, random_match
from tests.laws.random_rulesets import seeds, tables

QUANTITIES = (*range(1, 30), *range(UNCAPPED_QUANTITY - 1, UNCAPPED_QUANTITY + 2))
"""The quantities that are compared: the listed ones, and those around the highest that can be bid."""
RANGE = re.compile(r"(\d+)x(\d+)(?P<pure>!)?(?: to (\d+)x\d+!?|( or more))?")


def listed_bids(text: str) -> set[Bid]:
    """The bids that a text lists, with the quantities that are compared."""
    bids = set()
    for part in text.split(", "):
        match = RANGE.fullmatch(part)
        if match:
            last = UNCAPPED_QUANTITY if match[5] else int(match[4] or match[1])
            quantities = [quantity for quantity in QUANTITIES if int(match[1]) <= quantity <= last]
            bids |= {Bid(quantity, int(match[2]), match["pure"] is not None) for quantity in quantities}
    return bids


def allowed_bids(seen: View) -> set[Bid]:
    return {
        bid
        for quantity in QUANTITIES
        for face in range(seen.ruleset.dice.faces + 2)
        for pure in (False, True)
        if seen.allows(bid := Bid(quantity, face, pure))
    }


@given(tables(), seeds)
def test_the_text_lists_the_legal_moves_and_no_others(table: tuple[Ruleset, int], seed: int) -> None:
    match = random_match(*table, seed, 40)
    for state in list(bidding_states(match))[::5]:
        for seat in range(len(match.names)):
            seen = view(state, seat)
            text = legal_moves_text(seen)
            assert listed_bids(text) == allowed_bids(seen)
            calls = {move_text(move) for move in (*seen.moves, None) if not isinstance(move, Bid) and seen.allows(move)}
            assert {part for part in text.split(", ") if part and not RANGE.fullmatch(part)} == calls


def test_ranges_are_split_where_a_quantity_is_missing() -> None:
    moves = (Bid(1, 6), Bid(1, 2), Bid(2, 2), Bid(4, 2), Challenge(), Exact(), SetDirection(Direction.CLOCKWISE), None)
    assert moves_text(moves) == "1x2 to 2x2, 4x2, 1x6, liar, exact, clockwise, silent"
    assert moves_text(moves[:4], unlimited=[(2, False)]) == "1x2 to 2x2, 4x2 or more, 1x6"
    assert moves_text(()) == ""
