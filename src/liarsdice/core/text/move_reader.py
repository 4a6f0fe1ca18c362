"""The one reader of moves as people type them and as language models answer.

A move is written in notation (`5x4`, `5x4!`, `5x4+44`, `liar`), as two numbers (`5 4`), or in English or Spanish words
("I bid five fours", "cinco cuatros", "five fours zhai", "Dudo!", "pass"). It is the whole text, what its last square
brackets or LaTeX box holds, or its last line. Prose around a move is not searched: a text that only mentions moves is
refused, because a wrong guess is worse than another question.
"""

import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator
from functools import cache, lru_cache

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
    PlayerAction,
    Reroll,
    SetDirection,
)
from liarsdice.core.bids.notation import BID, MAX_QUOTE_LENGTH, SHOWN, WORDS, no_face_zero, parse_dice
from liarsdice.core.engine.view import View
from liarsdice.core.errors import IllegalActionError, NotationError
from liarsdice.core.rules.bids import SUM_FACE, Bid
from liarsdice.core.rules.choices import AllDifferent, WhoCalls
from liarsdice.core.rules.meaning import (
    calls_exact,
    exact_claim,
    has_face_off,
    has_passes,
    has_pure_bids,
    kind_is_chosen,
    may_show_dice,
    special_round_is_declared,
)
from liarsdice.core.rules.ruleset import Ruleset
from liarsdice.core.rules.validate import (
    ACES,
    ANSWERS,
    CHALLENGES,
    CLAIMS,
    DECLARATIONS,
    DIRECTIONS,
    DOUBLES,
    DOUBTS,
    EXACT_CALLS,
    FACES,
    KINDS,
    PASSES,
    PLAIN_DOUBTS,
    REROLLS,
    SHEET_CHALLENGES,
    SHORT_CALLS,
    SILENCES,
    plain_words,
)
from liarsdice.core.text.rulebook import LANGUAGES
from liarsdice.core.text.turn_text import SILENT, legal_moves_text, move_text

MAX_PHRASE_LENGTH = 80
"""The longest text in characters that is read as a move."""
MAX_TEXT_LENGTH = 100_000
"""The longest text in characters whose end is searched for brackets and for a last line."""
BRACKETS = re.compile(r"\[([^\[\]]{1,60})\]|\\boxed\{([^{}]{1,60})\}")
MARK = re.compile(r"\[\s*(?:bid|move|action|answer)\s*:?\s*\](?=\s*\S)", re.IGNORECASE)
"""A mark before a move, which says that one follows."""
LEAD = re.compile(
    r"((my|the|final|mi|la)\s+)*((answer|move|action|bid|call|jugada|apuesta)(\s+(is|es))?(\s*[:=-]\s*|\s+))?"
    r"((i|yo)(\s+will|['’]ll)?\s+)?"
    r"((bid|call|say|raise to|play|choose|challenge with|digo|apuesto|subo a)(\s*[:=-]\s*|\s+))?"
)
PAIR = re.compile(r"(?:bid\s*[:=]?\s*)?\(?(\d{1,6})(?:\s*,\s*|\s+)(\d{1,6})\)?")
WORDED_BID = re.compile(r"(\d{1,6}|[a-z]+)\s+(?:(?:dice|dados)\s+(?:of|showing|de)\s+)?(.{1,40})")
SUM_PHRASE = re.compile(r"(?:(?:a|una)\s+)?suma?\s*(?:(?:of|de)\s+)?([0-9]{1,6}|[a-z]+)")
MARKED_BID = re.compile(r"([0-9]\s*[x×*]\s*[0-9]+)\s*!", re.IGNORECASE)
PURE_BID = re.compile(r"(.+?)[\s,]+(?:zhai|pure|puro|puros)")
MOST_NUMBERS = 21
"""How many numbers are written in words, from zero."""
DIGIT_FACE = re.compile(r"(\d{1,6})['’]?s")

FULL_WIDTH = {0xFF01 + place: 0x21 + place for place in range(0x5E)} | {0x3000: " "}
"""The plain form of each character of full width."""
IN_BRACKETS = "end with one move in brackets, such as [5x4] or [liar]"

Move = PlayerAction | None
"""A move; None is silence."""


def read_answer(text: str, view: View) -> Move:
    """Return the legal move that an answer names; None is silence.

    Raises `NotationError` if it names no move and `IllegalActionError` if the move is not legal for the viewing seat.
    Both say which moves are legal.
    """
    legal_moves = legal_moves_text(view) or "none; it is not for you to act"
    try:
        move = read_move(text, view.ruleset, view.allows)
    except NotationError as error:
        raise NotationError(f"{error}; your legal moves: {legal_moves}") from error
    if view.allows(move):
        return move
    reason = (
        "is for the player on turn" if isinstance(move, Bid) and view.moves and not view.on_turn else "is not legal now"
    )
    raise IllegalActionError(f"the move {move_text(move)} {reason}; your legal moves: {legal_moves}")


def read_move(
    text: str, rules: Ruleset, is_legal: Callable[[Move], bool] | None = None, *, ending: str = IN_BRACKETS
) -> Move:
    """Return the move that a text names, whether or not it is legal; None is silence.

    Where a text can mean several moves by the rules, `is_legal` decides, then the notation. Raises `NotationError` if
    the text names no move, or still more than one. `ending`: what the error says to do.

    >>> read_move("They hold few twos, so [3x2] is too low. [4x2]", Ruleset())
    Bid(quantity=4, face=2)
    >>> read_move("I bid five fours.", Ruleset()), read_move("cinco cuatros", Ruleset())
    (Bid(quantity=5, face=4), Bid(quantity=5, face=4))
    """
    candidates = _candidates(text)
    for candidate in candidates:
        moves = _moves_of_phrase(candidate, rules) if len(candidate) <= MAX_PHRASE_LENGTH else ()
        if len(moves) > 1 and is_legal is not None:
            moves = tuple(filter(is_legal, moves)) or moves
        if len(moves) > 1 and (noted := WORDS.get(_plain(candidate))) in moves:
            return noted
        if len(moves) > 1:
            raise NotationError(
                f"{_quoted(candidate)} can mean {' or '.join(map(move_text, moves))} (write one of them)"
            )
        if moves:
            return moves[0]
    raise NotationError(f"cannot read a move in {_quoted(candidates[-1].strip())} ({ending})")


def _candidates(text: str) -> list[str]:
    """Return the parts of a text that may be its move: what the last brackets hold, or else the text and its last line.

    Digits and letters of full width are read as others.
    """
    plain = MARK.sub("", text[-MAX_TEXT_LENGTH:].translate(FULL_WIDTH))
    quoted = [match[1] or match[2] for match in BRACKETS.finditer(plain)]
    return quoted[-1:] or [plain, *plain.strip().splitlines()[-1:]]


def _quoted(text: str) -> str:
    return repr(text if len(text) <= MAX_QUOTE_LENGTH else text[:MAX_QUOTE_LENGTH] + "…")


def _moves_of_phrase(phrase: str, rules: Ruleset) -> tuple[Move, ...]:
    """Return the moves that a phrase can mean by the rules; none if it is no move.

    An exclamation mark after a bid marks it as pure only where bids can be pure. Raises `NotationError` for a bid on a
    face 0.
    """
    words = _plain(MARKED_BID.sub(r"\1 zhai", phrase) if has_pure_bids(rules) else phrase)
    calls = _call_words(rules)
    shortened = _plain(words[lead.end() :]) if (lead := LEAD.match(words)) else words
    for form in (words, shortened):
        if form in calls:
            return calls[form]
        showing = SHOWN.fullmatch(form) if may_show_dice(rules) else None
        bid = _read_bid(_plain(showing["bid"]) if showing else form, rules)
        if bid is not None:
            return (BidAndShow(bid, parse_dice(showing["dice"])) if showing else bid,)
    return ()


def _plain(phrase: str) -> str:
    """Return a phrase as `plain_words`, without accents."""
    parts = unicodedata.normalize("NFD", plain_words(phrase))
    return "".join(part for part in parts if not unicodedata.combining(part))


def _read_bid(words: str, rules: Ruleset) -> Bid | None:
    if total := SUM_PHRASE.fullmatch(words):
        number = _read_number(total[1])
        return None if number is None or not has_face_off(rules) else Bid(number, SUM_FACE)
    if marked := PURE_BID.fullmatch(words):
        bid = _read_bid(marked[1], rules)
        return None if bid is None else Bid(bid.quantity, bid.face, pure=True)
    numbers = BID.fullmatch(words) or PAIR.fullmatch(words)
    if numbers is not None:
        return _bid_on_face(words, int(numbers[1]), int(numbers[2]))
    worded = WORDED_BID.fullmatch(words)
    if worded is None:
        return None
    quantity = _read_number(worded[1])
    digits = DIGIT_FACE.fullmatch(worded[2])
    face = int(digits[1]) if digits else _face_words(rules).get(worded[2])
    return None if quantity is None or face is None else _bid_on_face(words, quantity, face)


def _read_number(word: str) -> int | None:
    return int(word) if word.isdigit() else _number_words().get(word)


def _bid_on_face(words: str, quantity: int, face: int) -> Bid:
    """Return a bid on a face that was named; 0 is the number that stands for sums."""
    if face == SUM_FACE:
        raise no_face_zero(words)
    return Bid(quantity, face)


@lru_cache(maxsize=256)
def _call_words(rules: Ruleset) -> dict[str, tuple[Move, ...]]:
    """Return what each word or phrase can mean by the rules, or else what it means by others."""
    possible: dict[str, dict[Move, None]] = {}
    elsewhere: dict[str, dict[Move, None]] = {}

    def add(move: Move, words: Iterable[str], *, exists: bool = True) -> None:
        for word in filter(None, map(_plain, words)):
            (possible if exists else elsewhere).setdefault(word, {})[move] = None

    labels = rules.labels
    exact = (*_translated(labels.exact), *EXACT_CALLS)
    add(Challenge(), (*_translated(labels.challenge, *labels.other_challenges), *CHALLENGES, *SHEET_CHALLENGES))
    add(Exact(), exact, exists=calls_exact(rules))
    add(ClaimExact(), exact if exact_claim(rules) else (), exists=True)
    add(ClaimExact(), CLAIMS, exists=exact_claim(rules) is not None)
    add(DeclareSpecial(), (*_translated(labels.special_round), *DECLARATIONS), exists=special_round_is_declared(rules))
    add(Challenge(double=True), DOUBLES, exists=isinstance(rules.challenge.double, WhoCalls))
    add(None, (SILENT, *SILENCES, *PASSES))
    add(Reroll(), REROLLS, exists=rules.count.all_different is AllDifferent.MAY_ROLL_AGAIN)
    add(Pass(), PASSES, exists=has_passes(rules))
    add(ChallengePass(), (*DOUBTS, *PLAIN_DOUBTS), exists=has_passes(rules))
    add(Challenge(), PLAIN_DOUBTS)
    for phrase, answer in ANSWERS.items():
        add(AnswerDouble(answer), (phrase,), exists=bool(rules.challenge.answers))
    for phrase, direction in DIRECTIONS.items():
        add(SetDirection(direction), (phrase,), exists=bool(rules.turn.starter_may_reverse))
    for phrase, kind in KINDS.items():
        add(ChooseKind(kind), (phrase,), exists=kind_is_chosen(rules))
    for word, notation in SHORT_CALLS.items():
        add(WORDS[notation], (word,))
    return {word: tuple(moves) for word, moves in (elsewhere | possible).items()}


def _translated(*labels: str) -> Iterator[str]:
    """Yield labels in all languages."""
    for language in LANGUAGES.values():
        yield from map(language.translate_label, labels)


@cache
def _number_words() -> dict[str, int]:
    numbers = {"a": 1, "an": 1}
    for language in LANGUAGES.values():
        numbers |= {_plain(language.number(count)): count for count in range(MOST_NUMBERS)}
        numbers |= dict.fromkeys(language.one, 1)
    return numbers


@lru_cache(maxsize=256)
def _face_words(rules: Ruleset) -> dict[str, int]:
    """Return the names of faces: in all languages, and as these rules call them."""
    faces = range(1, max(len(FACES), rules.dice.faces) + 1)
    names = {
        _plain(language.face_noun(face, count)): face
        for language in LANGUAGES.values()
        for face in faces
        for count in (1, 2)
    }
    names |= dict.fromkeys(ACES, 1)
    if rules.labels.special_face is not None:
        for language in LANGUAGES.values():
            plural = language.translate_label(rules.labels.special_face)
            names |= dict.fromkeys(map(_plain, (plural, language.singular(plural))), rules.dice.special_face)
    return names
