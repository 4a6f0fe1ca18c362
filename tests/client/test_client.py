"""The client for programs: its names, its methods, and the views that it reads."""

import asyncio
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import httpx
import msgspec
import pytest

import liarsdice.client
from liarsdice.client import views
from liarsdice.client.calls import RefusedError
from liarsdice.client.client import MAX_AGE_S, AsyncClient, Client, read_webhook
from liarsdice.client.views import TableView
from liarsdice.core.actions import Challenge, Exact
from liarsdice.core.errors import MalformedError
from liarsdice.core.rules.bids import Bid
from liarsdice.core.rules.presets import preset
from liarsdice.server.http.outgoing import signature
from liarsdice.server.protocol.encoding import TableFrames
from liarsdice.server.table.log_entries import Played, Spoke
from liarsdice.wire import Stage, WebhookEvent
from tests.processes import Server, logs_of
from tests.server.live_tables import begin_match, make_config, make_table, open_registry


def test_every_public_name_is_there_and_the_list_is_sorted() -> None:
    assert liarsdice.client.__all__ == sorted(liarsdice.client.__all__)
    assert all(getattr(liarsdice.client, name) is not None for name in liarsdice.client.__all__)
    assert not hasattr(liarsdice.client, "Server")


@pytest.mark.parametrize("name", ["Client", "AsyncClient", "RefusedError", "read_webhook"])
def test_without_the_extra_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.setitem(sys.modules, "httpx", None)  # importing it fails from now on
    for module in ("calls", "client"):
        monkeypatch.delitem(sys.modules, f"liarsdice.client.{module}", raising=False)
    monkeypatch.delitem(vars(liarsdice.client), name, raising=False)
    with pytest.raises(
        ModuleNotFoundError, match=rf"{name}: this needs httpx: pip install 'liarsdice-engine\[client\]'"
    ):
        getattr(liarsdice.client, name)


async def test_a_view_of_a_match_has_the_hand_the_bids_and_the_moves(tmp_path: Path) -> None:
    async with open_registry(tmp_path / "db") as registry:
        live_table = await make_table(registry, "Ann", "Bo", config=make_config("perudo", best_of=3))
        table = await begin_match(registry, live_table)
        assert table.match is not None
        frames, turn = TableFrames(table, None), table.match.state.turn
        shown = {
            player.id: views.read_view(b'{"setup":%b,"update":%b}' % (frames.setup, frames.update(player.id, 0)))
            for player in table.players
        }
        spectator = views.read_view(b'{"setup":%b,"update":%b}' % (frames.setup, frames.update(None, 0)))
    first, second = shown[table.players[turn].id], shown[table.players[1 - turn].id]
    assert (first.on_turn, first.may_act, second.on_turn, spectator.on_turn) == (True, True, False, False)
    assert first.hand == table.match.state.hands[turn]
    assert (spectator.hand, spectator.moves) == ((), ())
    assert first.bid is None
    assert (first.others, spectator.others) == ((5,), (5, 5))
    assert first.moves == first.legal_bids
    assert Bid(1, 2) in first.legal_bids
    assert first.rules == preset("perudo").ruleset
    assert (first.best_of, first.series_winner) == (3, None)
    assert first.match is not None
    after = msgspec.structs.replace(
        first,
        match=msgspec.structs.replace(first.match, bids=((0, (2, 3)),)),
        own=msgspec.structs.replace(first.own, bids=(), may_challenge=True, may_call_exact=True),
    )
    assert after.bid == Bid(2, 3)
    assert after.moves == (Challenge(), Exact())


PATIENCE_S = 60.0


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
    """A server without pauses that keeps its port when it is started again."""
    running = Server(tmp_path / "db", "--pace", "0", keeps_port=True)
    running.start()
    try:
        yield running
    finally:
        running.end()


def play(client: Client, code: str) -> TableView:
    """Play a match: the lowest bid, or a challenge once every die of the table would have to match."""
    view = client.wait_for_turn(code)
    while not view.is_over:
        assert view.match is not None
        if view.bid is not None and view.bid.quantity >= sum(view.match.dice) // 2:
            client.challenge(view)
        else:
            client.act(view, view.moves[0])
        view = client.wait_for_turn(code, after=view.seq)
    return view


def test_a_program_plays_a_match_and_reads_its_record(server: Server) -> None:
    with Client(server.address) as client:
        seat = client.open_table("Botty", rules="perudo", bots=["random"], begin=True)
        assert client.rules(seat.code) == preset("perudo").ruleset
        view = play(client, seat.code)
        assert view.match is not None
        assert len(view.match.winners) == 1
        record = client.record(seat.code, 1)
    assert record.state.winners == view.match.winners


async def test_the_client_for_asyncio_plays_beside_one_that_blocks(server: Server) -> None:
    with Client(server.address) as ann:
        code = ann.open_table("Ann", rules="perudo", listed=True, seats=2).code
        async with AsyncClient(server.address) as bo:
            assert [table.code for table in await bo.tables()] == [code]
            seat = await bo.sit(code, "Bo")
            assert (await bo.sit(code, "Bo")).player == seat.player, "who has a seat keeps it"
            ann.say(code, "hello")
            ann.begin(code)
            playing = asyncio.create_task(asyncio.to_thread(play, ann, code))
            view = await bo.wait_for_turn(code)
            while not view.is_over:
                await (bo.challenge(view) if view.bid is not None else bo.act(view, view.moves[0]))
                view = await bo.wait_for_turn(code, after=view.seq)
            assert (await playing).match == view.match


def test_a_move_that_is_refused_says_why(server: Server) -> None:
    with Client(server.address) as client, Client(server.address) as other:
        code = client.open_table("Botty", rules="perudo", bots=["random"], begin=True).code
        view = client.wait_for_turn(code)
        with pytest.raises(RefusedError, match="face") as refusal:
            client.bid(view, 2, 9)
        assert refusal.value.code == "illegal"
        with pytest.raises(RefusedError) as refusal:
            other.bid(view, 2, 3)
        assert refusal.value.code == "forbidden"
        client.act(view, view.moves[-1])
        with pytest.raises(RefusedError) as refusal:
            client.act(view, view.moves[-1])
        assert refusal.value.code == "stale"
        client.leave(code)
        with pytest.raises(RefusedError, match="no table ZZZZ"):
            client.view("ZZZZ")


def test_a_wait_without_a_turn_ends_in_time_with_all_news(server: Server) -> None:
    with Client(server.address) as client:
        code = client.open_table("Botty").code
        client.say(code, "hello")
        view = client.wait_for_turn(code, wait_s=0.05)
        assert (view.stage, view.on_turn, view.may_act) == (Stage.GATHERING, False, False)
        assert [item.seq for item in view.news] == sorted(item.seq for item in view.news)
        assert view.news[-1].seq == view.seq


def test_a_match_goes_on_over_a_server_that_is_killed_and_no_command_counts_twice(server: Server) -> None:
    """The server is killed while the client waits, several times."""
    with Client(server.address, patience_s=PATIENCE_S) as client:
        code = client.open_table("Botty", rules="perudo", bots=["random"], begin=True).code
        results: list[TableView] = []
        playing = threading.Thread(target=lambda: results.append(play(client, code)))
        playing.start()
        said = 0
        for number in range(3):
            server.kill()
            server.start()
            client.say(code, f"line {number}")
            said += 1
        playing.join(PATIENCE_S)
        assert results[0].is_over
    assert isinstance(server.database, Path)
    entries = [type(row.entry).__name__ for row in logs_of(server.database)[code]]
    assert entries.count("Spoke") == said


class LosingTransport(httpx.BaseTransport):
    """Loses the answer to every other command after the server has handled it."""

    def __init__(self) -> None:
        self._sending = httpx.HTTPTransport()
        self.commands = 0

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        """As httpx has it. Raises `httpx.ReadError` for a lost answer."""
        response = self._sending.handle_request(request)
        if request.url.path.endswith("/act"):
            self.commands += 1
            if self.commands % 2:
                response.read()
                raise httpx.ReadError("lost")
        return response

    def close(self) -> None:
        """Close the connections."""
        self._sending.close()


def test_a_command_whose_answer_is_lost_counts_once(server: Server) -> None:
    transport = LosingTransport()
    with Client(server.address, transport=transport) as client:
        code = client.open_table("Botty", rules="perudo", bots=["random"], begin=True).code
        client.say(code, "hello")
        view = client.wait_for_turn(code)
        client.act(view, view.moves[0])
    assert transport.commands == 4
    assert isinstance(server.database, Path)
    rows = logs_of(server.database)[code]
    assert [row.entry.text for row in rows if isinstance(row.entry, Spoke)] == ["hello"]
    assert sum(isinstance(row.entry, Played) and row.entry.seat == view.own.seat for row in rows) == 1


NOW_S = 1_750_000_000
SENT = WebhookEvent(event="turn", table="KQXM", match=1, turn_id=7, player=2)


def headers(secret: str, body: bytes, timestamp: str = str(NOW_S)) -> dict[str, str]:
    return {"X-Liarsdice-Timestamp": timestamp, "X-Liarsdice-Signature": signature(secret, timestamp, body)}


def test_what_the_server_signs_is_read() -> None:
    body = msgspec.json.encode(SENT)
    event = read_webhook("secret", headers("secret", body), body, now_s=NOW_S + MAX_AGE_S)
    assert event == SENT
    lower = {name.lower(): value for name, value in headers("secret", body).items()}
    assert read_webhook("secret", lower, body, now_s=NOW_S) == event


def test_what_is_forged_changed_old_or_no_event_is_refused() -> None:
    body = msgspec.json.encode(SENT)
    good = headers("secret", body)
    for secret, sent, text in (
        ("other", good, body),
        ("secret", good, body + b" "),
        ("secret", good | {"X-Liarsdice-Timestamp": str(NOW_S + 1)}, body),
        ("secret", good | {"X-Liarsdice-Signature": "sha256=é"}, body),
        ("secret", {}, body),
    ):
        with pytest.raises(MalformedError, match="not signed"):
            read_webhook(secret, sent, text, now_s=NOW_S)
    for late_s in (MAX_AGE_S + 1, -MAX_AGE_S - 1):
        with pytest.raises(MalformedError, match="older than"):
            read_webhook("secret", good, body, now_s=NOW_S + late_s)
    for text in (b"", b'{"event":"other"}'):
        with pytest.raises(MalformedError, match="cannot be read"):
            read_webhook("secret", headers("secret", text), text, now_s=NOW_S)


def test_without_a_secret_nothing_is_read() -> None:
    """`set_webhook` returns an empty secret when it ends a webhook, and everybody can sign with that."""
    body = msgspec.json.encode(SENT)
    with pytest.raises(MalformedError, match="needs its secret"):
        read_webhook("", headers("", body), body, now_s=NOW_S)
