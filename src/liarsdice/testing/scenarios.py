"""Golden scenarios: rules told as cases with an expected outcome, run through the engine.

A file holds one JSON object a line: a scenario (`kind` raise, min_quantity, order, first_starter or round) or a ruleset
case (`base`, `patch`, and whether it is valid). A first starter is found by `rolls`, or named as `chosen` among
`players`; expected is the `starter`, perhaps with the `method` that is told of it, or the `error` illegal.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import msgspec

from liarsdice.core.actions import (
    Action,
    Challenge,
    ChooseStarter,
    DealerAction,
    Exact,
    Penalise,
    RollForStart,
    SetDirection,
)
from liarsdice.core.engine.engine import decide, evolve_all
from liarsdice.core.engine.evolve import opened
from liarsdice.core.engine.state import Phase, State
from liarsdice.core.errors import IllegalActionError, LiarsDiceError, MalformedError
from liarsdice.core.events import (
    Dealt,
    Eliminated,
    Event,
    MatchEnded,
    MatchStarted,
    Revealed,
    RoundEnded,
    RoundStarted,
    StarterFound,
)
from liarsdice.core.rules.bids import UNCAPPED_QUANTITY, Bid, beats
from liarsdice.core.rules.choices import Direction, PenaltyTrigger
from liarsdice.core.rules.presets import preset
from liarsdice.core.rules.ruleset import Ruleset
from liarsdice.core.rules.ruleset_io import with_changes

Case = Mapping[str, Any]  # one decoded JSON line; its shape differs by kind


class Failure(msgspec.Struct, frozen=True):
    """One expectation that the engine did not meet."""

    case: str
    what: str
    expected: str
    got: str

    def __str__(self) -> str:
        return f"{self.case}: {self.what}: expected {self.expected}, got {self.got}"


def read_cases(text: str) -> list[Case]:
    """The cases of a file. Raises `MalformedError`, which names the line."""
    cases: list[Case] = []
    for number, line in enumerate(text.splitlines(), start=1):
        if not line.strip():
            continue
        try:
            case = msgspec.json.decode(line)
        except (msgspec.DecodeError, RecursionError, UnicodeEncodeError) as error:
            raise MalformedError(f"line {number}: {error}") from error
        if not isinstance(case, dict) or not isinstance(case.get("id"), str):
            raise MalformedError(f"line {number}: a case is an object with an id")
        cases.append(case)
    return cases


def run_case(case: Case) -> list[Failure]:
    """Run one case; an empty list means that it passed. A case of an unknown shape fails."""
    try:
        problems = KINDS[case["kind"]](case) if "kind" in case else _ruleset_case(case)
        return [Failure(case["id"], *map(str, problem)) for problem in problems]
    except LiarsDiceError as error:
        return [Failure(case["id"], "the case runs", "no error", f"{type(error).__name__}: {error}")]
    except (LookupError, TypeError, ValueError, AttributeError, AssertionError) as error:
        return [Failure(case["id"], "the case can be read", "the scenario format", f"{type(error).__name__}: {error}")]


Problems = Iterator[tuple[str, object, object]]


def ruleset_of(case: Case, name: str) -> Ruleset:
    """The ruleset that a case names: a preset, its options, and dotted changes."""
    rules = preset("+".join([name, *case.get("options", ())])).ruleset
    changes: dict[str, Any] = {}  # nested, like the file
    for path, value in case.get("patch", {}).items():
        *parts, field = path.split(".")
        inner = changes
        for part in parts:
            inner = inner.setdefault(part, {})
        inner[field] = value
    return with_changes(rules, changes) if changes else rules


def _ruleset_case(case: Case) -> Problems:
    try:
        ruleset_of(case, case["base"])
        got, why = "valid", ""
    except LiarsDiceError as error:
        got, why = "invalid", f" ({error})"
    if got != case["expect"]:
        yield "the ruleset", case["expect"], got + why


def _raise(case: Case) -> Problems:
    rules, special = ruleset_of(case, case["preset"]), case.get("round") == "special"
    for old, new, legal in case["cases"]:
        got = beats(rules, Bid(*old), Bid(*new))
        if special and rules.special_round is not None and rules.special_round.face_locked:
            got = got and old[1] == new[1]
        if got is not legal:
            yield f"{Bid(*old)} -> {Bid(*new)}", _word(legal=legal), _word(legal=got)


def _min_quantity(case: Case) -> Problems:
    rules = ruleset_of(case, case["preset"])
    for old, face, least in case["cases"]:
        top = min(2 * old[0] + 2, UNCAPPED_QUANTITY)
        got = next((q for q in range(1, top + 1) if beats(rules, Bid(*old), Bid(q, face))), None)
        if got != least:
            yield f"least of face {face} over {Bid(*old)}", least, got


def _order(case: Case) -> Problems:
    rules = ruleset_of(case, case["preset"])
    bids = [Bid(*bid) for bid in case["ascending"]]
    wrong = [
        (old, new, legal)
        for place, low in enumerate(bids)
        for high in bids[place + 1 :]
        for old, new, legal in ((low, high, True), (high, low, False))
        if beats(rules, old, new) is not legal
    ]
    if wrong:  # one raise stands for them all: a ladder upside down has thousands
        old, new, legal = wrong[0]
        others = f" (and {len(wrong) - 1} more)" if len(wrong) > 1 else ""
        yield f"{old} -> {new}{others}", _word(legal=legal), _word(legal=not legal)


def _first_starter(case: Case) -> Problems:
    names = tuple(case["players"] if "players" in case else case["rolls"][0])
    state = opened(MatchStarted(ruleset_of(case, case["preset"]), names))
    outcome: dict[str, object] = {"starter": None, "method": None, "error": None}
    for action in _dealer_actions(case, names):
        try:
            decided = decide(state, None, action)
        except IllegalActionError:
            outcome["error"] = "illegal"
            break
        for event in decided:
            if isinstance(event, StarterFound):
                outcome |= {"starter": names[event.seat], "method": event.method.value}
        state = evolve_all(state, decided)
    for key, expected in {"error": None, **case["expect"]}.items():
        if outcome[key] != expected:
            yield f"first starter: {key}", expected, outcome[key]


def _dealer_actions(case: Case, names: tuple[str, ...]) -> Iterator[DealerAction]:
    """The rolls for the start, then the one who is named; a case has one or the other, or both to see one refused."""
    for roll in case.get("rolls", ()):
        yield RollForStart(tuple(tuple(roll.get(name, ())) for name in names))
    if "chosen" in case:
        yield ChooseStarter(names.index(case["chosen"]))


def _round(case: Case) -> Problems:
    state = _set_up(ruleset_of(case, case["preset"]), case["setup"])
    before, events = state, list[Event]()
    for number, step in enumerate(case["actions"], start=1):
        what = f"action {number}, {step['by']} {_told(step)}"
        seat = state.names.index(step["by"])
        try:
            decided = decide(state, seat, _action(step))
            got = "legal"
        except (IllegalActionError, MalformedError) as error:
            decided, got = [], f"illegal ({error})"
        if got.partition(" ")[0] != step["expect"]:
            yield what, step["expect"], got
        state = evolve_all(state, decided)
        events += decided
        turn = state.names[state.turn]
        if "turn_after" in step and turn != step["turn_after"]:
            yield f"turn after {what}", step["turn_after"], turn
    if "expect" in case:
        outcome = _outcome(before, state, events)
        for key, expected in case["expect"].items():
            if outcome.get(key, "nothing") != expected:
                yield key, expected, outcome.get(key, "nothing")


KINDS: dict[str, Callable[[Case], Problems]] = {
    "raise": _raise,
    "min_quantity": _min_quantity,
    "order": _order,
    "first_starter": _first_starter,
    "round": _round,
}


def _set_up(rules: Ruleset, setup: Case) -> State:
    names = tuple(setup["players"])
    hands = tuple(tuple(setup["dice"].get(name, ())) for name in names)
    starter = names.index(setup["starter"])
    state = msgspec.structs.replace(
        opened(MatchStarted(rules, names)),
        phase=Phase.DEAL,
        dice=tuple(map(len, hands)),
        starter=starter,
        had_special=tuple(names.index(name) for name in setup.get("had_special", ())),
        direction=Direction(setup["direction"]) if "direction" in setup else rules.turn.direction,
        exact_calls=tuple(setup.get("exact_calls", {}).get(name, 0) for name in names),
    )
    special = starter if setup.get("round") == "special" else None
    started = RoundStarted(1, starter, state.dice, state.direction, special)
    return evolve_all(state, [started, Dealt(hands)])


def _action(step: Case) -> Action:
    match step["do"]:
        case "bid":
            return Bid(step["q"], step["f"])
        case "challenge":
            return Challenge()
        case "exact":
            return Exact()
        case "penalty":
            return Penalise(PenaltyTrigger(step["trigger"]), tuple(step.get("taken", ())))
        case "set_direction":
            return SetDirection(Direction(step["direction"]))
        case other:
            raise ValueError(f"no action is called {other!r}")


def _told(step: Case) -> str:
    return " ".join(str(step[key]) for key in ("do", "q", "f", "trigger", "direction") if key in step)


def _outcome(before: State, after: State, events: list[Event]) -> dict[str, object]:
    names = before.names
    changes = {name: now - then for name, then, now in zip(names, before.dice, after.dice, strict=True) if now != then}
    found: dict[str, object] = {
        "changes": changes,
        "dice_after": dict(zip(names, after.dice, strict=True)),
        "eliminated": [names[event.seat] for event in events if isinstance(event, Eliminated)],
        "next_starter": None,
        "winner": None,
        "next_round": None,
        "special_player": None,
        "direction": after.direction.value,
    }
    for event in events:
        match event:
            case Revealed():
                found |= {"count": event.count, "bid_true": event.bid_true}
            case MatchEnded():
                winner = names[event.winners[0]] if len(event.winners) == 1 else None
                found |= {"winner": winner, "next_starter": None, "next_round": None, "special_player": None}
            case RoundEnded():
                special = after.special_seat  # a penalty after the round may have called off what it announced
                found["next_starter"] = names[after.starter]
                found["next_round"] = "normal" if special is None else "special"
                found["special_player"] = None if special is None else names[special]
            case _:
                pass
    return found


def _word(*, legal: bool) -> str:
    return "legal" if legal else "illegal"
