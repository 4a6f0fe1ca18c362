"""`liarsdice admin export`: one file for each finished match, from any database, also beside a running server."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from liarsdice.cli.server.export_records import run
from liarsdice.cli.stdio import EXIT_ERROR
from liarsdice.core.errors import UnavailableError
from liarsdice.core.records.record import read_record
from liarsdice.play.provable_dice import verify_dice
from liarsdice.play.verify_record import RecordSigner, verify_record
from liarsdice.server.http.auth import hash_token
from liarsdice.server.http.match_api import match_record
from liarsdice.server.live.table_registry import TableRegistry
from liarsdice.server.settings import signing_key_path
from liarsdice.server.storage.administration import SqliteAdministration
from liarsdice.server.storage.signing_keys import read_or_create_secret
from liarsdice.server.table import commands as c
from tests.server.live_tables import is_over, make_config, make_table, open_registry, wait_until

ANN = hash_token("Ann")


def export(database: Path, folder: Path) -> int:
    return run(str(folder), SqliteAdministration(database), signing_key_path(database))


async def play_match(registry: TableRegistry) -> str:
    live_table = await make_table(registry, "Ann", config=make_config(seats=2), bots=("random",))
    await registry.submit(live_table, ANN, "begin", c.Begin())
    await registry.submit(live_table, ANN, "bot", c.StandIn(1, bot=True))
    await wait_until(live_table, is_over)
    return live_table.code


async def test_every_finished_match_is_exported_once_beside_a_running_server(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "new" / "records"
    async with open_registry(tmp_path / "db") as registry:
        codes = [await play_match(registry) for _ in range(2)]
        await make_table(registry, "Bo")
        assert export(tmp_path / "db", folder) == 0
        logs = {code: await registry.services.store.load(code) for code in codes}
    assert {file.name: file.read_text(encoding="utf-8") for file in folder.iterdir()} == {
        f"20260921-{code}-1.jsonl": unsigned.text
        for code, log in logs.items()
        if log and (unsigned := match_record(log.rows, 1))
    }
    for file in folder.iterdir():
        assert verify_dice(read_record(file)).dice > 0
    assert export(tmp_path / "db", folder) == 0
    assert f"Records written to {folder}: 0. Records that were there already: 2." in capsys.readouterr().out


async def test_exported_records_are_signed_if_the_key_file_is_beside_the_database(tmp_path: Path) -> None:
    signer = RecordSigner(read_or_create_secret(tmp_path / "db.signing-key", "the signing key"))
    async with open_registry(tmp_path / "db", signer=signer) as registry:
        code = await play_match(registry)
    assert export(tmp_path / "db", tmp_path / "records") == 0
    record = (tmp_path / "records" / f"20260921-{code}-1.jsonl").read_bytes()
    assert verify_record(record, keys=[signer.public_key]).fairness.key


@pytest.mark.parametrize("body", ["nonsense", '{"type":"was_ready","player":9}'])
async def test_a_damaged_table_is_named_and_all_others_are_exported(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], body: str
) -> None:
    async with open_registry(tmp_path / "db") as registry:
        damaged = (await make_table(registry, "Bo")).code
        await play_match(registry)
    with closing(sqlite3.connect(tmp_path / "db")) as connection:
        connection.execute("UPDATE entries SET body = ? WHERE code = ? AND seq = 3", (body, damaged))
        connection.commit()
    assert export(tmp_path / "db", tmp_path / "records") == EXIT_ERROR
    assert f"the log of table {damaged} cannot be read: entry 3" in capsys.readouterr().err
    assert len(list((tmp_path / "records").iterdir())) == 1


def test_a_folder_that_cannot_be_created_is_refused(tmp_path: Path) -> None:
    (tmp_path / "text").touch()
    with pytest.raises(UnavailableError, match="cannot write to"):
        run(str(tmp_path / "text" / "records"), SqliteAdministration(tmp_path / "none"), tmp_path / "key")
