"""The novice: makes the mistakes of people who play for the first time."""

from __future__ import annotations

import msgspec

from liarsdice.core.actions import (
    AnswerDouble,
    BidAndShow,
    Challenge,
    ChallengePass,
    ChooseKind,
    DeclareSpecial,
    Pass,
    PlayerAction,
)
from liarsdice.core.engine.view import View
from liarsdice.core.rules.bids import SUM_FACE, Bid
from liarsdice.core.rules.choices import Answer
from liarsdice.core.rules.meaning import pass_hand_of

OPTIMISM = 1
"""Dice, or pips of a sum, beyond its estimate that a bid of its own may need."""


class Novice(msgspec.Struct, frozen=True):
    """Estimates a count as its own dice of the face plus the average of the others', and takes that for certain.

    Its mistakes: it ignores wild dice, so it challenges too early where they count. It challenges every bid above its
    estimate. It bids the face that it holds most of, by the lowest quantity, so its bids reveal its hand. It never
    calls exact or out of turn. It declares every special round that it may declare, takes the first kind of round that
    it may choose, and passes whenever its hand allows it. Of dice that may be shown, it shows all that it can and rolls
    the others again: it likes to roll, and forgets what that tells the others.
    """

    def act(self, view: View) -> PlayerAction | None:
        """Return the move for a view; None out of turn."""
        if not view.on_turn:
            return None
        if view.may_declare or view.may_choose_kind:
            return ChooseKind(view.may_choose_kind[0]) if view.may_choose_kind else DeclareSpecial()
        if view.may_answer:
            return AnswerDouble(Answer.ACCEPT)
        lowest: dict[int, Bid] = {}
        for bid in view.may_bid:
            lowest.setdefault(bid.face, bid)
        doubts = view.bid is not None and view.bid.quantity > self._estimate(view, view.bidder, view.bid.face)
        if view.may_pass and pass_hand_of(view.ruleset, view.hand):
            return Pass()
        if not lowest and not view.may_challenge:
            return ChallengePass()
        if not lowest or (doubts and view.may_challenge):
            return Challenge()
        plausible = [
            bid for bid in lowest.values() if bid.quantity <= self._estimate(view, view.seat, bid.face) + OPTIMISM
        ]
        if not plausible and view.may_challenge:
            return Challenge()
        bid = max(plausible or lowest.values(), key=lambda bid: (view.known.count(bid.face), -bid.quantity))
        shown = view.showable(bid)[: max(len(view.hidden) - 1, 0)]
        return BidAndShow(bid, shown) if shown else bid

    def _estimate(self, view: View, bidder: int | None, face: int) -> float:
        hand, others, faces = view.dice_of_bid(bidder)
        if face == SUM_FACE:
            return sum(hand) + sum(dice * (sides + 1) / 2 for dice, sides in zip(others, faces, strict=True))
        expected = sum(dice / sides for dice, sides in zip(others, faces, strict=True) if face <= sides)
        return hand.count(face) + expected
