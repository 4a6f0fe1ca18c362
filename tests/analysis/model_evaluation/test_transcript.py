"""Transcripts are read as they were written."""

from __future__ import annotations

from pathlib import Path

import pytest

from liarsdice.analysis.model_evaluation.evaluation import (
    FORMAT,
    TranscriptHeader,
    read_transcript,
    write_transcript,
)
from liarsdice.bots.external.language_model import AttemptOutcome
from liarsdice.core.errors import MalformedError, UnavailableError
from tests.analysis.model_evaluation.fixtures import decision

HEADER = TranscriptHeader(
    format=FORMAT, engine="1", model="m", opponent="novice", deal=1, match=1, seat=0, system_prompt="rules"
)


def test_a_transcript_is_read_back(tmp_path: Path) -> None:
    path = tmp_path / "transcript.jsonl"
    decisions = (
        decision(cost=0.25, tokens=9),
        decision(AttemptOutcome.ILLEGAL, AttemptOutcome.NO_ANSWER, AttemptOutcome.UNREADABLE),
    )
    write_transcript(path, HEADER, decisions)
    assert read_transcript(path) == decisions
    assert path.read_text(encoding="utf-8").count("\n") == 3
    assert path.read_text(encoding="utf-8").startswith('{"record":"liarsdice_transcript","format":1,')


@pytest.mark.parametrize("content", [b"", b"{}\n", b'{"record":"liarsdice_arena"}\n', b"\xff\n"])
def test_another_file_is_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "transcript.jsonl"
    path.write_bytes(content)
    with pytest.raises(MalformedError, match="is not a transcript"):
        read_transcript(path)


def test_a_file_that_is_not_there_is_unavailable(tmp_path: Path) -> None:
    with pytest.raises(UnavailableError, match="cannot read"):
        read_transcript(tmp_path / "none.jsonl")
