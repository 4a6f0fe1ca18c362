"""An explanation as English sentences."""

from __future__ import annotations

from liarsdice.bots.neural.explain import ExpectedCount, Explanation, MoveEstimate, StandingBidOdds
from liarsdice.core.actions import Challenge, Exact, PlayerAction
from liarsdice.core.engine.view import View
from liarsdice.core.rules.bids import Bid
from liarsdice.core.text.narration import bid_name, face_name

BETTER_BY = 0.02
"""A move whose value exceeds that of the champion's own moves by this share of the match is named."""
MAX_OWN_MOVES = 3
"""The most moves of the champion that are named."""
MIN_PROB = 0.05
"""The least probability of a move of the champion that is named."""
MIN_COUNT_SHIFT = 0.15
"""A seat is named if its bids shift the expected count of the standing face by at least this many dice."""


def explanation_sentences(shown: View, explanation: Explanation) -> tuple[str, ...]:
    """Return the sentences for the player whose view was explained."""
    sentences = []
    if shown.bid is not None and explanation.standing_bid is not None:
        sentences.append(_standing_sentence(shown, shown.bid, explanation.standing_bid))
        sentences += [
            _count_sentence(shown, count, shown.bid)
            for count in explanation.expected_counts
            if abs(count.posterior - count.prior) >= MIN_COUNT_SHIFT
        ]
    probable = [estimate for estimate in explanation.moves if estimate.prob >= MIN_PROB]
    own_moves = sorted(probable, key=lambda estimate: -estimate.prob)[:MAX_OWN_MOVES]
    if own_moves:
        choices = " or ".join(f"{_as_verb(shown, own.move)} ({own.prob:.0%})" for own in own_moves)
        sentences.append(f"The champion would {choices}.")
        sentences.append(_value_sentence(shown, own_moves, explanation.moves))
    return tuple(sentences)


def _standing_sentence(shown: View, bid: Bid, odds: StandingBidOdds) -> str:
    return (
        f"A bid of {bid_name(shown.ruleset, bid)} is true {odds.p_true:.0%} of the time, judging by your own dice. With"
        f" the bids taken into account, it is true {odds.p_true_given_bids:.0%} and exactly right"
        f" {odds.p_exact_given_bids:.0%} of the time."
    )


def _count_sentence(shown: View, count: ExpectedCount, bid: Bid) -> str:
    more = "more" if count.posterior > count.prior else "fewer"
    return (
        f"{shown.names[count.seat]} bids like someone with {more} {face_name(shown.ruleset, bid.face)} than"
        f" average: about {count.posterior:.1f}, not {count.prior:.1f}."
    )


def _value_sentence(shown: View, own_moves: list[MoveEstimate], moves: tuple[MoveEstimate, ...]) -> str:
    """Name the values of the champion's own moves, of a challenge, and of a move that is clearly better."""
    best, own_value = moves[0], max(own.value for own in own_moves)
    named = [estimate for estimate in moves if estimate in own_moves or isinstance(estimate.move, Challenge)]
    if best.value - own_value >= BETTER_BY and best not in named:
        named.insert(0, best)
    values = ", ".join(f"{_as_noun(shown, estimate.move)} {estimate.value:.0%}" for estimate in named)
    return f"Estimated chance to win the match: {values}."


def _as_noun(shown: View, move: PlayerAction | None) -> str:
    if isinstance(move, Bid):
        return bid_name(shown.ruleset, move)
    if isinstance(move, Challenge):
        return "the challenge"
    if move is None:
        return "letting the bid stand"
    return "the exact call" if isinstance(move, Exact) else "changing the direction"


def _as_verb(shown: View, move: PlayerAction | None) -> str:
    if isinstance(move, Bid):
        return f"bid {bid_name(shown.ruleset, move)}"
    if isinstance(move, Challenge):
        return "challenge"
    if move is None:
        return "let the bid stand"
    return "call exact" if isinstance(move, Exact) else "change the direction"
