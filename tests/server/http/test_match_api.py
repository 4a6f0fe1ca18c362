"""The summary of a match is public when its record is: when the match is over."""

from pathlib import Path

from liarsdice.core.records.awards import awards, dice_by_round
from liarsdice.core.records.record import read_record
from liarsdice.server.http.auth import hash_token
from liarsdice.server.table import commands as c
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
