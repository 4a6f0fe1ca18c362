"""`liarsdice admin ban`: what an operator writes, while a server runs, and what is known of the banned."""

import re
from pathlib import Path

import pytest

from liarsdice.server.http.auth import hash_token
from liarsdice.server.http.server_bans import TOKEN_SCOPE, network_hash
from liarsdice.server.live.live_table import LiveTable
from liarsdice.server.live.table_registry import TableRegistry
from liarsdice.server.storage.audit_log import audit_path
from liarsdice.server.storage.signing_keys import key_path, read_or_create_secret
from liarsdice.server.table import commands as c
from tests.cli.server.test_admin import Captured, Patch, admin, audit
from tests.server.live_tables import START_MS, make_table, open_registry

ADDRESS = "192.0.2.7"


async def sit_down(registry: TableRegistry, live_table: LiveTable, name: str, address: str) -> int:
    player_id = await registry.take_seat(live_table, name, hash_token(name), "", f"sit-{name}", address)
    assert player_id is not None
    return player_id


async def test_a_network_is_banned_for_some_hours_listed_and_let_in_again(
    tmp_path: Path, monkeypatch: Patch, capsys: Captured
) -> None:
    database = tmp_path / "db"
    monkeypatch.setattr("time.time", lambda: START_MS / 1000)
    async with open_registry(database) as registry:
        store = registry.services.store
        status, printed, _ = admin(
            monkeypatch, capsys, database, "ban", "add", "192.0.2.0/24", "--hours", "2", "--note", "spam"
        )
        assert (status, printed) == (0, "Ban 1 is in force (IPv4 /24). `liarsdice admin ban lift 1` lifts it.\n")
        secret = read_or_create_secret(key_path(database), "the key")
        (ban,) = await store.server_bans(START_MS + 2 * 3_600_000 - 1)
        assert (ban.scope, ban.hash) == network_hash(secret, "192.0.2.99/24")
        assert await store.server_bans(START_MS + 2 * 3_600_000) == ()
        head, line = admin(monkeypatch, capsys, database, "ban", "list")[1].splitlines()
        assert head.split()[0] == "ban"
        assert re.split(r"  +", line) == ["1", "IPv4 /24", "2026-09-21 14:13", "2026-09-21 16:13", "spam"]
        assert admin(monkeypatch, capsys, database, "ban", "lift", "1")[1] == "Ban 1 is lifted.\n"
        assert await store.server_bans(START_MS) == ()
    status, _, error = admin(monkeypatch, capsys, database, "ban", "lift", "1")
    assert status == 2
    assert "there is no ban 1" in error
    assert audit(database) == [
        *(("ban add", "began"), ("ban add", "done"), ("ban lift", "began"), ("ban lift", "done")),
        *(("ban lift", "began"), ("ban lift", "failed")),
    ]


async def test_neither_the_database_nor_the_audit_log_has_a_banned_address(
    tmp_path: Path, monkeypatch: Patch, capsys: Captured
) -> None:
    database = tmp_path / "db"
    async with open_registry(database):
        assert admin(monkeypatch, capsys, database, "ban", "add", ADDRESS)[0] == 0
    assert ADDRESS.encode() not in database.read_bytes()
    assert ADDRESS.encode() not in audit_path(database).read_bytes()
    assert b'"of":"IPv4 /32"' in audit_path(database).read_bytes()


async def test_a_player_is_banned_by_devices_and_address_also_after_leaving(
    tmp_path: Path, monkeypatch: Patch, capsys: Captured
) -> None:
    async with open_registry(tmp_path / "db") as registry:
        live_table = await make_table(registry, "Ann")
        bo = await sit_down(registry, live_table, "Bo", ADDRESS)
        await registry.add_device(live_table, bo, hash_token("Bo's phone"))
        await registry.submit(live_table, hash_token("Bo"), "leave", c.Leave())
        status, printed, _ = admin(
            monkeypatch, capsys, tmp_path / "db", "ban", "add", "--table", live_table.code.lower(), "--player", "Bo"
        )
        assert status == 0
        assert f"({live_table.code} address, 2 devices)" in printed
        bans = {(ban.scope, ban.hash) for ban in await registry.services.store.server_bans(START_MS)}
        assert bans == {
            (TOKEN_SCOPE, hash_token("Bo")),
            (TOKEN_SCOPE, hash_token("Bo's phone")),
            (live_table.code, registry.services.hash_address(live_table.code, ADDRESS)),
        }


async def test_an_address_that_others_at_the_table_share_is_not_banned_with_a_player(
    tmp_path: Path, monkeypatch: Patch, capsys: Captured
) -> None:
    async with open_registry(tmp_path / "db") as registry:
        live_table = await make_table(registry, "Ann")
        for name in ("Bo", "Cy"):
            await sit_down(registry, live_table, name, ADDRESS)
        printed = admin(
            monkeypatch, capsys, tmp_path / "db", "ban", "add", "--table", live_table.code, "--player", "Bo"
        )[1]
        assert "(1 device)" in printed
        status, _, error = admin(
            monkeypatch, capsys, tmp_path / "db", "ban", "add", "--table", live_table.code, "--player", "Dee"
        )
        assert status == 2
        assert "has had no player 'Dee'" in error


@pytest.mark.parametrize(
    "arguments",
    [
        (),
        ("--table", "ABCD"),
        (ADDRESS, "--table", "ABCD", "--player", "Bo"),
        ("Ann",),
        (ADDRESS, "--note", "x" * 201),
    ],
)
async def test_a_ban_of_nobody_or_of_two_things_is_refused(
    tmp_path: Path, monkeypatch: Patch, capsys: Captured, arguments: tuple[str, ...]
) -> None:
    async with open_registry(tmp_path / "db"):
        status, _, error = admin(monkeypatch, capsys, tmp_path / "db", "ban", "add", *arguments)
    assert status == 2
    assert error.count("\n") == 1
    assert not audit_path(tmp_path / "db").exists()
