"""`liarsdice replay`: prints a recorded match in sentences, at once or step by step."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence

import msgspec

from liarsdice.cli.arguments import find_seat, read_record_file
from liarsdice.core.bids.notation import notate_match
from liarsdice.core.engine.view import EventView, HandDealt, event_view
from liarsdice.core.errors import MalformedError
from liarsdice.core.events import (
    Challenged,
    Dealt,
    DiceGained,
    DiceLost,
    Eliminated,
    Event,
    ExactCalled,
    LivesGained,
    LivesLost,
    MatchEnded,
    MatchStarted,
    PassChallenged,
    Revealed,
    RoundEnded,
    RoundStarted,
)
from liarsdice.core.rules.tally import Hand
from liarsdice.core.text.characters import fit_text, text_width
from liarsdice.core.text.narration import Narrator, narrate, summarise_call
from liarsdice.core.text.rulebook.build import find_language

KEYS = "Enter: next, r: to the end of the round, a: all the rest, q: quit "


class Step(msgspec.Struct, frozen=True):
    """Lines that are printed together, and whether they end a round."""

    lines: tuple[str, ...]
    ends_round: bool = False


def run(file: str, *, seat: str | None, language: str, plain: bool, line: bool) -> int:
    """Print the match in a file. On a terminal it waits for a key after each step, unless `plain`. Returns 0.

    `language` is the code of the language of the sentences. Raises `UnavailableError` if there are no texts in it, and
    `MalformedError` if `line` and `seat` are both given.
    """
    code = find_language(language).code
    if line and seat is not None:
        raise MalformedError("--line prints the whole match, so it cannot be combined with --seat")
    record = read_record_file(file)
    events = record.events
    assert isinstance(events[0], MatchStarted)
    listener_seat = None if seat is None else find_seat(events[0].names, seat)
    if line:
        print(notate_match(events))
        return 0
    narrator = Narrator(events[0].ruleset, events[0].names, listener_seat, code)
    all_steps = steps(events, narrator, record.result_names)
    if plain or not (sys.stdin.isatty() and sys.stdout.isatty()):
        for step in all_steps:
            _print_step(step)
    else:
        _show_step_by_step(all_steps)
    return 0


def steps(events: Sequence[Event], narrator: Narrator, result_names: tuple[str, ...]) -> Iterator[Step]:
    """Yield the steps of a match: a sentence for each event, one for all results of a call, and the visible dice.

    A narrator with a listener tells only what that seat saw; one without shows all hands. `result_names`: those of the
    winners at the end (`Record.result_names`), who are named even if they listen and a bot won in their place.
    """
    seen_events: list[Event | EventView] = list(
        events if narrator.listener is None else (event_view(event, narrator.listener) for event in events)
    )
    position = 0
    while position < len(seen_events):
        event = seen_events[position]
        position += 1
        if isinstance(event, Challenged | ExactCalled | PassChallenged):
            yield Step((narrate(event, narrator),))
            end = position
            while not isinstance(seen_events[end], RoundEnded | MatchEnded):
                end += 1
            yield Step(
                (*_reveal(seen_events[position], narrator), summarise_call(seen_events[position - 1 : end], narrator))
            )
            position = end
            continue
        match event:
            case RoundStarted():
                yield Step(("", narrate(event, narrator)))
            case Dealt(hands):
                yield Step((narrate(event, narrator), *_hands(hands, narrator)))
            case HandDealt(()) if narrator.listener is not None:
                pass
            case MatchEnded(winners):
                bots_won = any(result_names[seat] != narrator.names[seat] for seat in winners)
                listener = None if bots_won else narrator.listener
                result = msgspec.structs.replace(narrator, names=result_names, listener=listener)
                yield Step((narrate(event, result),), ends_round=True)
            case RoundEnded():
                yield Step((narrate(event, narrator),), ends_round=True)
            case DiceLost() | DiceGained() | LivesLost() | LivesGained() | Eliminated():
                yield Step((f"  {narrate(event, narrator)}",))
            case _:
                yield Step((narrate(event, narrator),))


def _reveal(event: Event | EventView, narrator: Narrator) -> tuple[str, ...]:
    assert isinstance(event, Revealed)
    return narrate(event, narrator), *_hands(event.hands, narrator, event.marked)


def _hands(hands: tuple[Hand, ...], narrator: Narrator, marked: tuple[tuple[int, ...], ...] = ()) -> Iterator[str]:
    """Yield a line for each hand, with the dice that count in brackets."""
    width = max(map(text_width, narrator.names))
    for seat, hand in enumerate(hands):
        if hand:
            counts = marked[seat] if marked else ()
            dice = "".join(f"[{die}]" if index in counts else f" {die} " for index, die in enumerate(hand))
            yield f"  {fit_text(narrator.names[seat], width)} {dice}".rstrip()


def _show_step_by_step(all_steps: Iterator[Step]) -> None:
    """Print the steps and wait for a key after each of them."""
    key = ""
    *earlier_steps, last_step = all_steps
    for step in earlier_steps:
        _print_step(step)
        if key == "a" or (key == "r" and not step.ends_round):
            continue
        try:
            key = input(KEYS).strip().lower()[:1]
        except (EOFError, KeyboardInterrupt):
            print()
            return
        if key == "q":
            return
    _print_step(last_step)


def _print_step(step: Step) -> None:
    print(*step.lines, sep="\n")
