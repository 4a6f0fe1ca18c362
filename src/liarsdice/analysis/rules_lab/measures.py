"""What the rules lab measures of matches, and the packaged figures of the presets.

Programs that only pass figures on need no more than this module, which loads no compiled code.
"""

import hashlib
from collections.abc import Sequence
from functools import cache
from importlib.resources import files

import msgspec

from liarsdice.core.rules.choices import Choice
from liarsdice.core.rules.parts import Labels
from liarsdice.core.rules.ruleset import Ruleset

DECISION_S, ROUND_S = 10.0, 20.0
"""How long people take for a decision, and for the reveal and the roll of a round, in seconds: an assumption."""
FIGURES_FILE = "preset_figures.json"
DIGEST_LENGTH = 16


class Measure(Choice):
    """What the lab measures.

    `OPENING`: how much likelier who opens the match wins than an even share. `ROUNDS`, `MINUTES`: the length of a
    match. `LUCK`: the share of the variance of results that the luck of the dice explains. `EXACT_CALLS`: exact calls
    in a match. `EXACT_RIGHT`: the share of exact calls that are right.
    """

    OPENING = "opening"
    ROUNDS = "rounds"
    MINUTES = "minutes"
    LUCK = "luck"
    EXACT_CALLS = "exact_calls"
    EXACT_RIGHT = "exact_right"


class Measurement(msgspec.Struct, frozen=True):
    """A measure with half of its 95% interval; None where nothing was measured, as of exact calls that nobody made."""

    value: float | None
    error: float | None


class MeasureComparison(msgspec.Struct, frozen=True):
    """A measure under the old rules, and under the new ones if there are any.

    `changed`: whether the interval of the change lies beside 0.
    """

    measure: Measure
    old: Measurement
    new: Measurement | None = None
    changed: bool = False


class LabFigures(msgspec.Struct, frozen=True):
    """The measures of matches between `seats` players, all of them the bot `judge`, in the order of `Measure`."""

    judge: str
    seats: int
    matches: int
    measures: tuple[MeasureComparison, ...]


class PresetFigures(msgspec.Struct, frozen=True):
    """The figures of a preset, by its name with options, and the `rules_digest` of the rules that were simulated."""

    rules: str
    digest: str
    seed: int
    figures: LabFigures


def rules_digest(rules: Ruleset) -> str:
    """Return a short text that differs for rules that play differently; names and sets of dice don't count."""
    players = msgspec.structs.replace(rules.players, per_set=msgspec.UNSET)
    played = msgspec.structs.replace(rules, labels=Labels(), players=players)
    return hashlib.sha256(msgspec.json.encode(played)).hexdigest()[:DIGEST_LENGTH]


def read_preset_figures(raw: bytes) -> tuple[PresetFigures, ...]:
    """Return the figures of a file. Raises `msgspec.DecodeError` if it is none of this format."""
    return msgspec.json.decode(raw, type=tuple[PresetFigures, ...])


def write_preset_figures(figures: Sequence[PresetFigures]) -> bytes:
    """Return a file of figures, one preset and number of seats in a line."""
    lines = [msgspec.json.encode(entry) for entry in figures]
    return b"[\n" + b",\n".join(lines) + b"\n]\n"


@cache
def packaged_figures() -> dict[tuple[str, int], PresetFigures]:
    """Return the packaged figures by the name of the preset and the number of seats."""
    raw = (files("liarsdice.analysis.rules_lab") / FIGURES_FILE).read_bytes()
    return {(entry.rules, entry.figures.seats): entry for entry in read_preset_figures(raw)}
