"""Narration of a match in each language: sentences for every event, the summary of a call, and reasons of decisions.

Every sentence uses only what the event and the rules hold. A listener who plays in the match is addressed as "you".
The page in the browser says the same sentences (`web/src/lib/narration.ts`), which `tests/golden/sentence_cases.json`
checks.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import TypeAlias

import msgspec
from msgspec import UNSET

from liarsdice.core.arguments import check_fields
from liarsdice.core.engine.settle import stake_factor
from liarsdice.core.engine.state import require_seat
from liarsdice.core.engine.view import EventView, HandDealt, PublicPenalty, PublicRoll
from liarsdice.core.errors import MalformedError
from liarsdice.core.events import (
    BidMade,
    Cause,
    Challenged,
    Dealt,
    DiceGained,
    DiceLost,
    DirectionSet,
    DoubleAnswered,
    Doubled,
    Eliminated,
    EndReason,
    Event,
    ExactCalled,
    ExactClaimed,
    KindChosen,
    LivesGained,
    LivesLost,
    MatchEnded,
    MatchStarted,
    PassChallenged,
    Passed,
    Penalised,
    Rerolled,
    Revealed,
    RolledAgain,
    RoundEnded,
    RoundStarted,
    SpecialDeclared,
    StarterFound,
    StarterRolled,
    Withdrawn,
)
from liarsdice.core.rules.bid_space import is_face_off
from liarsdice.core.rules.bids import Bid
from liarsdice.core.rules.choices import Choice, LockExempt, PenaltyTrigger, RoundKind, Straights, SuspendedBy
from liarsdice.core.rules.meaning import (
    counts_taken,
    doubles_are_answered,
    has_lives,
    sheds,
    shown_stakes,
    special_round_is_declared,
)
from liarsdice.core.rules.ruleset import Ruleset
from liarsdice.core.rules.tally import Hand
from liarsdice.core.text.rulebook.build import find_language
from liarsdice.core.text.rulebook.language import Language, TextContext, bid_words, face_words, printable, stake_noun

Text: TypeAlias = str | dict[str, str]
"""One text, or its plural forms by category."""

PLURAL_CATEGORIES = ("one", "other")
"""The categories of plural forms, by the index that `Language.plural_form` returns."""

TEXT_FILES = ("narration", "reasons", "coach", "words")
"""The files of texts of a language in `sentences/`. The page reads all but the last one, too."""

ADDRESSED = ".you"
"""The end of the key of a text that addresses the listener."""


@cache
def load_texts(code: str) -> Mapping[str, Text]:
    """Return all texts of a language by key."""
    folder = files(__package__).joinpath("sentences", code)
    texts: dict[str, Text] = {}
    for name in TEXT_FILES:
        texts |= msgspec.json.decode(folder.joinpath(f"{name}.json").read_bytes(), type=dict[str, Text])
    return texts


def fill_text(language: Language, key: str, *, count: int = 0, **values: str) -> str:
    """Return the text of a key with its placeholders replaced by values; `count` selects the plural form.

    >>> from liarsdice.core.text.rulebook.english import ENGLISH
    >>> fill_text(ENGLISH, "event.gained", name="Ann", dice="one die", left="four")
    'Ann gets one die back and has four.'
    """
    text = load_texts(language.code)[key]
    if not isinstance(text, str):
        text = text[PLURAL_CATEGORIES[language.plural_form(count)]]
    return text.format_map(values)


def dice_words(count: int, language: str = "en") -> str:
    """A number of dice.

    >>> dice_words(1), dice_words(3), dice_words(1, "es")
    ('one die', 'three dice', 'un dado')
    """
    known = find_language(language)
    return fill_text(known, "word.dice", count=count, n=known.one[0] if count == 1 else known.number(count))


def stakes_words(rules: Ruleset, count: int, language: str = "en") -> str:
    """A number of what losses cost under these rules, dice or lives.

    >>> from liarsdice.core.rules.presets import preset
    >>> stakes_words(preset("basic").ruleset, 2)
    'two dice'
    """
    known = find_language(language)
    return known.count_noun(count, stake_noun(TextContext(rules, known), count))


def stakes_name(rules: Ruleset, language: str = "en") -> str:
    """What losses cost under these rules, in the plural: "dice", "lives", or the name that the rules give them."""
    return stake_noun(TextContext(rules, find_language(language)), 2)


def out_word(rules: Ruleset) -> str:
    """What an English status says of a player without dice: "out", or "safe" where winners put dice away."""
    return "safe" if sheds(rules) else "out"


def face_name(rules: Ruleset, face: int, count: int = 2, language: str = "en") -> str:
    """The name of `count` dice of a face under these rules, without the count."""
    return face_words(TextContext(rules, find_language(language)), face, count)


def bid_name(rules: Ruleset, bid: Bid, language: str = "en") -> str:
    """A bid as players say it.

    >>> bid_name(Ruleset(), Bid(5, 4)), bid_name(Ruleset(), Bid(5, 4), "es")
    ('five fours', 'cinco cuatros')
    """
    return bid_words(TextContext(rules, find_language(language)), bid)


class Narrator(msgspec.Struct, frozen=True):
    """The rules, the players' names, the seat of the listener if they play, and the code of the language."""

    rules: Ruleset
    names: tuple[str, ...]
    listener: int | None = None
    language: str = "en"

    def __post_init__(self) -> None:
        check_fields(self)
        find_language(self.language)
        if self.listener is not None and not 0 <= self.listener < len(self.names):
            raise MalformedError(f"the listener has a seat from 0 to {len(self.names) - 1}, not {self.listener}")

    def name(self, seat: int) -> str:
        """The name of a player, or "you" for the listener."""
        return self.say("word.you") if seat == self.listener else self._name_at(seat)

    def list_name(self, seat: int) -> str:
        """The name of a player, or "You" for the listener, at the start of a line."""
        return self.say("word.you").capitalize() if seat == self.listener else self._name_at(seat)

    def join_names(self, seats: Iterable[int]) -> str:
        """The names of players as a list; the listener comes last."""
        return self.join(map(self.name, sorted(seats, key=lambda seat: seat == self.listener)))

    def join(self, words: Iterable[str]) -> str:
        """Words as a list in a sentence."""
        return find_language(self.language).join_and(list(words))

    def say(self, key: str, *, count: int = 0, **values: str) -> str:
        """A text of the catalogue with its placeholders replaced; `count` selects the plural form."""
        return fill_text(find_language(self.language), key, count=count, **values)

    def say_of(self, key: str, seat: int, *, count: int = 0, **values: str) -> str:
        """A text about one player, whose name is the placeholder `name`; it addresses the listener."""
        if seat == self.listener:
            return self.say(key + ADDRESSED, count=count, **values)
        return self.say(key, count=count, name=self._name_at(seat), **values)

    def _name_at(self, seat: int) -> str:
        require_seat(seat, len(self.names))
        return self.names[seat]

    def number(self, count: int) -> str:
        """A number without a noun: "four"."""
        return find_language(self.language).number(count)

    def dice(self, count: int) -> str:
        """A number of dice: "four dice"."""
        return dice_words(count, self.language)

    def stakes(self, count: int) -> str:
        """A number of what losses cost: "four dice" or "four lives"."""
        return stakes_words(self.rules, count, self.language)

    def face(self, face: int, count: int = 2) -> str:
        """The name of `count` dice of a face, without the count."""
        return face_name(self.rules, face, count, self.language)

    def bid(self, bid: Bid) -> str:
        """A bid as players say it."""
        return bid_name(self.rules, bid, self.language)

    def faces(self, dice: Iterable[int]) -> str:
        """Dice by face, in ascending order: "one one and two fours"."""
        counts = Counter(dice)
        return self.join(self.bid(Bid(counts[face], face)) for face in sorted(counts))

    def specials(self) -> str:
        """The special face in the plural, with an article in languages that need one."""
        faces = self.face(self.rules.dice.special_face)
        feminine = ".feminine" if find_language(self.language).gender(faces) else ""
        return self.say(f"word.specials{feminine}", faces=faces)

    def label(self, label: str) -> str:
        """A label of the rules, such as "Liar!" or the name of the game, translated if presets use it."""
        return find_language(self.language).translate_label(label)


def stakes_sentence(factor: int, language: str = "en") -> str:
    """The sentence about a factor on the loss of a wrong call.

    >>> stakes_sentence(2), stakes_sentence(3)
    ('The stakes are doubled.', 'The stakes are three times as high.')
    """
    known = find_language(language)
    return fill_text(known, f"event.stakes.{stakes_key(factor)}", n=known.number(factor))


def stakes_key(factor: int) -> str:
    """The last part of the key of a sentence about a factor on all losses."""
    return "double" if factor == 2 else "times"


def penalty_reason(trigger: PenaltyTrigger, offence: str = "", language: str = "en") -> str:
    """What a penalty is for: "asking whose turn it is", or the words that it names the offence by, in quotes."""
    known = find_language(language)
    if offence:
        return fill_text(known, "event.reason.own", offence=printable(offence))
    return fill_text(known, f"event.reason.{trigger}")


def narrate(event: Event | EventView, narrator: Narrator) -> str:
    """Returns one or two sentences that describe an event.

    >>> from liarsdice.core.rules.ruleset import Ruleset
    >>> narrate(BidMade(0, Bid(5, 4)), Narrator(Ruleset(), ("Ann", "Bo")))
    'Ann bids five fours.'
    """
    say, say_of = narrator.say, narrator.say_of
    match event:
        case BidMade(seat, bid, shown):
            key = "event.bid.shown" if shown else "event.bid"
            return say_of(key, seat, bid=narrator.bid(bid), dice=narrator.faces(shown) if shown else "")
        case Challenged() | ExactCalled() | ExactClaimed() | Doubled():
            return _describe_call(event, narrator)
        case Passed() | PassChallenged() | DoubleAnswered():
            return _describe_pass_or_answer(event, narrator)
        case Revealed():
            return _describe_count(event, narrator)
        case DiceLost(seat, amount, left, cause, to) | LivesLost(seat, amount, left, cause, to):
            text = _describe_loss(seat, amount, left, to, narrator)
            return say("event.ante", text=text) if cause is Cause.ANTE else text
        case DiceGained(seat, amount, left) | LivesGained(seat, amount, left):
            return _describe_gain(seat, amount, left, narrator)
        case Withdrawn(seat) | Eliminated(seat):
            return say_of("event.withdrawn" if isinstance(event, Withdrawn) else _out_key(narrator), seat)
        case RoundStarted():
            return _describe_round_start(event, narrator)
        case Dealt() | HandDealt() | Rerolled() | RolledAgain() | PublicRoll():
            return _describe_roll(event, narrator)
        case DirectionSet(seat, direction):
            return say_of(f"event.direction.{direction}", seat)
        case SpecialDeclared() | KindChosen():
            return _describe_special_round(event, narrator)
        case RoundEnded(_, starter, _):
            return say_of("event.round_ended", starter)
        case Penalised() | PublicPenalty():
            key = "event.penalty" if event.immediate else "event.penalty.later"
            reason = penalty_reason(event.trigger, event.offence or "", narrator.language)
            return say_of(key, event.seat, dice=narrator.stakes(event.dice), reason=reason)
        case MatchStarted():
            players = narrator.join_names(range(len(narrator.names)))
            return say("event.match_started", players=players, game=narrator.label(narrator.rules.labels.game))
        case StarterRolled():
            return _describe_starter_rolls(event, narrator)
        case StarterFound(seat, method):
            return say_of(f"event.starter.{method}", seat)
        case MatchEnded():
            return _describe_match_end(event, narrator)


def dice_texts(rules: Ruleset, hand: Hand) -> list[str]:
    """Return each die of a hand as text: its face, and twice if it counts twice.

    >>> from liarsdice.core.rules.presets import preset
    >>> dice_texts(preset("bluff+double").ruleset, (4, 1))
    ['4&4', '1']
    """
    double = rules.dice.double_count(len(hand))
    return [f"{die}&{die}" if place < double else str(die) for place, die in enumerate(hand)]


def _describe_roll(event: Dealt | HandDealt | Rerolled | RolledAgain | PublicRoll, narrator: Narrator) -> str:
    match event:
        case HandDealt(hand) if hand:
            return narrator.say("terminal.hand", dice=" ".join(dice_texts(narrator.rules, hand)))
        case Rerolled(seat):
            is_straight = isinstance(narrator.rules.count.straights, Straights)
            return narrator.say_of("event.rerolled.straight" if is_straight else "event.rerolled", seat)
        case RolledAgain(seat, hand) if seat == narrator.listener:
            return narrator.say("event.rolled_again.own", dice=" ".join(map(str, hand)))
        case RolledAgain() | PublicRoll():
            count = event.dice if isinstance(event, PublicRoll) else len(event.hand)
            return narrator.say_of("event.rolled_again", event.seat, dice=narrator.dice(count))
        case _:
            return narrator.say("event.dealt")


def _describe_call(event: Challenged | ExactCalled | ExactClaimed | Doubled, narrator: Narrator) -> str:
    labels = narrator.rules.labels
    label = narrator.label(labels.exact if isinstance(event, ExactCalled | ExactClaimed) else labels.challenge)
    if isinstance(event, ExactClaimed):
        return narrator.say_of("event.exact_claimed", event.seat, bid=narrator.bid(event.bid), label=label)
    if isinstance(event, Doubled):
        return narrator.say_of("event.doubled.early" if event.out_of_turn else "event.doubled", event.seat, label=label)
    call = narrator.say_of("event.call.early" if event.out_of_turn else "event.call", event.seat, label=label)
    if isinstance(event, Challenged) and event.double is True and doubles_are_answered(narrator.rules):
        call = narrator.say("event.cups_lifted")  # the call itself came before the answers to it
    factor = stake_factor(narrator.rules, event)
    return f"{call} {stakes_sentence(factor, narrator.language)}" if factor > 1 else call


def _describe_pass_or_answer(event: Passed | PassChallenged | DoubleAnswered, narrator: Narrator) -> str:
    if isinstance(event, DoubleAnswered):
        return narrator.say_of(f"event.answer.{event.answer}", event.seat)
    if isinstance(event, Passed):
        return narrator.say_of("event.passed", event.seat)
    key = "event.pass_challenged.yours" if event.passer == narrator.listener else "event.pass_challenged"
    return narrator.say_of(key, event.seat, passer=narrator.name(event.passer))


def _describe_count(event: Revealed, narrator: Narrator) -> str:
    if event.pass_hand is not UNSET:
        return narrator.say(f"event.pass_hand.{event.pass_hand or 'none'}")
    if event.bid.is_sum:
        return narrator.say("event.revealed.sum", n=narrator.number(event.count))
    rules, face = narrator.rules, event.bid.face
    key = "event.revealed" if event.count else "event.revealed.none"
    if event.wilds_counted:
        key += ".wild"
    elif rules.wilds.special_is_wild and face != rules.dice.special_face:
        key += ".not_wild"
    bid = narrator.bid(Bid(event.count, face)) if event.count else ""
    return narrator.say(key, bid=bid, faces=narrator.face(face), specials=narrator.specials())


def _describe_gain(seat: int, amount: int, left: int, narrator: Narrator) -> str:
    key = "event.gained"
    if counts_taken(narrator.rules):
        key = "event.rid" if shown_stakes(narrator.rules, left) else "event.rid.none"
    return narrator.say_of(key, seat, dice=narrator.stakes(amount), left=_number_left(left, narrator))


def _out_key(narrator: Narrator) -> str:
    return "event.safe" if sheds(narrator.rules) else "event.out"


def _describe_loss(seat: int, amount: int, left: int, to: int | None, narrator: Narrator) -> str:
    key, receiver = "event.shed" if sheds(narrator.rules) else "event.lost", ""
    if counts_taken(narrator.rules):
        key = "event.taken"
    elif to is not None:
        key, receiver = "event.given", narrator.name(to)
        if to == narrator.listener:
            key += ".to_you"
    if left == 0 and not counts_taken(narrator.rules):
        key += ".last"
    number_left = _number_left(left, narrator)
    return narrator.say_of(key, seat, count=left, dice=narrator.stakes(amount), to=receiver, left=number_left)


def _number_left(left: int, narrator: Narrator) -> str:
    """The number that the table shows for dice or lives left, without the noun; the number one agrees with it."""
    language, left = find_language(narrator.language), shown_stakes(narrator.rules, left)
    feminine = left == 1 and language.gender(stakes_name(narrator.rules, narrator.language))
    return language.one[1] if feminine else narrator.number(left)


def _describe_round_start(event: RoundStarted, narrator: Narrator) -> str:
    rules, number, dice = narrator.rules, str(event.number), narrator.dice(sum(event.dice))
    if event.special_seat is None:
        start = narrator.say_of("event.round", event.starter, number=number, dice=dice)
        return f"{start} {narrator.say('event.face_off')}" if is_face_off(rules, event.dice) else start
    label = narrator.label(rules.labels.special_round)
    start = narrator.say_of("event.special_round", event.starter, number=number, dice=dice, label=label)
    return " ".join([start, *_special_rules(narrator)])


def _describe_special_round(event: SpecialDeclared | KindChosen, narrator: Narrator) -> str:
    if isinstance(event, SpecialDeclared):
        label = narrator.label(narrator.rules.labels.special_round)
        return " ".join([narrator.say_of("event.special_declared", event.seat, label=label), *_special_rules(narrator)])
    chosen = narrator.say_of(f"event.kind.{event.kind}", event.seat)
    if event.kind is RoundKind.ORDINARY or not special_round_is_declared(narrator.rules):
        return chosen
    return " ".join([chosen, *_special_rules(narrator, visibility=False)])


def _special_rules(narrator: Narrator, *, visibility: bool = True) -> list[str]:
    """Return a sentence for each rule that is different in a special round; `visibility`: who looks is one of them."""
    rules, sentences = narrator.rules, list[str]()
    special = rules.special_round
    if special is not None and special.visibility and visibility:
        sentences.append(narrator.say(f"event.visibility.{special.visibility}"))
    if special is not None and special.face_locked:
        sentences.append(narrator.say("event.face_locked"))
        if special.lock_exempt is LockExempt.HAD_SPECIAL:
            sentences.append(narrator.say("event.face_locked.exempt"))
    if rules.wilds.special_is_wild and SuspendedBy.SPECIAL_ROUND in rules.wilds.suspended_by:
        specials = narrator.specials()
        sentences.append(narrator.say("event.wilds_off", specials=specials[:1].upper() + specials[1:]))
    return sentences


def _describe_starter_rolls(event: StarterRolled, narrator: Narrator) -> str:
    rolls = [
        f"{narrator.name(seat)} {' + '.join(map(str, roll))}{f' = {sum(roll)}' if len(roll) > 1 else ''}"
        for seat, roll in enumerate(event.rolls)
        if roll
    ]
    sentences = [narrator.say("event.starter_rolled", rolls=narrator.join(rolls))]
    if event.tied:
        sentences.append(narrator.say("event.starter_rolled.again", players=narrator.join_names(event.tied)))
    return " ".join(sentences)


def _describe_match_end(event: MatchEnded, narrator: Narrator) -> str:
    sentences = [narrator.say_of("event.won", event.winners[0])]
    if len(event.winners) > 1:
        sentences = [narrator.say("event.shared", players=narrator.join_names(event.winners))]
    if sheds(narrator.rules) and event.reason is not EndReason.MAX_ROUNDS:
        sentences.append(narrator.say(f"event.{event.reason}.shed"))
    elif event.reason is not EndReason.LAST_PLAYER:
        sentences.append(narrator.say(f"event.{event.reason}"))
    return " ".join(sentences)


def summarise_call(events: Sequence[EventView | Event], narrator: Narrator) -> str:
    """Returns a summary of a call from its events: the call, the reveal, and everything that followed.

    ::

        Ann bid five fours, but there were only three, so Ann loses one die.
    """
    call, reveal = events[0], events[1]
    assert isinstance(call, Challenged | ExactCalled | PassChallenged)
    assert isinstance(reveal, Revealed)
    changes = _changes(events, narrator)
    if isinstance(call, PassChallenged):
        facts = narrator.say_of(f"call.passed.{reveal.pass_hand or 'none'}", call.passer)
        sentences = [narrator.say("call.so", facts=facts, changes=narrator.join(changes))]
    elif changes:
        sentences = [_outcome(call, _facts(call, reveal, narrator), narrator.join(changes), narrator)]
    else:
        sentences = [f"{_facts(call, reveal, narrator)}.", _no_loss_reason(call, reveal, narrator)]
    sentences += [
        narrator.say_of("call.penalty", event.seat, dice=narrator.stakes(event.amount))
        for event in events
        if isinstance(event, DiceLost | LivesLost) and event.cause is Cause.PENALTY
    ]
    out = [event.seat for event in events if isinstance(event, Eliminated)]
    if len(out) == 1:
        sentences.append(narrator.say_of(_out_key(narrator), out[0]))
    elif out:
        sentences.append(narrator.say(f"{_out_key(narrator)}.many", players=narrator.join_names(out)))
    return " ".join(sentences)


def _facts(call: Challenged | ExactCalled, reveal: Revealed, narrator: Narrator) -> str:
    """The bid and the count, without a full stop."""
    count, quantity = reveal.count, call.bid.quantity
    claim, n = narrator.say_of("call.bid", call.bidder, bid=narrator.bid(call.bid)), narrator.number(count)
    if count == 0:
        return narrator.say("call.none", claim=claim)
    key = "call.sum" if call.bid.is_sum else "call"
    if isinstance(call, ExactCalled):
        if count == quantity:
            return narrator.say_of(f"{key}.exact.right", call.seat, count=count, claim=claim, n=n)
        return narrator.say(f"{key}.exact.wrong", count=count, claim=claim, n=n, quantity=narrator.number(quantity))
    if count != quantity and reveal.claim is True:
        return narrator.say(f"{key}.exact.wrong", count=count, claim=claim, n=n, quantity=narrator.number(quantity))
    if count == quantity:
        return narrator.say(f"{key}.exactly", count=count, claim=claim, n=n)
    return narrator.say(f"{key}.enough" if reveal.bid_true else f"{key}.too_few", count=count, claim=claim, n=n)


def _outcome(call: Challenged | ExactCalled, facts: str, changes: str, narrator: Narrator) -> str:
    factor = stake_factor(narrator.rules, call)
    if factor > 1:
        return narrator.say(f"call.so.{stakes_key(factor)}", facts=facts, changes=changes, n=narrator.number(factor))
    return narrator.say("call.so", facts=facts, changes=changes)


def _changes(events: Sequence[EventView | Event], narrator: Narrator) -> list[str]:
    """The pot, gains, and losses except penalties. Players with the same loss share a clause."""
    seats_by_loss: dict[tuple[int, int | None], list[int]] = {}
    antes = [event for event in events if isinstance(event, LivesLost) and event.cause is Cause.ANTE]
    for event in events:
        if isinstance(event, DiceLost | LivesLost) and event.cause not in (Cause.PENALTY, Cause.ANTE):
            seats_by_loss.setdefault((event.amount, event.to), []).append(event.seat)
    gain = "call.rid" if counts_taken(narrator.rules) else "call.gain"
    pots = [
        narrator.say_of("call.pot", event.to, dice=narrator.stakes((len(antes) + 1) * event.lives))
        for event in antes[:1]
        if event.to is not None
    ]
    gains = [
        narrator.say_of(gain, event.seat, dice=narrator.stakes(event.amount))
        for event in events
        if isinstance(event, DiceGained | LivesGained)
    ]
    return pots + gains + [_describe_losses(seats, *loss, narrator) for loss, seats in seats_by_loss.items()]


def _describe_losses(seats: Sequence[int], amount: int, to: int | None, narrator: Narrator) -> str:
    key, receiver, dice = "call.take" if counts_taken(narrator.rules) else "call.lose", "", narrator.stakes(amount)
    if sheds(narrator.rules):
        key = "call.shed"
    if to is not None:
        key, receiver = "call.give", narrator.name(to)
        if to == narrator.listener:
            key += ".to_you"
    if len(seats) == 1:
        return narrator.say_of(key, seats[0], dice=dice, to=receiver)
    return narrator.say(f"{key}.many", players=narrator.join_names(seats), dice=dice, to=receiver)


def _no_loss_reason(call: Challenged | ExactCalled, reveal: Revealed, narrator: Narrator) -> str:
    """Why nothing was lost. A challenge always costs its loser something, unless an immediate penalty took the last."""
    exact = narrator.rules.exact_call
    if isinstance(call, ExactCalled) and exact is not None:
        if reveal.count != call.bid.quantity:
            return narrator.say("call.wrong_is_free")
        if sheds(narrator.rules):
            return narrator.say("call.nobody_sheds")
        if exact.success_gain:
            return narrator.say_of("call.full_lives" if narrator.rules.loss.lives else "call.full_set", call.seat)
        if not exact.bidder_loss:
            return narrator.say("call.nobody_loses")
    return narrator.say_of("call.bidder_out", call.bidder)


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


class MoveReason(msgspec.Struct, frozen=True):
    """Why the most valuable move is worth more than another one, or as much.

    `other`: its place among the moves, of which the best is the first. It is the most valuable one that is certainly
    worth less and that a player may think of making, or else the second, which may be worth as much: `tied`.
    """

    other: int
    tied: bool
    reason: DecisionReason


def reason_sentences(reason: DecisionReason, narrator: Narrator) -> Iterator[str]:
    """Yield what could be known of the bids, and what the better move changes, if that is clear: up to two sentences.

    ::

        One of your dice counts for three twos, and Bo, who opened on twos, usually has none that counts: that bid
        stands 27 times in 100, so “Dudo!” is right 73 times in 100.
    """
    clauses, bolder = list[str](), list[str]()
    for place, part in enumerate(reason.bids):
        bid, stands = narrator.bid(part.bid), times(part.p_stands, narrator)
        if place > 0:
            other = narrator.say("reason.other", bid=bid, times=stands)
            if part.p_challenged is not None:
                other = narrator.say("reason.other.challenged", text=other, times=times(part.p_challenged, narrator))
            clauses.append(other)
            if reason.less_room and part.p_stands <= reason.bids[0].p_stands:
                bolder.append(narrator.say("reason.less_room", bid=bid))
            continue
        by_own_dice = part.held >= part.bid.quantity and part.p_stands >= 1 - CERTAIN
        key = "reason.stands.own" if by_own_dice else "reason.stands"
        text = narrator.say(key, facts=_bid_facts(reason.seat, part, narrator), times=stands)
        if part.role is ReasonRole.STANDING:
            labels = narrator.rules.labels
            if reason.challenge:
                label, right = narrator.label(labels.challenge), times(1 - part.p_stands, narrator)
                text = narrator.say("reason.challenge", text=text, label=label, times=right)
            if reason.exact:
                label, right = narrator.label(labels.exact), times(part.p_exact, narrator)
                text = narrator.say("reason.exact", text=text, label=label, times=right)
        if part.p_challenged is not None:
            text = narrator.say("reason.challenged", text=text, times=times(part.p_challenged, narrator))
        clauses.append(text)
    if clauses:
        yield f"{'; '.join(clauses)}."
    yield from [*_outcome_sentence(reason, narrator), *bolder][:1]


def why_best(why: MoveReason, best: str, other: str, narrator: Narrator) -> str:
    """Why the most valuable move is worth more than another one, or as much. `best`, `other`: their names as nouns."""
    told = " ".join(reason_sentences(why.reason, narrator))
    sentence = narrator.say("reason.why.tied" if why.tied else "reason.why", best=best, other=other, text=told)
    return f"{sentence[:1].upper()}{sentence[1:]}"


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


def _bid_facts(seat: int, part: BidReason, narrator: Narrator) -> str:
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
    >>> [times(p, Narrator(Ruleset(), ("Ann", "Bo"))) for p in (0.0, 0.009, 0.01, 0.27)]
    ['0 times in 100', 'less than once in 100', 'once in 100', '27 times in 100']
    """
    if p < 0.01:
        return narrator.say("reason.times.never" if p <= CERTAIN else "reason.times.rarely")
    if p > 0.99:
        return narrator.say("reason.times.always" if p >= 1 - CERTAIN else "reason.times.mostly")
    n = round(100 * p)
    return narrator.say("reason.times", count=n, n=str(n))


CERTAIN = 1e-9
"""Probabilities that differ by less from 0 or 1 are certain: rounding errors are smaller."""
MIN_LOSS_DIFFERENCE = 0.05
"""By how much the moves must differ in how often somebody loses or gains dice, so that it is told."""


def _capitalize(text: str) -> str:
    return text[:1].upper() + text[1:]
