"""People who play through everything: they connect again, say again what was not answered, and note what they saw."""

import asyncio
import random
from collections.abc import Callable
from dataclasses import dataclass, field

import httpx
import msgspec
import websockets
from websockets.asyncio.client import ClientConnection, connect

from liarsdice.core.actions import Challenge
from liarsdice.core.engine.state import Phase
from liarsdice.core.rules.bids import Bid
from liarsdice.server.http.auth import COOKIE, holder_of
from liarsdice.server.protocol.messages import (
    Do,
    Done,
    ErrorCode,
    FromTable,
    Happened,
    Hello,
    News,
    Problem,
    Stage,
    Update,
)
from liarsdice.server.table.commands import Begin, Command, Say
from liarsdice.server.table.log_entries import Began, Row
from liarsdice.server.table.public_events import told
from liarsdice.server.table.reducer import fold

FROM_TABLE: msgspec.json.Decoder[FromTable] = msgspec.json.Decoder(FromTable)
ENCODER = msgspec.json.Encoder()
AGAIN_S = 0.02
LONGEST_ROUND = 7


@dataclass
class Player:
    """Somebody at a table, with the wishes that were not answered yet, those that were, and all news ever seen.

    `looks`: for every update, the seq that they had and the one that they have then.
    """

    code: str
    token: str
    chance: random.Random
    have: int = 0
    said: int = 0
    answered: dict[str, int] = field(default_factory=dict)
    open: dict[str, Do] = field(default_factory=dict)
    news: dict[int, list[News]] = field(default_factory=dict)
    looks: list[tuple[int, int]] = field(default_factory=list)
    endings: list[int | None] = field(default_factory=list)
    matches: int = 0
    connections: int = 0
    beginner: bool = False
    latest: Update | None = None

    async def play(self, address: Callable[[], str]) -> None:
        """Play until cancelled; `address` says where the server is now."""
        while True:
            try:
                uri = f"{address().replace('http', 'ws', 1)}/ws/{self.code}"
                async with connect(uri, additional_headers={"cookie": f"{COOKIE}={self.token}"}) as line:
                    self.connections += 1
                    await self._sit(line)
            except websockets.ConnectionClosed as closed:
                self.endings.append(closed.rcvd.code if closed.rcvd else None)
            except (OSError, websockets.InvalidHandshake, TimeoutError):
                pass
            await asyncio.sleep(AGAIN_S)

    def story(self) -> str:
        """How things are for this player, to be read where something is wrong."""
        match = self.latest.table.match if self.latest else None
        look = match and (match.number, match.mark, match.phase, match.turn, match.ready, match.resumes_ms)
        own = self.latest and self.latest.own.seat
        return f"{self.code} seat {own} at {self.have}: {look}, open {self.open}, lines {self.connections}"

    async def _sit(self, line: ClientConnection) -> None:
        await line.send(ENCODER.encode(Hello(self.have)).decode())
        for do in self.open.values():
            await line.send(ENCODER.encode(do).decode())
        while True:
            match FROM_TABLE.decode(await line.recv()):
                case Update() as update:
                    self._see(update)
                    await self._act(line)
                case Done(wish, seq):
                    assert self.answered.get(wish, seq) == seq
                    self.answered[wish] = seq
                    self.open.pop(wish, None)
                    await self._act(line)
                case Problem(code, _, wish):
                    if wish is not None and code is not ErrorCode.TRY_AGAIN:
                        self.open.pop(wish, None)
                    await self._act(line)
                case _:
                    pass

    def _see(self, update: Update) -> None:
        """Nothing older, nothing twice."""
        assert update.seq >= self.have, "the table went back"
        for item in update.news:
            assert item.seq > self.have, "news came twice"
        for item in update.news:
            self.news.setdefault(item.seq, []).append(item)
        match = update.table.match
        if match is not None and update.table.stage is Stage.OVER:
            self.matches = max(self.matches, match.number)
        self.looks.append((self.have, update.seq))
        self.have, self.latest = update.seq, update

    async def _act(self, line: ClientConnection) -> None:
        wanted = self._wanted()
        if wanted is None or self.open:
            return
        what, mark = wanted
        self.said += 1
        do = Do(f"wish-{self.said}", what, mark)
        self.open[do.id] = do
        await line.send(ENCODER.encode(do).decode())

    def _wanted(self) -> tuple[Command, int] | None:
        update = self.latest
        if update is None:
            return None
        match, own = update.table.match, update.own
        if update.table.stage is not Stage.PLAYING or match is None:
            return (Begin(), 0) if self.beginner else None
        if match.phase is not Phase.BIDDING or match.turn != own.seat:
            return None
        if self.chance.random() < 0.1:
            return Say(f"hm {self.said}"), 0
        if own.challenge and (len(match.bids) >= LONGEST_ROUND or not own.bids or self.chance.random() < 0.1):
            return Challenge(), match.mark
        return Bid(*own.bids[min(self.chance.randrange(3), len(own.bids) - 1)]), match.mark


async def gather_table(address: str, names: list[str], seed: int, **form: object) -> list[Player]:
    """Open a table over HTTP and seat everybody; the first is the host."""
    players: list[Player] = []
    for place, name in enumerate(names):
        async with httpx.AsyncClient(base_url=address) as asked:
            if place == 0:
                answer = await asked.post("/api/tables", json={"name": name, "rules": "perudo", **form})
            else:
                answer = await asked.post(f"/api/tables/{players[0].code}/seats", json={"name": name, "id": name})
            assert answer.is_success, answer.text
            token = answer.cookies[COOKIE]
            code = answer.json()["code"]
        players.append(Player(code, token, random.Random(f"{seed}/{code}/{name}"), beginner=place == 0))
    return players


def check(players: list[Player], rows: list[Row]) -> int:
    """What a table's players were told against its log; returns how many wishes were answered with done.

    Each granted wish is in the log once, where it was said to be. Everything seen has happened, and all of it was seen.
    """
    assert fold(rows) is not None
    wishes: dict[str, list[int]] = {}
    for row in rows:
        if row.wish:
            wishes.setdefault(row.wish, []).append(row.seq)
    assert all(len(seqs) == 1 for seqs in wishes.values()), "a wish was done twice"
    for player in players:
        for wish, seq in player.answered.items():
            assert wishes.get(f"{holder_of(player.token)[:16]}:{wish}") == [seq], f"{wish} at {seq} was lost"
        expected: dict[int, list[News]] = {}
        for had, seq in player.looks:
            for item in _news_between(rows[had:seq]):
                expected.setdefault(item.seq, []).append(item)
        assert player.news == expected, "somebody saw what did not happen, or missed what did"
    return sum(len(player.answered) for player in players)


def _news_between(rows: list[Row]) -> list[News]:
    """What somebody is told who looks again after these entries: of an older match nothing."""
    news: list[News] = []
    for row in rows:
        if isinstance(row.entry, Began):
            news = [item for item in news if not isinstance(item.what, Happened)]
        news += [News(row.seq, row.at_ms, what) for what in told(row.entry)]
    return news
