"""`liarsdice verify`, as it is run."""

from pathlib import Path

import pytest

from tests.cli.run_cli import run_cli
from tests.play.provable_matches import SEED, provable_record


def test_a_match_from_a_server_is_verified(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    path = tmp_path / "match.jsonl"
    path.write_text(provable_record("perudo"), encoding="utf-8")
    assert run_cli(monkeypatch, "verify", path) == 0
    assert "Every die follows from the seeds" in capsys.readouterr().out


def test_a_match_with_another_seed_is_refused_by_name(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    path = tmp_path / "match.jsonl"
    path.write_text(provable_record("perudo").replace(SEED, "0" * 64), encoding="utf-8")
    assert run_cli(monkeypatch, "verify", path) == 2
    assert f"{path}: the server's seed is not the one that it promised" in capsys.readouterr().err
