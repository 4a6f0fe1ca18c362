"""Pairwise coverage: every two rule choices that can be combined are combined in some match that is played here."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from itertools import combinations

import msgspec
import pytest

from liarsdice.core.engine.engine import replay
from liarsdice.core.engine.state import Phase
from liarsdice.core.errors import RulesetError
from liarsdice.core.records.record import verify_events
from liarsdice.core.rules.choices import PassHand, PenaltyTrigger, SuspendedBy
from liarsdice.core.rules.ruleset import Ruleset
from liarsdice.core.rules.ruleset_io import from_dict
from tests.laws.pair_constraints import ABSENT, AXES, CONSTRAINTS, PARTS, PASSING, SUSPENDED, Constraint, Value
from tests.laws.random_matches import random_match

Row = dict[str, Value]
Pair = tuple[tuple[str, Value], tuple[str, Value]]


@cache
def constraints_of() -> Mapping[str, list[Constraint]]:
    result: dict[str, list[Constraint]] = defaultdict(list)
    for constraint in CONSTRAINTS:
        for axis in constraint[0]:
            result[axis].append(constraint)
    return result


def fits(row: Row, axis: str, value: Value) -> bool:
    """Whether a value violates no constraint whose other axes are chosen."""
    chosen = row | {axis: value}
    return all(
        holds(*(chosen[name] for name in names))
        for names, holds in constraints_of().get(axis, ())
        if all(name in chosen for name in names)
    )


def axes_by_constraints(start: Row) -> list[str]:
    """The other axes, those that share a constraint with chosen ones first, so that contradictions show early."""
    order = list(start)
    for axis in order:
        near = (name for names, _ in constraints_of().get(axis, ()) for name in names)
        order += dict.fromkeys(name for name in near if name not in order)
    order += [axis for axis in AXES if axis not in order]
    return order[len(start) :]


def complete_row(row: Row, free: list[str], coverage: Callable[[Row, str, Value], int]) -> Row | None:
    """A complete row that keeps the chosen values and prefers values that cover more missing pairs."""
    if not free:
        return row
    axis, *rest = free
    values = [value for value in AXES[axis] if fits(row, axis, value)]
    for value in sorted(values, key=lambda value: -coverage(row, axis, value)):
        result = complete_row(row | {axis: value}, rest, coverage)
        if result is not None:
            return result
    return None


def pairs_of(row: Row) -> Iterator[Pair]:
    return combinations(row.items(), 2)


@cache
def covering() -> tuple[tuple[Row, ...], tuple[Pair, ...]]:
    """Rows that cover every possible pair of values, and the pairs that no row can have."""
    missing: dict[Pair, None] = {
        ((one, value), (other, value2)): None
        for one, other in combinations(AXES, 2)
        for value in AXES[one]
        for value2 in AXES[other]
    }
    place = {axis: number for number, axis in enumerate(AXES)}

    def coverage(row: Row, axis: str, value: Value) -> int:
        new = (axis, value)
        return sum(((new, old) if place[axis] < place[old[0]] else (old, new)) in missing for old in row.items())

    rows: list[Row] = []
    impossible: list[Pair] = []
    while missing:
        pair = next(iter(missing))
        (one, value), (other, value2) = pair
        start = {one: value, other: value2}
        row = complete_row(start, axes_by_constraints(start), coverage) if fits({one: value}, other, value2) else None
        if row is None:
            impossible.append(pair)
            del missing[pair]
            continue
        row = {axis: row[axis] for axis in AXES}
        rows.append(row)
        for covered in pairs_of(row):
            missing.pop(covered, None)
    return tuple(rows), tuple(impossible)


LISTS = (SUSPENDED, "penalties.", "bidding.pass_with.")
"""How the axes begin that are one item of a list each."""


def ruleset_of_row(row: Row) -> Ruleset:
    plain: dict[str, object] = {}
    for path, value in row.items():
        part, _, field = path.partition(".")
        if field and value != ABSENT and not path.startswith(LISTS):
            inner = plain.setdefault(part, {})
            assert isinstance(inner, dict)
            inner[field] = value
        elif not field and path not in PARTS:
            plain[path] = value
    reasons = [reason.value for reason in SuspendedBy if row[SUSPENDED + reason.value]]
    wilds = plain["wilds"]
    assert isinstance(wilds, dict)
    wilds["suspended_by"] = reasons
    bidding = plain["bidding"]
    assert isinstance(bidding, dict)
    bidding["pass_with"] = [hand.value for hand in PassHand if row[PASSING[hand]]]
    plain["penalties"] = [
        {"trigger": trigger.value} for trigger in PenaltyTrigger if row[f"penalties.trigger.{trigger.value}"]
    ]
    return from_dict(plain)


def test_every_pair_of_choices_is_in_some_ruleset_or_in_none_that_is_valid() -> None:
    rows, impossible = covering()
    covered = {pair for row in rows for pair in pairs_of(row)}
    assert not covered & set(impossible)
    wanted = sum(len(AXES[one]) * len(AXES[other]) for one, other in combinations(AXES, 2))
    assert len(covered) + len(impossible) == wanted
    assert len(rows) < 150


def test_a_ruleset_of_the_covering_has_the_choices_of_its_row() -> None:
    for row in covering()[0]:
        plain = msgspec.to_builtins(ruleset_of_row(row))
        for path, value in row.items():
            if path not in PARTS and value != ABSENT and not path.startswith(LISTS):
                inner = plain
                for step in path.split("."):
                    inner = inner.get(step)  # a field that is not set is not written
                assert inner == value, path


def test_the_validator_refuses_every_pair_that_no_ruleset_can_hold() -> None:
    rows, impossible = covering()
    visible = [pair for pair in impossible if ABSENT not in (pair[0][1], pair[1][1])]
    visible = [pair for pair in visible if not {pair[0][0], pair[1][0]} & set(PARTS)]
    assert visible
    for (one, value), (other, value2) in visible:
        base = next(row for row in rows if row["exact_call"] and row["special_round"])
        with pytest.raises(RulesetError):
            ruleset_of_row(base | {one: value, other: value2})


@pytest.mark.parametrize("seed", range(3))
def test_matches_are_played_to_their_end_by_every_pair_of_choices(seed: int) -> None:
    for number, row in enumerate(covering()[0]):
        rules = ruleset_of_row(row)
        match = random_match(rules, 2 + (number + seed) % 5, seed)
        assert match.state.phase is Phase.OVER
        assert replay(match.events) == verify_events(match.events) == match.state
