"""Why the champion plays as it does: the odds of the standing bid, beliefs about the others, the value of each move."""

import msgspec

from liarsdice.bots.neural.belief import (
    Belief,
    BidSignal,
    CountBelief,
    beliefs,
    bid_signals,
    count_beliefs,
    expected_count,
)
from liarsdice.bots.neural.champion import champion_network
from liarsdice.bots.neural.champions import make_champion
from liarsdice.bots.neural.features import is_supported
from liarsdice.bots.neural.reasons import chances, p_right, reason_for_best
from liarsdice.bots.simple.bid_odds import BidOdds
from liarsdice.core.actions import Challenge, Exact, PlayerAction
from liarsdice.core.bids.odds import percent
from liarsdice.core.engine.state import Phase
from liarsdice.core.engine.view import View
from liarsdice.core.errors import MalformedError
from liarsdice.core.rules.bids import Bid
from liarsdice.core.rules.rule_costs import is_learned
from liarsdice.core.text.narration import MoveReason, Narrator, bid_name, face_name, why_best
from liarsdice.values.blueprints import packaged_blueprints
from liarsdice.values.judgement import DEALS, MIN_DEALS, NOTHING_COMPARED, Judgement, Source


class StandingBidOdds(msgspec.Struct, frozen=True):
    """The probabilities (0..1) that the standing bid is true and that it is exactly right.

    The first two follow from the own dice alone, the `..._given_bids` also from what was bid.
    """

    p_true: float
    p_exact: float
    p_true_given_bids: float
    p_exact_given_bids: float


class ExpectedCount(msgspec.Struct, frozen=True):
    """How many dice of a seat are expected to count for the standing bid, before (`prior`) and after its bids."""

    seat: int
    prior: float
    posterior: float


class MoveEstimate(msgspec.Struct, frozen=True):
    """A move, the probability that the champion makes it, and its value.

    `move`: None is silence out of turn. `value`: the share of the match (0..1) that the player wins with it if all play
    on as the champion does, and `error`: half of its 95% interval. `rank`: from 1; a move ranks behind those alone that
    are certainly worth more. `p_right`, `p_right_given_bids`: the probability that a bid is true or a call right, from
    the own dice alone and also from what was bid; None for other moves.
    """

    move: PlayerAction | None
    prob: float
    value: float
    error: float
    rank: int
    p_right: float | None
    p_right_given_bids: float | None


class Explanation(msgspec.Struct, frozen=True):
    """What the champion makes of a view.

    `standing_bid`: None without a bid. `expected_counts`: one for each other seat that has bid in this round. `moves`:
    those that are worth comparing, the most valuable first; empty for a seat that may do nothing, after bids above all
    dice on the table that no rule forbids, and by the odds alone. `source`: what the values of the moves rest on.
    `beliefs`: about the hands of the other seats, by seat. `count_beliefs`: the same about the dice that count for the
    standing bid; empty without one. `signals`: what each bid of `moves` would tell the others. `reason`: why a best
    move is worth more than another one, or as much; None with fewer than two moves.
    """

    standing_bid: StandingBidOdds | None
    expected_counts: tuple[ExpectedCount, ...]
    moves: tuple[MoveEstimate, ...]
    source: Source
    beliefs: dict[int, Belief]
    count_beliefs: tuple[CountBelief, ...] = ()
    signals: tuple[BidSignal, ...] = ()
    reason: MoveReason | None = None


def explain(shown: View, *, deals: int = DEALS, signals: bool = True) -> Explanation:
    """Return what the champion makes of a view during the bidding.

    Where the simulator or a network does not know the rules, the odds alone answer: the others' dice are fair, whatever
    was bid, and no move has a value. `deals`: how many are played on for the values of moves, `MIN_DEALS` or more.
    `signals`: whether to compute what bids would tell the others. Raises `MalformedError` for fewer deals, a spectator,
    a seat without dice and outside the bidding.
    """
    if deals < MIN_DEALS:
        raise MalformedError(f"explain plays {MIN_DEALS} deals or more for each decision, not {deals}")
    if shown.seat is None or not shown.dice[shown.seat] or shown.phase is not Phase.BIDDING:
        raise MalformedError("explain needs the view of a player with dice during the bidding")
    if not (is_learned(shown.ruleset) and is_supported(shown.ruleset)):
        return _by_odds(shown)
    network = champion_network(shown.ruleset)
    blueprints = packaged_blueprints()
    seat_beliefs = beliefs(msgspec.structs.replace(shown, seat=None), network, blueprints)  # what anybody may believe
    own_belief = seat_beliefs.pop(shown.seat)
    standing = _standing_bid_odds(shown, seat_beliefs)
    counts = count_beliefs(shown, seat_beliefs)
    judgement = NOTHING_COMPARED
    if shown.moves:
        from liarsdice.bots.neural.judge import judge  # noqa: PLC0415  it loads numba

        judgement = judge(shown, shown.dice, seat_beliefs, deals=deals)
    moves = _move_estimates(shown, seat_beliefs, judgement)
    bids = [estimate.move for estimate in moves if isinstance(estimate.move, Bid)]
    return Explanation(
        standing_bid=standing,
        expected_counts=_expected_counts(shown, counts),
        moves=moves,
        source=judgement.source,
        beliefs=seat_beliefs,
        count_beliefs=counts,
        signals=bid_signals(shown, own_belief, bids, network, blueprints) if signals else (),
        reason=_reason(shown, moves, seat_beliefs, counts, judgement),
    )


def _reason(
    shown: View,
    moves: tuple[MoveEstimate, ...],
    seat_beliefs: dict[int, Belief],
    counts: tuple[CountBelief, ...],
    judgement: Judgement,
) -> MoveReason | None:
    if len(moves) < 2:
        return None
    best, *others = (judgement.moves.index(one.move) for one in moves)
    other, tied, reason = reason_for_best(shown, best, others, seat_beliefs, counts, judgement)
    return MoveReason(1 + others.index(other), tied, reason)


def _by_odds(shown: View) -> Explanation:
    odds = BidOdds(shown)
    if shown.bid is None:
        return Explanation(None, (), (), Source.ODDS, {})
    standing = StandingBidOdds(odds.p_standing, odds.p_exact, odds.p_standing, odds.p_exact)
    return Explanation(standing, (), (), Source.ODDS, {}, count_beliefs(shown))


def _standing_bid_odds(shown: View, seat_beliefs: dict[int, Belief]) -> StandingBidOdds | None:
    bid = shown.bid
    if bid is None:
        return None
    odds = BidOdds(shown)
    return StandingBidOdds(odds.p_standing, odds.p_exact, *chances(shown, seat_beliefs, bid))


def _expected_counts(shown: View, counts: tuple[CountBelief, ...]) -> tuple[ExpectedCount, ...]:
    """Return how many dice of each seat that has bid are expected to count for the standing bid."""
    by_seat = {belief.seat: belief for belief in counts}
    bidders = dict.fromkeys(bidder for bidder, _ in shown.bids if bidder in by_seat)
    return tuple(
        ExpectedCount(seat, expected_count(by_seat[seat].prior), expected_count(by_seat[seat].posterior))
        for seat in bidders
    )


def _move_estimates(shown: View, seat_beliefs: dict[int, Belief], judgement: Judgement) -> tuple[MoveEstimate, ...]:
    if not judgement.moves:
        return ()
    probs = make_champion().action_probs(shown)
    columns = (judgement.moves, judgement.values.tolist(), judgement.errors.tolist(), judgement.ranks())
    estimates = [
        MoveEstimate(
            move, probs.get(move, 0.0), value, error, rank, _p_by_dice(shown, move), p_right(shown, seat_beliefs, move)
        )
        for move, value, error, rank in zip(*columns, strict=True)
    ]
    return tuple(sorted(estimates, key=lambda estimate: (-estimate.value, -estimate.prob)))


def _p_by_dice(shown: View, move: PlayerAction | None) -> float | None:
    """Return the probability that a bid is true or a call right, from the own dice alone; None for other moves."""
    odds = BidOdds(shown)
    match move:
        case Bid():
            return odds.p_bid(move)
        case Challenge() if shown.bid is not None:
            return 1 - odds.p_standing
        case Exact() if shown.bid is not None:
            return odds.p_exact
        case _:
            return None


MAX_OWN_MOVES = 3
"""The most moves of the champion that are named."""
MIN_PROB = 0.05
"""The least probability of a move of the champion that is named."""
MIN_COUNT_SHIFT = 0.15
"""A seat is named if its bids shift the expected count of the standing face by at least this many dice."""


CHANCE = {
    Source.SOLVED: "Chance to win the match, solved exactly",
    Source.BLUEPRINT: "Chance to win the match if both play on like the champion",
    Source.PLAYOUTS: "Estimated chance to win the match",
}
"""What the values of moves are, by what they rest on."""


def explanation_sentences(shown: View, explanation: Explanation) -> tuple[str, ...]:
    """Return the sentences for the player whose view was explained."""
    sentences = []
    by_odds = explanation.source is Source.ODDS
    if by_odds:
        sentences.append("The champion does not know these rules; this goes by the odds alone.")
    if shown.bid is not None and explanation.standing_bid is not None:
        sentences.append(_standing_sentence(shown, shown.bid, explanation.standing_bid, by_odds=by_odds))
        sentences += [
            _count_sentence(shown, count, shown.bid)
            for count in explanation.expected_counts
            if abs(count.posterior - count.prior) >= MIN_COUNT_SHIFT
        ]
    probable = [estimate for estimate in explanation.moves if estimate.prob >= MIN_PROB]
    own_moves = sorted(probable, key=lambda estimate: -estimate.prob)[:MAX_OWN_MOVES]
    if own_moves:
        choices = " or ".join(f"{_as_verb(shown, own.move)} ({percent(own.prob)})" for own in own_moves)
        sentences.append(f"The champion would {choices}.")
        sentences.append(f"{CHANCE[explanation.source]}: {_value_sentence(shown, own_moves, explanation)}")
    if explanation.reason is not None:
        why = explanation.reason
        best, other = (_as_noun(shown, explanation.moves[place].move) for place in (0, why.other))
        sentences.append(why_best(why, best, other, Narrator(shown.ruleset, shown.names, shown.seat)))
    return tuple(sentences)


def _standing_sentence(shown: View, bid: Bid, odds: StandingBidOdds, *, by_odds: bool) -> str:
    name, p_true = bid_name(shown.ruleset, bid), percent(odds.p_true)
    if by_odds:
        p_exact = percent(odds.p_exact)
        return f"A bid of {name} is true {p_true} and exactly right {p_exact} of the time, judging by your own dice."
    return (
        f"A bid of {name} is true {p_true} of the time, judging by your own dice."
        f" With the bids taken into account, it is true {percent(odds.p_true_given_bids)} and exactly right"
        f" {percent(odds.p_exact_given_bids)} of the time."
    )


def _count_sentence(shown: View, count: ExpectedCount, bid: Bid) -> str:
    more = "more" if count.posterior > count.prior else "fewer"
    return (
        f"{shown.names[count.seat]} bids like someone with {more} {face_name(shown.ruleset, bid.face)} than"
        f" average: about {count.posterior:.1f}, not {count.prior:.1f}."
    )


def _value_sentence(shown: View, own_moves: list[MoveEstimate], explanation: Explanation) -> str:
    """Name the values of the champion's own moves, of a challenge, and of the moves that the reason compares."""
    why, moves = explanation.reason, explanation.moves
    compared = [] if why is None else [moves[0], moves[why.other]]
    named = [one for one in moves if one in own_moves or one in compared or isinstance(one.move, Challenge)]
    values = ", ".join(f"{_as_noun(shown, estimate.move)} {_worth(estimate)}" for estimate in named)
    return f"{values}."


def _worth(estimate: MoveEstimate) -> str:
    margin = f" ± {100 * estimate.error:.0f}" if estimate.error >= 0.005 else ""
    return percent(estimate.value) + margin


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
