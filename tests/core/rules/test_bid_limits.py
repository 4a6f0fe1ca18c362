"""Which quantities and faces may be bid, and which bids are no bids of the rules at all."""

import pytest

from liarsdice.core.errors import MalformedError
from liarsdice.core.rules import choices as c
from liarsdice.core.rules.bid_space import (
    max_quantity,
    may_open_on,
    min_opening_quantity,
    ordinary_quantity,
    require_bid,
)
from liarsdice.core.rules.bids import Bid, beats
from liarsdice.core.rules.overlay import patched
from liarsdice.core.rules.presets import preset
from liarsdice.core.rules.ruleset import Ruleset


def test_the_highest_quantity_is_the_dice_in_play_a_number_or_without_limit() -> None:
    assert max_quantity(Ruleset(), (5, 0, 3)) == 8
    assert max_quantity(patched(Ruleset(), bidding__cap=6), (5, 0, 3)) == 6
    assert max_quantity(patched(Ruleset(), bidding__cap=None, guards__max_bids_per_round=9), (5, 0, 3)) is None


def test_with_stairs_every_hand_may_count_one_die_more() -> None:
    assert max_quantity(preset("snyd-stairs").ruleset, (5, 0, 3)) == 10


def test_the_lowest_opening_is_never_above_the_cap() -> None:
    rules = patched(Ruleset(), bidding__min_open=4)
    assert min_opening_quantity(rules, (5, 5), 4) == 4
    assert min_opening_quantity(rules, (1, 2), 4) == 3
    assert min_opening_quantity(patched(Ruleset(), bidding__min_open=c.MinOpen.PLAYERS), (5, 0, 3), 4) == 2


@pytest.mark.parametrize("players, least", [(2, 3), (3, 5), (4, 6), (5, 8), (6, 9)])
def test_half_as_many_again_as_players_is_rounded_up(players: int, least: int) -> None:
    rules = patched(Ruleset(), bidding__min_open=c.MinOpen.PLAYERS_TIMES_1_5)
    assert min_opening_quantity(rules, (5,) * players, 4) == least


def test_pure_bids_and_bids_on_the_special_face_may_open_lower() -> None:
    """Four players open with four ones, five dice zhai, or six (0xkmg.notion.site)."""
    rules = patched(
        preset("chui-niu+zhai").ruleset,
        bidding__min_open=c.MinOpen.PLAYERS_PLUS_2,
        bidding__min_open_pure=c.MinOpen.PLAYERS_PLUS_1,
        bidding__min_open_special=c.MinOpen.PLAYERS,
    )
    for players in (4, 8):
        lowest = [min_opening_quantity(rules, (5,) * players, face, pure=face == 5) for face in (1, 5, 6)]
        assert lowest == [players, players + 1, players + 2]
    as_pure = patched(rules, bidding__min_open_special=None)
    assert min_opening_quantity(as_pure, (5,) * 4, 1) == 5
    never_pure = patched(as_pure, bidding__to_pure=None, bidding__from_pure=None)
    assert min_opening_quantity(never_pure, (5,) * 4, 1) == 6


def test_the_special_face_may_open_always_never_or_in_special_rounds() -> None:
    perudo, basic, pirates = (preset(name).ruleset for name in ("perudo", "basic", "pirates"))
    assert [may_open_on(perudo, 1, special_round=special) for special in (False, True)] == [False, True]
    assert [may_open_on(rules, 1, special_round=False) for rules in (basic, pirates)] == [True, False]
    assert may_open_on(pirates, 2, special_round=False)


def test_special_dice_stand_beside_the_most_ordinary_dice_that_they_beat() -> None:
    rules = preset("perudo").ruleset
    for quantity in range(1, 6):
        row = ordinary_quantity(rules, Bid(quantity, 1))
        assert beats(rules, Bid(row, 6), Bid(quantity, 1))
        assert not beats(rules, Bid(row + 1, 2), Bid(quantity, 1))


@pytest.mark.parametrize("bid", [Bid(1, 0), Bid(1, 7), Bid(1, 1)])
def test_what_is_no_bid_of_the_rules_is_refused(bid: Bid) -> None:
    with pytest.raises(MalformedError, match="bid"):
        require_bid(preset("pirates").ruleset, bid)


def test_a_face_that_may_not_be_bid_can_still_be_counted() -> None:
    require_bid(preset("pirates").ruleset, Bid(1, 1), any_face=True)
    with pytest.raises(MalformedError, match="one of the faces 1, 2, 3, 4, 5, 6"):
        require_bid(preset("pirates").ruleset, Bid(1, 7), any_face=True)
