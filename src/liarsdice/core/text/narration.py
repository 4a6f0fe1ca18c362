"""Narration of a match in English: one or two sentences for every event.

Every sentence uses only what the event and the rules hold. A listener who plays in the match is called "you".
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from liarsdice.core.engine.view import EventView, HandDealt, PublicPenalty
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
from liarsdice.core.text.rulebook.english import ENGLISH, join_words, number
from liarsdice.core.text.rulebook.placeholders import TextContext, bid_words, face_words

PENALTY_REASONS = {
    PenaltyTrigger.ASKS_WHOSE_TURN: "asking whose turn it is",
    PenaltyTrigger.ASKS_DICE_LEFT: "asking how many dice are left",
}
IRREGULAR_VERBS = {"be": ("are", "is"), "have": ("have", "has")}


def dice_words(count: int) -> str:
    """A number of dice.

    >>> dice_words(1), dice_words(3)
    ('one die', 'three dice')
    """
    return f"{number(count)} {'die' if count == 1 else 'dice'}"


def face_name(rules: Ruleset, face: int, count: int = 2) -> str:
    """The name of `count` dice of a face under these rules, without the count."""
    return face_words(TextContext(rules, ENGLISH), face, count)


def bid_name(rules: Ruleset, bid: Bid) -> str:
    """A bid as players say it.

    >>> bid_name(Ruleset(), Bid(5, 4))
    'five fours'
    """
    return bid_words(TextContext(rules, ENGLISH), bid)


def stakes_words(factor: int) -> str:
    """How a factor on all losses is said.

    >>> stakes_words(2), stakes_words(3)
    ('doubled', 'three times as high')
    """
    return "doubled" if factor == 2 else f"{number(factor)} times as high"


class Narrator(msgspec.Struct, frozen=True):
    """The rules and the players' names that a narration needs, and the seat of the listener if they play."""

    rules: Ruleset
    names: tuple[str, ...]
    listener: int | None = None

    def name(self, seat: int) -> str:
        """The name of a player, or "you" for the listener."""
        return "you" if seat == self.listener else self.names[seat]

    def list_name(self, seat: int) -> str:
        """The name of a player, or "You" for the listener, at the start of a line."""
        return "You" if seat == self.listener else self.names[seat]

    def with_verb(self, seat: int, verb: str) -> str:
        """A player with a verb in the present tense: "Ann bids", "you bid"."""
        return f"{self.name(seat)} {self.verb(seat, verb)}"

    def all_with_verb(self, seats: Sequence[int], verb: str) -> str:
        """One or more players with a verb in the present tense: "Ann and you lose"."""
        if len(seats) == 1:
            return self.with_verb(seats[0], verb)
        return f"{join_words(map(self.name, seats))} {IRREGULAR_VERBS.get(verb, (verb,))[0]}"

    def verb(self, seat: int, verb: str) -> str:
        """A verb in the present tense, in the form for a player: "has" for "have", or "have" for the listener."""
        plural_form, singular_form = IRREGULAR_VERBS.get(verb, (verb, verb + "s"))
        return plural_form if seat == self.listener else singular_form


def narrate(event: Event | EventView, narrator: Narrator) -> str:
    """Returns one or two sentences that describe an event.

    >>> narrate(BidMade(0, Bid(5, 4)), Narrator(Ruleset(), ("Ann", "Bo")))
    'Ann bids five fours.'
    """
    return capitalise_you(_describe(event, narrator))


def _describe(event: Event | EventView, narrator: Narrator) -> str:
    with_verb = narrator.with_verb
    match event:
        case BidMade(seat, bid):
            return f"{with_verb(seat, 'bid')} {bid_name(narrator.rules, bid)}."
        case Challenged() | ExactCalled():
            return _describe_call(event, narrator)
        case Revealed():
            return f"The cups are lifted: {_describe_count(event, narrator.rules)}."
        case DiceLost():
            to = "" if event.to is None else f" to {narrator.name(event.to)}"
            rest = f"{narrator.verb(event.seat, 'have')} {number(event.left) if event.left else 'none'} left"
            return f"{with_verb(event.seat, 'lose')} {dice_words(event.dice)}{to} and {rest}."
        case DiceGained():
            rest = f"{narrator.verb(event.seat, 'have')} {number(event.left)}"
            return f"{with_verb(event.seat, 'gain')} {dice_words(event.dice)} and now {rest}."
        case Eliminated(seat):
            return f"{with_verb(seat, 'be')} out."
        case RoundStarted():
            return _describe_round_start(event, narrator)
        case Dealt():
            return "Everyone rolls."
        case HandDealt(hand):
            return f"You roll {' '.join(map(str, hand))}." if hand else "Everyone rolls."
        case DirectionSet(seat, direction):
            return f"{with_verb(seat, 'choose')} the direction: play goes {direction}."
        case RoundEnded(_, starter, _):
            return f"{with_verb(starter, 'open')} the next round."
        case Penalised() | PublicPenalty():
            when = "" if event.immediate else " at the end of the round"
            reason = PENALTY_REASONS[event.trigger]
            return f"{with_verb(event.seat, 'pay')} {dice_words(event.dice)}{when} for {reason}."
        case MatchStarted():
            players = join_words(map(narrator.name, range(len(narrator.names))))
            return f"{players} play {narrator.rules.labels.game}."
        case StarterRolled():
            return _describe_starter_rolls(event, narrator)
        case StarterFound(seat, method):
            return f"{_starter_reason(method, narrator, seat)} the first round."
        case MatchEnded():
            return _describe_match_end(event, narrator)


def late_call_message(call: Challenged | ExactCalled, narrator: Narrator) -> str:
    """The message for a player whose own call came after `call`, made at the same moment."""
    how = "called first" if call.out_of_turn else "called in turn"
    return capitalise_you(f"{narrator.name(call.seat)} {how}, so that call counts and you risk nothing.")


def wilds_off_message(rules: Ruleset) -> str:
    """The message after a bid that makes the special face lose its wildness for the round."""
    return f"{face_name(rules, rules.dice.special_face).capitalize()} are not wild for the rest of this round."


def _describe_call(event: Challenged | ExactCalled, narrator: Narrator) -> str:
    labels, factor = narrator.rules.labels, narrator.rules.loss.out_of_turn_factor
    word = labels.challenge if isinstance(event, Challenged) else labels.exact
    late = " out of turn" if event.out_of_turn else ""
    dearer = event.out_of_turn and isinstance(event, Challenged) and factor > 1
    price = f" The stakes are {stakes_words(factor)}." if dearer else ""
    return f"{narrator.with_verb(event.seat, 'call')}{late}: “{word}”{price}"


def _describe_round_start(event: RoundStarted, narrator: Narrator) -> str:
    opening = f"{narrator.with_verb(event.starter, 'open')}, with {number(sum(event.dice))} dice in play"
    if event.special_seat is None:
        return f"Round {event.number}: {opening}."
    rules = narrator.rules
    assert rules.special_round is not None
    sentences = [f"Round {event.number}: {rules.labels.special_round} {capitalise_you(opening)}."]
    if rules.special_round.face_locked:
        sentences.append("The first bid locks the face.")
    if rules.wilds.special_is_wild and SuspendedBy.SPECIAL_ROUND in rules.wilds.suspended_by:
        sentences.append(f"{face_name(rules, rules.dice.special_face).capitalize()} are not wild.")
    return " ".join(sentences)


def _describe_starter_rolls(event: StarterRolled, narrator: Narrator) -> str:
    rolls = [
        f"{narrator.with_verb(seat, 'roll')} {' + '.join(map(str, roll))}{f' = {sum(roll)}' if len(roll) > 1 else ''}"
        for seat, roll in enumerate(event.rolls)
        if roll
    ]
    again = f"; {narrator.all_with_verb(event.tied, 'roll')} again" if event.tied else ""
    return f"To see who starts, {join_words(rolls)}{again}."


def _starter_reason(method: StarterMethod, narrator: Narrator, seat: int) -> str:
    match method:
        case StarterMethod.HIGH_ROLL:
            return f"{narrator.name(seat)} rolled highest and {narrator.verb(seat, 'open')}"
        case StarterMethod.RANDOM:
            return f"{narrator.with_verb(seat, 'be')} drawn to open"
        case StarterMethod.CHOSEN:
            return narrator.with_verb(seat, "open")


def _describe_match_end(event: MatchEnded, narrator: Narrator) -> str:
    limit = " The round limit is reached." if event.reason is EndReason.MAX_ROUNDS else ""
    if len(event.winners) == 1:
        return f"{narrator.with_verb(event.winners[0], 'win')} the match.{limit}"
    return f"{narrator.all_with_verb(event.winners, 'share')} the win.{limit}"


def count_phrase(count: int, *, exactly: bool = False) -> str:
    """A count as a clause: "there were none", "there was one", "there were exactly five"."""
    word = "none" if count == 0 else number(count)
    return f"there {'was' if count == 1 else 'were'} {'exactly ' if exactly else ''}{word}"


def _describe_count(event: Revealed, rules: Ruleset) -> str:
    """The count of a reveal: "there were five fours, wild ones included", "there were no fours; ones were not wild"."""
    face, specials = face_name(rules, event.bid.face, event.count), face_name(rules, rules.dice.special_face)
    count = f"{count_phrase(event.count)} {face}" if event.count else f"there were no {face}"
    if event.wilds_counted:
        return f"{count}, wild {specials} included" if event.count else f"{count}, and no wild {specials}"
    if rules.wilds.special_is_wild and event.bid.face != rules.dice.special_face:
        return f"{count}; {specials} were not wild"
    return count


def capitalise_you(text: str) -> str:
    """Capitalises "you" at the start of a sentence; names stay as the players write them."""
    return f"Y{text[1:]}" if text.startswith(("you ", "you,")) else text
