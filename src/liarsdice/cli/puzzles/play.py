"""`liarsdice puzzles` in the terminal: the puzzle of the day, then others, and the days in a row that were right."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from datetime import date, timedelta
from math import floor
from pathlib import Path

import msgspec

from liarsdice.analysis.puzzles.puzzle import (
    MAX_FILE_BYTES,
    Certificate,
    OfferedMove,
    Puzzle,
    Theme,
    daily_number,
    filter_puzzles,
    packaged_puzzles,
    read_puzzles,
)
from liarsdice.cli.arguments import read_file
from liarsdice.cli.play.saved_match import state_folder
from liarsdice.cli.puzzles.commands import PuzzleOptions
from liarsdice.cli.stdio import align_columns
from liarsdice.core.actions import Challenge, Exact
from liarsdice.core.bids.odds import hundredths, percent
from liarsdice.core.errors import UnavailableError, counted
from liarsdice.core.rules.bids import Bid
from liarsdice.core.rules.presets import preset
from liarsdice.core.text.narration import Narrator, why_best
from liarsdice.runtime.atomic_files import write_atomically


class PuzzleScores(msgspec.Struct, frozen=True):
    """`days`: whether the puzzle of a date (ISO 8601) was found. `first_tries`: whether a puzzle was, by its key."""

    days: dict[str, bool] = {}
    first_tries: dict[str, bool] = {}

    def with_try(self, key: str, *, right: bool) -> PuzzleScores:
        """Return the scores with another puzzle; only the first try counts."""
        return PuzzleScores(self.days, {key: right} | self.first_tries)

    def with_day(self, day: date, key: str, *, right: bool) -> PuzzleScores:
        """Return the scores with the puzzle of a day."""
        return PuzzleScores({day.isoformat(): right} | self.days, {key: right} | self.first_tries)

    def streak(self, day: date) -> int:
        """Return on how many days in a row, up to a day or the one before it, the puzzle of the day was found.

        >>> PuzzleScores({"2026-03-01": True, "2026-03-02": True}).streak(date(2026, 3, 3))
        2
        """
        last = day if day.isoformat() in self.days else day - timedelta(days=1)
        count = 0
        while self.days.get((last - timedelta(days=count)).isoformat(), False):
            count += 1
        return count

    def streak_sentence(self, day: date) -> str:
        """Return how long the streak is, in words."""
        days = self.streak(day)
        return "No days in a row." if days == 0 else f"{counted(days, 'day')} in a row."


def scores_path() -> Path:
    """Return the file of the scores. Raises `UnavailableError` if the user has no home folder."""
    return state_folder().parent / "puzzles.json"


def read_scores(path: Path) -> PuzzleScores:
    """Return the scores in a file, none if there is no such file. Raises `UnavailableError` if it cannot be read."""
    try:
        return msgspec.json.decode(path.read_bytes(), type=PuzzleScores)
    except FileNotFoundError:
        return PuzzleScores()
    except (OSError, msgspec.DecodeError, UnicodeDecodeError) as error:
        raise UnavailableError(f"cannot read {path}: {error}") from error


def write_scores(path: Path, scores: PuzzleScores) -> None:
    """Write the scores. Raises `UnavailableError` if the file cannot be written."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UnavailableError(f"cannot write {path}: {error.strerror or error}") from error
    write_atomically(path, msgspec.json.encode(scores))


NAMES = ("Ann", "Bo", "Cy", "Di", "Ed", "Flo")
MIN_BELIEF = 0.005
"""Counts that every seat holds with a lower probability are not listed."""


def puzzle_narrator(puzzle: Puzzle) -> Narrator:
    """Return the words for a puzzle, which address the player who has to decide."""
    names = tuple(NAMES[(seat - puzzle.seat - 1) % len(puzzle.dice)] for seat in range(len(puzzle.dice)))
    return Narrator(preset(puzzle.rules).ruleset, names, puzzle.seat)


def question_lines(puzzle: Puzzle, title: str) -> Iterator[str]:
    """Yield what the player sees: the rules, who holds how many dice and has bid what, and the moves by number."""
    narrator = puzzle_narrator(puzzle)
    labels, variations = narrator.rules.labels, len(preset(puzzle.rules).chosen)
    game = labels.game
    if variations:
        game += f" with {narrator.number(variations)} variation{'s' if variations > 1 else ''}"
    players = sum(1 for held in puzzle.dice if held)
    round_name = "" if puzzle.special_seat is None else f", {narrator.label(labels.special_round)}"
    yield f"{title} · {game}, {players} players, {sum(puzzle.dice)} dice{round_name}"
    yield from (f"  {note}" for note in _round_notes(puzzle, narrator))
    yield ""
    rows = [("", "dice", "bids")]
    for seat in _seats_from_left(puzzle):
        bids = ", ".join(narrator.bid(bid) for bidder, bid in puzzle.bids if bidder == seat)
        rows.append((narrator.list_name(seat), str(puzzle.dice[seat]), bids))
    yield from (f"  {line}".rstrip() for line in _left_aligned(rows))
    yield ""
    yield f"Your dice: {' '.join(map(str, puzzle.hand))}"
    if puzzle.bids:
        bidder, bid = puzzle.bids[-1]
        whose = "Your" if bidder == puzzle.seat else f"{narrator.names[bidder]}'s"
        yield f"{whose} bid of {narrator.bid(bid)} stands."
    yield ""
    yield "What would you do?"
    for number, offered in enumerate(puzzle.choices, start=1):
        yield f"  {number}  {move_name(narrator, offered)}"


def answer_lines(puzzle: Puzzle, chosen: OfferedMove) -> Iterator[str]:
    """Yield the answer: whether the chosen move is the best one, the worth of all, the beliefs, and the reason."""
    narrator = puzzle_narrator(puzzle)
    best, second = puzzle.moves[0], puzzle.moves[1]
    name = _quoted(narrator, best)
    if chosen == best:
        yield f"Right. {_capitalized(name)} is {_points_behind(puzzle, second)} points better than the next best."
    else:
        behind = _points_behind(puzzle, chosen)
        yield f"No: {name}. {_capitalized(_quoted(narrator, chosen))} is {behind} points behind."
    if puzzle.reason is not None:
        yield why_best(puzzle.reason, name, _quoted(narrator, puzzle.moves[puzzle.reason.other]), narrator)
    missed, asked = puzzle.missed
    yield f"Difficulty: missed by {missed} of {counted(asked, 'bot')}."
    yield ""
    solved = puzzle.certificate is Certificate.SOLVED
    source = "solved" if solved else f"from {puzzle.deals:,} deals"
    yield f"WHAT EACH MOVE WINS, in 100 matches ({source})"
    rows = [("", "", "wins", "behind")]
    for offered in puzzle.moves:
        behind = "best" if offered == best else f"-{_points_behind(puzzle, offered)}"
        interval = "" if solved or offered == best else f" ±{_points(offered.error)}"
        rows.append((move_name(narrator, offered), _p_words(offered), _points(offered.value), f"{behind}{interval}"))
    yield from (f"  {line}" for line in align_columns(rows))
    if puzzle.counts:
        yield ""
        yield from _belief_lines(puzzle, narrator)


def _quoted(narrator: Narrator, offered: OfferedMove) -> str:
    """Return a move inside a sentence: calls are quoted, since many end with a sign of their own."""
    name = move_name(narrator, offered)
    return name if isinstance(offered.move, Bid) else f"“{name}”"


def move_name(narrator: Narrator, offered: OfferedMove) -> str:
    """Return a move as players say it."""
    match offered.move:
        case Bid():
            return narrator.bid(offered.move)
        case Challenge():
            return narrator.label(narrator.rules.labels.challenge)
        case Exact():
            return narrator.label(narrator.rules.labels.exact)


def _round_notes(puzzle: Puzzle, narrator: Narrator) -> Iterator[str]:
    rules = narrator.rules
    if puzzle.special_seat is not None and rules.special_round is not None and rules.special_round.face_locked:
        yield narrator.say("event.face_locked")
    if rules.wilds.special_is_wild:
        specials = narrator.specials()
        yield f"{specials[:1].upper()}{specials[1:]} are {'' if puzzle.wilds_count else 'not '}wild."


def _belief_lines(puzzle: Puzzle, narrator: Narrator) -> Iterator[str]:
    _, bid = puzzle.bids[-1]
    faces, special = narrator.face(bid.face), narrator.rules.dice.special_face
    if narrator.rules.wilds.special_is_wild and puzzle.wilds_count and bid.face != special:
        faces = f"{faces} and {narrator.face(special)}"
    yield f"HOW MANY {faces.upper()} EACH MAY HOLD, in 100 deals, and before any bid"
    likeliest = [
        count
        for held in puzzle.counts
        for count, prob in enumerate(held.after)
        if max(prob, held.before[count]) >= MIN_BELIEF
    ]
    columns = range(max(likeliest) + 1)
    rows = [("", *(str(count) for count in columns))]
    for held in sorted(puzzle.counts, key=lambda held: (held.seat - puzzle.seat) % len(puzzle.dice)):
        for label, probs in ((narrator.list_name(held.seat), held.after), ("  before", held.before)):
            known = [hundredths(prob) for prob in probs[: len(columns)]]
            rows.append((label, *known, *[""] * (len(columns) - len(known))))
    yield from (f"  {line}".rstrip() for line in align_columns(rows))


def _seats_from_left(puzzle: Puzzle) -> Iterator[int]:
    """Yield the seats with dice from the one to the left of the player round to the player."""
    count = len(puzzle.dice)
    for step in range(1, count + 1):
        seat = (puzzle.seat + step) % count
        if puzzle.dice[seat]:
            yield seat


def _left_aligned(rows: list[tuple[str, str, str]]) -> Iterator[str]:
    widths = [max(len(row[column]) for row in rows) for column in range(2)]
    for name, dice, bids in rows:
        yield f"{name.ljust(widths[0])}  {dice.rjust(widths[1])}  {bids}"


def _own_words(own: int, bid: Bid) -> str:
    return f"{own or 'none'} of the {bid.quantity}" if bid.quantity > 1 else ("it" if own else "none")


def _p_words(offered: OfferedMove) -> str:
    return f"{'true' if isinstance(offered.move, Bid) else 'right'} {percent(offered.p_right)}"


def _points(share: float) -> str:
    return f"{_tenths(share) / 10:.1f}"


def _points_behind(puzzle: Puzzle, offered: OfferedMove) -> str:
    """Return the difference of the figures that are shown.

    >>> _points(0.3766), _points(0.2215)
    ('37.7', '22.2')
    """
    return f"{(_tenths(puzzle.moves[0].value) - _tenths(offered.value)) / 10:.1f}"


def _tenths(share: float) -> int:
    """Return tenths of a point, rounded as on the page: halves go up."""
    return floor(1000 * share + 0.5 + 1e-9)


def _capitalized(text: str) -> str:
    return text[:1].upper() + text[1:]


def run(options: PuzzleOptions, today: date | None = None) -> int:
    """Ask puzzles until the player stops or the input ends. Returns 0.

    `today`: the date whose puzzle comes first (default: that of the clock). Raises `UnavailableError` for an unknown
    theme or preset, and if no puzzle is left.
    """
    day = today or date.today()  # noqa: DTZ011  the player's own day
    every = (
        packaged_puzzles()
        if options.file is None
        else read_puzzles(read_file(str(options.file), MAX_FILE_BYTES)).puzzles
    )
    theme = None if options.theme is None else _find_theme(options.theme)
    rules = None if options.rules is None else preset(options.rules).name
    puzzles = filter_puzzles(every, theme, rules)
    if not puzzles:
        raise UnavailableError("there is no such puzzle (make some: liarsdice puzzles make)")
    path = scores_path()
    scores = read_scores(path)
    if theme is None and rules is None:
        number = daily_number(day, len(every))
        title = f"Puzzle of {day.isoformat()}, no. {number + 1} of {len(every)}"
        if day.isoformat() in scores.days:
            print(f"You have played today's puzzle. {scores.streak_sentence(day)}")
        else:
            right = _ask(every[number], title)
            if right is None:
                return 0
            scores = scores.with_day(day, every[number].key, right=right)
            write_scores(path, scores)
            print(scores.streak_sentence(day))
    else:
        print(counted(len(puzzles), "puzzle"))
    return _ask_others(puzzles, scores, path)


def _ask_others(puzzles: list[Puzzle], scores: PuzzleScores, path: Path) -> int:
    """Ask the puzzles that have not been played yet, one after the other."""
    for place, puzzle in enumerate(puzzles, start=1):
        if puzzle.key in scores.first_tries:
            continue
        print()
        if _read("Enter: another puzzle, q: quit ") is None:
            return 0
        print()
        right = _ask(puzzle, f"Puzzle {place} of {len(puzzles)}")
        if right is None:
            return 0
        scores = scores.with_try(puzzle.key, right=right)
        write_scores(path, scores)
    print("You have played all of these puzzles.")
    return 0


def _ask(puzzle: Puzzle, title: str) -> bool | None:
    """Ask a puzzle and print the answer. Returns whether the player was right, None if they stopped."""
    print(*question_lines(puzzle, title), sep="\n")
    chosen = _read_choice(puzzle)
    if chosen is None:
        return None
    print()
    print(*answer_lines(puzzle, chosen), sep="\n")
    return chosen == puzzle.moves[0]


def _read_choice(puzzle: Puzzle) -> OfferedMove | None:
    count = len(puzzle.choices)
    while (text := _read(f"1 to {count}, q: quit ")) is not None:
        if text.isascii() and text.isdigit() and 1 <= int(text) <= count:
            return puzzle.choices[int(text) - 1]
    return None


def _read(prompt: str) -> str | None:
    """Return a line of the input without spaces, None at its end and for q."""
    try:
        text = input(prompt).strip().lower()
    except (EOFError, KeyboardInterrupt):
        print()
        return None
    if not sys.stdin.isatty():
        print()
    return None if text in {"q", "quit"} else text


def _find_theme(name: str) -> Theme:
    try:
        return Theme(name.strip().lower())
    except ValueError as error:
        raise UnavailableError(f"no theme is called {name!r:.40} (there are: {', '.join(map(str, Theme))})") from error
