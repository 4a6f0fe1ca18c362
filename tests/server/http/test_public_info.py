"""The records that a server publishes are signed with the key that it publishes."""

from pathlib import Path

from liarsdice.play.verify_record import verify_record
from liarsdice.server.http.auth import COOKIE, hash_token
from liarsdice.server.table import commands as c
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
        key = (await ann.get("/api/key")).json()["key"]
        record = (await ann.get(f"/api/tables/{code}/matches/1")).content
    assert verify_record(record, key=key).signed
