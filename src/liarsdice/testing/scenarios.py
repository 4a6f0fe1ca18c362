"""Golden scenarios: cases of the rules with an expected outcome, run through the engine.

A file holds one JSON object a line: a scenario (`kind` raise, min_quantity, order, first_starter or round) or a ruleset
case (`base`, `patch`, and whether it is valid).

A `first_starter` scenario holds the `rolls` for the start, or the names of the `players` and the name of the `chosen`
one, or all three. Its `expect` holds the name of the `starter` and optionally the `method`, or the `error` "illegal".
A `round` scenario whose `setup` has `"deal": "illegal"` expects its dice to be refused.
"""

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import msgspec

from liarsdice.core.actions import (
    Action,
    AnswerDouble,
    BidAndShow,
    Challenge,
    ChooseStarter,
    Deal,
    DealerAction,
    Move,
    Penalise,
    RollAgain,
    RollForStart,
)
from liarsdice.core.engine.engine import decide, evolve_all
from liarsdice.core.engine.evolve import initial_state
from liarsdice.core.engine.state import Phase, State
from liarsdice.core.engine.view import view
from liarsdice.core.errors import BidError, IllegalActionError, LiarsDiceError, MalformedError
from liarsdice.core.events import Eliminated, Event, MatchEnded, MatchStarted, Revealed, RoundEnded, StarterFound
from liarsdice.core.rules.bid_space import UNCAPPED_QUANTITY
from liarsdice.core.rules.bids import Bid, beats
from liarsdice.core.rules.choices import Answer, Direction, PenaltyTrigger
from liarsdice.core.rules.overlay import nest, with_changes
from liarsdice.core.rules.presets import preset
from liarsdice.core.rules.ruleset import Ruleset
from liarsdice.core.sources import source_text

Case = Mapping[str, Any]  # one decoded JSON line; its shape differs by kind
Mismatches = Iterator[tuple[str, object, object]]  # what differs, the expected value, the actual value


def run_round(rules: Ruleset, case: Case) -> Mismatches:
    """Play the round of a scenario and yield what differs from its expectations."""
    state, deal = _state_before_deal(rules, case["setup"])
    dealt, got = _judge(state, None, deal)
    expected = case["setup"].get("deal", "legal")
    if got.partition(" ")[0] != expected:
        yield "the deal", expected, got
    before = state = evolve_all(state, dealt)
    for name, hands in case.get("sees", {}).items():
        seen = _seen(state, name)
        if seen != hands:
            yield f"the dice that {name} sees", hands, seen
    events: list[Event] = []
    for number, step in enumerate(case["actions"], start=1):
        what = f"action {number}, {step['by']} {_step_text(step)}"
        try:
            decided, got = _judge(state, state.names.index(step["by"]), _action(step))
        except BidError as error:  # no bid at all, such as one of no dice
            decided, got = [], f"illegal ({error})"
        if got.partition(" ")[0] != step["expect"]:
            yield what, step["expect"], got
        state = evolve_all(state, decided)
        events += decided
        if "rolled" in step:
            rolled, got = _judge(state, None, RollAgain(tuple(step["rolled"])))
            if got != "legal":
                yield f"the dice rolled again after {what}", "legal", got
            state = evolve_all(state, rolled)
        for name, hands in step.get("sees", {}).items():
            seen = _seen(state, name)
            if seen != hands:
                yield f"the dice that {name} sees after {what}", hands, seen
        turn = state.names[state.turn]
        if "turn_after" in step and turn != step["turn_after"]:
            yield f"turn after {what}", step["turn_after"], turn
    if "expect" in case:
        outcome = _round_outcome(before, state, events)
        for key, expected in case["expect"].items():
            if outcome.get(key, "nothing") != expected:
                yield key, expected, outcome.get(key, "nothing")


def _seen(state: State, name: str) -> dict[str, list[int]]:
    """Return the hands that a player sees, by name."""
    seat = state.names.index(name)
    shown = view(state, seat)
    others = {state.names[other]: list(hand) for other, hand in enumerate(shown.seen) if hand}
    return ({name: list(shown.hand)} if shown.hand else {}) | others


def _judge(state: State, seat: int | None, action: Action) -> tuple[list[Event], str]:
    try:
        return decide(state, seat, action), "legal"
    except (IllegalActionError, MalformedError) as error:
        return [], f"illegal ({error})"


def _state_before_deal(rules: Ruleset, setup: Case) -> tuple[State, Deal]:
    names = tuple(setup["players"])
    hands = tuple(tuple(setup["dice"].get(name, ())) for name in names)
    starter = names.index(setup["starter"])
    initial = initial_state(MatchStarted(rules, names))
    lives = setup.get("lives", {})
    state = msgspec.structs.replace(
        initial,
        phase=Phase.DEAL,
        round_number=setup.get("rounds_played", 0),
        dice=tuple(map(len, hands)),
        starter=starter,
        special_seat=starter if setup.get("round") == "special" else None,
        had_special=tuple(names.index(name) for name in setup.get("had_special", ())),
        direction=Direction(setup["direction"]) if "direction" in setup else rules.turn.direction,
        exact_calls=tuple(setup.get("exact_calls", {}).get(name, 0) for name in names),
        lives=tuple(lives.get(name, left) for name, left in zip(names, initial.lives, strict=False)),
        safe=tuple((names.index(name), number) for name, number in setup.get("safe", {}).items()),
    )
    return state, Deal(hands)


def _action(step: Case) -> Action:
    match step["do"]:
        case "bid":
            bid = Bid(step["q"], step["f"], step.get("pure", False))
            return BidAndShow(bid, tuple(step["shown"])) if "shown" in step else bid
        case "challenge":
            return Challenge(double=step.get("double", False))
        case "answer":
            return AnswerDouble(Answer(step["answer"]))
        case "penalty":
            return Penalise(PenaltyTrigger(step["trigger"]), tuple(step.get("taken", ())), step.get("offence", ""))
        case tag:
            fields = {name: step[name] for name in ("direction", "kind") if name in step}
            move: Move = msgspec.convert({"type": tag, **fields}, Move)
            return move


def _step_text(step: Case) -> str:
    named = ("do", "q", "f", "pure", "shown", "double", "answer", "trigger", "offence", "direction", "kind")
    return " ".join(str(step[key]) for key in named if key in step)


def _round_outcome(before: State, after: State, events: list[Event]) -> dict[str, object]:
    names = before.names
    stakes = zip(names, before.stakes, after.stakes, strict=True)
    changes = {name: now - then for name, then, now in stakes if now != then}
    outcome: dict[str, object] = {
        "changes": changes,
        "dice_after": dict(zip(names, after.dice, strict=True)),
        "lives_after": dict(zip(names, after.lives, strict=False)),
        "eliminated": [names[event.seat] for event in events if isinstance(event, Eliminated)],
        "next_starter": None,
        "winner": None,
        "winners": [],
        "next_round": None,
        "special_player": None,
        "direction": after.direction.value,
    }
    for event in events:
        match event:
            case Revealed():
                outcome |= {"count": event.count, "bid_true": event.bid_true}
                if event.pass_hand is not msgspec.UNSET:
                    outcome["pass_hand"] = None if event.pass_hand is None else event.pass_hand.value
            case MatchEnded():
                winners = [names[seat] for seat in event.winners]
                outcome |= {"winners": winners, "winner": winners[0] if len(winners) == 1 else None}
                outcome |= {"next_starter": None, "next_round": None, "special_player": None}
            case RoundEnded():
                special = after.special_seat  # a penalty after the round may have cancelled the special round
                outcome["next_starter"] = names[after.starter]
                outcome["next_round"] = "normal" if special is None else "special"
                outcome["special_player"] = None if special is None else names[special]
            case _:
                pass
    return outcome


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
