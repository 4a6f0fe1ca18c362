"""The words for dice, bids and players in one language, which the sentences of the narration are made of."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

import msgspec

from liarsdice.core.arguments import check_fields
from liarsdice.core.errors import MalformedError
from liarsdice.core.rules.bids import Bid
from liarsdice.core.rules.ruleset import Ruleset
from liarsdice.core.text.catalogue import ADDRESSED, fill_text
from liarsdice.core.text.rulebook.locales import find_language
from liarsdice.core.text.rulebook.placeholders import TextContext, bid_words, face_words, stake_noun


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
        return self.say("word.you") if seat == self.listener else self.names[seat]

    def list_name(self, seat: int) -> str:
        """The name of a player, or "You" for the listener, at the start of a line."""
        return self.say("word.you").capitalize() if seat == self.listener else self.names[seat]

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
        return self.say(key, count=count, name=self.names[seat], **values)

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
