"""Every action can be written, and is read back."""

import pytest

from liarsdice.core.actions import (
    BidAndShow,
    Challenge,
    ChooseKind,
    DeclareSpecial,
    Exact,
    Penalise,
    PlayerAction,
    SetDirection,
)
from liarsdice.core.bids.notation import MAX_QUOTE_LENGTH, notate, parse, parse_bid
from liarsdice.core.errors import NotationError
from liarsdice.core.rules.bids import SUM_FACE, Bid
from liarsdice.core.rules.choices import Direction, PenaltyTrigger, RoundKind


@pytest.mark.parametrize(
    "action",
    [
        Bid(5, 4),
        Challenge(),
        Exact(),
        *map(SetDirection, Direction),
        DeclareSpecial(),
        *map(ChooseKind, RoundKind),
    ],
)
def test_a_written_action_is_read_back(action: PlayerAction) -> None:
    assert parse(notate(action)) == action


def test_a_penalty_is_written_as_its_trigger() -> None:
    assert notate(Penalise(PenaltyTrigger.ASKS_DICE_LEFT)) == "asks_dice_left"


@pytest.mark.parametrize("text", ["5x4", " 5 X 4 ", "5×4", "5*4"])
def test_bids_are_read_with_several_signs_and_spaces(text: str) -> None:
    assert parse_bid(text) == Bid(5, 4)


@pytest.mark.parametrize("text", ["5x4!", " 5 x 4 !", "5x4 zhai", "5X4 ZHAI", "5*4 pure"])
def test_a_pure_bid_ends_in_a_mark_or_a_word(text: str) -> None:
    assert parse_bid(text) == Bid(5, 4, pure=True)
    assert notate(parse_bid(text)) == "5x4!"


@pytest.mark.parametrize("text", ["sum7", "sum 7", " SUM 7 ", "suma7", "Suma 7"])
def test_a_bid_on_the_sum_is_a_word_and_a_number(text: str) -> None:
    assert parse(text) == Bid(7, SUM_FACE)
    assert notate(parse(text)) == "sum7"


@pytest.mark.parametrize("text", ["5x0", "5 × 00!", "1x0+4"])
def test_a_bid_on_face_0_is_no_bid_on_a_sum(text: str) -> None:
    with pytest.raises(NotationError, match="no die has the face 0"):
        parse(text)


def test_a_long_text_is_quoted_in_part() -> None:
    with pytest.raises(NotationError) as refused:
        parse("x" * 1000)
    assert len(str(refused.value)) < MAX_QUOTE_LENGTH + 200


def test_dice_that_are_shown_follow_a_plus() -> None:
    for text, action in {
        "5x4+441": BidAndShow(Bid(5, 4), (4, 4, 1)),
        "5x4! + 4": BidAndShow(Bid(5, 4, pure=True), (4,)),
        "5x4 show 4 4": BidAndShow(Bid(5, 4), (4, 4)),
        "5x12+12.": BidAndShow(Bid(5, 12), (12,)),
        "5x12+12.1": BidAndShow(Bid(5, 12), (12, 1)),
    }.items():
        assert parse(text) == action
        assert parse(notate(action)) == action
    for text in ("5x4+", "5x4 show", "+4", "5x4+4+4", "5x4+x"):
        with pytest.raises(NotationError):
            parse(text)
