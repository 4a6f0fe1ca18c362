"""The records that a server publishes are signed with the key that it publishes."""

from pathlib import Path

import pytest

from liarsdice.core.errors import RecordError
from liarsdice.play.verify_record import KEY_BYTES, RecordSigner, verify_record
from liarsdice.server.http.auth import COOKIE, hash_token
from liarsdice.server.table import commands as c
from liarsdice.server.table.dice_source import ProvableDiceSource
from tests.server.live_tables import is_over, wait_until
from tests.server.running_server import run_server


async def test_a_published_record_is_signed_with_the_published_key(tmp_path: Path) -> None:
    async with run_server(tmp_path / "db") as server:
        ann = server.browser()
        code = await server.open_table(ann, bots=["random"], rules="openspiel", seats=2)
        live_table = await server.registry.get(code)
        token_hash = hash_token(ann.cookies[COOKIE])
        await server.registry.submit(live_table, token_hash, "begin", c.Begin())
        await server.registry.submit(live_table, token_hash, "bot", c.StandIn(1, bot=True))
        await wait_until(live_table, is_over)
        published = (await ann.get("/api/key")).json()
        record = (await ann.get(f"/api/tables/{code}/matches/1")).content
    assert verify_record(record, keys=[published["key"]]).fairness.key
    assert published["retired"] == []


async def test_the_record_of_a_match_is_signed_with_the_key_under_which_it_began(tmp_path: Path) -> None:
    """As after a restart with another key: the server publishes the old one, too."""
    first, second = bytes(KEY_BYTES), bytes([1] * KEY_BYTES)
    async with run_server(tmp_path / "db") as server:
        ann = server.browser()
        server.services.dice_source = ProvableDiceSource(RecordSigner(first).public_key)
        code = await server.open_table(ann, bots=["random"], rules="openspiel", seats=2)
        live_table = await server.registry.get(code)
        token_hash = hash_token(ann.cookies[COOKIE])
        await server.registry.submit(live_table, token_hash, "begin", c.Begin())
        await server.registry.submit(live_table, token_hash, "bot", c.StandIn(1, bot=True))
        await wait_until(live_table, is_over)
        server.app.state.signer = RecordSigner(second, [first])
        published = (await ann.get("/api/key")).json()
        record = (await ann.get(f"/api/tables/{code}/matches/1")).content
    assert published == {"key": RecordSigner(second).public_key, "retired": [RecordSigner(first).public_key]}
    assert verify_record(record, keys=published["retired"]).fairness.key
    with pytest.raises(RecordError, match="signed by another key"):
        verify_record(record, keys=[published["key"]])
