"""The text and the JSON that `liarsdice rules lab` prints: each measure of a match, under old and changed rules."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import msgspec

from liarsdice.analysis.rules_lab.measures import (
    DECISION_S,
    ROUND_S,
    LabFigures,
    Measure,
    MeasureComparison,
    Measurement,
)
from liarsdice.analysis.rules_lab.simulate import MatchSample, join_samples, lab_figures, simulate_matches
from liarsdice.cli.rules.rules import LabOptions
from liarsdice.cli.stdio import EXIT_INTERRUPTED, align_columns
from liarsdice.core.errors import MalformedError
from liarsdice.core.rules.overlay import apply_patch, read_patch
from liarsdice.core.rules.ruleset import Ruleset, checked
from liarsdice.core.rules.ruleset_io import find_rules
from liarsdice.core.text.rulebook import changed_fields
from liarsdice.runtime.processes import TerminatedError, stoppable

MEASURE_WORDS = {
    Measure.OPENING: "gain from opening, in points over an even share",
    Measure.ROUNDS: "rounds of a match",
    Measure.MINUTES: "minutes of a match",
    Measure.LUCK: "luck of the rolls in the result, in per cent",
    Measure.EXACT_CALLS: "exact calls in a match",
    Measure.EXACT_RIGHT: "exact calls that are right, in per cent",
}
PERCENT = {Measure.OPENING, Measure.LUCK, Measure.EXACT_RIGHT}


class LabReport(msgspec.Struct, frozen=True):
    """What `--json` prints. `new`, `changed`: empty without changes; `changed` names the measures that moved."""

    rules: str
    changes: tuple[str, ...]
    judge: str
    seats: int
    matches: int
    seed: int
    old: dict[Measure, Measurement]
    new: dict[Measure, Measurement]
    changed: tuple[Measure, ...]


def run(options: LabOptions) -> int:
    """Simulate the matches and print the measures.

    Returns 0, or 128 and the number of the signal that stopped it. Raises `MalformedError` for a change that cannot be
    read or changes nothing, `RulesetError` for rules that do not work together, and as `find_rules` and
    `simulate_matches`.
    """
    old = find_rules(options.name)
    rulesets = [old]
    if options.changes:
        new = checked(apply_patch(old, read_patch(dict(map(_read_change, options.changes)))))
        if new == old:
            raise MalformedError(f"{', '.join(options.changes)} changes nothing in {options.name}")
        rulesets.append(new)
    samples: list[list[MatchSample]] = [[] for _ in rulesets]
    stopped = 0
    simulations = [simulate_matches(rules, options.seats, options.matches, options.seed) for rules in rulesets]
    try:
        with stoppable() as raise_if_stopped:
            for parts in zip(*simulations, strict=True):
                for sample, part in zip(samples, parts, strict=True):
                    sample.append(part)
                raise_if_stopped()
                _show_progress(sum(len(part.rounds) for part in samples[0]), options.matches)
    except TerminatedError as order:
        stopped = order.status
    except KeyboardInterrupt:
        stopped = EXIT_INTERRUPTED
    _end_progress()
    if samples[0]:
        _print(options, rulesets, [join_samples(sample) for sample in samples])
    return stopped


def _read_change(text: str) -> tuple[str, Any]:
    """Return a change as its path and its value: JSON where it can be read as such, else a word."""
    path, equals, value = text.partition("=")
    if not equals:
        raise MalformedError(f"a change is written as key=value, such as exact_call=none, not {text!r:.60}")
    try:
        return path.strip(), msgspec.json.decode(value)
    except msgspec.DecodeError:
        return path.strip(), value.strip()


def _show_progress(done: int, matches: int) -> None:
    if sys.stderr.isatty():
        print(f"\r{done:,} of {matches:,} matches", end="", file=sys.stderr, flush=True)


def _end_progress() -> None:
    if sys.stderr.isatty():
        print("\r" + " " * 40 + "\r", end="", file=sys.stderr, flush=True)


def _print(options: LabOptions, rulesets: Sequence[Ruleset], samples: Sequence[MatchSample]) -> None:
    figures = lab_figures(rulesets[-1], *samples)
    if options.as_json:
        report = LabReport(
            options.name,
            tuple(options.changes or ()),
            figures.judge,
            options.seats,
            figures.matches,
            options.seed,
            {row.measure: row.old for row in figures.measures},
            {row.measure: row.new for row in figures.measures if row.new is not None},
            tuple(row.measure for row in figures.measures if row.changed),
        )
        print(msgspec.json.encode(report).decode())
        return
    print("\n".join(_lines(rulesets, figures)))


def _lines(rulesets: Sequence[Ruleset], figures: LabFigures) -> Iterator[str]:
    labels, compares = rulesets[0].labels, len(rulesets) > 1
    count = f"{figures.matches:,} matches{' each, on the same seeds' if compares else ''}"
    yield f"{labels.game}, {figures.seats} players, {figures.judge} at every seat, {count}"
    if compares:
        yield from (f"  {path}: {old} -> {new}" for path, old, new in changed_fields(*rulesets))
    yield ""
    rows: list[tuple[str, ...]] = [("", "as it is", "changed", "") if compares else ("", "as it is")]
    for row in figures.measures:
        measured = (row.old,) if row.new is None else (row.old, row.new)
        said = () if row.new is None else (_said(row, row.new),)
        rows.append((MEASURE_WORDS[row.measure], *map(_number(row.measure), measured), *said))
    yield from (f"  {line}".rstrip() for line in align_columns(rows))
    yield ""
    yield "The numbers after ± are half of a 95% interval. Minutes assume that people take"
    yield f"{DECISION_S:.0f} s for a decision and {ROUND_S:.0f} s for the end of a round."


def _number(measure: Measure) -> Callable[[Measurement], str]:
    """Return how a measure is written."""
    factor = 100 if measure in PERCENT else 1

    def written(measured: Measurement) -> str:
        if measured.value is None or measured.error is None:
            return "-"
        sign = "+" if measure is Measure.OPENING else ""
        return f"{factor * measured.value:{sign}.1f} ±{factor * measured.error:.1f}"

    return written


def _said(row: MeasureComparison, changed: Measurement) -> str:
    if row.old.value is None or changed.value is None:
        return ""
    if not row.changed:
        return "no change we can tell"
    return "more" if changed.value > row.old.value else "less"
