"""Golden scenarios of rounds: dice and actions with the expected outcome, played by the engine."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

from liarsdice.core.actions import (
    Action,
    AnswerDouble,
    BidAndShow,
    Challenge,
    ChallengePass,
    ChooseKind,
    Deal,
    DeclareSpecial,
    Exact,
    Pass,
    Penalise,
    RollAgain,
    SetDirection,
)
from liarsdice.core.engine.engine import decide, evolve_all
from liarsdice.core.engine.evolve import initial_state
from liarsdice.core.engine.state import Phase, State
from liarsdice.core.engine.view import view
from liarsdice.core.errors import BidError, IllegalActionError, MalformedError
from liarsdice.core.events import Eliminated, Event, MatchEnded, MatchStarted, Revealed, RoundEnded
from liarsdice.core.rules.bids import Bid
from liarsdice.core.rules.choices import Answer, Direction, PenaltyTrigger, RoundKind
from liarsdice.core.rules.ruleset import Ruleset

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
        dice=tuple(map(len, hands)),
        starter=starter,
        special_seat=starter if setup.get("round") == "special" else None,
        had_special=tuple(names.index(name) for name in setup.get("had_special", ())),
        direction=Direction(setup["direction"]) if "direction" in setup else rules.turn.direction,
        exact_calls=tuple(setup.get("exact_calls", {}).get(name, 0) for name in names),
        lives=tuple(lives.get(name, left) for name, left in zip(names, initial.lives, strict=False)),
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
        case "exact":
            return Exact()
        case "pass":
            return Pass()
        case "challenge_pass":
            return ChallengePass()
        case "penalty":
            return Penalise(PenaltyTrigger(step["trigger"]), tuple(step.get("taken", ())), step.get("offence", ""))
        case "set_direction":
            return SetDirection(Direction(step["direction"]))
        case "declare_special":
            return DeclareSpecial()
        case "choose_kind":
            return ChooseKind(RoundKind(step["kind"]))
        case other:
            raise ValueError(f"no action is called {other!r}")


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
