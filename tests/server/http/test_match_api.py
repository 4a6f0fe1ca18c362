"""The summary of a match is public when its record is: when the match is over."""

from pathlib import Path

import pytest

from liarsdice.core.errors import RecordError
from liarsdice.core.records.awards import awards, dice_by_round
from liarsdice.core.records.record import read_record
from liarsdice.play.verify_record import KEY_BYTES, RecordSigner, verify_record
from liarsdice.server.http.auth import COOKIE, hash_token
from liarsdice.server.table import commands as c
from liarsdice.server.table.dice_source import ProvableDiceSource
from tests.server.live_tables import begin_match, is_over, make_table, wait_until
from tests.server.running_server import run_server


async def test_the_summary_of_a_match_follows_from_its_record(tmp_path: Path) -> None:
    async with run_server(tmp_path / "db") as server:
        live_table = await make_table(server.registry, "Ann", bots=("random",))
        await server.registry.submit(live_table, hash_token("Ann"), "begin", c.Begin())
        await server.registry.submit(live_table, hash_token("Ann"), "bot", c.StandIn(1, bot=True))
        await wait_until(live_table, is_over)
        path = f"/api/tables/{live_table.code}/matches/1"
        record = read_record((await server.browser().get(path)).content)
        summary = (await server.browser().get(f"{path}/summary")).json()
    assert summary["dice"] == [list(row) for row in dice_by_round(record.events)]
    assert [award["kind"] for award in summary["awards"]] == [award.kind.value for award in awards(record.events)]


async def test_the_summary_of_a_match_that_is_not_over_is_refused(tmp_path: Path) -> None:
    async with run_server(tmp_path / "db") as server:
        live_table = await make_table(server.registry, "Ann", "Bo")
        await begin_match(server.registry, live_table)
        for number in (0, 1, 2):
            answer = await server.browser().get(f"/api/tables/{live_table.code}/matches/{number}/summary")
            assert answer.status_code == 403


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
