"""The moves of a match in words."""

from __future__ import annotations

import pytest

from liarsdice.cli.matches.review_text import move_clause, move_noun
from liarsdice.core.actions import (
    AnswerDouble,
    BidAndShow,
    Challenge,
    ChallengePass,
    ChooseKind,
    DeclareSpecial,
    Exact,
    Pass,
    PlayerAction,
    SetDirection,
)
from liarsdice.core.rules.bids import Bid
from liarsdice.core.rules.choices import Answer, Direction, RoundKind
from liarsdice.core.rules.presets import preset
from liarsdice.core.text.narration import Narrator

NARRATOR = Narrator(preset("perudo").ruleset, ("Ann", "Bo"))


@pytest.mark.parametrize(
    "move, clause, noun",
    [
        (Bid(2, 4), "bid two fours", "two fours"),
        (BidAndShow(Bid(2, 4), (4,)), "bid two fours and showed one die", "two fours, showing one die"),
        (Challenge(), "called “Dudo!”", "“Dudo!”"),
        (Challenge(double=True), "called “Dudo!” for double stakes", "“Dudo!” for double stakes"),
        (Exact(), "called “Calza!”", "“Calza!”"),
        (AnswerDouble(Answer.REDOUBLE), "doubled the stakes again", "doubling again"),
        (AnswerDouble(Answer.FOLD), "folded", "folding"),
        (Pass(), "passed", "passing"),
        (ChallengePass(), "doubted the pass", "doubting the pass"),
        (DeclareSpecial(), "declared “Palifico!”", "“Palifico!”"),
        (ChooseKind(RoundKind.OPEN), "chose a round that is open", "a round that is open"),
        (SetDirection(Direction.ANTICLOCKWISE), "chose the direction", "the other direction"),
    ],
)
def test_every_move_has_words(move: PlayerAction, clause: str, noun: str) -> None:
    assert move_clause(NARRATOR, move) == clause
    assert move_noun(NARRATOR, move) == noun


def test_silence_has_a_noun() -> None:
    assert move_noun(NARRATOR, None) == "letting the bid stand"
