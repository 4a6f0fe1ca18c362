"""`liarsdice replay`: a recorded match told again, at once or step by step."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence

import msgspec

from liarsdice.cli.input_file import read_file
from liarsdice.core.bids.notation import one_line
from liarsdice.core.engine.view import HandDealt, SeenEvent, seen
from liarsdice.core.errors import MalformedError
from liarsdice.core.events import (
    Challenged,
    Dealt,
    DiceGained,
    DiceLost,
    Eliminated,
    Event,
    ExactCalled,
    MatchEnded,
    MatchStarted,
    Revealed,
    RoundEnded,
    RoundStarted,
)
from liarsdice.core.records.record import LONGEST_RECORD, read_record
from liarsdice.core.rules.tally import Hand
from liarsdice.core.text.call_summary import verdict
from liarsdice.core.text.narration import Voice, tell

KEYS = "Enter: on, r: to the end of the round, a: all the rest, q: leave "


class Step(msgspec.Struct, frozen=True):
    """Lines that are told together, and whether they end a round."""

    lines: tuple[str, ...]
    ends_round: bool = False


def run(file: str, *, seat: str | None, plain: bool, line: bool) -> int:
    """Tell the match in a file. On a terminal it waits for a key after every step, unless `plain`."""
    if line and seat is not None:
        raise MalformedError("--line tells the whole match: it goes without --seat (or leave out --line)")
    events = read_record(read_file(file, LONGEST_RECORD)).events
    assert isinstance(events[0], MatchStarted)
    you = None if seat is None else _seat(events[0].names, seat)
    if line:
        print(one_line(events))
        return 0
    told = steps(events, Voice(events[0].ruleset, events[0].names, you))
    if plain or not (sys.stdin.isatty() and sys.stdout.isatty()):
        for step in told:
            _show(step)
    else:
        _walk(told)
    return 0


def steps(events: Sequence[Event], voice: Voice) -> Iterator[Step]:
    """A match in steps: every event a sentence, what a call led to in one, and the dice where they are seen.

    A listener with a seat learns only what that seat saw; without one, every hand is shown.
    """
    learnt: list[Event | SeenEvent] = list(
        events if voice.you is None else (seen(event, voice.you) for event in events)
    )
    place = 0
    while place < len(learnt):
        event = learnt[place]
        place += 1
        if isinstance(event, Challenged | ExactCalled):
            yield Step((tell(event, voice),))
            end = next(at for at in range(place, len(learnt)) if isinstance(learnt[at], RoundEnded | MatchEnded))
            yield Step((*_reveal(learnt[place], voice), verdict(learnt[place - 1 : end], voice)))
            place = end
            continue
        match event:
            case RoundStarted():
                yield Step(("", tell(event, voice)))
            case Dealt(hands):
                yield Step((tell(event, voice), *_hands(hands, voice)))
            case HandDealt(()) if voice.you is not None:
                pass
            case RoundEnded() | MatchEnded():
                yield Step((tell(event, voice),), ends_round=True)
            case DiceLost() | DiceGained() | Eliminated():
                yield Step((f"  {tell(event, voice)}",))
            case _:
                yield Step((tell(event, voice),))


def _reveal(event: Event | SeenEvent, voice: Voice) -> tuple[str, ...]:
    assert isinstance(event, Revealed)
    return tell(event, voice), *_hands(event.hands, voice, event.marked)


def _hands(hands: tuple[Hand, ...], voice: Voice, marked: tuple[tuple[int, ...], ...] = ()) -> Iterator[str]:
    """Every hand on a line of its own, the dice that count in brackets."""
    wide = max(map(len, voice.names))
    for seat, hand in enumerate(hands):
        if hand:
            counts = marked[seat] if marked else ()
            shown = "".join(f"[{die}]" if place in counts else f" {die} " for place, die in enumerate(hand))
            yield f"  {voice.names[seat].ljust(wide)} {shown}".rstrip()


def _walk(told: Iterator[Step]) -> None:
    """Step by step, for somebody at a terminal."""
    wanted = ""
    *before, last = told
    for step in before:
        _show(step)
        if wanted == "a" or (wanted == "r" and not step.ends_round):
            continue
        try:
            wanted = input(KEYS).strip().lower()[:1]
        except (EOFError, KeyboardInterrupt):
            print()
            return
        if wanted == "q":
            return
    _show(last)


def _show(step: Step) -> None:
    print(*step.lines, sep="\n")


def _seat(names: Sequence[str], asked: str) -> int:
    """A seat from a player's name, or counted from 1."""
    if asked in names:
        return names.index(asked)
    numbers = [str(number) for number in range(1, len(names) + 1)]
    if asked in numbers:
        return numbers.index(asked)
    raise MalformedError(f"--seat is a player's name ({', '.join(names)}) or 1 to {len(names)}, not {asked!r:.60}")
