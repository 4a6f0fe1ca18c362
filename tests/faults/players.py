"""Players for fault tests: they reconnect, repeat unanswered commands, and record every answer and all news."""

import asyncio
import random
import time
from collections.abc import Callable
from dataclasses import dataclass, field

import httpx
import msgspec
import websockets
from websockets.asyncio.client import ClientConnection, connect

from liarsdice.core.actions import Challenge
from liarsdice.core.bids.bid_chart import bids_in
from liarsdice.core.engine.state import Phase
from liarsdice.server.http.auth import COOKIE, hash_token
from liarsdice.server.protocol.encoding import TableFrames
from liarsdice.server.protocol.messages import CommandRequest, Done, ErrorCode, Hello, Problem
from liarsdice.server.table.commands import Begin, Command, Say
from liarsdice.server.table.log_entries import LogRow, MatchBegan
from liarsdice.server.table.public_news import news_of
from liarsdice.server.table.reducer import MAX_NEWS, replay_log
from liarsdice.server.table.table_state import TableState
from liarsdice.wire import Happened, NewsItem, Stage, Update
from tests.server.running_server import FROM_TABLE

ENCODER = msgspec.json.Encoder()
RECONNECT_S = 0.02
OPEN_TIMEOUT_S = 10.0
MAX_BIDS = 7


@dataclass
class Player:
    """A person at a table who plays random moves through every interruption. `address`: where it was connected last.

    `pending`: the commands that have no answer yet, by request id. `done`: the seq of each command that was answered
    with done. `news`: all news items received, by seq. `updates`: for every update, the last seq before it and its own.
    `close_codes`: how each connection ended. `interrupts`: how likely it talks out of turn
    after an update or an answer. `retry_s`: how long it waits before it connects or asks again.
    `patience_s`: it connects again if a command has no answer for so long, None for never. `resting`: it sends no new
    command. `waits`: when each command was sent first and when it was answered, on the monotonic clock.
    """

    code: str
    token: str
    rng: random.Random
    last_seq: int = 0
    request_count: int = 0
    done: dict[str, int] = field(default_factory=dict)
    pending: dict[str, CommandRequest] = field(default_factory=dict)
    news: dict[int, list[NewsItem]] = field(default_factory=dict)
    updates: list[tuple[int, int]] = field(default_factory=list)
    close_codes: list[int | None] = field(default_factory=list)
    matches: int = 0
    connections: int = 0
    begins_matches: bool = False
    latest: Update | None = None
    address: str = ""
    on_update: Callable[[Update], None] = lambda _: None
    interrupts: float = 0
    retry_s: float = RECONNECT_S
    patience_s: float | None = None
    resting: bool = False
    asked_at_s: dict[str, float] = field(default_factory=dict)
    waits: list[tuple[float, float]] = field(default_factory=list)
    socket: ClientConnection | None = None

    async def play(self, address: Callable[[], str]) -> None:
        """Play until cancelled; `address` returns where the server is now."""
        while True:
            try:
                self.address = address()
                uri = f"{self.address.replace('http', 'ws', 1)}/ws/{self.code}"
                async with connect(
                    uri,
                    additional_headers={"cookie": f"{COOKIE}={self.token}"},
                    open_timeout=self.patience_s or OPEN_TIMEOUT_S,
                    proxy=None,
                    compression=None,
                ) as socket:
                    self.connections += 1
                    self.socket = socket
                    await self._play_connected(socket)
            except websockets.ConnectionClosed as closed:
                self.close_codes.append(closed.rcvd.code if closed.rcvd else None)
            except (OSError, websockets.InvalidHandshake, TimeoutError):
                pass
            await asyncio.sleep(self.retry_s)

    def hang_up(self) -> None:
        """Lose the connection."""
        if self.socket is not None:
            self.socket.transport.abort()

    def describe(self) -> str:
        """The player's situation, for messages of failed assertions."""
        match = self.latest.table.match if self.latest else None
        situation = match and (match.number, match.turn_id, match.phase, match.turn, match.ready, match.resumes_ms)
        seat = self.latest and self.latest.own.seat
        return (
            f"{self.code} seat {seat} at {self.last_seq}: {situation}, pending {self.pending}, "
            f"connections {self.connections} {set(self.close_codes)} {self.address}"
        )

    async def _play_connected(self, socket: ClientConnection) -> None:
        await socket.send(ENCODER.encode(Hello(self.last_seq)).decode())
        for request in self.pending.values():
            await socket.send(ENCODER.encode(request).decode())
        while True:
            match FROM_TABLE.decode(await self._receive(socket)):
                case Update() as update:
                    self.record(update)
                    await self._act(socket)
                case Done(request_id, seq):
                    assert self.done.get(request_id, seq) == seq
                    self.done[request_id] = seq
                    self._on_answer(request_id)
                    await self._act(socket)
                case Problem(code, _, request_id):
                    if request_id in self.pending and code is ErrorCode.TRY_AGAIN:
                        await asyncio.sleep(self.retry_s)
                        await socket.send(ENCODER.encode(self.pending[request_id]).decode())
                    elif request_id is not None:
                        self._on_answer(request_id)
                    await self._act(socket)
                case _:
                    pass

    async def _receive(self, socket: ClientConnection) -> str | bytes:
        """The next message. Raises `TimeoutError` if a command has waited too long for its answer."""
        try:
            async with asyncio.timeout(self.patience_s if self.pending else None):
                return await socket.recv()
        except TimeoutError:
            self.hang_up()
            raise

    def _on_answer(self, request_id: str) -> None:
        if self.pending.pop(request_id, None) is not None:
            self.waits.append((self.asked_at_s.pop(request_id), time.monotonic()))

    def record(self, update: Update) -> None:
        """Record an update, which must be newer than the last one, with news that are newer, too."""
        assert update.seq >= self.last_seq, "the table went back"
        for item in update.news:
            assert item.seq > self.last_seq, "news came twice"
        for item in update.news:
            self.news.setdefault(item.seq, []).append(item)
        match = update.table.match
        if match is not None and update.table.stage is Stage.OVER:
            self.matches = max(self.matches, match.number)
        self.updates.append((self.last_seq, update.seq))
        self.last_seq, self.latest = update.seq, update
        self.on_update(update)

    async def _act(self, socket: ClientConnection) -> None:
        choice = self._choose_command()
        if choice is None or self.pending or self.resting:
            return
        command, turn_id = choice
        self.request_count += 1
        request = CommandRequest(f"request-{self.request_count}", command, turn_id)
        self.pending[request.request_id] = request
        self.asked_at_s[request.request_id] = time.monotonic()
        await socket.send(ENCODER.encode(request).decode())

    def _choose_command(self) -> tuple[Command, int] | None:
        update = self.latest
        if update is None:
            return None
        match, own = update.table.match, update.own
        if update.table.stage is not Stage.PLAYING or match is None:
            begins = self.begins_matches or update.table.stage is Stage.OVER
            return (Begin(), 0) if begins and own.player not in update.table.rematch else None
        if match.phase is not Phase.BIDDING or match.turn != own.seat:
            return (Say("well"), 0) if self.rng.random() < self.interrupts else None
        if self.rng.random() < 0.1:
            return Say(f"hm {self.request_count}"), 0
        if own.may_challenge and (len(match.bids) >= MAX_BIDS or not own.bids or self.rng.random() < 0.1):
            return Challenge(), match.turn_id
        bids = bids_in(own.bids)
        return bids[min(self.rng.randrange(3), len(bids) - 1)], match.turn_id


async def gather_table(address: str, names: list[str], seed: int, **form: object) -> list[Player]:
    """Open a table over HTTP and seat everybody; the first is the host."""
    players: list[Player] = []
    for place, name in enumerate(names):
        async with httpx.AsyncClient(base_url=address) as client:
            if place == 0:
                answer = await client.post("/api/tables", json={"name": name, "rules": "perudo", **form})
            else:
                answer = await client.post(f"/api/tables/{players[0].code}/seats", json={"name": name, "id": name})
            assert answer.is_success, answer.text
            token = answer.cookies[COOKIE]
            code = answer.json()["code"]
        players.append(Player(code, token, random.Random(f"{seed}/{code}/{name}"), begins_matches=place == 0))
    return players


def check_against_log(players: list[Player], rows: list[LogRow]) -> int:
    """Compare what the players of a table received with its log; return how many commands were answered with done.

    Each of these is in the log once, at the seq of the answer. All news received are in the log, and none is missing,
    save for what was said so long ago that the log no longer has it.
    """
    assert replay_log(rows) is not None
    kept = {row.seq: row for row in rows}
    seqs_of_requests: dict[str, list[int]] = {}
    for row in rows:
        if row.request_id:
            seqs_of_requests.setdefault(row.request_id, []).append(row.seq)
    twice = {key: [kept[seq] for seq in seqs] for key, seqs in seqs_of_requests.items() if len(seqs) > 1}
    assert not twice, f"requests were handled twice: {twice}"
    for player in players:
        for request_id, seq in player.done.items():
            key = f"{hash_token(player.token)[:16]}:{request_id}"
            found = seqs_of_requests.get(key)
            assert found == [seq] or (found is None and seq < rows[-1].seq and seq not in kept), (
                f"{key} at {seq} is lost"
            )
        assert max(player.news, default=0) <= rows[-1].seq, "a player received news after the end of the log"
        expected: dict[int, list[NewsItem]] = {}
        maybe_cut: set[int] = set()  # of news with others before them that the log no longer has
        for since_seq, seq in player.updates:
            since = [kept[one] for one in range(since_seq + 1, seq + 1) if one in kept]
            for item in _news_between(since):
                expected.setdefault(item.seq, []).append(item)
            if len(since) < seq - since_seq and seq - since_seq > MAX_NEWS:
                maybe_cut.update(row.seq for row in since)
        wrong = [
            seq
            for seq in (expected | player.news).keys() & kept.keys()
            if player.news.get(seq) != expected.get(seq) and not (seq in maybe_cut and seq not in player.news)
        ]
        assert not wrong, f"a player received news that did not happen, or missed some: {wrong} of {player.updates}"
    return sum(len(player.done) for player in players)


def check_last_view(player: Player, table: TableState) -> None:
    """Check that the last update of a player at rest shows the state that the log leads to, and nothing else."""
    seat = table.player_by_token(hash_token(player.token))
    assert player.latest is not None
    expected = FROM_TABLE.decode(TableFrames(table, None).update(None if seat is None else seat.id, table.seq))
    assert isinstance(expected, Update)
    assert (player.latest.table, player.latest.own) == (expected.table, expected.own), player.describe()


def _news_between(rows: list[LogRow]) -> list[NewsItem]:
    """The news of these entries that an update contains: the latest ones, without events of an earlier match."""
    news: list[NewsItem] = []
    for row in rows:
        if isinstance(row.entry, MatchBegan):
            news = [item for item in news if not isinstance(item.content, Happened)]
        news = [*news, *(NewsItem(row.seq, row.at_ms, what) for what in news_of(row.entry))][-MAX_NEWS:]
    return news
