"""Programs at a table over HTTP: views that wait for news, and commands."""

import asyncio
import io
from pathlib import Path

import httpx
import msgspec
import pytest

from liarsdice.core.rules.bids import Bid
from liarsdice.server.http import program_api
from liarsdice.server.http.address_limits import RateLimits
from liarsdice.server.http.auth import hash_token, new_token
from liarsdice.server.http.connections import MAX_PIPELINED
from liarsdice.server.protocol.encoding import ENCODER
from liarsdice.server.protocol.messages import CommandRequest, TableSetup
from liarsdice.server.storage.store import ServerBan
from liarsdice.server.table import commands as c
from liarsdice.wire import Update
from tests.server.live_tables import (
    PATIENCE_S,
    RecordingSubscriber,
    is_bidding,
    make_config,
    match_of,
    wait_until,
)
from tests.server.running_server import RunningServer, run_server
from tests.server.twin_tables import CODE, NAMES, SPECTATOR, STRANGER, TwinDiceSource, TwinTable

LONG_S = 30


class TableView(msgspec.Struct):
    """The response to a view, with the types of its messages."""

    setup: TableSetup
    update: Update


async def view_of(client: httpx.AsyncClient, code: str, after: int = 0, wait: float = 0) -> TableView:
    answer = await client.get(f"/api/tables/{code}/view", params={"after": after, "wait": wait})
    assert answer.status_code == 200, answer.text
    return msgspec.json.decode(answer.content, type=TableView)


async def act(
    client: httpx.AsyncClient, code: str, request_id: str, turn_id: int = 0, **command: object
) -> httpx.Response:
    body = {"id": request_id, "command": command, "turn_id": turn_id}
    return await client.post(f"/api/tables/{code}/act", json=body)


async def wait_for_poll(server: RunningServer, code: str, count: int = 1) -> None:
    """Wait until so many clients of a table wait for news."""
    live_table = await server.registry.get(code)
    async with asyncio.timeout(PATIENCE_S):
        while len(live_table.subscribers) != count:  # noqa: ASYNC110  subscribers say nothing
            await asyncio.sleep(0)


# ---- the view ------------------------------------------------------------------------------------------------------


async def test_a_view_is_what_a_page_receives(server: RunningServer) -> None:
    token = new_token()
    client = server.program(token)
    code = await server.open_table(client, bots=["random"], begin=True)
    live_table = await server.registry.get(code)
    await wait_until(live_table, lambda table: is_bidding(table) and match_of(table).state.turn == 0)
    for poller, token_hash in ((client, hash_token(token)), (server.program(), "")):
        page = RecordingSubscriber(token_hash)
        live_table.subscribe(page)
        answer = await poller.get(f"/api/tables/{code}/view")
        assert answer.content == b'{"setup":%b,"update":%b}' % tuple(page.frames[:2])
        live_table.unsubscribe(page)
    view = await view_of(client, code)
    assert view.update.own.seat == 0
    assert len(view.update.own.hand) == 5


async def test_a_view_waits_for_news_and_no_longer(server: RunningServer) -> None:
    client = server.program()
    code = await server.open_table(client)
    seq = (await view_of(client, code)).update.seq
    waiting = asyncio.create_task(view_of(client, code, seq, LONG_S))
    await wait_for_poll(server, code)
    assert not waiting.done()
    assert (await act(client, code, "1", type="say", text="hello")).status_code == 200
    view = await asyncio.wait_for(waiting, PATIENCE_S)
    assert view.update.seq == seq + 1
    assert [item.seq for item in view.update.news] == [seq + 1]
    assert (await view_of(client, code, seq, LONG_S)).update.seq == seq + 1, "at once, as the table has moved on"


async def test_a_view_without_news_comes_when_its_time_is_up(server: RunningServer) -> None:
    client = server.program()
    code = await server.open_table(client)
    seq = (await view_of(client, code)).update.seq
    view = await view_of(client, code, seq, 0.01)
    assert (view.update.seq, view.update.news) == (seq, ())


async def test_a_player_counts_as_connected_for_a_while_after_a_view_and_a_spectator_does_not(
    server: RunningServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    client, spectator = server.program(), server.program()
    code = await server.open_table(client)
    live_table = await server.registry.get(code)
    seq = (await view_of(client, code)).update.seq
    monkeypatch.setattr(program_api, "LINGER_S", 1)
    for reader, connected in ((spectator, False), (client, True)):
        await view_of(reader, code, seq, 0.001)
        assert live_table.presence.is_connected(1) is connected
    await view_of(client, code, seq, 0.001)
    assert live_table.presence.local_pages().players == (1,), "one player, however many views"
    await wait_for_poll(server, code, 0)
    assert not live_table.presence.is_connected(1)


async def test_a_view_after_more_than_the_log_has_comes_at_once_and_whole(server: RunningServer) -> None:
    client = server.program()
    code = await server.open_table(client)
    assert (await view_of(client, code, 1_000, LONG_S)).update.seq < 1_000


async def test_a_client_that_goes_away_waits_no_longer(server: RunningServer) -> None:
    client = server.program()
    code = await server.open_table(client)
    seq = (await view_of(client, code)).update.seq
    waiting = asyncio.create_task(view_of(client, code, seq, LONG_S))
    await wait_for_poll(server, code)
    waiting.cancel()
    await wait_for_poll(server, code, 0)
    assert not server.registry.on_stop


async def test_a_wait_ends_with_a_connection_that_is_closed_for_too_many_requests(
    server: RunningServer, caplog: pytest.LogCaptureFixture
) -> None:
    code = await server.open_table(server.program(), spectators=True)
    seq = (await view_of(server.program(), code)).update.seq
    host, port = server.address.removeprefix("http://").split(":")
    _, writer = await asyncio.open_connection(host, int(port))
    request = f"GET /api/tables/{code}/view?after={seq}&wait={LONG_S} HTTP/1.1\r\nhost: {host}\r\n\r\n".encode()
    writer.write(request)
    await wait_for_poll(server, code)
    writer.write(request * (MAX_PIPELINED + 1))
    async with asyncio.timeout(LONG_S / 2):
        await wait_for_poll(server, code, 0)
    writer.transport.abort()
    assert not [record for record in caplog.records if record.levelname == "ERROR"]


async def test_a_server_that_stops_answers_those_who_wait(server: RunningServer) -> None:
    client = server.program()
    code = await server.open_table(client)
    seq = (await view_of(client, code)).update.seq
    params = {"after": seq, "wait": LONG_S}
    waiting = asyncio.create_task(client.get(f"/api/tables/{code}/view", params=params))
    await wait_for_poll(server, code)
    server.registry.stop()
    answer = await asyncio.wait_for(waiting, PATIENCE_S)
    assert (answer.status_code, answer.json()["code"]) == (503, "try_again")


async def test_somebody_who_is_banned_while_waiting_is_told_so(server: RunningServer) -> None:
    token = new_token()
    client = server.program(token)
    code = await server.open_table(client)
    seq = (await view_of(client, code)).update.seq
    params = {"after": seq, "wait": LONG_S}
    waiting = asyncio.create_task(client.get(f"/api/tables/{code}/view", params=params))
    await wait_for_poll(server, code)
    server.services.server_bans.replace([ServerBan("token", hash_token(token), 1, None, 0, "")])
    answer = await asyncio.wait_for(waiting, PATIENCE_S)
    assert (answer.status_code, answer.json()["code"]) == (403, "server_banned")


async def test_spectators_wait_only_at_tables_that_they_may_see(server: RunningServer) -> None:
    ann, eve = server.program(), server.program()
    code = await server.open_table(ann, spectators=False, bots=["random"], away="wait")
    seq = (await view_of(eve, code)).update.seq
    params = {"after": seq, "wait": LONG_S}
    waiting = asyncio.create_task(eve.get(f"/api/tables/{code}/view", params=params))
    await wait_for_poll(server, code)
    assert (await act(ann, code, "1", type="begin")).status_code == 200
    answer = await asyncio.wait_for(waiting, PATIENCE_S)
    assert (answer.status_code, answer.json()["code"]) == (403, "no_spectators")
    assert (await eve.get(f"/api/tables/{code}/view")).status_code == 403
    assert (await view_of(ann, code)).update.own.player == 1


@pytest.mark.parametrize("query", ["after=-1", "wait=-1", "wait=31", "wait=nan", "after=x", "wait=x"])
async def test_a_wait_that_cannot_be_is_refused(server: RunningServer, query: str) -> None:
    client = server.program()
    code = await server.open_table(client)
    answer = await client.get(f"/api/tables/{code}/view?{query}")
    assert answer.status_code == 400


async def test_views_that_wait_count_as_connections_of_their_address(tmp_path: Path) -> None:
    async with run_server(tmp_path / "db", RateLimits(connections_per_address=1)) as server:
        client = server.program()
        code = await server.open_table(client)
        seq = (await view_of(client, code)).update.seq
        waiting = asyncio.create_task(view_of(client, code, seq, LONG_S))
        await wait_for_poll(server, code)
        params = {"after": seq, "wait": LONG_S}
        answer = await client.get(f"/api/tables/{code}/view", params=params)
        assert (answer.status_code, answer.json()["code"]) == (429, "too_fast")
        assert (await act(client, code, "1", type="say", text="hello")).status_code == 200
        await waiting


async def test_views_and_commands_are_paid_from_the_budget_of_their_address(tmp_path: Path) -> None:
    async with run_server(tmp_path / "db", RateLimits(work_per_minute=4, now_s=lambda: 0.0)) as server:
        client = server.program()
        code = await server.open_table(client)
        statuses = [(await act(client, code, f"{n}", type="lock", locked=n % 2 == 0)).status_code for n in range(4)]
        assert statuses == [200, 200, 200, 429]
        answer = await client.get(f"/api/tables/{code}/view")
        while answer.status_code == 200:
            answer = await client.get(f"/api/tables/{code}/view")
        assert (answer.status_code, answer.headers["retry-after"]) == (429, "60")


# ---- commands ------------------------------------------------------------------------------------------------------


async def test_a_command_is_handled_once_however_often_it_is_sent(server: RunningServer) -> None:
    client = server.program()
    code = await server.open_table(client)
    first = await act(client, code, "same", type="say", text="hello")
    again = await act(client, code, "same", type="say", text="hello")
    assert (
        first.json() == again.json() == {"type": "done", "id": "same", "seq": (await view_of(client, code)).update.seq}
    )


async def test_moves_are_judged_as_those_of_a_page(server: RunningServer) -> None:
    ann, bo = server.program(), server.program()
    code = await server.open_table(ann, away="wait")
    await bo.post(f"/api/tables/{code}/seats", json={"name": "Bo", "id": "sit"})
    assert (await act(ann, code, "begin", type="begin")).status_code == 200
    await wait_until(await server.registry.get(code), is_bidding)
    match = (await view_of(ann, code)).update.table.match
    assert match is not None
    on_turn, other = (ann, bo) if match.turn == 0 else (bo, ann)
    answers = [
        await act(other, code, "1", match.turn_id, type="bid", quantity=2, face=3),
        await act(on_turn, code, "2", match.turn_id + 1, type="bid", quantity=2, face=3),
        await act(on_turn, code, "3", match.turn_id, type="bid", quantity=2, face=0),
        await act(on_turn, code, "4", match.turn_id, type="fly"),
        await act(server.program(), code, "5", match.turn_id, type="challenge"),
        await act(on_turn, code, "6", match.turn_id, type="bid", quantity=2, face=3),
    ]
    assert [(answer.status_code, answer.json().get("code")) for answer in answers] == [
        (409, "illegal"),
        (409, "stale"),
        (409, "illegal"),
        (400, "malformed"),
        (403, "forbidden"),
        (200, None),
    ]
    assert "bid 2x0 names face 0" in answers[2].json()["text"]
    state = (await (await server.registry.get(code)).state()).match
    assert state is not None
    assert state.state.bid == Bid(2, 3)


async def test_rules_are_changed_by_the_host_only(server: RunningServer) -> None:
    ann, bo = server.program(), server.program()
    code = await server.open_table(ann)
    await bo.post(f"/api/tables/{code}/seats", json={"name": "Bo", "id": "sit"})
    config = msgspec.to_builtins((await view_of(ann, code)).setup.config) | {"title": "Another"}
    assert (await act(bo, code, "1", type="change", config=config)).status_code == 403
    assert (await act(ann, code, "1", type="change", config=config)).status_code == 200
    assert (await view_of(ann, code)).setup.config.title == "Another"


# ---- hidden information --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("observer", [None, 0, 1, 2])
async def test_hidden_dice_change_no_view_of_others_and_no_length(observer: int | None) -> None:
    views = list[dict[str, bytes]]()
    for number in range(2):
        twin = TwinTable(TwinDiceSource(3, number, observer, 1), io.StringIO())
        await twin.open(make_config(seats=4, hints=True), 3)
        await twin.send(NAMES[0], ENCODER.encode(CommandRequest("begin", c.Begin())).decode())
        await twin.end_step()
        path = f"/api/tables/{CODE}/view"
        views.append({name: await twin.request("GET", path, name) for name in (*NAMES[:3], SPECTATOR, STRANGER)})
        await twin.close()
    first, second = views
    same = {name for name in first if first[name] == second[name]}
    assert same == {SPECTATOR, STRANGER} | ({NAMES[observer]} if observer is not None else set())
    assert {name: len(text) for name, text in first.items()} == {name: len(text) for name, text in second.items()}
