"""A program sets the webhook of its own seat, and of no other."""

from __future__ import annotations

import asyncio
from pathlib import Path

from liarsdice.client.async_client import AsyncClient
from liarsdice.client.client import read_webhook
from liarsdice.server.http.outgoing import Webhooks
from liarsdice.server.settings import WebhookMode
from liarsdice.server.table import log_entries as e
from tests.processes import Server
from tests.server.http.webhook_receiver import webhook_receiver
from tests.server.live_tables import PATIENCE_S
from tests.server.running_server import RunningServer, say_hello

URL = "https://bots.example/turns"


async def test_a_server_without_webhooks_says_what_to_do_instead(server: RunningServer) -> None:
    client = server.browser()
    code = await server.open_table(client)
    refused = await client.post(f"/api/tables/{code}/webhook", json={"url": URL})
    assert refused.status_code == 404
    assert "wait for your turn" in refused.json()["text"]


async def test_only_a_player_sets_a_webhook_and_nobody_else_is_told_of_it(server: RunningServer) -> None:
    server.services.webhooks = Webhooks(b"key", WebhookMode.PUBLIC)
    client, stranger = server.browser(), server.browser()
    code = await server.open_table(client)
    path = f"/api/tables/{code}/webhook"
    assert (await stranger.post(path, json={"url": URL})).status_code == 403
    assert (await client.post(path, json={"url": "http://127.0.0.1:1/"})).status_code == 400
    before = await server.log(code)
    answer = await client.post(path, json={"url": URL})
    assert answer.status_code == 200
    assert answer.json() == {"url": URL, "secret": server.services.webhooks.secret(code, 1, URL)}
    assert (await client.post(path, json={"url": URL})).json() == answer.json()
    assert [row.entry for row in (await server.log(code))[len(before) :]] == [e.WebhookChanged(1, URL)]
    async with server.connect(code, client) as socket:
        assert "bots.example" not in str(await say_hello(socket))
    assert (await client.post(path, json={"url": ""})).json() == {"url": "", "secret": ""}
    table = await (await server.registry.get(code)).state()
    assert table.players[0].webhook == ""


async def test_who_has_left_sets_none(server: RunningServer) -> None:
    server.services.webhooks = Webhooks(b"key", WebhookMode.PUBLIC)
    client = server.browser()
    code = await server.open_table(client, bots=["random"], begin=True)
    await client.post(f"/api/tables/{code}/act", json={"id": "1", "command": {"type": "leave"}})
    assert (await client.post(f"/api/tables/{code}/webhook", json={"url": URL})).status_code == 403


async def test_a_program_plays_a_match_by_its_webhook(tmp_path: Path) -> None:
    server = Server(tmp_path / "db", "--pace", "0", "--webhooks", "loopback")
    server.start()
    try:
        async with (
            asyncio.timeout(PATIENCE_S),
            webhook_receiver() as receiver,
            AsyncClient(server.address) as program,
        ):
            code = (await program.open_table("Ada", rules="basic", bots=["random"])).code
            secret = await program.set_webhook(code, receiver.url)
            await program.begin(code)
            answered = 0
            while True:
                await receiver.arrived.wait()
                receiver.arrived.clear()
                for request in receiver.requests[answered:]:
                    answered += 1
                    event = read_webhook(secret, request.headers, request.body)
                    view = await program.view(code)
                    if event.event == "match_over":
                        assert view.is_over
                        assert view.match is not None
                        assert event.winners == view.match.winners
                        return
                    assert view.match is not None
                    assert event.turn_id == view.match.turn_id
                    await program.act(view, view.moves[-1])
    finally:
        server.end()
