"""`liarsdice verify`, as it is run."""

from pathlib import Path

import pytest
from msgspec.structs import replace

from liarsdice.play.provable_dice import commitment_to
from tests.cli.run_cli import error_line, output_of, run_cli
from tests.play.provable_matches import FAIRNESS, SEED, SIGNER, promise_of, provable_record, resigned


@pytest.fixture
def path(tmp_path: Path) -> Path:
    written = tmp_path / "match.jsonl"
    written.write_text(provable_record("perudo"), encoding="utf-8")
    return written


def test_a_match_from_a_server_is_verified(path: Path) -> None:
    out = output_of("verify", path)
    assert "Every die follows from the seeds" in out
    assert f"--key: {SIGNER.public_key}" in out
    assert f"--promise: {promise_of('perudo')}" in out


def test_a_match_is_verified_with_the_known_key_and_promise(path: Path) -> None:
    known = ("--key", SIGNER.public_key, "--promise", promise_of("perudo"))
    assert "The key that you named signs every byte" in output_of("verify", path, *known)
    assert run_cli("verify", path, "--key", "0" * 64) == 2
    assert run_cli("verify", path, "--promise", "0" * 64) == 2


def test_a_match_that_lacks_a_commitment_which_the_server_confirmed_is_refused(path: Path) -> None:
    (known,) = filter(None, FAIRNESS.commitments[:1])
    assert run_cli("verify", path, "--commitment", known) == 0
    assert "the server left the commitment 0000" in error_line("verify", path, "--commitment", "0" * 64)


def test_a_seat_without_a_commitment_is_named(path: Path) -> None:
    unpromised = replace(FAIRNESS, seeds=(FAIRNESS.seeds[0], "", ""), commitments=(FAIRNESS.commitments[0], "", ""))
    path.write_text(provable_record("perudo", unpromised), encoding="utf-8")
    assert "No seed was promised for these seats: 2, 3." in output_of("verify", path)


def test_a_match_with_another_seed_is_refused_by_name(path: Path) -> None:
    path.write_text(resigned(provable_record("perudo").replace(SEED, "0" * 64)), encoding="utf-8")
    assert f"{path}: the server's seed is not the one that it promised" in error_line("verify", path)


def test_an_unfinished_record_is_no_success(path: Path) -> None:
    lines = provable_record("perudo").splitlines(keepends=True)
    path.write_text("".join(lines[:3]), encoding="utf-8")
    assert "the match is not finished" in error_line("verify", path)


def test_two_matches_with_the_same_seed_are_refused(path: Path, tmp_path: Path) -> None:
    other = "5eee" * 16
    rematch = tmp_path / "rematch.jsonl"
    fairness = replace(FAIRNESS, number=2, server_seed=other, commitment=commitment_to(other))
    rematch.write_text(provable_record("perudo", fairness), encoding="utf-8")
    assert "use the same seed" in error_line("verify", path, rematch)


def test_several_matches_are_verified_at_once(path: Path, tmp_path: Path) -> None:
    rematch = tmp_path / "rematch.jsonl"
    fresh = ("5eee" * 16, "c3" * 32)
    fairness = replace(
        FAIRNESS,
        number=2,
        server_seed=fresh[0],
        commitment=commitment_to(fresh[0]),
        seeds=("", "", ""),
        commitments=(commitment_to(fresh[1]), "", ""),
    )
    rematch.write_text(provable_record("basic", fairness), encoding="utf-8")
    out = output_of("verify", path, rematch)
    assert "did not reveal it in time, so it is not in the dice: 1." in out
    assert "Beware: no player added a seed" in out
    assert run_cli("verify", "--strict", path) == 0
    assert "rematch.jsonl: no player's seed is in the dice" in error_line("verify", "--strict", path, rematch)
    assert run_cli("verify", path, rematch, "--promise", "0" * 64) == 2
