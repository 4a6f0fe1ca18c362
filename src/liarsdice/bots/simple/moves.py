"""When the simple bots call exact on their turn, call out of turn, and double a challenge or answer one.

The value of an answer is in dice, as if the round were settled at once: what the bot gains or others lose if it is
right, minus what the bot loses if it is wrong, each times its probability. A die that all others lose counts once.
"""

from liarsdice.bots.simple.bid_odds import BidOdds, p_pass_true
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
)
from liarsdice.core.engine.view import View
from liarsdice.core.rules.bids import Bid
from liarsdice.core.rules.choices import Answer, GainCap, LossMode, RoundKind
from liarsdice.core.rules.meaning import pass_hand_of, rolls_after_showing, sheds
from liarsdice.core.rules.parts import DOUBLE_STAKE

MIN_EXACT_VALUE_OUT_OF_TURN = 0.5
"""The value in dice above which the simple bots call exact out of turn."""
MAX_P_TRUE_TO_DOUBLE = 0.3
"""The probability of the standing bid up to which the simple bots challenge it for twice the stake.

Twice the stake pays from 0.5 down; the rest is for what the bidder knows and a bot does not.
"""


def opening_choice(view: View) -> ChooseKind | DeclareSpecial | None:
    """Return what the simple bots say before they open a round: its kind, or that it is special; None for neither.

    They choose the kind before they see any dice, and take an open round: with one die left, they see all dice but
    that one, and the others miss more. They declare a special round unless their die is wild, as wild dice count for
    every bid, but seldom in a special round. A locked face is then the bot's own.
    """
    if view.may_choose_kind:
        return ChooseKind(RoundKind.OPEN)
    declares = view.may_declare and not (view.wilds_count and view.ruleset.dice.special_face in view.hand)
    return DeclareSpecial() if declares else None


def prefers_reroll(view: View, odds: BidOdds, p_raise: float | None, t: float) -> bool:
    """Return whether to use a permission to roll again: not if a challenge pays, nor if some bid is likely anyway.

    Such a hand has hardly more than one die of any face, so that any other is better on average.
    """
    challenges = view.may_challenge and odds.p_standing < t
    return view.may_reroll and not challenges and p_raise is not None and p_raise < SAFE_BID


MIN_P_RIGHT_TO_ACCEPT = 0.25
"""The probability of being right below which the simple bots fold a doubled challenge: half the stake is less then."""
MIN_P_TRUE_TO_REDOUBLE = 0.7
"""The probability of the own bid from which the simple bots redouble; it pays from 0.5 up, as for doubling."""


def answer_double(view: View, p_standing: float) -> AnswerDouble:
    """Return the answer to a challenge for twice the stake, given the probability of the standing bid."""
    p_right = p_standing if view.bidder == view.seat else 1 - p_standing
    if Answer.FOLD in view.may_answer and p_right < MIN_P_RIGHT_TO_ACCEPT:
        return AnswerDouble(Answer.FOLD)
    if Answer.REDOUBLE in view.may_answer and p_right >= MIN_P_TRUE_TO_REDOUBLE:
        return AnswerDouble(Answer.REDOUBLE)
    return AnswerDouble(Answer.ACCEPT)


def challenge(view: View, p_standing: float) -> Challenge:
    """Return a challenge, for twice the stake if that is legal and the bid is probably false."""
    return Challenge(double=view.may_double and p_standing <= MAX_P_TRUE_TO_DOUBLE)


def prefers_exact_call(view: View, odds: BidOdds, p_raise: float | None) -> bool:
    """Return whether an exact call is legal and worth more than a challenge, and than a raise if that is challenged.

    `p_raise`: the probability of the bid that the bot would make instead; None if no bid is legal.
    """
    if not view.may_call_exact:
        return False
    loss = view.ruleset.loss
    stake = loss.fixed if loss.mode is LossMode.FIXED else 1
    alternatives = [(1 - 2 * odds.p_standing) * stake] if view.may_challenge else []
    if p_raise is not None:
        alternatives.append((2 * p_raise - 1) * stake)
    return exact_call_value(view, odds.p_exact) > max(alternatives)


def prefers_claim(view: View, odds: BidOdds, p_alternative: float | None) -> bool:
    """Return whether to claim the standing bid exact: legal, and worth more than its alternatives if all are doubted.

    `p_alternative`: the probability of the bid that stands otherwise, the own one or the raise; None without one.
    """
    if not view.may_claim_exact:
        return False
    loss, call = view.ruleset.loss, view.ruleset.exact_call
    assert call is not None
    stake = loss.fixed if loss.mode is LossMode.FIXED else 1
    gain = exact_call_value(view, 1.0) - call.bidder_loss
    alternatives = [(1 - 2 * odds.p_standing) * stake] if view.may_challenge else []
    if p_alternative is not None:
        alternatives.append((2 * p_alternative - 1) * stake)
    return odds.p_exact * (gain + stake) - (1 - odds.p_exact) * stake > max(alternatives, default=0.0)


def exact_call_value(view: View, p_exact: float) -> float:
    """Return the value of an exact call in dice; the bot regains no more dice than the rules let its seat hold.

    Where players shed, the dice that it puts away count, and those that a wrong call lets an opponent put away.
    """
    call = view.ruleset.exact_call
    assert call is not None
    assert view.seat is not None
    gain = call.success_gain
    if sheds(view.ruleset):
        return p_exact * gain - (1 - p_exact) * call.failure_loss
    if call.gain_cap is GainCap.STARTING_DICE:
        gain = max(min(gain, view.ruleset.starting_stakes - view.stakes[view.seat]), 0)
    return p_exact * (gain + call.others_loss + call.bidder_loss) - (1 - p_exact) * call.failure_loss


def out_of_turn_call(view: View, odds: BidOdds, t: float) -> Challenge | Exact | ClaimExact | None:
    """Return a call out of turn if it is clearly favourable, else None.

    A bot that keeps silent risks nothing, and all but the bidder share what a call wins. So the bot challenges only if
    P(standing bid is true) < t / (out_of_turn_factor * opponents with dice), where the factor is `DOUBLE_STAKE` if
    it can challenge for twice the stake only, and calls exact only if that is worth more than
    `MIN_EXACT_VALUE_OUT_OF_TURN`.
    """
    if prefers_claim(view, odds, odds.p_standing):
        return ClaimExact()
    if view.may_challenge:
        limit = t / (view.ruleset.loss.out_of_turn_factor * len(view.others))
        if odds.p_standing < limit:
            return challenge(view, odds.p_standing)
    elif view.may_double and odds.p_standing < t / (DOUBLE_STAKE * len(view.others)):
        return Challenge(double=True)
    if view.may_call_exact and exact_call_value(view, odds.p_exact) > MIN_EXACT_VALUE_OUT_OF_TURN:
        return Exact()
    return None


SAFE_BID = 0.75
"""The probability from which a bot bids although it could pass."""


def pass_or_doubt(view: View, p_standing: float, p_raise: float | None, t: float) -> PlayerAction | None:
    """Return a pass or the doubt of one for a bot on turn, None if it does better to bid or to challenge.

    `p_standing`: the probability of the standing bid. `p_raise`: that of the best legal bid, None without one. `t`: the
    probability below which the bot calls.
    """
    p_true = _p_latest_pass(view)
    if p_true is not None and p_true < min(t, p_standing if view.may_challenge else 1.0):
        return ChallengePass()
    calls = view.may_challenge and p_standing < t
    if view.may_pass and pass_hand_of(view.ruleset, view.hand) and not calls and (p_raise or 0.0) < SAFE_BID:
        return Pass()
    return ChallengePass() if must_challenge_pass(view) else None


def must_challenge_pass(view: View) -> bool:
    """Return whether a player can only doubt a pass or pass as well: the bidder, if no bid is higher."""
    other_moves = view.may_bid or view.unlimited or view.may_challenge or view.may_call_exact
    return view.may_challenge_pass and not other_moves


def _p_latest_pass(view: View) -> float | None:
    """Return the probability that the pass of the player before is true; None if it may not be doubted."""
    if not view.may_challenge_pass or view.passer is None:
        return None
    return p_pass_true(view.ruleset, view.dice[view.passer])


"""The probability from which a bid is made without showing dice."""
MIN_GAIN = 0.1
"""By how much dice that are shown have to raise the probability of the bid."""


def with_shown_dice(view: View, odds: BidOdds, bid: Bid) -> Bid | BidAndShow:
    """Return a bid with the dice that count for it, if showing them pays, or else the bid alone.

    Only the roll that follows can make the bid more probable.
    """
    if not rolls_after_showing(view.ruleset):
        return bid
    p_alone = odds.p_bid(bid)
    shown = view.showable(bid)[: len(view.hidden) - 1]
    if not shown or p_alone >= SAFE_BID:
        return bid
    gain = odds.after_showing(shown).p_bid(bid) - p_alone
    return BidAndShow(bid, shown) if gain >= MIN_GAIN else bid
