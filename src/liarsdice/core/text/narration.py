"""A match told in sentences, one for every event.

Nothing is worked out here that an event does not carry. A listener who sits at the table is told of as "you".
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from liarsdice.core.engine.view import HandDealt, PenaltySeen, SeenEvent
from liarsdice.core.events import (
    BidMade,
    Challenged,
    Dealt,
    DiceGained,
    DiceLost,
    DirectionSet,
    Eliminated,
    EndReason,
    Event,
    ExactCalled,
    MatchEnded,
    MatchStarted,
    Penalised,
    Revealed,
    RoundEnded,
    RoundStarted,
    StarterFound,
    StarterRolled,
)
from liarsdice.core.rules.bids import Bid
from liarsdice.core.rules.choices import PenaltyTrigger, StarterMethod, SuspendedBy
from liarsdice.core.rules.ruleset import Ruleset
from liarsdice.core.text.rulebook import placeholders as fillings
from liarsdice.core.text.rulebook.english import ENGLISH, listed, number
from liarsdice.core.text.rulebook.placeholders import Scene, face_words

TRIGGERS = {
    PenaltyTrigger.ASKS_WHOSE_TURN: "asking whose turn it is",
    PenaltyTrigger.ASKS_DICE_LEFT: "asking how many dice are left",
}
VERBS = {"be": ("are", "is"), "have": ("have", "has")}


def dice(count: int) -> str:
    """So many dice.

    >>> dice(1), dice(3)
    ('one die', 'three dice')
    """
    return f"{number(count)} {'die' if count == 1 else 'dice'}"


def face_name(rules: Ruleset, face: int, count: int = 2) -> str:
    """What so many dice of a face are called at this table."""
    return face_words(Scene(rules, ENGLISH), face, count)


def bid_words(rules: Ruleset, bid: Bid) -> str:
    """A bid as players say it.

    >>> bid_words(Ruleset(), Bid(5, 4))
    'five fours'
    """
    return fillings.bid_words(Scene(rules, ENGLISH), bid)


def stakes(factor: int) -> str:
    """How high a call out of turn makes the stakes.

    >>> stakes(2), stakes(3)
    ('doubled', 'three times as high')
    """
    return "doubled" if factor == 2 else f"{number(factor)} times as high"


class Voice(msgspec.Struct, frozen=True):
    """The table that is told about, and the seat of the listener if there is one."""

    rules: Ruleset
    names: tuple[str, ...]
    you: int | None = None

    def name(self, seat: int) -> str:
        """A player's name, or "you"."""
        return "you" if seat == self.you else self.names[seat]

    def label(self, seat: int) -> str:
        """A player's name, or "You", as it stands in a list."""
        return "You" if seat == self.you else self.names[seat]

    def does(self, seat: int, verb: str) -> str:
        """A player doing something: "Ann bids", "you bid"."""
        return f"{self.name(seat)} {self._verb(seat, verb)}"

    def all_do(self, seats: Sequence[int], verb: str) -> str:
        """Several players doing one thing: "Ann and you lose"."""
        if len(seats) == 1:
            return self.does(seats[0], verb)
        return f"{listed(map(self.name, seats))} {VERBS.get(verb, (verb,))[0]}"

    def _verb(self, seat: int, verb: str) -> str:
        ours, theirs = VERBS.get(verb, (verb, verb + "s"))
        return ours if seat == self.you else theirs


def tell(event: Event | SeenEvent, voice: Voice) -> str:
    """One event in a sentence or two.

    >>> tell(BidMade(0, Bid(5, 4)), Voice(Ruleset(), ("Ann", "Bo")))
    'Ann bids five fours.'
    """
    return sentence(_told(event, voice))


def _told(event: Event | SeenEvent, voice: Voice) -> str:
    rules = voice.rules
    match event:
        case BidMade(seat, bid):
            return f"{voice.does(seat, 'bid')} {bid_words(rules, bid)}."
        case Challenged() | ExactCalled():
            return _called(event, voice)
        case Revealed():
            return f"The cups are lifted: {_counted(event, rules)}."
        case DiceLost():
            rest = f"and {voice.does(event.seat, 'have')} {number(event.left)} left" if event.left else "the last"
            giving = "" if event.to is None else f" to {voice.name(event.to)}"
            return f"{voice.does(event.seat, 'lose')} {dice(event.dice)}{giving}, {rest}."
        case DiceGained():
            return f"{voice.does(event.seat, 'gain')} {dice(event.dice)} and now {_has(event.seat, voice, event.left)}."
        case Eliminated(seat):
            return f"{voice.does(seat, 'be')} out."
        case RoundStarted():
            return _round_started(event, voice)
        case Dealt():
            return "Everybody rolls."
        case HandDealt(hand):
            return f"You roll {' '.join(map(str, hand))}." if hand else "Everybody rolls."
        case DirectionSet(seat, direction):
            return f"{voice.does(seat, 'choose')}: play goes {direction}."
        case RoundEnded(_, starter, _):
            return f"{voice.does(starter, 'open')} the next round."
        case Penalised() | PenaltySeen():
            when = "" if event.immediate else " at the end of the round"
            owes = f"{voice.does(event.seat, 'pay')} {dice(event.dice)}{when}"
            return f"{owes} for {TRIGGERS[event.trigger]}."
        case MatchStarted():
            return f"{listed(map(voice.name, range(len(voice.names))))} play {voice.rules.labels.game}."
        case StarterRolled():
            return _starter_rolled(event, voice)
        case StarterFound(seat, method):
            return f"{_why_first(method, voice, seat)} the first round."
        case MatchEnded():
            return _match_ended(event, voice)


def overtaken(call: Challenged | ExactCalled, voice: Voice) -> str:
    """What somebody is told whose own call, made in the same instant, came after this one."""
    sooner = "called first" if call.out_of_turn else "called in turn"
    return sentence(f"{voice.name(call.seat)} {sooner}, so that call counts, and yours risks nothing.")


def wildness_over(rules: Ruleset) -> str:
    """What a bid leads to that ends the wildness of the special face: "Ones are not wild for the rest of …"."""
    return f"{face_name(rules, rules.dice.special_face).capitalize()} are not wild for the rest of this round."


def _called(event: Challenged | ExactCalled, voice: Voice) -> str:
    labels, factor = voice.rules.labels, voice.rules.loss.out_of_turn_factor
    word = labels.challenge if isinstance(event, Challenged) else labels.exact
    late = " out of turn" if event.out_of_turn else ""
    dearer = event.out_of_turn and isinstance(event, Challenged) and factor > 1
    price = f" The stakes are {stakes(factor)}." if dearer else ""
    return f"{voice.does(event.seat, 'call')}{late}: “{word}”{price}"


def _round_started(event: RoundStarted, voice: Voice) -> str:
    opening = f"{voice.does(event.starter, 'open')}, with {number(sum(event.dice))} dice in play"
    if event.special_seat is None:
        return f"Round {event.number}: {opening}."
    rules = voice.rules
    assert rules.special_round is not None
    told = [f"Round {event.number}: {voice.rules.labels.special_round} {sentence(opening)}."]
    if rules.special_round.face_locked:
        told.append("The first bid's face stays.")
    if rules.wilds.special_is_wild and SuspendedBy.SPECIAL_ROUND in rules.wilds.suspended_by:
        told.append(f"{face_name(rules, rules.dice.special_face).capitalize()} are not wild.")
    return " ".join(told)


def _starter_rolled(event: StarterRolled, voice: Voice) -> str:
    rolled = [
        f"{voice.does(seat, 'roll')} {' + '.join(map(str, roll))}{f' = {sum(roll)}' if len(roll) > 1 else ''}"
        for seat, roll in enumerate(event.rolls)
        if roll
    ]
    again = f"; {voice.all_do(event.tied, 'roll')} again" if event.tied else ""
    return f"For the start, {listed(rolled)}{again}."


def _why_first(method: StarterMethod, voice: Voice, seat: int) -> str:
    match method:
        case StarterMethod.HIGH_ROLL:
            return f"{voice.name(seat)} rolled highest and {'open' if seat == voice.you else 'opens'}"
        case StarterMethod.RANDOM:
            return f"By lot, {voice.does(seat, 'open')}"
        case StarterMethod.CHOSEN:
            return voice.does(seat, "open")


def _match_ended(event: MatchEnded, voice: Voice) -> str:
    late = " The rounds that these rules allow are over." if event.reason is EndReason.MAX_ROUNDS else ""
    if len(event.winners) == 1:
        return f"{voice.does(event.winners[0], 'win')} the match.{late}"
    return f"{voice.all_do(event.winners, 'share')} the match.{late}"


def there_were(count: int, *, exactly: bool = False) -> str:
    """How many were counted: "there were none", "there was one", "there were exactly five"."""
    word = "none" if count == 0 else number(count)
    return f"there {'was' if count == 1 else 'were'} {'exactly ' if exactly else ''}{word}"


def _counted(event: Revealed, rules: Ruleset) -> str:
    """How many of what: "there were five fours, wild ones included", "there were no fours; ones were not wild"."""
    face, wild = face_name(rules, event.bid.face, event.count), face_name(rules, rules.dice.special_face)
    found = f"{there_were(event.count)} {face}" if event.count else f"there were no {face}"
    if event.wilds_counted:
        return f"{found}, wild {wild} included" if event.count else f"{found}, and no wild {wild}"
    if rules.wilds.special_is_wild and event.bid.face != rules.dice.special_face:
        return f"{found}; {wild} were not wild"
    return found


def _has(seat: int, voice: Voice, held: int) -> str:
    return f"{'have' if seat == voice.you else 'has'} {number(held)}"


def sentence(text: str) -> str:
    """The same with a capital "You"; names stay as their owners write them."""
    return f"Y{text[1:]}" if text.startswith(("you ", "you,")) else text
