"""`liarsdice train`, as it is run."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from liarsdice.bots.network import Network
from liarsdice.train.plan import PLAN, Plan
from liarsdice.train.run import BEST, CHECKPOINT, CURVE
from liarsdice.train.values import VALUES
from tests.cli.ended import status

SMALL = Plan(
    rules=("joker", "perudo"),
    iterations=2,
    width=8,
    layers=1,
    tables=3,
    at_once=2,
    matches=8,
    steps=8,
    measure_every=2,
    measure_matches=10,
)


@pytest.fixture
def small(tmp_path: Path) -> Path:
    """The plan of a run that takes a second."""
    path = tmp_path / "small.json"
    path.write_bytes(msgspec.json.encode(SMALL))
    return path


def test_a_run_leaves_a_network_and_goes_on(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], small: Path, tmp_path: Path
) -> None:
    out = tmp_path / "run"
    assert status(monkeypatch, "train", "-o", out, "--plan", small, "--threads", "1", "--minutes", "0") == 0
    assert not (out / BEST).exists()
    assert capsys.readouterr().out.splitlines() == ["paused after 0 iterations; strength is measured every 2"]
    assert status(monkeypatch, "train", "-o", out, "--threads", "1") == 0  # by the plan that it was begun with
    *lines, last = capsys.readouterr().out.splitlines()
    assert [line.split(",")[0] for line in lines if "/2" in line] == ["1/2", "2/2"]
    assert last.startswith("strongest so far: ")
    assert Network.load(out / BEST).weights[0].shape[1] == SMALL.width
    assert len((out / CURVE).read_text().splitlines()) == 2


def test_what_answers_are_worth_is_learned_afterwards(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], small: Path, tmp_path: Path
) -> None:
    out = tmp_path / "run"
    assert status(monkeypatch, "train", "-o", out, "--plan", small, "--threads", "1", "--values", "2") == 0
    assert capsys.readouterr().out.splitlines()[-1] == f"what answers are worth: {out / VALUES}"
    assert Network.load(out / VALUES).weights[0].shape[1] == SMALL.width


def test_another_run_may_begin_with_its_networks(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], small: Path, tmp_path: Path
) -> None:
    first, second = tmp_path / "first", tmp_path / "second"
    assert status(monkeypatch, "train", "-o", first, "--plan", small, "--threads", "1") == 0
    begun = first / CHECKPOINT
    assert status(monkeypatch, "train", "-o", second, "--plan", small, "--begin", begun, "--rules", "joker") == 0
    kept = msgspec.json.decode((second / PLAN).read_bytes(), type=Plan)
    assert kept == msgspec.structs.replace(SMALL, rules=("joker",), begin=str(begun))
    capsys.readouterr()


@pytest.mark.parametrize(
    "options, complaint",
    [
        (("--rules", "pokr"), "pokr"),
        (("--begin", "nowhere.pt"), "cannot begin with nowhere.pt"),
        (("--begin", "nobody"), "no network is called nobody"),
        (("--begin", "champion@1"), "cannot begin with champion@1: it holds no networks with 1 layers of 8"),
        (("--plan", "nowhere.json"), "nowhere.json cannot be read"),
        (("--seed", "7"), "holds a run by another plan (other seed)"),
        (("--rules", ""), "''"),
    ],
)
def test_what_cannot_be_is_refused(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    small: Path,
    tmp_path: Path,
    options: tuple[str, ...],
    complaint: str,
) -> None:
    out = tmp_path / "run"
    out.mkdir()
    (out / PLAN).write_bytes(small.read_bytes())
    assert status(monkeypatch, "train", "-o", out, *options) == 2
    assert complaint in capsys.readouterr().err


def test_a_file_that_is_no_checkpoint_is_refused(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], small: Path, tmp_path: Path
) -> None:
    junk = tmp_path / "junk.pt"
    for held in (b"", b"no checkpoint at all", small.read_bytes()):
        junk.write_bytes(held)
        assert status(monkeypatch, "train", "-o", tmp_path / "run", "--plan", small, "--begin", junk) == 2
        assert f"cannot begin with {junk}: it holds no networks" in capsys.readouterr().err


def test_a_file_that_is_no_plan_is_refused(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    path = tmp_path / "plan.json"
    for text in ('{"rules": 3}', '{"tables": 0}', '{"sparring": 1.5}', '{"seed": -1}', "no plan"):
        path.write_text(text)
        assert status(monkeypatch, "train", "-o", tmp_path / "run", "--plan", path) == 2
        assert "holds no plan of a training run" in capsys.readouterr().err
    for text, complaint in (
        ('{"rivals": ["champion@99"]}', "no network is called champion@99"),
        ('{"tables": 4, "at_once": 5}', "5 tables cannot play at once"),
        ('{"sparring": 0.5, "duels": 0.5, "against": 0.1}', "come to 1.1 together"),
    ):
        path.write_text(text)
        assert status(monkeypatch, "train", "-o", tmp_path / "run", "--plan", path) == 2
        assert complaint in capsys.readouterr().err
    assert not (tmp_path / "run").exists()


def test_a_folder_that_cannot_be_is_refused(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], small: Path
) -> None:
    assert status(monkeypatch, "train", "-o", small / "below", "--plan", small) == 2
    assert f"cannot write to {small / 'below'}" in capsys.readouterr().err


def test_a_damaged_checkpoint_is_refused(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], small: Path, tmp_path: Path
) -> None:
    out = tmp_path / "run"
    assert status(monkeypatch, "train", "-o", out, "--plan", small, "--minutes", "0") == 0
    (out / CHECKPOINT).write_bytes(b"damaged")
    capsys.readouterr()
    assert status(monkeypatch, "train", "-o", out) == 2
    assert f"{out / CHECKPOINT} cannot be read" in capsys.readouterr().err
