"""Validation of rule choices: finds every combination that cannot be played, and warns of matches without an end."""

import re
from collections import deque
from collections.abc import Iterator, Mapping
from enum import Enum
from functools import lru_cache
from typing import Any

import msgspec

from liarsdice.core.errors import RulesetError
from liarsdice.core.rules import choices as c
from liarsdice.core.rules.bids import Bid, face_order, may_be_pure, raise_relation
from liarsdice.core.rules.choices import Answer, Direction, PenaltyTrigger, RoundKind, Visibility
from liarsdice.core.rules.meaning import (
    all_rounds_are_hidden,
    ante_of,
    bids_are_about_own_dice,
    counts_taken,
    dice_are_hidden,
    dice_differ_by_seat,
    forbids_repeats,
    has_face_off,
    has_lives,
    has_passes,
    has_pure_bids,
    impossible_pass_hands,
    kind_is_chosen,
    least_dice,
    may_fold,
    may_show_dice,
    pass_hands,
    sheds,
    suspension_can_happen,
    visibility_of,
)
from liarsdice.core.rules.parts import Bidding, Dice, RuleChoices


class ProblemCode(Enum):
    """Why rules do not work together, or are probably not what was meant.

    The value is the message; its placeholders are filled from `RulesetProblem.values`.
    """

    TOO_LOW = "{path} is {value}, but needs to be at least {least}"
    TOO_HIGH = "{path} is {value}, but may be at most {most}"
    TOO_MANY_DICE = (
        "exact calls can add dice until {dice} are in play, which may be at most {most} (set exact_call.gain_cap to "
        "starting_dice, or lower exact_call.success_gain, exact_call.budget or guards.max_rounds)"
    )
    TOO_MANY_BIDS = "bids: {bids}, which may be at most {most} (set bidding.cap to {cap} or less, or lower dice.faces)"
    TOO_LONG_ROUNDS = (
        "a round can have {bids} bids, which may be at most {most} (set guards.max_bids_per_round to {most} or less)"
    )
    NO_LABEL = "{path} is 1 to {most} printable characters, not {label}"
    LABEL_MISREAD = "{path} {label} would be read as {value} (choose another word)"
    LABELS_ALIKE = "{path} {label} is also the label of {value}, so nobody could tell the two apart"
    NO_SUCH_FACE = "dice.special_face is {face}, which is no face of a die with {faces} faces"
    FACES_OF_NO_SEAT = "dice.faces_by_seat names {seats} seats, but at most {most} can play"
    FACES_ABOVE_HIGHEST = (
        "dice.faces_by_seat has {highest}, which is more than dice.faces ({faces}), the highest face of any die"
    )
    NO_OPENING = "bidding.max_open is {most}, below {path} {least}"
    ENDLESS_ROUND = "bidding.cap is none, so a round need not end (set guards.max_bids_per_round)"
    PENALTY_TWICE = "penalties name the same trigger twice"
    OFFENCE_TWICE = "penalties name the offence {label} twice, or labels.offences names it once more"
    OFFENCE_OF_QUESTION = "penalties: an offence goes with the trigger commits_offence, not with {value}"

    NO_CONVERSION = "bidding.special_rank convert needs {path} (from_special may be 'never')"
    IDLE_CONVERSION = "{path} is {formula}, which has no meaning unless bidding.special_rank is convert"
    OPENING_UNBIDDABLE = "bidding.special_rank not_biddable needs bidding.special_may_open = false"
    RAISE_LOOP = (
        "bidding.raise {raise_rule} lets bids go round in a loop: {loop} "
        "(choose another raise rule or set bidding.no_repeat)"
    )
    CONVERSION_LOOP = (
        "bidding.to_special {to_special} and bidding.from_special {from_special} let bids go round in a loop: {loop} "
        "(choose another of the two or set bidding.no_repeat)"
    )

    PURE_UNWILD = "bidding.to_pure needs wild dice (set wilds.special_is_wild)"
    PURE_CONVERT = "bidding.to_pure makes bids on the special face pure, so bidding.special_rank may not be convert"
    PURE_SUSPENDED = "bidding.to_pure says when dice are wild, so wilds.suspended_by must be empty"
    PURE_LOOP = (
        "bidding.to_pure {to_pure} and bidding.from_pure {from_pure} let bids go round in a loop: {loop} "
        "(choose another of the two or set bidding.no_repeat)"
    )

    SHOWN_HANDS = "bidding.show_dice parts a hand, so it leaves no room for rules about whole hands ({value})"
    SHOWN_TAKEN = "penalties that are taken at once would take dice that are shown, so bidding.show_dice rules them out"

    PASSING_TWICE = "bidding.pass_with names the same hand twice"
    PASSING_IMPOSSIBLE = "bidding.pass_with {value}: nobody can have such a hand with the number of dice that it needs"
    PASSING_TAKEN = "penalties that are taken at once would change a hand after its pass (bidding.pass_with)"
    PASSING_MIXED = "with other dice by seat (dice.faces_by_seat), hands are not alike: bidding.pass_with is none"
    PASSING_COVERED = "a pass is about dice that only their owner sees, so bidding.pass_with leaves no room for {value}"

    SUMS_OF_OWN_DICE = "a bid on the sum is about both dice, so bidding.face_off leaves no room for count.scope bidder"
    SUMS_NEVER = "bidding.face_off needs two players with one die each, but {path} is {value}"

    SUSPENDED_UNWILD = "wilds.suspended_by has nothing to suspend: wilds.special_is_wild is false"
    SUSPENDED_TWICE = "wilds.suspended_by names the same reason twice"
    SUSPENDED_BY_NO_ROUND = "wilds.suspended_by special_round needs a special_round"
    SUSPENDED_BY_NO_OPENING = "wilds.suspended_by opening_bid_on_special needs bidding.special_may_open"
    SUSPENDED_BY_NO_BID = "wilds.suspended_by any_bid_on_special needs a special face that may be bid"

    NEVER_OUT_OF_TURN = (
        "loss.out_of_turn_factor {value} has no meaning when only the next player may challenge "
        "(set challenge.who = anyone_but_bidder)"
    )
    DICE_STAY = "loss.destination opponent never lowers the number of dice, so it needs guards.max_rounds"
    LIVES_UNLIMITED = "loss.lives unlimited never run out, so the match needs guards.max_rounds"
    TAKEN_FROM_NOBODY = (
        "lives are counted as they are taken, so nobody can receive them (loss.destination opponent) or win "
        "more back than they have taken (exact_call.gain_cap none), and there is no pot (loss.ante none)"
    )
    SHED_OTHERWISE = (
        "loss.shed_by lets winners put dice or lives away, and nobody else loses or receives any, so {path} has to be "
        "as it is by default"
    )
    SEVERAL_LOSERS = "loss.on_exact all_but_bidder makes several losers, so next_starter.rule loser names nobody"

    FOLD_DIFFERENCE = (
        "challenge.answers redouble_or_fold needs loss.mode fixed: nobody shows the dice after a fold, so nobody knows "
        "the difference"
    )

    OWN_DICE_BONUS = "count.hand_bonus is for bids about all dice, but count.scope bidder counts the bidder's alone"
    DIFFERENT_DICE = "count.all_different needs dice.per_player from 2 to dice.faces ({faces}), not {dice}"
    DOUBLE_DICE = "dice.double leaves no room for rules that mix, pass on or add up dice, or value whole hands ({path})"
    DIFFERENT_STAIRS = "stairs are all different, so count.hand_bonus stairs leaves no room for count.all_different"

    EXACT_KEEPS_DICE = (
        "exact_call can be right without anybody losing a die, so the match need not end "
        "(set guards.max_rounds or exact_call.budget)"
    )
    EXACT_IS_FREE = "exact_call.failure_loss 0 costs nobody a die (set guards.max_rounds or exact_call.budget)"
    EXACT_SEVERAL_LOSERS = "exact_call.others_loss makes several losers, so exact_call.next_starter loser names nobody"
    NEVER_LAST_LIFE = "special_round needs a player with one life, but {path} is {value}"
    NEVER_LAST_DIE = "special_round needs a last die, but loss.out_below is {value}"
    COVERED_SHOW = "{path} covers dice for their owners, so bidding.show_dice must be none"
    COVERED_TWICE = "dice.visibility says which dice are seen in all rounds, so special_round.visibility must be none"
    COVERED_REROLL = (
        "dice.visibility blind covers all dice, so nobody knows which hands to roll again: count.all_different must be "
        "none or worthless"
    )
    DECLARED_BLIND = (
        "special_round.visibility is settled at the deal, so special_round.trigger cannot be declared after it"
    )
    OPEN_HANDS = (
        "{path} {value} shows dice of several hands as one, so count.hand_bonus and count.all_different must be none"
    )
    NEVER_DOWN_TO_ONE = "special_round needs dice.per_player of at least 2: nobody can lose down to one die"

    CONVERT_UNWILD = (
        "bidding.special_rank convert halves bids on the special face, but without wilds.special_is_wild that face is "
        "no more likely than others"
    )
    CONVERT_SUSPENDED = "bidding.special_rank convert while any bid on the special face ends its wildness"
    NEVER_OPENS = "bidding.special_may_open is special_round_only, but there is no special_round"
    NATURAL_UNWILD = "wilds.needs_natural changes nothing while wilds.special_is_wild is false"
    UNLIMITED_GAIN = "with exact_call.gain_cap none, every right exact call adds dice, so a match can get very long"
    EXEMPT_UNLOCKED = "special_round.lock_exempt changes nothing unless special_round.face_locked"

    def __repr__(self) -> str:
        return f"{type(self).__name__}.{self.name}"


class RulesetProblem(msgspec.Struct, frozen=True):
    """A problem of a ruleset: its code, and the values that fill its message.

    `values["path"]` is the field concerned, where the code can concern several.

    >>> print(RulesetProblem(ProblemCode.TOO_LOW, {"path": "dice.faces", "value": 1, "least": 2}))
    dice.faces is 1, but needs to be at least 2
    """

    code: ProblemCode
    values: Mapping[str, int | str | tuple[Bid, ...]] = {}

    def __str__(self) -> str:
        values = {
            name: " -> ".join(map(str, value)) if isinstance(value, tuple) else value
            for name, value in self.values.items()
        }
        return self.code.value.format(**values)


PUNCTUATION = " *_`\"'“”’«».!¡?¿,:;()"
NUMBERS = (
    *("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"),
    *("eleven", "twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen", "twenty"),
)
FACES = ("ones", "twos", "threes", "fours", "fives", "sixes", "sevens", "eights", "nines", "tens")

ACES = ("ace", "aces", "as", "ases")

SHEET_CHALLENGES = ("liar", "that's a lie", "j'accuse", "open")
"""Words of the rule sheets for a challenge. Where openers choose the kind of a round, "open" can be a kind instead."""
CHALLENGES = (
    *("liar", "challenge", "call", "bluff", "call liar", "call bluff", "i challenge", "i call", "dudo"),
    *("lie", "mentira", "es mentira", "mentiroso", "mentirosa", "farol", "no te creo"),
)
EXACT_CALLS = (
    *("exact", "exactly", "exact call", "call exact", "spot on", "calza"),
    *("calzo", "exacto", "exacta", "en el clavo"),
)
CLAIMS = ("claim", "i claim", "claim exact", "bull")
DECLARATIONS = (
    *("special", "special round", "declare", "declare special", "declare a special round", "palifico"),
    "ronda especial",
)
REROLLS = ("reroll", "i reroll", "roll again", "i roll again", "vuelvo a tirar")
DOUBLES = (
    *("double", "i double", "pi", "double challenge", "challenge for double", "liar for double stakes"),
    *("doble", "doblo"),
)
PASSES = ("pass", "i pass", "paso")
DOUBTS = ("doubt the pass", "i doubt the pass", "challenge the pass", "doubt pass", "challenge pass", "dudo del paso")
PLAIN_DOUBTS = ("doubt", "i doubt", "i doubt it", "lo dudo")
"""Words for the doubt of a bid, or where players pass, of a pass."""
SILENCES = ("silent", "silence", "be silent", "stay silent", "silencio", "callo")
ANSWERS = {
    **dict.fromkeys(("i accept", "acepto"), Answer.ACCEPT),
    **dict.fromkeys(("i redouble", "double again", "counter pi", "redoblo"), Answer.REDOUBLE),
    **dict.fromkeys(("i fold", "surrender", "me retiro"), Answer.FOLD),
    **{answer.value: answer for answer in Answer},
}
DIRECTIONS = {
    **dict.fromkeys(("clockwise", "horario", "sentido horario"), Direction.CLOCKWISE),
    **dict.fromkeys(
        (
            *("anticlockwise", "counterclockwise", "counter-clockwise", "anti-clockwise"),
            *("antihorario", "sentido antihorario"),
        ),
        Direction.ANTICLOCKWISE,
    ),
}
KINDS = {
    **{phrase: kind for kind in RoundKind for phrase in (kind.value, f"obligo {kind}", f"{kind} round")},
    "obligo cerrado": RoundKind.CLOSED,
    "obligo abierto": RoundKind.OPEN,
}

SHORT_CALLS = {"l": "liar", "x": "exact"}
QUIT, HELP_WORDS, TABLE = ("quit", "q", "exit"), ("help", "h"), ("dice", "table")
RULES, CHART, PENALTY = "rules", "chart", "penalty"
PENALTY_WORDS = dict(zip(PenaltyTrigger, ("turn", "left", "offence"), strict=True))
"""The word for each penalty after `penalty`."""

_COMMANDS = dict.fromkeys((*QUIT, *HELP_WORDS, *TABLE, RULES, CHART, PENALTY), "a command")
_OTHER_CALLS = {
    **dict.fromkeys(DOUBLES, "a challenge for twice the stake"),
    **dict.fromkeys((*PASSES, *DOUBTS, "doubt"), "a pass or a doubt"),
    **dict.fromkeys(CLAIMS, "a claim that a bid is exact"),
    **dict.fromkeys(SILENCES, "silence"),
    **dict.fromkeys(REROLLS, "a roll of the whole hand"),
    **dict.fromkeys(ANSWERS, "an answer to a challenge"),
    **dict.fromkeys(DIRECTIONS, "a direction"),
}
_CALLS = {
    "a challenge": {*CHALLENGES, *PLAIN_DOUBTS, *SHEET_CHALLENGES, "l"},
    "an exact call": {*EXACT_CALLS, "x"},
    "a special round": set(DECLARATIONS),
}


def plain_words(phrase: str) -> str:
    """Return a phrase in lower case, with plain apostrophes and single spaces, without the punctuation around it."""
    return " ".join(phrase.casefold().replace("’", "'").split()).strip(PUNCTUATION)


def label_problems(rules: RuleChoices) -> Iterator[RulesetProblem]:
    """Yield the labels that read as a bid, a command or another call, and the labels of two calls that are alike."""
    meant: dict[str, str] = {}
    for call, path, label in _call_labels(rules):
        words = plain_words(label)
        values = {"path": path, "label": f"{label!r:.60}"}
        meaning = _other_meaning(rules, call, label)
        if meaning is not None:
            yield RulesetProblem(ProblemCode.LABEL_MISREAD, values | {"value": meaning})
        elif meant.setdefault(words, call) != call:
            yield RulesetProblem(ProblemCode.LABELS_ALIKE, values | {"value": meant[words]})
    special = rules.labels.special_face
    others = {*_face_words(rules)} - {*_forms(rules.dice.special_face), *ACES}  # any face may be called ace
    if special is not None and plain_words(special) in others:
        yield RulesetProblem(
            ProblemCode.LABEL_MISREAD,
            {"path": "labels.special_face", "label": f"{special!r:.60}", "value": "another face"},
        )
    offences = [("penalties.offence", penalty.offence) for penalty in rules.penalties if penalty.offence]
    offences += [("labels.offences", offence) for offence in rules.labels.offences or ()]
    for path, offence in offences:
        if plain_words(offence) in {*PENALTY_WORDS.values(), *PenaltyTrigger}:
            values = {"path": path, "label": f"{offence!r:.60}", "value": "another penalty"}
            yield RulesetProblem(ProblemCode.LABEL_MISREAD, values)


def _call_labels(rules: RuleChoices) -> Iterator[tuple[str, str, str]]:
    """Yield the labels of calls: what each calls, its field and its text."""
    labels = rules.labels
    yield "a challenge", "labels.challenge", labels.challenge
    yield from (("a challenge", "labels.challenge_also", label) for label in labels.other_challenges)
    yield "an exact call", "labels.exact", labels.exact
    yield "a special round", "labels.special_round", labels.special_round


def _other_meaning(rules: RuleChoices, call: str, label: str) -> str | None:
    """Return what else a label of a call would be read as; None if nothing."""
    words = plain_words(label)
    if not words:
        return "nothing"
    if "?" in label:
        return "a question"
    if words.startswith(PENALTY) or words in _COMMANDS:
        return "a command"
    if words in KINDS and (kind_is_chosen(rules) or words not in SHEET_CHALLENGES):
        return "a kind of round"
    if words in PLAIN_DOUBTS and has_passes(rules):
        return "a doubt of a pass"
    other = next((other for other, known in _CALLS.items() if other != call and words in known), None)
    if other is not None:
        return other
    return _OTHER_CALLS.get(words) or ("a bid" if _has_bid(rules, words) else None)


def _has_bid(rules: RuleChoices, words: str) -> bool:
    """Return whether a phrase holds a bid, in notation or in words."""
    number = rf"(?:[0-9]+|{'|'.join(('an', 'a', *NUMBERS))})"
    face = "|".join(["[0-9]+'?s", *map(re.escape, sorted(_face_words(rules), key=len, reverse=True))])
    written = rf"[0-9]\s*[x×*]\s*[0-9]|[0-9]+\s*,\s*[0-9]|\bsuma?\s*(?:of\s+)?{number}\b"
    return re.search(rf"{written}|\b{number}\s+(?:dice\s+(?:of|showing)\s+)?(?:{face})\b", words) is not None


def _face_words(rules: RuleChoices) -> Iterator[str]:
    yield from ACES
    for face in range(1, min(len(FACES), rules.dice.faces) + 1):
        yield from _forms(face)


def _forms(face: int) -> tuple[str, ...]:
    """Return the plural and the singular of the name of a face."""
    if not 1 <= face <= len(FACES):
        return ()
    plural = FACES[face - 1]
    return (plural, "six" if plural == "sixes" else plural.removesuffix("s"))


def special_face_problems(rules: RuleChoices) -> Iterator[RulesetProblem]:
    """Yield the problems of bids on the special face: formulas that are missing or idle, and impossible openings."""
    bidding = rules.bidding
    converts = bidding.special_rank is c.SpecialRank.CONVERT
    for name, formula in (("to_special", bidding.to_special), ("from_special", bidding.from_special)):
        if converts and formula is None:
            yield RulesetProblem(ProblemCode.NO_CONVERSION, {"path": f"bidding.{name}"})
        if not converts and formula is not None:
            yield RulesetProblem(ProblemCode.IDLE_CONVERSION, {"path": f"bidding.{name}", "formula": str(formula)})
    if bidding.special_rank is c.SpecialRank.NOT_BIDDABLE and bidding.special_may_open is not False:
        yield RulesetProblem(ProblemCode.OPENING_UNBIDDABLE)


def pure_bid_problems(rules: RuleChoices) -> Iterator[RulesetProblem]:
    """Yield the problems of pure bids: nothing else may say whether dice are wild."""
    if not has_pure_bids(rules):
        return
    if not rules.wilds.special_is_wild:
        yield RulesetProblem(ProblemCode.PURE_UNWILD)
    if rules.bidding.special_rank is c.SpecialRank.CONVERT:
        yield RulesetProblem(ProblemCode.PURE_CONVERT)
    if rules.wilds.suspended_by:
        yield RulesetProblem(ProblemCode.PURE_SUSPENDED)


def shown_dice_problems(rules: RuleChoices) -> Iterator[RulesetProblem]:
    """Yield the problems of dice that are shown: rules about whole hands, and penalties that take dice of a hand."""
    if not may_show_dice(rules):
        return
    count = rules.count
    if count.hand_bonus is not c.HandBonus.NONE:
        yield RulesetProblem(ProblemCode.SHOWN_HANDS, {"value": f"count.hand_bonus {count.hand_bonus}"})
    if isinstance(count.all_different, c.AllDifferent):
        yield RulesetProblem(ProblemCode.SHOWN_HANDS, {"value": f"count.all_different {count.all_different}"})
    if rules.penalties and rules.penalty_timing is c.PenaltyTiming.IMMEDIATE:
        yield RulesetProblem(ProblemCode.SHOWN_TAKEN)


def pass_problems(rules: RuleChoices) -> Iterator[RulesetProblem]:
    """Yield the problems of passes: hands that nobody can have, and rules by which hands change or are seen."""
    if not has_passes(rules):
        return
    hands = pass_hands(rules)
    if len(set(hands)) < len(hands):
        yield RulesetProblem(ProblemCode.PASSING_TWICE)
    for hand in impossible_pass_hands(rules):
        yield RulesetProblem(ProblemCode.PASSING_IMPOSSIBLE, {"value": str(hand)})
    if rules.penalties and rules.penalty_timing is c.PenaltyTiming.IMMEDIATE:
        yield RulesetProblem(ProblemCode.PASSING_TAKEN)
    if dice_differ_by_seat(rules):
        yield RulesetProblem(ProblemCode.PASSING_MIXED)
    if may_show_dice(rules):
        yield RulesetProblem(ProblemCode.PASSING_COVERED, {"value": f"bidding.show_dice {rules.bidding.show_dice}"})
    if dice_are_hidden(rules) or all_rounds_are_hidden(rules):
        value = f"{visibility_path(rules)} {visibility_of(rules)}"
        yield RulesetProblem(ProblemCode.PASSING_COVERED, {"value": value})


def visibility_problems(rules: RuleChoices) -> Iterator[RulesetProblem]:
    """Yield the problems of dice that their owners do not see: rules for which somebody has to know a whole hand."""
    visibility, path, count = visibility_of(rules), visibility_path(rules), rules.count
    if visibility is None:
        return
    if all_rounds_are_hidden(rules) and dice_are_hidden(rules):
        yield RulesetProblem(ProblemCode.COVERED_TWICE)
    if may_show_dice(rules):
        yield RulesetProblem(ProblemCode.COVERED_SHOW, {"path": path})
    rolls_again = count.all_different in (c.AllDifferent.ROLLED_AGAIN, c.AllDifferent.MAY_ROLL_AGAIN)
    if visibility is c.RoundVisibility.BLIND and rolls_again:
        yield RulesetProblem(ProblemCode.COVERED_REROLL)
    counts_hands = count.hand_bonus is not c.HandBonus.NONE or isinstance(count.all_different, c.AllDifferent)
    if visibility not in (c.RoundVisibility.BLIND, Visibility.CLOSED) and counts_hands:
        yield RulesetProblem(ProblemCode.OPEN_HANDS, {"path": path, "value": str(visibility)})


def visibility_path(rules: RuleChoices) -> str:
    """Return the path of the field that says which dice players see instead of their own."""
    return "dice.visibility" if all_rounds_are_hidden(rules) else "special_round.visibility"


def face_off_problems(rules: RuleChoices) -> Iterator[RulesetProblem]:
    """Yield the problems of a face-off: bids about own dice, and rules by which two players never have one die each."""
    if not has_face_off(rules):
        return
    if bids_are_about_own_dice(rules):
        yield RulesetProblem(ProblemCode.SUMS_OF_OWN_DICE)
    if least_dice(rules) > 1:
        yield RulesetProblem(ProblemCode.SUMS_NEVER, {"path": "loss.out_below", "value": least_dice(rules)})
    if has_lives(rules) and rules.dice.per_player > 1:
        yield RulesetProblem(ProblemCode.SUMS_NEVER, {"path": "dice.per_player", "value": rules.dice.per_player})


MIN_FACES = 2
"""The fewest faces of a die."""

MAX_SEATS = 100
"""The most seats that rules can name the dice of where they do not limit the players."""


def faces_by_seat_problems(rules: RuleChoices) -> Iterator[RulesetProblem]:
    """Yield the problems of dice that differ by seat: more seats than players, and impossible dice."""
    by_seat, most = rules.dice.faces_by_seat or (), rules.players.max or MAX_SEATS
    if len(by_seat) > most:
        yield RulesetProblem(ProblemCode.FACES_OF_NO_SEAT, {"seats": len(by_seat), "most": most})
    for faces in by_seat:
        if faces < MIN_FACES:
            values: dict[str, int | str] = {"path": "dice.faces_by_seat", "value": faces, "least": MIN_FACES}
            yield RulesetProblem(ProblemCode.TOO_LOW, values)
        if faces > rules.dice.faces:
            yield RulesetProblem(ProblemCode.FACES_ABOVE_HIGHEST, {"highest": faces, "faces": rules.dice.faces})


def counted_dice_problems(rules: RuleChoices) -> Iterator[RulesetProblem]:
    """Yield the problems of bids about own dice, and of hands that are all different."""
    dice, bonus = rules.dice, rules.count.hand_bonus
    if bids_are_about_own_dice(rules) and bonus is not c.HandBonus.NONE:
        yield RulesetProblem(ProblemCode.OWN_DICE_BONUS)
    if not isinstance(rules.count.all_different, c.AllDifferent):
        return
    if not 2 <= dice.per_player <= dice.faces:
        yield RulesetProblem(ProblemCode.DIFFERENT_DICE, {"faces": dice.faces, "dice": dice.per_player})
    if bonus.is_for_stairs:
        yield RulesetProblem(ProblemCode.DIFFERENT_STAIRS)


def double_dice_problems(rules: RuleChoices) -> Iterator[RulesetProblem]:
    """Yield the problems of dice that count double: rules about whole hands, and those that mix or sum up dice."""
    if not rules.dice.double:
        return
    at_once = bool(rules.penalties) and rules.penalty_timing is c.PenaltyTiming.IMMEDIATE and not has_lives(rules)
    to_opponent = rules.loss.destination is c.Destination.OPPONENT and not has_lives(rules)
    others = {
        "count.hand_bonus": rules.count.hand_bonus is not c.HandBonus.NONE,
        "count.all_different": isinstance(rules.count.all_different, c.AllDifferent),
        "bidding.show_dice": may_show_dice(rules),
        "bidding.face_off": has_face_off(rules),
        visibility_path(rules): visibility_of(rules) not in (None, c.RoundVisibility.BLIND, Visibility.CLOSED),
        "penalty_timing": at_once,
        "loss.destination": to_opponent,
    }
    for path, is_set in others.items():
        if is_set:
            yield RulesetProblem(ProblemCode.DOUBLE_DICE, {"path": path})


CHECKED_QUANTITY = 10
"""Loops are searched for among bids of up to this many dice.

Every known loop needs at most so many: converting to the special face and back loses at most the rounding of one
halving, and every face order that turns this into a loop does so with at most seven dice. Pure bids let the product of
a bid fall twice by the ratio of two faces before the price doubles it, which with faces 2 and 3 takes ten dice.
"""

SHORTEST_LOOP = 4
"""The length of a loop of three bids, with the first repeated; pairs that beat each other are searched for before."""


def raise_loop(bidding: Bidding, dice: Dice) -> tuple[Bid, ...]:
    """Return the shortest loop of bids each of which beats the one before; empty if the relation has no loop.

    The first bid is repeated at the end.
    """
    # only the fields that the relation depends on, so that the cache serves all other choices
    names = ("raise_", "special_rank", "to_special", "from_special", "to_pure", "from_pure")
    ranks = {name: getattr(bidding, name) for name in names}
    relation = RuleChoices(
        bidding=Bidding(**ranks),
        dice=Dice(faces=dice.faces, special_face=dice.special_face),
    )
    return _find_loop(relation)


@lru_cache(maxsize=1024)
def _find_loop(relation: RuleChoices) -> tuple[Bid, ...]:
    quantities, faces = range(1, CHECKED_QUANTITY + 1), face_order(relation)
    bids = [Bid(quantity, face) for quantity in quantities for face in faces]
    bids += [Bid(quantity, face, pure=True) for quantity in quantities for face in faces if may_be_pure(relation, face)]
    beats = raise_relation(relation)
    above = {old: [new for new in bids if beats(old, new)] for old in bids}
    higher_sets = {old: frozenset(higher) for old, higher in above.items()}
    for old, higher in above.items():
        for new in higher:
            if old in higher_sets[new]:
                return old, new, old
    shortest: tuple[Bid, ...] = ()
    for start in _bids_on_cycles(above):
        loop = _shortest_loop_from(start, above)
        if loop and (not shortest or len(loop) < len(shortest)):
            shortest = loop
        if len(shortest) == SHORTEST_LOOP:
            break
    return shortest


def _bids_on_cycles(above: dict[Bid, list[Bid]]) -> list[Bid]:
    """Return the bids that remain after removing, again and again, those that no other beats: none without a loop."""
    below: dict[Bid, list[Bid]] = {bid: [] for bid in above}
    for old, higher in above.items():
        for new in higher:
            below[new].append(old)
    higher_count = {bid: len(higher) for bid, higher in above.items()}
    unbeaten = deque(bid for bid, count in higher_count.items() if count == 0)
    while unbeaten:
        bid = unbeaten.popleft()
        del higher_count[bid]
        for old in below[bid]:
            higher_count[old] -= 1
            if higher_count[old] == 0:
                unbeaten.append(old)
    return list(higher_count)


def _shortest_loop_from(start: Bid, above: dict[Bid, list[Bid]]) -> tuple[Bid, ...]:
    """Return the shortest way from a bid back to itself; empty if there is none."""
    previous: dict[Bid, Bid] = {}
    queue = deque([start])
    while queue:
        old = queue.popleft()
        for new in above[old]:
            if new == start:
                path = [start, old]
                while old != start:
                    old = previous[old]
                    path.append(old)
                return tuple(reversed(path))
            if new not in previous:
                previous[new] = old
                queue.append(new)
    return ()


MAX_FACES = 100
MAX_DICE = 100
MAX_QUANTITY = 1_000
MAX_ROUNDS = 1_000_000
"""Upper limits far above any real table; they bound the time and memory that hostile rules can cost."""

MAX_LABEL_LENGTH = 40

IMPOSSIBLE_SUSPENSIONS = {
    c.SuspendedBy.SPECIAL_ROUND: ProblemCode.SUSPENDED_BY_NO_ROUND,
    c.SuspendedBy.OPENING_BID_ON_SPECIAL: ProblemCode.SUSPENDED_BY_NO_OPENING,
    c.SuspendedBy.ANY_BID_ON_SPECIAL: ProblemCode.SUSPENDED_BY_NO_BID,
}
ENDLESS_MATCH = (
    ProblemCode.DICE_STAY,
    ProblemCode.LIVES_UNLIMITED,
    ProblemCode.EXACT_KEEPS_DICE,
    ProblemCode.EXACT_IS_FREE,
)
"""The problems that `guards.max_rounds` solves."""


def check_rules(rules: RuleChoices) -> None:
    """Raise `RulesetError` with the first problem of the rules, if there is one."""
    for problem in find_problems(rules):
        raise RulesetError(str(problem))


def find_problems(rules: RuleChoices) -> Iterator[RulesetProblem]:
    """Yield every reason why the rules cannot be played, most serious first; a `Ruleset` has none."""
    sizes = tuple(_sizes(rules))
    yield from sizes
    yield from special_face_problems(rules)
    yield from pure_bid_problems(rules)
    yield from shown_dice_problems(rules)
    yield from visibility_problems(rules)
    yield from pass_problems(rules) if not sizes else ()
    yield from face_off_problems(rules)
    yield from _wilds(rules)
    if not sizes and not forbids_repeats(rules):
        yield from _loops(rules.bidding, rules.dice)
    yield from faces_by_seat_problems(rules)
    yield from counted_dice_problems(rules)
    yield from double_dice_problems(rules)
    yield from _losses(rules)
    yield from _exact_call(rules)
    yield from _special_round(rules)


def may_never_end(rules: RuleChoices) -> bool:
    """Return whether a match by these rules could go on for ever, so that it needs `guards.max_rounds`."""
    return any(problem.code in ENDLESS_MATCH for problem in (*_losses(rules), *_exact_call(rules)))


def find_warnings(rules: RuleChoices) -> Iterator[RulesetProblem]:
    """Yield every choice that can be played but is probably not what was meant."""
    if rules.bidding.special_rank is c.SpecialRank.CONVERT:
        if not rules.wilds.special_is_wild:
            yield RulesetProblem(ProblemCode.CONVERT_UNWILD)
        if c.SuspendedBy.ANY_BID_ON_SPECIAL in rules.wilds.suspended_by:
            yield RulesetProblem(ProblemCode.CONVERT_SUSPENDED)
    if rules.bidding.special_may_open is c.SpecialOpening.SPECIAL_ROUND_ONLY and rules.special_round is None:
        yield RulesetProblem(ProblemCode.NEVER_OPENS)
    if rules.wilds.needs_natural and not rules.wilds.special_is_wild:
        yield RulesetProblem(ProblemCode.NATURAL_UNWILD)
    if gains_without_limit(rules):
        yield RulesetProblem(ProblemCode.UNLIMITED_GAIN)
    special = rules.special_round
    if special is not None and special.lock_exempt is not c.LockExempt.NONE and not special.face_locked:
        yield RulesetProblem(ProblemCode.EXEMPT_UNLOCKED)


def gains_without_limit(rules: RuleChoices) -> bool:
    """Return whether exact calls can win any number of dice or lives."""
    call = rules.exact_call
    return call is not None and call.gain_cap is None and call.success_gain > 0 and not sheds(rules)


def _sizes(rules: RuleChoices) -> Iterator[RulesetProblem]:
    bidding, guards = rules.bidding, rules.guards
    numbers = [row for row in _limits(rules) if isinstance(row[1], int)]
    for path, value, least, _ in numbers:
        if value < least:
            yield RulesetProblem(ProblemCode.TOO_LOW, {"path": path, "value": value, "least": least})
    for path, value, _, most in numbers:
        if value > most:
            yield RulesetProblem(ProblemCode.TOO_HIGH, {"path": path, "value": value, "most": most})
    for path, label in _labels(rules):
        if not (label.strip() and label.isprintable() and len(label) <= MAX_LABEL_LENGTH):
            shown = f"{label!r:.60}"
            yield RulesetProblem(ProblemCode.NO_LABEL, {"path": path, "most": MAX_LABEL_LENGTH, "label": shown})
    yield from label_problems(rules)
    if not 1 <= rules.dice.special_face <= rules.dice.faces:
        yield RulesetProblem(ProblemCode.NO_SUCH_FACE, {"face": rules.dice.special_face, "faces": rules.dice.faces})
    for name in ("min_open", "min_open_pure", "min_open_special"):
        opens, highest = getattr(bidding, name), bidding.max_open
        if isinstance(opens, int) and highest is not None and highest < opens:
            yield RulesetProblem(ProblemCode.NO_OPENING, {"most": highest, "path": f"bidding.{name}", "least": opens})
    if bidding.cap is None and guards.max_bids_per_round is None:
        yield RulesetProblem(ProblemCode.ENDLESS_ROUND)
    yield from _penalties(rules)


def _penalties(rules: RuleChoices) -> Iterator[RulesetProblem]:
    """Yield what is wrong with the penalties: each is for something else, and questions are no offences."""
    unnamed = [penalty.trigger for penalty in rules.penalties if not penalty.offence]
    if len(set(unnamed)) < len(unnamed):
        yield RulesetProblem(ProblemCode.PENALTY_TWICE)
    named = [(penalty.trigger, penalty.offence) for penalty in rules.penalties if penalty.offence]
    offences = (*(offence for _, offence in named), *(rules.labels.offences or ()))
    heard = [" ".join(offence.split()).casefold() for offence in offences]  # nobody hears case or spaces
    for place, (trigger, offence) in enumerate(named):
        if trigger is not c.PenaltyTrigger.COMMITS_OFFENCE:
            yield RulesetProblem(ProblemCode.OFFENCE_OF_QUESTION, {"value": trigger.value})
        if heard.count(heard[place]) > 1:
            yield RulesetProblem(ProblemCode.OFFENCE_TWICE, {"label": f"{offence!r:.60}"})
            return


def _labels(rules: RuleChoices) -> Iterator[tuple[str, str]]:
    """Yield every word of the labels, and every offence that a penalty names, with the path of its field."""
    for name in rules.labels.__struct_fields__:
        value = getattr(rules.labels, name)
        words = value if isinstance(value, tuple) else (value,)
        yield from ((f"labels.{name}", word) for word in words if isinstance(word, str))
    for penalty in rules.penalties:
        if isinstance(penalty.offence, str):
            yield "penalties.offence", penalty.offence


def _limits(rules: RuleChoices) -> Iterator[tuple[str, Any, int, int]]:
    """Yield the path, the value, and the least and the greatest number of each field that may be a number."""
    players, dice, bidding, loss, guards = rules.players, rules.dice, rules.bidding, rules.loss, rules.guards
    yield "players.min", players.min, 2, MAX_DICE
    yield "players.max", players.max, players.min, MAX_DICE
    yield "players.per_set", players.per_set, players.min, MAX_DICE
    yield "dice.faces", dice.faces, MIN_FACES, MAX_FACES
    yield "dice.per_player", dice.per_player, 1, MAX_DICE
    yield "first_starter.dice", rules.first_starter.dice, 1, MAX_DICE
    for name in ("min_open", "min_open_pure", "min_open_special", "max_open", "cap"):
        yield f"bidding.{name}", getattr(bidding, name), 1, MAX_QUANTITY
    yield "dice.double", dice.double, 1, dice.per_player
    yield "bidding.pass_dice", bidding.pass_dice, 2, dice.per_player
    for name in ("fixed", "exact", "out_of_turn_factor", "lives"):
        yield f"loss.{name}", getattr(loss, name), 1, MAX_DICE
    yield "loss.out_below", loss.out_below, 2, dice.per_player
    yield "loss.opening_factor", loss.opening_factor, 2, MAX_DICE
    yield "loss.ante", loss.ante, 1, loss.lives if isinstance(loss.lives, int) else MAX_DICE
    yield "guards.max_rounds", guards.max_rounds, 1, MAX_ROUNDS
    yield "guards.max_bids_per_round", guards.max_bids_per_round, 1, MAX_ROUNDS
    for penalty in rules.penalties:
        yield f"penalties.{penalty.trigger}", penalty.dice, 1, MAX_DICE
    if rules.special_round is not None:
        yield "special_round.min_players", rules.special_round.min_players, 2, MAX_DICE
    if rules.exact_call is not None:
        for name in ("success_gain", "failure_loss", "bidder_loss", "others_loss"):
            yield f"exact_call.{name}", getattr(rules.exact_call, name), 0, MAX_DICE
        yield "exact_call.min_players", rules.exact_call.min_players, 2, MAX_DICE
        yield "exact_call.budget", rules.exact_call.budget, 1, MAX_DICE


def _wilds(rules: RuleChoices) -> Iterator[RulesetProblem]:
    suspended = rules.wilds.suspended_by
    if suspended and not rules.wilds.special_is_wild:
        yield RulesetProblem(ProblemCode.SUSPENDED_UNWILD)
    if len(set(suspended)) < len(suspended):
        yield RulesetProblem(ProblemCode.SUSPENDED_TWICE)
    for reason, code in IMPOSSIBLE_SUSPENSIONS.items():
        if reason in suspended and not suspension_can_happen(rules, reason):
            yield RulesetProblem(code)


def _loops(all_bidding: Bidding, dice: Dice) -> Iterator[RulesetProblem]:
    bidding = msgspec.structs.replace(all_bidding, to_pure=None)
    # quantity_first has loops through conversions only, and those exist under every raise rule
    loop = raise_loop(msgspec.structs.replace(bidding, raise_=c.Raise.QUANTITY_FIRST), dice)
    if loop:
        formulas = {"to_special": str(bidding.to_special), "from_special": str(bidding.from_special)}
        yield RulesetProblem(ProblemCode.CONVERSION_LOOP, {**formulas, "loop": loop})
        return
    loop = raise_loop(bidding, dice)
    if loop:
        yield RulesetProblem(ProblemCode.RAISE_LOOP, {"raise_rule": str(bidding.raise_), "loop": loop})
        return
    loop = raise_loop(all_bidding, dice)
    if loop:
        prices = {"to_pure": str(all_bidding.to_pure), "from_pure": str(all_bidding.from_pure or "none")}
        yield RulesetProblem(ProblemCode.PURE_LOOP, {**prices, "loop": loop})


def _losses(rules: RuleChoices) -> Iterator[RulesetProblem]:
    loss = rules.loss
    if loss.out_of_turn_factor != 1 and rules.challenge.who is not c.WhoCalls.ANYONE_BUT_BIDDER:
        yield RulesetProblem(ProblemCode.NEVER_OUT_OF_TURN, {"value": loss.out_of_turn_factor})
    if loss.destination is c.Destination.OPPONENT and rules.guards.max_rounds is None:
        yield RulesetProblem(ProblemCode.DICE_STAY)
    if loss.lives is c.LivesLimit.UNLIMITED and rules.guards.max_rounds is None:
        yield RulesetProblem(ProblemCode.LIVES_UNLIMITED)
    if counts_taken(rules) and (
        loss.destination is c.Destination.OPPONENT or gains_without_limit(rules) or ante_of(rules)
    ):
        yield RulesetProblem(ProblemCode.TAKEN_FROM_NOBODY)
    if loss.on_exact is c.OnExact.ALL_BUT_BIDDER and rules.next_starter.rule is c.NextStarter.LOSER:
        yield RulesetProblem(ProblemCode.SEVERAL_LOSERS)
    if may_fold(rules) and loss.mode is c.LossMode.DIFFERENCE:
        yield RulesetProblem(ProblemCode.FOLD_DIFFERENCE)
    if sheds(rules):
        yield from _shedding(rules)


def _shedding(rules: RuleChoices) -> Iterator[RulesetProblem]:
    """Yield the rules by which others than winners would lose something, or somebody would receive something."""
    loss = rules.loss
    others = {
        "loss.on_exact": loss.on_exact is not c.OnExact.CHALLENGER,
        "loss.destination": loss.destination is not c.Destination.DISCARD,
        "loss.out_below": least_dice(rules) > 1,
        "loss.lives": loss.lives is c.LivesLimit.UNLIMITED,
        "loss.tally": loss.tally is c.Tally.TAKEN and has_lives(rules),
        "loss.ante": ante_of(rules) > 0,
        "penalties": bool(rules.penalties),
    }
    for path, is_set in others.items():
        if is_set:
            yield RulesetProblem(ProblemCode.SHED_OTHERWISE, {"path": path})


def _exact_call(rules: RuleChoices) -> Iterator[RulesetProblem]:
    call = rules.exact_call
    if call is None:
        return
    bounded = rules.guards.max_rounds is not None or call.budget is not None
    shed = sheds(rules)
    keeps_dice = call.success_gain == 0 if shed else call.success_gain >= 1 or call.bidder_loss + call.others_loss == 0
    if not bounded and keeps_dice:
        yield RulesetProblem(ProblemCode.EXACT_KEEPS_DICE)
    if not bounded and call.failure_loss == 0:
        yield RulesetProblem(ProblemCode.EXACT_IS_FREE)
    if call.others_loss > 0 and not shed and call.next_starter is c.NextStarter.LOSER:
        yield RulesetProblem(ProblemCode.EXACT_SEVERAL_LOSERS)


def _special_round(rules: RuleChoices) -> Iterator[RulesetProblem]:
    special = rules.special_round
    if special is None:
        return
    settled_at_deal = special.visibility in (Visibility.CLOSED, Visibility.OPEN)
    if settled_at_deal and special.trigger is c.SpecialTrigger.DECLARED:
        yield RulesetProblem(ProblemCode.DECLARED_BLIND)
    if rules.loss.lives is c.LivesLimit.UNLIMITED:
        yield RulesetProblem(ProblemCode.NEVER_LAST_LIFE, {"path": "loss.lives", "value": str(rules.loss.lives)})
    elif ante_of(rules) > 1:
        yield RulesetProblem(ProblemCode.NEVER_LAST_LIFE, {"path": "loss.ante", "value": ante_of(rules)})
    elif least_dice(rules) > 1:
        yield RulesetProblem(ProblemCode.NEVER_LAST_DIE, {"value": least_dice(rules)})
    elif rules.loss.lives == 1:
        yield RulesetProblem(ProblemCode.TOO_LOW, {"path": "loss.lives", "value": 1, "least": 2})
    elif rules.starting_stakes < 2:
        yield RulesetProblem(ProblemCode.NEVER_DOWN_TO_ONE)
