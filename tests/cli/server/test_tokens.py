"""`liarsdice admin token`: what an operator gives to programs, while a server runs."""

import re
from pathlib import Path

import pytest

from liarsdice.server.http.auth import hash_token, is_token
from liarsdice.server.settings import TokenScope
from liarsdice.server.storage.audit_log import audit_path
from liarsdice.server.storage.store import ProgramToken
from tests.cli.server.test_admin import Captured, Patch, admin, audit
from tests.server.live_tables import START_MS, open_registry

DAY_MS = 24 * 3_600_000


async def test_a_token_is_shown_once_listed_and_revoked(tmp_path: Path, monkeypatch: Patch, capsys: Captured) -> None:
    database = tmp_path / "db"
    monkeypatch.setattr("time.time", lambda: START_MS / 1000)
    async with open_registry(database) as registry:
        store = registry.services.store
        capsys.readouterr()
        words = ("token", "add", "ladder", "--scope", "play", "--scope", "read", "--expires", "2")
        status, printed, _ = admin(monkeypatch, capsys, database, *words)
        token = printed.strip()
        assert status == 0
        assert is_token(token)
        until_ms = START_MS + 2 * DAY_MS
        scopes = (TokenScope.READ, TokenScope.PLAY)
        assert await store.program_tokens() == (ProgramToken(hash_token(token), "ladder", scopes, START_MS, until_ms),)
        admin(monkeypatch, capsys, database, "token", "add", "other", "--scope", "open")
        _, first, second = admin(monkeypatch, capsys, database, "token", "list")[1].splitlines()
        assert re.split(r"  +", first) == ["ladder", "read play", "2026-09-21 14:13", "2026-09-23 14:13"]
        assert re.split(r"  +", second) == ["other", "open", "2026-09-21 14:13", "until revoked"]
        assert admin(monkeypatch, capsys, database, "token", "revoke", "ladder")[1] == "The token ladder is revoked.\n"
        assert len(admin(monkeypatch, capsys, database, "token", "list")[1].splitlines()) == 2
    status, _, error = admin(monkeypatch, capsys, database, "token", "revoke", "ladder")
    assert status == 2
    assert "there is no token 'ladder'" in error
    commands = ["token add", "token add", "token revoke", "token revoke"]
    outcomes = ["done", "done", "done", "failed"]
    assert audit(database) == [
        entry
        for command, outcome in zip(commands, outcomes, strict=True)
        for entry in ((command, "began"), (command, outcome))
    ]
    assert token not in audit_path(database).read_text()
    assert token.encode() not in database.read_bytes()


@pytest.mark.parametrize("name", ["", " a", "a" * 41, "a\nb"])
async def test_a_name_that_cannot_be_is_refused(
    tmp_path: Path, monkeypatch: Patch, capsys: Captured, name: str
) -> None:
    async with open_registry(tmp_path / "db"):
        status, _, error = admin(monkeypatch, capsys, tmp_path / "db", "token", "add", name, "--scope", "read")
    assert status == 2
    assert "a name has 1 to 40" in error
