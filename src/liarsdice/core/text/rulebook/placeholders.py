"""What the sentences leave open: numbers, labels and examples, worked out from the rules that they speak of."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

import msgspec

from liarsdice.core.rules.bids import Bid, biddable_faces, outranks
from liarsdice.core.rules.ruleset import Ruleset
from liarsdice.core.text.rulebook.field_tracking import at
from liarsdice.core.text.rulebook.language import Language

GAP = re.compile(r"\{(#?)([a-z_.]+)(?: ([^{}]+))?\}")
EXAMPLE_QUANTITY = 5


class Scene(msgspec.Struct, frozen=True):
    """What a sentence is filled from: the rules, the language, and what this one sentence is about besides."""

    rules: Ruleset
    language: Language
    items: Mapping[str, int | str] = {}


def fill(sentence: str, scene: Scene, *, capital: bool = True) -> str:
    """A sentence with its gaps filled, and a capital at its start unless it is part of another."""
    text = GAP.sub(lambda gap: _write(gap, scene), sentence)
    return text[:1].upper() + text[1:] if capital else text


def _write(gap: re.Match[str], scene: Scene) -> str:
    digits, name, forms = gap[1], gap[2], gap[3]
    value = scene.items[name] if name in scene.items else _value(name, scene)
    language = scene.language
    if isinstance(value, str):
        word = clean(value)
        return f"{forms.split('|')[language.gender(word)]} {word}" if forms else word
    assert isinstance(value, int), name
    if not forms:
        return str(value) if digits else language.number(value)
    noun = forms.split("|")[language.form(value)]
    return f"{value} {noun}" if digits else language.counted(value, noun)


def _value(name: str, scene: Scene) -> object:
    return FILLINGS[name](scene) if name in FILLINGS else at(scene.rules, name)


def clean(label: str) -> str:
    r"""A label without line breaks and control characters.

    >>> clean("Li\x1b[2Jar\n!")
    'Li [2Jar !'
    """
    return " ".join("".join(sign if sign.isprintable() else " " for sign in label).split())


def face_words(scene: Scene, face: int, count: int) -> str:
    """What so many dice of a face are called, by the table's own word for the special face if it has one."""
    dice, label = scene.rules.dice, scene.rules.labels.special_face
    if label is None or face != dice.special_face:
        return scene.language.face(face, count)
    return clean(label if scene.language.form(count) else scene.language.one_of(label))


def bid_words(scene: Scene, bid: Bid) -> str:
    """A bid as it is spoken: "five fours"."""
    return scene.language.counted(bid.quantity, face_words(scene, bid.face, bid.quantity))


def others(rules: Ruleset) -> tuple[int, ...]:
    """All faces but the special one, lowest first."""
    return tuple(face for face in range(1, rules.dice.faces + 1) if face != rules.dice.special_face)


def example(rules: Ruleset) -> Bid:
    """The bid that all sentences take for their example: five fours, where the dice have fours."""
    faces = others(rules)
    return Bid(EXAMPLE_QUANTITY, faces[len(faces) // 2])


def neighbours(rules: Ruleset) -> tuple[list[Bid], list[Bid]]:
    """Bids around the example: those that beat it, and those that do not."""
    old, faces = example(rules), others(rules)
    below = [face for face in faces if face < old.face][-1:]
    above = [face for face in faces if face > old.face][:1]
    around = [
        *(Bid(old.quantity, face) for face in above),
        Bid(old.quantity + 1, old.face),
        *(Bid(old.quantity + 1, face) for face in below),
        *(Bid(old.quantity - 1, face) for face in above),
        *(Bid(old.quantity, face) for face in below),
    ]
    higher = [bid for bid in around if outranks(rules.bidding, rules.dice, old, bid)]
    return higher, [bid for bid in around if bid not in higher]


def drop(rules: Ruleset) -> tuple[Bid, Bid] | None:
    """Two bids of which the later names a higher face and far fewer dice; None where that is not allowed."""
    faces = others(rules)[-2:]
    old, new = Bid(8, faces[0]), Bid(1, faces[-1])
    return (old, new) if len(faces) == 2 and outranks(rules.bidding, rules.dice, old, new) else None


def highest_face(rules: Ruleset) -> int:
    """The face that ranks highest of those that may be bid."""
    return biddable_faces(rules.bidding, rules.dice)[-1]


def _least(scene: Scene, old: Bid, face: int) -> Bid:
    """The lowest bid on another face that beats `old`, as the relation has it."""
    rules = scene.rules
    return next(
        bid
        for bid in (Bid(quantity, face) for quantity in range(1, 2 * old.quantity + 2))
        if outranks(rules.bidding, rules.dice, old, bid)
    )


def _specials_over(scene: Scene, quantity: int) -> str:
    old = Bid(quantity, example(scene.rules).face)
    return bid_words(scene, _least(scene, old, scene.rules.dice.special_face))


def _words_of(scene: Scene, bids: list[Bid]) -> list[str]:
    return [bid_words(scene, bid) for bid in bids]


def _drop(scene: Scene) -> tuple[Bid, Bid]:
    found = drop(scene.rules)
    assert found is not None
    return found


SPECIALS_LEFT = 3
FILLINGS: dict[str, Callable[[Scene], int | str]] = {
    "specials": lambda scene: face_words(scene, scene.rules.dice.special_face, 2),
    "special_round": lambda scene: scene.language.round_called(clean(scene.rules.labels.special_round)),
    "example": lambda scene: bid_words(scene, example(scene.rules)),
    "example.count": lambda _: EXAMPLE_QUANTITY,
    "example.face": lambda scene: face_words(scene, example(scene.rules).face, EXAMPLE_QUANTITY),
    "example.higher": lambda scene: scene.language.either(_words_of(scene, neighbours(scene.rules)[0])),
    "example.lower": lambda scene: scene.language.neither(_words_of(scene, neighbours(scene.rules)[1])),
    "drop.old": lambda scene: bid_words(scene, _drop(scene)[0]),
    "drop.new": lambda scene: bid_words(scene, _drop(scene)[1]),
    "drop.short": lambda scene: " -> ".join(map(str, _drop(scene))),
    "faces.lowest": lambda scene: face_words(scene, biddable_faces(scene.rules.bidding, scene.rules.dice)[0], 2),
    "faces.highest": lambda scene: face_words(scene, highest_face(scene.rules), 2),
    "faces.above": lambda scene: scene.rules.dice.faces + 1,
    "others.lowest": lambda scene: face_words(scene, others(scene.rules)[0], 2),
    "others.highest": lambda scene: face_words(scene, others(scene.rules)[-1], 2),
    "convert.even": lambda scene: bid_words(scene, Bid(EXAMPLE_QUANTITY - 1, example(scene.rules).face)),
    "convert.odd": lambda scene: bid_words(scene, example(scene.rules)),
    "convert.even_specials": lambda scene: _specials_over(scene, EXAMPLE_QUANTITY - 1),
    "convert.odd_specials": lambda scene: _specials_over(scene, EXAMPLE_QUANTITY),
    "convert.specials": lambda scene: bid_words(scene, Bid(SPECIALS_LEFT, scene.rules.dice.special_face)),
    "convert.back": lambda scene: bid_words(
        scene, _least(scene, Bid(SPECIALS_LEFT, scene.rules.dice.special_face), example(scene.rules).face)
    ),
    "off.below": lambda _: EXAMPLE_QUANTITY - 2,
    "off.above": lambda _: EXAMPLE_QUANTITY + 2,
}
"""What a gap may be called besides the path of a field."""
