"""Reading a move from an answer in prose, as language models write it.

The move is what the last square brackets hold, or else the whole text or its last line. It is written in notation
(`5x4`, `5x4!`, `5x4+44`, `liar`) or in words ("I bid five fours", "five fours zhai", "Dudo!", "pass"). Prose around a
move is not searched: a text that only mentions moves is refused, because a wrong guess is worse than another question.
"""

import re
from functools import lru_cache

from liarsdice.core.actions import (
    AnswerDouble,
    BidAndShow,
    Challenge,
    ChallengePass,
    ChooseKind,
    DeclareSpecial,
    Exact,
    Pass,
    PlayerAction,
    SetDirection,
)
from liarsdice.core.bids.notation import BID, MAX_QUOTE_LENGTH, SHOWN, WORDS, parse_dice
from liarsdice.core.engine.view import View
from liarsdice.core.errors import IllegalActionError, NotationError
from liarsdice.core.rules.bids import SUM_FACE, Bid
from liarsdice.core.rules.meaning import has_face_off, has_passes, has_pure_bids, kind_is_chosen, may_show_dice
from liarsdice.core.rules.ruleset import Ruleset
from liarsdice.core.rules.validate import (
    ACES,
    ANSWERS,
    CHALLENGES,
    DECLARATIONS,
    DIRECTIONS,
    DOUBLES,
    DOUBTS,
    EXACT_CALLS,
    FACES,
    KINDS,
    NUMBERS,
    PASSES,
    SILENCES,
    plain_words,
)
from liarsdice.core.text.narration import face_name
from liarsdice.core.text.rulebook.english import face_noun
from liarsdice.core.text.turn_text import SILENT, legal_moves_text, move_text

BRACKETS = re.compile(r"\[([^\[\]]{1,60})\]")
MAX_PHRASE_LENGTH = 80
"""The longest text in characters that is read as a move."""

LEAD = re.compile(
    r"((my|the|final)\s+)*((answer|move|action|bid|call)(\s+is)?(\s*[:=-]\s*|\s+))?"
    r"(i(\s+will|['’]ll)?\s+)?((bid|call|say|raise to|play|choose|challenge with)(\s*[:=-]\s*|\s+))?"
)
PAIR = re.compile(r"bid\s*[:=]?\s*\(?(\d{1,6})\s*,\s*(\d{1,6})\)?")
WORDED_BID = re.compile(r"(\d{1,6}|[a-z]+)\s+(?:dice\s+(?:of|showing)\s+)?(.{1,40})")
SUM_PHRASE = re.compile(r"(?:a\s+)?suma?\s*(?:of\s+)?([0-9]{1,6}|[a-z]+)")
MARKED_BID = re.compile(r"([0-9]\s*[x×*]\s*[0-9]+)\s*!", re.IGNORECASE)
PURE_BID = re.compile(r"(.+?)[\s,]+(?:zhai|pure)")
DIGIT_FACE = re.compile(r"(\d{1,6})['’]?s")


def read_answer(text: str, view: View) -> PlayerAction | None:
    """Return the legal move that an answer names; None is silence.

    Raises `NotationError` if it names no move and `IllegalActionError` if the move is not legal for the viewing seat.
    Both say which moves are legal.
    """
    legal_moves = legal_moves_text(view) or "none; it is not for you to act"
    try:
        move = read_move(text, view.ruleset)
    except NotationError as error:
        raise NotationError(f"{error}; your legal moves: {legal_moves}") from error
    if view.allows(move):
        return move
    reason = (
        "is for the player on turn" if isinstance(move, Bid) and view.moves and not view.on_turn else "is not legal now"
    )
    raise IllegalActionError(f"the move {move_text(move)} {reason}; your legal moves: {legal_moves}")


def read_move(text: str, rules: Ruleset) -> PlayerAction | None:
    """Return the move that a text names, whether or not it is legal; None is silence.

    Raises `NotationError` if it names none.

    >>> read_move("They hold few twos, so [3x2] is too low. [4x2]", Ruleset())
    Bid(quantity=4, face=2)
    >>> read_move("I bid five fours.", Ruleset())
    Bid(quantity=5, face=4)
    """
    quoted = BRACKETS.findall(text)
    lines = text.strip().splitlines()
    candidates = quoted[-1:] or [text, *lines[-1:]]
    for candidate in candidates:
        moves = _moves_of_phrase(candidate, rules) if len(candidate) <= MAX_PHRASE_LENGTH else ()
        if moves:
            return moves[0]
    last = candidates[-1].strip()
    shown = last if len(last) <= MAX_QUOTE_LENGTH else last[:MAX_QUOTE_LENGTH] + "…"
    raise NotationError(f"cannot read a move in {shown!r} (end with one move in brackets, such as [5x4] or [liar])")


def _moves_of_phrase(phrase: str, rules: Ruleset) -> tuple[PlayerAction | None, ...]:
    """Return the move that a phrase is, as the only item; none if it is no move.

    An exclamation mark after a bid marks it as pure only where bids can be pure.
    """
    words = plain_words(MARKED_BID.sub(r"\1 zhai", phrase) if has_pure_bids(rules) else phrase)
    calls = _call_words(rules)
    shortened = plain_words(words[lead.end() :]) if (lead := LEAD.match(words)) else words
    for form in (words, shortened):
        if form in calls:
            return (calls[form],)
        showing = SHOWN.fullmatch(form) if may_show_dice(rules) else None
        bid = _read_bid(plain_words(showing["bid"]) if showing else form, rules)
        if bid is not None:
            return (BidAndShow(bid, parse_dice(showing["dice"])) if showing else bid,)
    return ()


def _read_bid(words: str, rules: Ruleset) -> Bid | None:
    if total := SUM_PHRASE.fullmatch(words):
        number = int(total[1]) if total[1].isdigit() else _number_words().get(total[1])
        return None if number is None or not has_face_off(rules) else Bid(number, SUM_FACE)
    if marked := PURE_BID.fullmatch(words):
        bid = _read_bid(marked[1], rules)
        return None if bid is None else Bid(bid.quantity, bid.face, pure=True)
    numbers = BID.fullmatch(words) or PAIR.fullmatch(words)
    if numbers is not None:
        return _bid_on_face(int(numbers[1]), int(numbers[2]))
    worded = WORDED_BID.fullmatch(words)
    if worded is None:
        return None
    quantity = int(worded[1]) if worded[1].isdigit() else _number_words().get(worded[1])
    digits = DIGIT_FACE.fullmatch(worded[2])
    face = int(digits[1]) if digits else _face_words(rules).get(worded[2])
    return None if quantity is None or face is None else _bid_on_face(quantity, face)


def _bid_on_face(quantity: int, face: int) -> Bid | None:
    """Return a bid on a face that was named; none on the number that stands for sums."""
    return None if face == SUM_FACE else Bid(quantity, face)


@lru_cache(maxsize=256)
def _call_words(rules: Ruleset) -> dict[str, PlayerAction | None]:
    """Return what each word or phrase calls; the words of the table come before general ones."""
    labels = rules.labels
    calls: dict[str, PlayerAction | None] = dict.fromkeys((*SILENCES, *PASSES))
    calls |= {word: SetDirection(direction) for word, direction in DIRECTIONS.items()}
    calls |= dict.fromkeys((*CHALLENGES, "doubt"), Challenge()) | dict.fromkeys(EXACT_CALLS, Exact())
    calls |= dict.fromkeys(DOUBLES, Challenge(double=True))
    calls |= dict.fromkeys((*DECLARATIONS, plain_words(labels.special_round)), DeclareSpecial())
    calls |= {phrase: ChooseKind(kind) for phrase, kind in KINDS.items() if " " in phrase}
    calls |= {words: AnswerDouble(answer) for words, answer in ANSWERS.items()}
    calls |= {plain_words(labels.exact): Exact()}
    calls |= {plain_words(label): Challenge() for label in (labels.challenge, *labels.other_challenges)}
    chosen = kind_is_chosen(rules)
    notation = {word: move for word, move in WORDS.items() if chosen or not isinstance(move, ChooseKind)}
    calls |= {**notation, SILENT: None}  # it means the same at every table, but "open" may be a word for a challenge
    if has_passes(rules):
        calls |= dict.fromkeys(PASSES, Pass()) | dict.fromkeys(DOUBTS, ChallengePass())
    else:
        calls |= dict.fromkeys(PASSES) | {"doubt": Challenge()}
    return {words: call for words, call in calls.items() if words}


@lru_cache(maxsize=1)
def _number_words() -> dict[str, int]:
    return {word: number for number, word in enumerate(NUMBERS)} | {"a": 1, "an": 1}


@lru_cache(maxsize=256)
def _face_words(rules: Ruleset) -> dict[str, int]:
    """Return the names of faces: in English, and as these rules call them."""
    faces = range(1, rules.dice.faces + 1)
    names = {face_noun(face, count).casefold(): face for face in range(1, len(FACES) + 1) for count in (1, 2)}
    own = {face_name(rules, face, count).casefold(): face for face in faces for count in (1, 2)}
    return names | dict.fromkeys(ACES, 1) | own
