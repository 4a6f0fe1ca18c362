"""The simple bots: threshold, greedy, misjudging, novice and random."""

import random
from collections.abc import Callable

import msgspec

from liarsdice.bots.simple.bid_odds import BidOdds
from liarsdice.bots.simple.moves import (
    answer_double,
    challenge,
    opening_choice,
    out_of_turn_call,
    pass_or_doubt,
    prefers_claim,
    prefers_exact_call,
    prefers_reroll,
    with_shown_dice,
)
from liarsdice.core.actions import (
    AnswerDouble,
    BidAndShow,
    Challenge,
    ChallengePass,
    ChooseKind,
    ClaimExact,
    DeclareSpecial,
    Exact,
    Pass,
    PlayerAction,
    Reroll,
)
from liarsdice.core.bids.odds import odds
from liarsdice.core.engine.view import View
from liarsdice.core.rules.bids import SUM_FACE, Bid
from liarsdice.core.rules.choices import Answer, Choice
from liarsdice.core.rules.meaning import pass_hand_of
from liarsdice.core.rules.tally import tally


class Threshold(msgspec.Struct, frozen=True):
    """Challenges if P(standing bid is true) < `t`; else makes the most probable legal bid, the first listed of equals.

    It challenges as well if its own dice rule out every bid that it may make, unless they prove the standing one.
    It chooses an opening bid in the same way, so it names a face that it holds. It never changes the direction of play.
    It passes and doubts passes by `pass_or_doubt`, and shows dice with an uncertain bid where that pays
    (`with_shown_dice`).
    `credit`: dice that an opponent's latest bid on a face is worth (see `BidOdds`); the bot `inference` uses it.
    """

    t: float = 0.4
    credit: float = 0.0

    def act(self, view: View) -> PlayerAction | None:
        """Return the move for a view; out of turn a call or None."""
        odds = BidOdds(view, self.credit)
        if not view.on_turn:
            return out_of_turn_call(view, odds, self.t)
        return _by_threshold(view, odds, self.t, odds)


def _by_threshold(view: View, odds: BidOdds, t: float, right_odds: BidOdds) -> PlayerAction:
    """Return the move of `Threshold` on its turn by some odds. `right_odds`: what it goes by where it is not wrong."""

    def move(best: Bid, p_best: float) -> PlayerAction:
        doubts = odds.p_standing < t or (p_best == 0 and right_odds.p_standing < 1)
        if view.may_challenge and doubts:
            return challenge(view, odds.p_standing)
        return with_shown_dice(view, right_odds, best)

    return _move_on_turn(view, odds, t, move)


def _move_on_turn(
    view: View, odds: BidOdds, t: float, raise_or_challenge: Callable[[Bid, float], PlayerAction]
) -> PlayerAction:
    """Return the move of a bot that decides alone between a challenge and the most probable raise, given with its P."""
    opening = opening_choice(view)
    if opening is not None:
        return opening
    if view.may_answer:
        return answer_double(view, odds.p_standing)
    best = odds.most_probable(view.may_bid)
    p_raise = None if best is None else best[1]
    if prefers_reroll(view, odds, p_raise, t):
        return Reroll()
    if prefers_exact_call(view, odds, p_raise):
        return Exact()
    if prefers_claim(view, odds, p_raise):
        return ClaimExact()
    passing = pass_or_doubt(view, odds.p_standing, p_raise, t)
    if passing is not None:
        return passing
    return challenge(view, odds.p_standing) if best is None else raise_or_challenge(*best)


LOWEST_FACE = 1
"""What the lowest die shows."""


class Greedy(msgspec.Struct, frozen=True):
    """Challenges if P(standing bid is false) is at least P(true) of the most probable raise.

    Otherwise it makes the highest raise (the last listed) with P(true) >= `t`, or the most probable one if no raise
    reaches `t`. In a face-off it goes no higher than it would with the lowest die, so that the bid does not tell its
    own. It never changes the direction of play. It shows dice with an uncertain bid where that pays.
    """

    t: float = 0.4

    def act(self, view: View) -> PlayerAction | None:
        """Return the move for a view; out of turn a call or None."""
        odds = BidOdds(view)
        if not view.on_turn:
            return out_of_turn_call(view, odds, self.t)

        def move(best: Bid, p_best: float) -> PlayerAction:
            if view.may_challenge and 1 - odds.p_standing >= p_best:
                return challenge(view, odds.p_standing)
            return with_shown_dice(view, odds, self._highest(view, odds) or best)

        return _move_on_turn(view, odds, self.t, move)

    def _highest(self, view: View, odds: BidOdds) -> Bid | None:
        if view.face_off:
            odds = BidOdds(msgspec.structs.replace(view, hand=(LOWEST_FACE,)))
        return next((bid for bid in reversed(view.may_bid) if odds.p_bid(bid) >= self.t), None)


TRUST_CREDIT = 1.5
"""Dice of its face that the latest bid of an opponent is worth to a bot that trusts others."""
NEARLY = 0.5, 0.1
"""How probable a bid seems that needs up to one die more than the average, and more, to who takes that for certain."""


class Misjudgement(Choice):
    """What a bot gets wrong about the others' dice.

    `FORGETS_WILDS`: their wild dice. `TAKES_AVERAGE`: it takes the average for certain, and one die more for possible.
    `GUESSES`: both of these, and one die more is possible for its own bids alone. `TRUSTS`: bids are true.
    """

    FORGETS_WILDS = "forgets_wilds"
    TAKES_AVERAGE = "takes_average"
    GUESSES = "guesses"
    TRUSTS = "trusts"


THRESHOLDS = {
    Misjudgement.FORGETS_WILDS: 0.4,
    Misjudgement.TAKES_AVERAGE: 0.4,
    Misjudgement.GUESSES: 0.6,
    Misjudgement.TRUSTS: 0.2,
}
"""The bots doubt a bid that they take for less probable than this."""


class Misjudging(msgspec.Struct, frozen=True):
    """Plays as `Threshold` by odds that are wrong in one way; what its own dice prove, it knows.

    It bids what its own dice rule out only if they prove the standing bid, too, or if it may not challenge. Out of turn
    it goes by the right odds, and so it does when it may show dice with a bid.
    """

    misjudgement: Misjudgement

    def act(self, view: View) -> PlayerAction | None:
        """Return the move for a view; out of turn a call or None."""
        if not view.on_turn:
            return out_of_turn_call(view, BidOdds(view), THRESHOLDS[Misjudgement.FORGETS_WILDS])
        odds = MisjudgedOdds(view, self.misjudgement)
        return _by_threshold(view, odds, THRESHOLDS[self.misjudgement], BidOdds(view))


class MisjudgedOdds(BidOdds):
    """Odds that are wrong about the others' dice in one way; a bid that is certain or impossible is seen as such."""

    def __init__(self, view: View, misjudgement: Misjudgement) -> None:
        super().__init__(view, TRUST_CREDIT if misjudgement is Misjudgement.TRUSTS else 0.0)
        self._misjudgement = misjudgement

    def _p_at_least(self, bid: Bid, bidder: int | None, *, wilds_count: bool) -> float:
        known = super()._p_at_least(bid, bidder, wilds_count=wilds_count)
        if known in {0, 1}:
            return known
        if self._misjudgement is Misjudgement.TRUSTS:
            return known
        rules, (hand, unseen, faces) = self._view.ruleset, self._view.dice_of_bid(bidder)
        missing = bid.quantity - tally(rules, (hand,), bid.face, wilds_count=wilds_count).count
        counts_wilds = wilds_count and self._misjudgement is Misjudgement.TAKES_AVERAGE
        others = odds(rules, Bid(missing, bid.face), (), unseen, wilds_count=counts_wilds, faces=faces)
        if self._misjudgement is Misjudgement.FORGETS_WILDS:
            return float(others.p_true)
        return 1.0 if missing <= others.expected else NEARLY[missing > others.expected + 1]


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
        if view.may_reroll:
            return Reroll()
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


P_OUT_OF_TURN = 0.05
"""The probability that the random bot calls out of turn. A uniform choice would end nearly every round at once."""


class Random:
    """Draws one of its legal moves uniformly: every bid, call and direction is one move.

    Out of turn it calls with probability `P_OUT_OF_TURN`. Where quantities have no limit, it draws among the bids of at
    most as many dice as are in play, or among the lowest bids if all are higher, so that a round stays playable.
    """

    def __init__(self, seed: int | str | None = None) -> None:
        self._seed = seed
        self._random = random.Random(seed)

    def __repr__(self) -> str:
        return f"Random({self._seed!r})"

    def act(self, view: View) -> PlayerAction | None:
        """Draw a move; out of turn mostly None."""
        if not view.on_turn and self._random.random() >= P_OUT_OF_TURN:
            return None
        moves = view.moves
        if view.unlimited:
            bid_count = len(view.may_bid)
            in_play = sum(bid.quantity <= sum(view.dice) for bid in view.may_bid)
            moves = (*moves[: in_play or view.ruleset.dice.faces], *moves[bid_count:])
        return self._random.choice(moves) if moves else None
