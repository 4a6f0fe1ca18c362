"""Golden scenarios: cases of the rules with an expected outcome, run through the engine.

A file holds one JSON object a line: a scenario (`kind` raise, min_quantity, order, first_starter or round) or a ruleset
case (`base`, `patch`, and whether it is valid).

A `first_starter` scenario holds the `rolls` for the start, or the names of the `players` and the name of the `chosen`
one, or all three. Its `expect` holds the name of the `starter` and optionally the `method`, or the `error` "illegal".
A `round` scenario whose `setup` has `"deal": "illegal"` expects its dice to be refused.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import msgspec

from liarsdice.core.actions import (
    ChooseStarter,
    DealerAction,
    RollForStart,
)
from liarsdice.core.engine.engine import decide, evolve_all
from liarsdice.core.engine.evolve import initial_state
from liarsdice.core.errors import IllegalActionError, LiarsDiceError, MalformedError
from liarsdice.core.events import (
    MatchStarted,
    StarterFound,
)
from liarsdice.core.rules.bid_space import UNCAPPED_QUANTITY
from liarsdice.core.rules.bids import Bid, beats
from liarsdice.core.rules.overlay import nest, with_changes
from liarsdice.core.rules.presets import preset
from liarsdice.core.rules.ruleset import Ruleset
from liarsdice.core.sources import source_text
from liarsdice.testing.round_scenarios import Case, Mismatches, run_round

MAX_FILE_BYTES = 16 * 1024 * 1024


class Failure(msgspec.Struct, frozen=True):
    """An expectation that the engine did not meet.

    `case` is the id of the case, `what` names the value that differs.
    """

    case: str
    what: str
    expected: str
    got: str

    def __str__(self) -> str:
        return f"{self.case}: {self.what}: expected {self.expected}, got {self.got}"


def read_cases(source: str | Path) -> list[Case]:
    """The cases of a scenario file; a `str` is its content, a `Path` the file.

    Raises `UnavailableError` if the file cannot be read, and `MalformedError`, which names the line, if it is damaged,
    or longer than `MAX_FILE_BYTES`.
    """
    text = source_text(source, MAX_FILE_BYTES, content="the scenarios")
    if isinstance(source, Path) and len(text) > MAX_FILE_BYTES:
        raise MalformedError(f"{source} is longer than {MAX_FILE_BYTES} bytes")
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
    """Run one case and return its failures; an empty list means that it passed. A case of an unknown shape fails."""
    try:
        mismatches = RUNNERS[case["kind"]](case) if "kind" in case else _run_ruleset_case(case)
        return [Failure(case["id"], *map(str, mismatch)) for mismatch in mismatches]
    except LiarsDiceError as error:
        return [Failure(case["id"], "the case runs", "no error", f"{type(error).__name__}: {error}")]
    except (LookupError, TypeError, ValueError, AttributeError, AssertionError) as error:
        return [Failure(case["id"], "the case can be read", "the scenario format", f"{type(error).__name__}: {error}")]


def ruleset_of(case: Case, name: str) -> Ruleset:
    """The ruleset that a case names: a preset, its options, and changes by dotted path."""
    rules = preset("+".join([name, *case.get("options", ())])).ruleset
    patch = case.get("patch", {})
    return with_changes(rules, nest(patch)) if patch else rules


def _run_ruleset_case(case: Case) -> Mismatches:
    try:
        ruleset_of(case, case["base"])
        got, why = "valid", ""
    except LiarsDiceError as error:
        got, why = "invalid", f" ({error})"
    if got != case["expect"]:
        yield "the ruleset", case["expect"], got + why


def _run_raise(case: Case) -> Mismatches:
    rules, special = ruleset_of(case, case["preset"]), case.get("round") == "special"
    for old, new, legal in case["cases"]:
        got = beats(rules, Bid(*old), Bid(*new))
        if special and rules.special_round is not None and rules.special_round.face_locked:
            got = got and old[1] == new[1]
        if got is not legal:
            yield f"{Bid(*old)} -> {Bid(*new)}", _legality(legal=legal), _legality(legal=got)


def _run_min_quantity(case: Case) -> Mismatches:
    rules = ruleset_of(case, case["preset"])
    for old, face, expected in case["cases"]:
        highest = min(2 * old[0] + 2, UNCAPPED_QUANTITY)
        got = next((q for q in range(1, highest + 1) if beats(rules, Bid(*old), Bid(q, face))), None)
        if got != expected:
            yield f"least of face {face} over {Bid(*old)}", expected, got


def _run_order(case: Case) -> Mismatches:
    rules = ruleset_of(case, case["preset"])
    bids = [Bid(*bid) for bid in case["ascending"]]
    wrong = [
        (old, new, legal)
        for place, low in enumerate(bids)
        for high in bids[place + 1 :]
        for old, new, legal in ((low, high, True), (high, low, False))
        if beats(rules, old, new) is not legal
    ]
    if wrong:  # report one only: a ladder upside down has thousands
        old, new, legal = wrong[0]
        others = f" (and {len(wrong) - 1} more)" if len(wrong) > 1 else ""
        yield f"{old} -> {new}{others}", _legality(legal=legal), _legality(legal=not legal)


def _run_first_starter(case: Case) -> Mismatches:
    names = tuple(case["players"] if "players" in case else case["rolls"][0])
    state = initial_state(MatchStarted(ruleset_of(case, case["preset"]), names))
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
    """The rolls for the start and then the chosen starter; a case with both expects one to be refused."""
    for roll in case.get("rolls", ()):
        yield RollForStart(tuple(tuple(roll.get(name, ())) for name in names))
    if "chosen" in case:
        yield ChooseStarter(names.index(case["chosen"]))


def _run_round(case: Case) -> Mismatches:
    return run_round(ruleset_of(case, case["preset"]), case)


RUNNERS: dict[str, Callable[[Case], Mismatches]] = {
    "raise": _run_raise,
    "min_quantity": _run_min_quantity,
    "order": _run_order,
    "first_starter": _run_first_starter,
    "round": _run_round,
}


def _legality(*, legal: bool) -> str:
    return "legal" if legal else "illegal"
