"""Who may pass, whose pass is called, and how many hands allow one."""

from __future__ import annotations

import pytest

from liarsdice.core.bids.odds import p_pass
from liarsdice.core.engine.legal import pass_refusal
from liarsdice.core.engine.settle import called_seat
from liarsdice.core.events import PassChallenged
from liarsdice.core.records.position import read_position
from liarsdice.core.rules.meaning import pass_hand_of
from liarsdice.core.rules.presets import preset

RULES = preset("perudo+pass").ruleset


def test_nobody_passes_before_a_bid_or_where_no_hand_allows_it() -> None:
    assert pass_refusal(read_position("bidding 11111/22222 0 - 1 perudo Ann,Bo")) == "a round opens with a bid"
    assert pass_refusal(read_position("bidding 11111/22222 1 0:3x4 1 perudo Ann,Bo")) == "no hand of 5 dice allows it"


def test_the_player_who_passed_is_called_and_thirteen_hands_in_a_hundred_allow_it() -> None:
    assert called_seat(PassChallenged(2, 1)) == 1
    assert p_pass(RULES, 5) == pytest.approx(1026 / 7776)
    assert pass_hand_of(RULES, (1, 1, 1, 1, 2)) is None
