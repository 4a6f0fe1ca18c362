"""`liarsdice admin promise-key`: after a rotation, records of both keys verify with the exported ones."""

from pathlib import Path

from liarsdice.play.verify_record import RecordSigner
from liarsdice.server.storage.signing_keys import read_signing_keys, retired_keys_path
from tests.cli.run_cli import run_captured
from tests.cli.server.test_admin import Captured, Patch, admin, audit, play_match
from tests.server.live_tables import open_registry


async def test_records_of_the_old_and_of_the_new_key_verify_after_a_rotation(
    tmp_path: Path, monkeypatch: Patch, capsys: Captured
) -> None:
    database, key_file = tmp_path / "db", tmp_path / "db.signing-key"
    async with open_registry(database, signer=RecordSigner(*read_signing_keys(key_file))) as registry:
        await play_match(registry)
    capsys.readouterr()
    (old,) = admin(monkeypatch, capsys, database, "promise-key", "show")[1].splitlines()
    old = old.removesuffix("  present")
    status, printed, _ = admin(monkeypatch, capsys, database, "promise-key", "rotate")
    assert status == 0
    assert "Restart the server" in printed
    shown = admin(monkeypatch, capsys, database, "promise-key", "show")[1].splitlines()
    new = shown[0].removesuffix("  present")
    assert shown[1:] == [f"{old}  retired"]
    assert new != old
    assert audit(database) == [("promise-key rotate", "began"), ("promise-key rotate", "done")]

    async with open_registry(database, signer=RecordSigner(*read_signing_keys(key_file))) as registry:
        await play_match(registry)
    capsys.readouterr()
    assert admin(monkeypatch, capsys, database, "promise-key", "export", tmp_path / "keys")[0] == 0
    assert (tmp_path / "keys").read_text(encoding="ascii").split() == [new, old]
    assert admin(monkeypatch, capsys, database, "export", tmp_path / "records")[0] == 0
    records = [*(tmp_path / "records").iterdir()]
    assert len(records) == 2
    assert run_captured(monkeypatch, capsys, "verify", *records, "--keys", tmp_path / "keys")[0] == 0
    outcomes = {run_captured(monkeypatch, capsys, "verify", record, "--key", old)[0] for record in records}
    assert outcomes == {0, 2}, "each record has the signature of the key under which its match began"


async def test_the_retired_keys_are_in_a_backup(tmp_path: Path, monkeypatch: Patch, capsys: Captured) -> None:
    database = tmp_path / "db"
    read_signing_keys(tmp_path / "db.signing-key")
    async with open_registry(database):
        assert admin(monkeypatch, capsys, database, "promise-key", "rotate")[0] == 0
        assert admin(monkeypatch, capsys, database, "backup", tmp_path / "copy")[0] == 0
    assert admin(monkeypatch, capsys, tmp_path / "new" / "db", "restore", tmp_path / "copy")[0] == 0
    for base in ("copy", "new/db"):
        assert read_signing_keys(tmp_path / f"{base}.signing-key") == read_signing_keys(tmp_path / "db.signing-key")
        assert retired_keys_path(tmp_path / f"{base}.signing-key").exists()


def test_a_server_that_never_ran_has_no_key(tmp_path: Path, monkeypatch: Patch, capsys: Captured) -> None:
    for command in ("show", "rotate"):
        status, _, error = admin(monkeypatch, capsys, tmp_path / "db", "promise-key", command)
        assert status == 2
        assert "a server creates it when it first starts" in error
    assert list(tmp_path.iterdir()) == []


def test_a_file_without_keys_verifies_nothing(tmp_path: Path, monkeypatch: Patch, capsys: Captured) -> None:
    for text in ("", "shopping list"):
        (tmp_path / "keys").write_text(text, encoding="ascii")
        status, _, error = run_captured(monkeypatch, capsys, "verify", "none.jsonl", "--keys", tmp_path / "keys")
        assert status == 2
        assert "has not one public key on each line" in error
