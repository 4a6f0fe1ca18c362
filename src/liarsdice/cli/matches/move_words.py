"""The moves of a match in the past tense and as nouns, for reviews in the terminal."""

from __future__ import annotations

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
)
from liarsdice.core.rules.bids import Bid
from liarsdice.core.rules.choices import Answer
from liarsdice.core.text.narration import Narrator, dice_words

ANSWERS = {
    Answer.ACCEPT: ("accepted the double stakes", "accepting"),
    Answer.REDOUBLE: ("doubled the stakes again", "doubling again"),
    Answer.FOLD: ("folded", "folding"),
}


def move_clause(narrator: Narrator, move: PlayerAction) -> str:
    """Return what a player did, such as `bid four twos`."""
    labels = narrator.rules.labels
    match move:
        case Bid():
            return f"bid {narrator.bid(move)}"
        case BidAndShow():
            return f"bid {narrator.bid(move.bid)} and showed {dice_words(len(move.shown))}"
        case Challenge(double):
            return f"called “{narrator.label(labels.challenge)}”{' for double stakes' if double else ''}"
        case Exact():
            return f"called “{narrator.label(labels.exact)}”"
        case AnswerDouble(answer):
            return ANSWERS[answer][0]
        case Pass():
            return "passed"
        case ChallengePass():
            return "doubted the pass"
        case DeclareSpecial():
            return f"declared “{narrator.label(labels.special_round)}”"
        case ChooseKind(kind):
            return f"chose a round that is {kind.value}"
        case _:
            return "chose the direction"


def move_noun(narrator: Narrator, move: PlayerAction | None) -> str:
    """Return a move as a noun, such as `four twos`; None is silence."""
    labels = narrator.rules.labels
    match move:
        case None:
            return "letting the bid stand"
        case Bid():
            return narrator.bid(move)
        case BidAndShow():
            return f"{narrator.bid(move.bid)}, showing {dice_words(len(move.shown))}"
        case Challenge(double):
            return f"“{narrator.label(labels.challenge)}”{' for double stakes' if double else ''}"
        case Exact():
            return f"“{narrator.label(labels.exact)}”"
        case AnswerDouble(answer):
            return ANSWERS[answer][1]
        case Pass():
            return "passing"
        case ChallengePass():
            return "doubting the pass"
        case DeclareSpecial():
            return f"“{narrator.label(labels.special_round)}”"
        case ChooseKind(kind):
            return f"a round that is {kind.value}"
        case _:
            return "the other direction"
