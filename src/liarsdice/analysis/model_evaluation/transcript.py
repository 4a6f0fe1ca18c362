"""Transcripts: what a model read and answered in one match, with the cost of each decision, as JSON lines."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import msgspec

from liarsdice.analysis.review.results import Source
from liarsdice.bots.external.language_model import ModelDecision
from liarsdice.core.errors import MalformedError, UnavailableError
from liarsdice.runtime.atomic_files import write_atomically

FORMAT = 1


class TranscriptHeader(msgspec.Struct, frozen=True, kw_only=True, tag="liarsdice_transcript", tag_field="record"):
    """The first line of a transcript. `deal` and `match` count from 1, `seat` counts from 0.

    `system_prompt`: the first message of every chat; the second one is the `prompt` of a decision.
    """

    format: int
    engine: str
    model: str
    opponent: str
    deal: int
    match: int
    seat: int
    system_prompt: str


class DecisionCost(msgspec.Struct, frozen=True):
    """What a decision cost by the review: a share of the match in 0..1, with half of its 95% interval as `error`.

    `source`: where the values come from. `best`: the best move in notation, `silent` for none.
    """

    cost: float
    error: float
    source: Source
    best: str


class TranscriptDecision(msgspec.Struct, frozen=True):
    """A decision, and what it cost; None if it was not reviewed, or if a call by somebody else came first."""

    decision: ModelDecision
    cost: DecisionCost | None


def write_transcript(path: Path, header: TranscriptHeader, decisions: Sequence[TranscriptDecision]) -> None:
    """Write a transcript, whole or not at all. Raises `UnavailableError` if that is not possible."""
    write_atomically(path, msgspec.json.Encoder().encode_lines([header, *decisions]))


def read_transcript(path: Path) -> tuple[TranscriptDecision, ...]:
    """Return the decisions of a transcript.

    Raises `UnavailableError` if the file cannot be read and `MalformedError` if it is no transcript.
    """
    try:
        lines = path.read_bytes().splitlines()
        msgspec.json.decode(lines[0] if lines else b"", type=TranscriptHeader)
        return tuple(msgspec.json.decode(line, type=TranscriptDecision) for line in lines[1:])
    except OSError as error:
        raise UnavailableError(f"cannot read {path}: {error.strerror}") from error
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise MalformedError(f"{path} is not a transcript: {error}") from error
