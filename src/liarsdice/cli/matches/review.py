"""The text and the JSON that `liarsdice review` prints: what decisions cost, the dearest ones, and why."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence

import msgspec

from liarsdice.analysis.luck import ChangeCause, WinPoint, matches_to_tell
from liarsdice.analysis.review.decisions import round_facts
from liarsdice.analysis.review.parts import turning_points
from liarsdice.analysis.review.report import MatchReview, review_decisions, summarize_review
from liarsdice.analysis.review.results import DecisionReview
from liarsdice.bots.neural.champion import CHAMPION_NAME
from liarsdice.cli.arguments import ReviewOptions, find_seat, read_record_file
from liarsdice.cli.stdio import align_columns
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
    Penalise,
    PlayerAction,
    Reroll,
)
from liarsdice.core.bids.odds import percent
from liarsdice.core.errors import counted
from liarsdice.core.records.record import Record
from liarsdice.core.rules.bids import Bid
from liarsdice.core.rules.choices import Answer
from liarsdice.core.text.narration import Narrator, dice_words, reason_sentences
from liarsdice.values.judgement import Source

ANSWERS = {
    Answer.ACCEPT: ("accepted the double stakes", "accepting"),
    Answer.REDOUBLE: ("doubled the stakes again", "doubling again"),
    Answer.FOLD: ("folded", "folding"),
}


def move_words(narrator: Narrator, move: PlayerAction | None) -> tuple[str, str]:
    """Return what a player did, such as `bid four twos`, and the move as a noun; None is silence."""
    labels = narrator.rules.labels
    match move:
        case None:
            return "", "letting the bid stand"
        case Bid():
            return f"bid {narrator.bid(move)}", narrator.bid(move)
        case BidAndShow():
            bid, dice = narrator.bid(move.bid), dice_words(len(move.shown))
            return f"bid {bid} and showed {dice}", f"{bid}, showing {dice}"
        case Challenge(double):
            call = f"“{narrator.label(labels.challenge)}”{' for double stakes' if double else ''}"
            return f"called {call}", call
        case Exact():
            call = f"“{narrator.label(labels.exact)}”"
            return f"called {call}", call
        case ClaimExact():
            call = f"“{narrator.label(labels.exact)}”"
            return f"claimed {call}", call
        case AnswerDouble(answer):
            return ANSWERS[answer]
        case Pass():
            return "passed", "passing"
        case ChallengePass():
            return "doubted the pass", "doubting the pass"
        case DeclareSpecial():
            call = f"“{narrator.label(labels.special_round)}”"
            return f"declared {call}", call
        case Reroll():
            return "rolled the dice again", "rolling again"
        case ChooseKind(kind):
            return f"chose a round that is {kind.value}", f"a round that is {kind.value}"
        case _:
            return "chose the direction", "the other direction"


def luck_lines(
    narrator: Narrator, review: MatchReview, seat: int | None, counts: Mapping[int, int | None]
) -> Iterator[str]:
    """Yield the lines about luck and turning points; `seat`: only of this player, `counts`: as for `_event`."""
    yield ""
    yield "THE DICE, seen with everybody's dice"
    for parts in review.luck:
        if seat in (None, parts.seat):
            name = "you" if parts.seat == narrator.listener else narrator.names[parts.seat]
            is_certain, word = abs(parts.luck) > parts.luck_error, "good" if parts.luck > 0 else "bad"
            yield f"  The dice were {word} for {name}." if is_certain else f"  For {name}, luck is too close to tell."
    places = turning_points(review.win_line, seat)
    if not places:
        return
    yield ""
    yield "TURNING POINTS, seen with everybody's dice"
    for place in places:
        point = review.win_line[place]
        changes = [after - before for after, before in zip(point.shares, point.expected, strict=True)]
        shown = seat if seat is not None else max(range(len(changes)), key=lambda one: abs(changes[one]))
        name = narrator.list_name(shown)
        before, after = point.expected[shown], point.shares[shown]
        event = _event(narrator, review, point, counts)
        yield f"  Round {point.round_number}: {event} {name} {percent(before)} → {percent(after)}"


def _event(narrator: Narrator, review: MatchReview, point: WinPoint, counts: Mapping[int, int | None]) -> str:
    """Return what happened at a point of the win line. `counts`: how many dice counted for the bid, by round."""
    if point.seat is None:
        return "the roll." if point.cause is ChangeCause.ROLL else "chance."
    name = narrator.list_name(point.seat)
    if point.cause is ChangeCause.LEAVER:
        return f"{name} left."
    if point.move is None or isinstance(point.move, Penalise):
        return f"{name} got a penalty."
    made = (point.round_number, point.seat, point.move)
    same = [one for one in review.decisions if (one.round_number, one.seat, one.move) == made]
    did = _made(narrator, same[-1]) if same else f"{name} {move_words(narrator, point.move)[0]}"
    count = counts.get(point.round_number)
    return f"{did}: {count} counted." if isinstance(point.move, Challenge | Exact) and count is not None else f"{did}."


DEAREST = 3
"""How many costly decisions of each player are listed."""
LEAST_COST = 0.0005
"""A lower cost would be rounded to nothing."""
HEADINGS = ("player", "accuracy", "in all", "each", "choices", "costly")


def run(options: ReviewOptions) -> int:
    """Review the match in a file and print the result. Returns 0.

    Raises `MalformedError` for a player who did not play, and as `read_record_file` and `review_decisions`.
    """
    record = read_record_file(options.file)
    names = record.state.names
    seat = None if options.seat is None else find_seat(names, options.seat)
    decisions = list(_with_progress(review_decisions(record, deals=options.deals, seed=options.seed)))
    review = summarize_review(record, decisions, options.deals)
    if options.spoiler_free:
        review = msgspec.structs.replace(review, winners=(), luck=(), win_line=(), turning_points=())
    if options.as_json:
        print(msgspec.json.encode(review).decode())
    else:
        print("\n".join(_lines(record, review, seat, options)))
    return 0


def _with_progress(decisions: Iterator[DecisionReview]) -> Iterator[DecisionReview]:
    """Yield the decisions; on a terminal, stderr shows how many there were."""
    shows = sys.stderr.isatty()
    for number, decision in enumerate(decisions, start=1):
        if shows:
            print(f"\r{counted(number, 'decision')}", end="", file=sys.stderr, flush=True)
        yield decision
    if shows:
        print("\r" + " " * 30 + "\r", end="", file=sys.stderr, flush=True)


def _lines(record: Record, review: MatchReview, seat: int | None, options: ReviewOptions) -> Iterator[str]:
    rules = record.state.ruleset
    narrator = Narrator(rules, review.names, seat)
    if not options.spoiler_free:
        listener = None if seat in record.stand_ins else seat  # a bot won in their place
        verb = "win" if len(review.winners) > 1 or review.winners == (listener,) else "wins"
        winners = msgspec.structs.replace(narrator, listener=listener).join_names(review.winners)
        yield f"{winners[:1].upper()}{winners[1:]} {verb} the match."
    counts = f"{counted(review.rounds, 'round')}, {counted(len(review.decisions), 'decision')}"
    yield f"{rules.labels.game}: {len(review.names)} players, {counts}"
    yield ""
    yield "WHAT DECISIONS COST, in hundredths of a match"
    rows = [
        (
            narrator.list_name(player.seat),
            f"{min(player.accuracy, 99) if player.cost else 100:.0f}",
            _amount(player.cost, player.error),
            _points(player.cost / max(1, player.decisions)),
            str(player.decisions),
            str(player.costly),
        )
        for player in review.players
    ]
    yield from (f"  {line}" for line in align_columns([HEADINGS, *rows]))
    for player in review.players:
        if seat in (None, player.seat):
            own = [decision for decision in review.decisions if decision.seat == player.seat]
            yield from _listed_lines(narrator, player.seat, own, options)
    if not options.spoiler_free:
        counts_by_round = {facts.number: facts.count for facts in round_facts(record.events)}
        yield from luck_lines(narrator, review, seat, counts_by_round)
    yield ""
    yield "Choices are decisions between several moves; costly ones cost more than their margin. Accuracy is 100 if"
    yield "none costs anything, and loses a quarter of what is left for each hundredth of a match that a choice costs."
    yield "A cost goes by what the player could see: their own dice, the bids, and how the champion bids. A cost below"
    yield "its margin (±) counts as 0. One match shows little: dice decide most of it. With as many"
    needed = matches_to_tell(len(review.names))
    yield f"players, it takes about {needed} matches to show that somebody wins 5 of 100 more than an even share."
    yield f"Judged by the strongest bot, {CHAMPION_NAME}."
    drawn = sum(decision.source is Source.PLAYOUTS for decision in review.decisions)
    if drawn:
        yield f"Decisions played on with {review.deals} deals of the hidden dice each: {drawn}."
    if computed := sum(decision.source.is_exact for decision in review.decisions):
        yield f"Decisions for which all possible hands were counted: {computed}."


def _listed_lines(
    narrator: Narrator, seat: int, decisions: Sequence[DecisionReview], options: ReviewOptions
) -> Iterator[str]:
    """Yield the costly decisions of a player, or all that were made."""
    costly = sorted((decision for decision in decisions if decision.cost > 0), key=lambda decision: -decision.cost)
    shown = [decision for decision in decisions if decision.move is not None] if options.every else costly[:DEAREST]
    if not shown:
        return
    yield ""
    what = "ALL DECISIONS" if options.every else "DEAREST DECISIONS"
    yield f"{what} OF {narrator.names[seat].upper()}"
    for decision in shown:
        yield from decision_lines(narrator, decision, f"Round {decision.round_number}")


def decision_lines(narrator: Narrator, decision: DecisionReview, place: str) -> Iterator[str]:
    """Yield the lines of a decision: what it cost, and if it cost anything, the better move and why it is better."""
    yield f"  {place}: {_sentence(narrator, decision)} Cost: {_amount(decision.cost, decision.error)}"
    if decision.cost:
        yield f"    {_better(narrator, decision)}"
        why = "" if decision.reason is None else " ".join(reason_sentences(decision.reason, narrator))
        if why:
            yield f"    {why}"


def _amount(cost: float, error: float) -> str:
    """Return a cost with half of its 95% interval, where it has one."""
    return f"{_points(cost)} ±{100 * error:.1f}" if cost and error else _points(cost)


def _points(cost: float) -> str:
    """Return a cost in hundredths of a match.

    >>> _points(0.032), _points(0.0003), _points(0.0)
    ('3.2', '<0.1', '0')
    """
    if 0 < cost < LEAST_COST:
        return "<0.1"
    return f"{100 * cost:.1f}" if cost else "0"


def _sentence(narrator: Narrator, decision: DecisionReview) -> str:
    hand = " ".join(map(str, decision.hand))
    return f"{_made(narrator, decision)}{f' with {hand}' if hand else ''}."


def _made(narrator: Narrator, decision: DecisionReview) -> str:
    """Return who did what, and on or over which bid, such as `You called “Dudo!” on Bo's two sixes`."""
    name = narrator.list_name(decision.seat)
    did, _ = move_words(narrator, decision.move)
    if decision.bid is None or decision.bidder is None:
        return f"{name} {did}"
    standing = narrator.bid(decision.bid)
    if decision.bidder == decision.seat:
        return f"{name} {did} on {standing}"
    whose = "your" if decision.bidder == narrator.listener else f"{narrator.names[decision.bidder]}'s"
    link = "over" if isinstance(decision.move, Bid | BidAndShow) else "on"
    if decision.move is None:
        return f"{name} let {whose} {standing} stand"
    return f"{name} {did} {link} {whose} {standing}"


def _better(narrator: Narrator, decision: DecisionReview) -> str:
    """Return a sentence about the best move and the one made."""
    values = {value.move: value for value in decision.moves}
    best, made = values[decision.best], values[decision.move]
    right = "" if best.p_right is None else f" ({_was_right(best.move, best.p_right)})"
    own = "" if made.p_right is None else f" ({_was_right(made.move, made.p_right)})"
    (_, noun), (_, made_noun) = move_words(narrator, best.move), move_words(narrator, made.move)
    return (
        f"{noun[:1].upper()}{noun[1:]}{right} wins {percent(best.value)} of matches from here,"
        f" {made_noun}{own} {percent(made.value)}."
    )


def _was_right(move: PlayerAction | None, p_right: float) -> str:
    chance = percent(p_right)
    return f"true {chance}" if isinstance(move, Bid) else f"right {chance}"
