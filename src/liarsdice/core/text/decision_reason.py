"""Why a move was worth what it was, in each language: the own dice, the bids, and how often a bid or a call is right.

The page in the browser says the same sentences (`web/src/review/reasonText.ts`); `tests/golden/reason_cases.json`
compares both.
"""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from liarsdice.core.rules.bids import Bid
from liarsdice.core.rules.choices import Choice
from liarsdice.core.rules.meaning import has_lives
from liarsdice.core.text.narration import Narrator


class ReasonRole(Choice):
    """What a bid is to a decision: the standing bid, the bid that was made, or the bid that was worth more."""

    STANDING = "standing"
    MADE = "made"
    BEST = "best"


class BidReading(msgspec.Struct, frozen=True):
    """What the bids of another seat tell: it `opened` on a face, or bid it later, and has `usual` dice that count."""

    seat: int
    face: int
    opened: bool
    usual: int


class BidReason(msgspec.Struct, frozen=True):
    """What could be known of one bid.

    `held`: how many of the own dice count for it. `p_stands`, `p_exact`: the probability that it is true, and exactly
    right, going by the bids. `reading`: the seat whose bids tell most of it, None if they tell little. `p_challenged`:
    how likely a bid of one's own is to be challenged, None if that is not known.
    """

    role: ReasonRole
    bid: Bid
    held: int
    p_stands: float
    p_exact: float
    reading: BidReading | None
    p_challenged: float | None = None


class RivalLosses(msgspec.Struct, frozen=True):
    """How likely another seat is to lose dice in the round after the move that was made, and after the best one."""

    seat: int
    p_loses: tuple[float, float]


class DecisionReason(msgspec.Struct, frozen=True):
    """Why a decision was worth what it was: the seat that decided, and the bids in question, at most two.

    `challenge`, `exact`: whether that call was made, or was the best move. `less_room`: whether the best bid beats the
    one that was made, so that the others may bid less after it. `p_loses`: how likely the seat is to lose dice in the
    round after the move that was made and after the best one, None if they are the same or were not played on.
    `p_gains`: the same of gaining dice. `rival`: the other seat that the best move makes most likelier to lose dice.
    """

    seat: int
    bids: tuple[BidReason, ...]
    challenge: bool
    exact: bool
    less_room: bool = False
    p_loses: tuple[float, float] | None = None
    p_gains: tuple[float, float] | None = None
    rival: RivalLosses | None = None


def reason_sentences(reason: DecisionReason, narrator: Narrator) -> Iterator[str]:
    """Yield up to four sentences.

    ::

        One of your dice counts for three twos, and Bo, who opened on twos, usually has none: going by the bids, the bid
        stands 27 times in 100, so “Dudo!” is right 73 times in 100.
    """
    for place, part in enumerate(reason.bids):
        bid, stands = narrator.bid(part.bid), times(part.p_stands, narrator)
        if place > 0:
            other = narrator.say("reason.other", bid=_capitalize(bid), times=stands)
            if part.p_challenged is not None:
                other = _with_doubts("reason.other.challenged", other, part.p_challenged, narrator)
            yield f"{other}."
            if reason.less_room and part.p_stands <= reason.bids[0].p_stands:
                yield narrator.say("reason.less_room")
            continue
        by_own_dice = part.held >= part.bid.quantity and part.p_stands >= 1 - CERTAIN
        key = "reason.stands.own" if by_own_dice else "reason.stands"
        text = narrator.say(key, facts=_facts(reason.seat, part, narrator), times=stands)
        if part.role is ReasonRole.STANDING:
            labels = narrator.rules.labels
            if reason.challenge:
                label, right = narrator.label(labels.challenge), times(1 - part.p_stands, narrator)
                text = narrator.say("reason.challenge", text=text, label=label, times=right)
            if reason.exact:
                label, right = narrator.label(labels.exact), times(part.p_exact, narrator)
                text = narrator.say("reason.exact", text=text, label=label, times=right)
        if part.p_challenged is not None:
            text = _with_doubts("reason.challenged", text, part.p_challenged, narrator)
        yield f"{text}."
    yield from _outcome_sentence(reason, narrator)


def _outcome_sentence(reason: DecisionReason, narrator: Narrator) -> Iterator[str]:
    """Yield what the better move changes most directly in the round, if that is clear.

    The player loses dice less often, or gains some more often, or another player loses some more often. Where losses
    cost lives, the round is lost, or something won back.
    """
    made, best = reason.p_loses or (0.0, 0.0)
    gained, best_gained = reason.p_gains or (0.0, 0.0)
    rival, lives = reason.rival, "_lives" if has_lives(narrator.rules) else ""

    def told(change: str, seat: int, p_made: float, p_best: float) -> str:
        key = f"reason.{change}{lives}"
        return narrator.say_of(key, seat, made=times(p_made, narrator), best=times(p_best, narrator))

    if made - best >= MIN_LOSS_DIFFERENCE:
        yield told("loses", reason.seat, made, best)
    elif best_gained - gained >= MIN_LOSS_DIFFERENCE:
        yield told("gains", reason.seat, gained, best_gained)
    elif rival is not None and rival.p_loses[1] - rival.p_loses[0] >= MIN_LOSS_DIFFERENCE:
        yield told("loses", rival.seat, *rival.p_loses)


def _with_doubts(key: str, text: str, p_challenged: float, narrator: Narrator) -> str:
    """Return a sentence about a bid with how often it is doubted."""
    if p_challenged <= CERTAIN:
        return narrator.say(f"{key}.never", text=text)
    return narrator.say(key, text=text, times=times(p_challenged, narrator))


def _facts(seat: int, part: BidReason, narrator: Narrator) -> str:
    """Return what the own dice and the bids of others tell, as the beginning of a sentence."""
    key = "reason.held" if part.held else "reason.held.none"
    held = narrator.say_of(
        key, seat, count=part.held, n=_capitalize(narrator.number(part.held)), bid=narrator.bid(part.bid)
    )
    reading = part.reading
    if reading is None:
        return held
    key = f"reason.{'opened' if reading.opened else 'said'}{'' if reading.usual else '.none'}"
    faces, n = narrator.face(reading.face), narrator.number(reading.usual)
    told = narrator.say_of(key, reading.seat, count=reading.usual, faces=faces, n=n)
    return narrator.say("reason.and", held=held, reading=told)


def times(p: float, narrator: Narrator) -> str:
    """Return a probability as how often in 100.

    >>> from liarsdice.core.rules.ruleset import Ruleset
    >>> [times(p, Narrator(Ruleset(), ("Ann", "Bo"))) for p in (0.0, 0.001, 0.01, 0.27)]
    ['0 times in 100', 'less than once in 100', 'once in 100', '27 times in 100']
    """
    n = round(100 * p)
    if n == 0:
        return narrator.say("reason.times.never" if p <= CERTAIN else "reason.times.rarely")
    if n == 100:
        return narrator.say("reason.times.always" if p >= 1 - CERTAIN else "reason.times.mostly")
    return narrator.say("reason.times", count=n, n=str(n))


CERTAIN = 1e-9
"""Probabilities that differ by less from 0 or 1 are certain: rounding errors are smaller."""
MIN_LOSS_DIFFERENCE = 0.05
"""By how much the moves must differ in how often somebody loses or gains dice, so that it is told."""


def _capitalize(text: str) -> str:
    return text[:1].upper() + text[1:]
