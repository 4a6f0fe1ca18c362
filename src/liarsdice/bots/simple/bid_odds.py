"""The odds of bids as seen from one seat: the numbers that the simple bots decide by."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from math import floor

from liarsdice.core.bids.odds import enumerate_hands, p_pass, p_true, remove_dice
from liarsdice.core.engine.view import View
from liarsdice.core.errors import MalformedError
from liarsdice.core.rules.bids import Bid
from liarsdice.core.rules.choices import HandBonus
from liarsdice.core.rules.meaning import bids_are_about_own_dice, has_pure_bids, pass_hand_of
from liarsdice.core.rules.ruleset import Ruleset
from liarsdice.core.rules.tally import Hand

BID_CREDIT = 0.7
"""Dice of its face that an opponent's latest bid is worth to the bot `inference`."""


def bid_credits(view: View, credit: float) -> dict[int, float]:
    """Return the dice credited to each face: `credit` for every opponent whose latest bid of the round is on it.

    Empty in a round whose face is locked: a bid on the only possible face tells nothing; and in a face-off, whose bids
    are on no face. Where bids are about the bidder's own dice, only the standing bid counts. Bids of players who see no
    dice tell nothing either.
    """
    if not credit or view.face_locked or view.face_off:
        return {}
    credits_by_face: dict[int, float] = {}
    bids = view.bids[-1:] if bids_are_about_own_dice(view.ruleset) else view.bids
    silent = (view.seat,) if view.open_hands else (view.seat, *view.blind)
    latest_face = {seat: bid.face for seat, bid in bids if seat not in silent}
    for face in latest_face.values():
        credits_by_face[face] = credits_by_face.get(face, 0.0) + credit
    return credits_by_face


FALSE_PASS_RATE = 0.05
"""How often players are taken to pass with a hand that does not allow it; with one that does, they always pass."""

MAX_DICE = 6
"""The most dice of a hand whose beliefs are worked out; a pass with more is ignored."""


def p_pass_true(rules: Ruleset, dice: int) -> float:
    """Return the probability that the hand of a player who passed with `dice` dice allows it."""
    prior = p_pass(rules, dice)
    return prior / (prior + (1 - prior) * FALSE_PASS_RATE) if prior else 0.0


def knows_counts_after_pass(rules: Ruleset) -> bool:
    """Return whether each die counts by itself under these rules, so that numbers of dice of hands can be added."""
    count = rules.count
    return (
        not (rules.wilds.needs_natural or count.all_different or rules.dice.double)
        and count.hand_bonus is HandBonus.NONE
    )


@lru_cache(maxsize=256)
def counts_after_pass(rules: Ruleset, dice: int, counting: frozenset[int]) -> tuple[float, ...]:
    """Return the probability of each number of dice, from 0 to `dice`, that show a face of `counting` after a pass."""
    probs = [0.0] * (dice + 1)
    for hand, rolls in zip(*enumerate_hands(rules.dice.faces, dice), strict=True):
        weight = rolls * (1.0 if pass_hand_of(rules, hand) else FALSE_PASS_RATE)
        probs[sum(die in counting for die in hand)] += weight
    total = sum(probs)
    return tuple(prob / total for prob in probs)


def convolved(counts: Sequence[float], more: Sequence[float]) -> list[float]:
    """Return the probabilities of the sums of two independent numbers, each given by its probabilities from 0 on."""
    sums = [0.0] * (len(counts) + len(more) - 1)
    for count, p in enumerate(counts):
        for added, q in enumerate(more):
            sums[count + added] += p * q
    return sums


class BidOdds:
    """Probabilities of bids for the seat of a view, from the dice that it sees and the number of the hidden ones.

    `credit`: dice of a face that each opponent is taken to hold, beyond chance, if their latest bid is on it (see
    `bid_credits`). With c dice of credit on a face, the probability of q dice is that of q - c without credit,
    interpolated linearly between whole numbers. Impossible bids stay at 0. With credit, the hands of opponents who
    passed are taken for those that a pass makes likely (`counts_after_pass`). `rolled_again`: own dice that count as
    unknown, since they are rolled again with the bid.
    """

    def __init__(self, view: View, credit: float = 0.0, rolled_again: Hand = ()) -> None:
        self._view, self._credit, self._rolled_again = view, credit, rolled_again
        self._credits = bid_credits(view, credit)

    def p_bid(self, bid: Bid) -> float:
        """Return the probability that a bid is true if it is made and challenged.

        A bid on the special face may end its wildness.
        """
        return self._p_true(bid, self._view.seat, wilds_count=self._view.wilds_if_bid(bid))

    def after_showing(self, shown: Hand) -> BidOdds:
        """Return the odds for a bidder who puts these hidden dice in the open and rolls the others again.

        Raises `MalformedError` if the dice are not under the cup.
        """
        rolled = remove_dice(self._view.hidden, shown)
        if rolled is None:
            raise MalformedError(f"the dice {shown!r:.60} are not under the cup")
        return BidOdds(self._view, self._credit, rolled)

    @property
    def p_standing(self) -> float:
        """The probability that the standing bid, exact if claimed to be, is true if challenged; 1 without a bid."""
        view, bid = self._view, self._view.bid
        if view.claimed:
            return self.p_exact
        return 1.0 if bid is None else self._p_true(bid, view.bidder, wilds_count=view.wilds_in_challenge)

    @property
    def p_exact(self) -> float:
        """The probability that the standing bid is exactly right; 0 without a bid."""
        view, bid = self._view, self._view.bid
        if bid is None:
            return 0.0
        p_more = self._p_true(Bid(bid.quantity + 1, bid.face), view.bidder, wilds_count=view.wilds_count)
        return self._p_true(bid, view.bidder, wilds_count=view.wilds_count) - p_more

    def most_probable(self, bids: Sequence[Bid]) -> tuple[Bid, float] | None:
        """Return the most probable bid, the first of equals, and its probability; None without bids.

        `bids` list the lowest quantity of each face first, pure bids apart. Only that one is considered, since more of
        a face is never more probable.
        """
        rules = self._view.ruleset
        kind_count = rules.dice.faces * (2 if has_pure_bids(rules) else 1)
        best: tuple[Bid, float] | None = None
        seen_kinds = set[tuple[int, bool]]()
        for bid in bids:
            if (bid.face, bid.pure) not in seen_kinds:
                seen_kinds.add((bid.face, bid.pure))
                p = self.p_bid(bid)
                if best is None or p > best[1]:
                    best = bid, p
                if len(seen_kinds) == kind_count:
                    break
        return best

    def purer_faces(self, bids: Sequence[Bid]) -> frozenset[int]:
        """Return the faces of these bids on which the lowest pure bid is more probable than the lowest other, if any.

        `bids` are listed as for `most_probable`.
        """
        lowest: dict[tuple[int, bool], Bid] = {}
        for bid in bids:
            lowest.setdefault((bid.face, bid.pure), bid)
        others = {face: self.p_bid(bid) for (face, pure), bid in lowest.items() if not pure}
        return frozenset(
            face for (face, pure), bid in lowest.items() if pure and self.p_bid(bid) > others.get(face, -1.0)
        )

    def _p_true(self, bid: Bid, bidder: int | None, *, wilds_count: bool) -> float:
        """Return the probability of a bid of a seat, with credit."""
        p_without_credit = self._p_at_least(bid, bidder, wilds_count=wilds_count)
        credit = self._credits.get(bid.face, 0.0)
        if not credit or not p_without_credit:
            return p_without_credit
        needed = max(bid.quantity - credit, 0.0)
        whole = floor(needed)
        fraction = needed - whole
        p_whole = self._p_at_least(Bid(whole, bid.face), bidder, wilds_count=wilds_count) if whole else 1.0
        if not fraction:
            return p_whole
        p_next = self._p_at_least(Bid(whole + 1, bid.face), bidder, wilds_count=wilds_count)
        return p_whole + fraction * (p_next - p_whole)

    def _p_at_least(self, bid: Bid, bidder: int | None, *, wilds_count: bool) -> float:
        view, rolled = self._view, self._rolled_again
        hand, others, faces = view.dice_of_bid(bidder)
        if rolled and view.seat is not None:
            hand, others = remove_dice(hand, rolled) or (), (*others, len(rolled))
            faces = (*faces, view.ruleset.dice.faces_at(view.seat))
        if self._credit and view.passes and knows_counts_after_pass(view.ruleset):
            return self._p_after_passes(bid, bidder, hand, wilds_count=wilds_count)
        return p_true(view.ruleset, Bid(bid.quantity, bid.face), hand, others, wilds_count=wilds_count, faces=faces)

    def _p_after_passes(self, bid: Bid, bidder: int | None, hand: Hand, *, wilds_count: bool) -> float:
        """Return the probability of a bid if the hands of others who passed are those that a pass makes likely."""
        view, rules = self._view, self._view.ruleset
        own_only = bids_are_about_own_dice(rules)
        about = {seat for seat in range(len(view.dice)) if seat != view.seat and (seat == bidder or not own_only)}
        passers = {seat for seat, _ in view.passes if seat in about and view.dice[seat] <= MAX_DICE}
        others = tuple(view.dice[seat] for seat in sorted(about - passers) if view.dice[seat])
        counting = frozenset({bid.face, rules.dice.special_face if wilds_count else bid.face})
        counts: list[float] = [1.0]
        for seat in sorted(passers):
            counts = convolved(counts, counts_after_pass(rules, view.dice[seat], counting))
        return sum(
            p * p_true(rules, Bid(bid.quantity - count, bid.face), hand, others, wilds_count=wilds_count)
            if count < bid.quantity
            else p
            for count, p in enumerate(counts)
        )
