"""What one agent does at the tables of a server, answered in text.

An agent is known by one token, which holds its seats. All that it is told comes from the views that the server builds
for this token, so no text can hold another's dice.
"""

from __future__ import annotations

import hashlib
import re
import ssl
from collections import Counter, OrderedDict
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager
from typing import Any

import httpx

from liarsdice.client.calls import RefusedError
from liarsdice.client.client import AsyncClient
from liarsdice.client.views import TableView
from liarsdice.core.bids.notation import MAX_QUOTE_LENGTH
from liarsdice.core.engine.legal import permitted_by
from liarsdice.core.engine.state import Phase
from liarsdice.core.engine.view import View
from liarsdice.core.errors import IllegalActionError, MalformedError, NotationError, UnavailableError, printable
from liarsdice.core.events import Revealed
from liarsdice.core.rules.choices import RoundKind, RoundVisibility, Visibility
from liarsdice.core.rules.meaning import blind_seats, shows_other_hands, visibility_of
from liarsdice.core.text.move_reader import read_answer
from liarsdice.core.text.narration import Narrator, narrate
from liarsdice.core.text.turn_text import legal_moves_text, move_text, rules_text, turn_text
from liarsdice.mcp.review import MatchReviews
from liarsdice.wire import Happened, NewsItem, Notice, PublicPlayer, Said, Stage, TableSummary


def seat_view(table: TableView) -> View | None:
    """Return the view of this client's seat in the latest match, None without a match or a seat in it.

    It holds what texts and the legality of moves depend on; other fields have their defaults. The latest reveal of an
    earlier round is there if the news of `table` have it.
    """
    match, own = table.match, table.own
    if match is None or own.seat is None or own.seat >= len(match.dice):
        return None
    standing = table.bid
    leaves_face = standing is not None and any(bid.face != standing.face for bid in table.legal_bids)
    return View(
        ruleset=table.rules,
        names=table.seat_names,
        dice=match.dice,
        phase=match.phase,
        round_number=match.round_number,
        direction=match.direction,
        starter=match.starter,
        turn=match.starter if match.turn is None else match.turn,
        max_quantity=match.top,
        bids=match.bids_made,
        wilds_count=match.wilds_count,
        special_seat=match.special_seat,
        exempt=(own.seat,) if leaves_face else (),
        revealed=_latest_reveal(table),
        winners=match.winners,
        end_reason=match.end_reason,
        lives=match.lives,
        shown=match.shown,
        seat=own.seat,
        hand=own.hand,
        blind=_blind(table),
        open_hands=_hands_are_open(table),
        seen=own.cups if _hands_are_open(table) else (),
        may_bid=table.legal_bids,
        unlimited=own.unlimited,
        may_show=bool(own.showable),
        passes=match.passes,
        doubled_by=match.doubled[0] if match.doubled else None,
        redoubled=len(match.doubled) > 1,
        kind=match.kind or None,
        **permitted_by(own),
    )


def _visibility(table: TableView) -> RoundVisibility | Visibility | RoundKind | None:
    """Return which dice the players see, None for their own."""
    visibility, match = visibility_of(table.rules), table.match
    if match is None or match.phase is not Phase.BIDDING:
        return None
    if match.kind is None:
        return Visibility.CHOSEN
    return match.kind or (None if visibility is Visibility.CHOSEN else visibility)


def _blind(table: TableView) -> tuple[int, ...]:
    match, visibility = table.match, _visibility(table)
    if match is None:
        return ()
    special_seat = match.starter if visibility is Visibility.CHOSEN else match.special_seat
    return blind_seats(visibility, match.dice, match.lives or match.dice, special_seat)


def _hands_are_open(table: TableView) -> bool:
    return table.match is not None and shows_other_hands(_visibility(table), table.match.special_seat)


def _latest_reveal(table: TableView) -> Revealed | None:
    if table.match is not None and table.match.verdict is not None:
        return table.match.verdict.reveal
    events = (item.content.event for item in reversed(table.news) if isinstance(item.content, Happened))
    return next((event for event in events if isinstance(event, Revealed)), None)


MAX_NEWS = 40
"""How many lines of news a text has at most, the latest ones."""


def lobby_text(tables: Sequence[TableSummary]) -> str:
    """Return the tables of the lobby, a line for each."""
    if not tables:
        return "The lobby lists no table. You can open one with open_table."
    return "\n".join(f"{table.code}: {_summary(table)}" for table in tables)


def _summary(table: TableSummary) -> str:
    free = table.seats - len(table.player_names)
    seats = "is locked" if table.locked else f"{free} of {table.seats} seats free" if free > 0 else "has no free seat"
    stage = {
        Stage.GATHERING: "waits for its first match",
        Stage.PLAYING: "is in a match",
        Stage.OVER: "waits for a rematch",
    }
    rules = f"{table.game} ({table.rules_name or 'house rules'})"
    names = ", ".join(map(printable, table.player_names))
    return f"{printable(table.title)!r}, {rules}; {stage[table.stage]}; {seats}; players: {names}"


def table_text(table: TableView, since: int = 0, *, with_odds: bool = False) -> str:
    """Return a table as text: its players, its news after the entry `since` of its log, and the match of this seat.

    `with_odds`: as in `turn_text`.
    """
    lines = [_heading(table), *_series_lines(table), *_news_lines(table, since)]
    view = seat_view(table)
    if view is not None:
        lines.append(turn_text(view, with_odds=with_odds, as_argument=True))
    elif table.match is not None and table.stage is Stage.PLAYING:
        lines.append("You have no seat in this match, and see only what everybody may see.")
    if table.stage is not Stage.PLAYING:
        lines.append(_between_matches(table))
    if table.paused:
        lines.append("The match is paused; no move is possible until the host resumes it.")
    return "\n".join(lines)


def _heading(table: TableView) -> str:
    players = ", ".join(_player(table, player) for player in table.players)
    return f"Table {table.code} {printable(table.title)!r}, {table.rules.labels.game}. Players: {players}."


def _series_lines(table: TableView) -> Iterator[str]:
    """Yield how a series stands."""
    if table.best_of > 1:
        wins = ", ".join(f"{printable(player.name)} {player.wins}" for player in table.players)
        won = f"; {printable(table.series_winner)} has won the series" if table.series_winner else ""
        yield f"A series, best of {table.best_of} matches. Matches won: {wins}{won}."


def _player(table: TableView, player: PublicPlayer) -> str:
    kinds = [
        f"bot {player.bot}" if player.bot else "",
        "program" if player.program else "",
        "you" if player.id == table.own.player else "",
        "host" if player.host else "",
        "a bot stands in" if player.stand_in else "",
        "has left" if player.gone else "",
    ]
    known = ", ".join(filter(None, kinds))
    return f"{printable(player.name)} ({known})" if known else printable(player.name)


def _between_matches(table: TableView) -> str:
    free = table.seats - len(table.players)
    host = next((player for player in table.players if player.host), None)
    if table.match is not None:
        who = "The next match begins when those who played want it: say so with begin."
    elif host is not None and host.id == table.own.player:
        who = "You are the host: begin starts a match."
    else:
        who = "The host begins the first match."
    return f"No match is being played; {free} of {table.seats} seats {'is' if free == 1 else 'are'} free. {who}"


def _news_lines(table: TableView, since: int) -> Iterator[str]:
    """Yield what has happened, a line each. What players say is quoted."""
    news = [item for item in table.news if item.seq > since]
    match, own = table.match, table.own.seat
    listener = None if match is not None and own in match.stand_ins else own
    narrator = Narrator(table.rules, tuple(map(printable, table.seat_names)), listener)
    texts = [text for item in news if (text := _news_text(table, item, narrator))]
    if texts:
        yield "Since your last look:"
        yield from (f"- {text}" for text in texts[-MAX_NEWS:])


def _news_text(table: TableView, item: NewsItem, narrator: Narrator) -> str:
    """Return an item as text, "" for a notice about nobody."""
    content = item.content
    names = {player.id: printable(player.name) for player in table.players}
    match content:
        case Said(player, text):
            return f"{names.get(player, 'Somebody who left')} says: {printable(text)!r}"
        case Happened(event):
            return narrate(event, narrator)
        case Notice(kind, player):
            name = None if player is None else names.get(player)
            return f"{name}: {str(kind).replace('_', ' ')}" if name else ""


MAX_TABLES = 32
"""Of how many tables an agent's latest view is kept."""

LONGEST_WAIT_S = 50.0
"""Clients give up on a tool after about a minute."""

WAIT_AGAIN = "It is not your turn yet. Call wait_for_turn again."


class MoveRefusedError(IllegalActionError):
    """A move in a situation that is over. `table`: what the agent sees now, as text of several lines."""

    def __init__(self, message: str, table: str) -> None:
        super().__init__(f"{message}. Nothing was done. This is so now:")
        self.table = table


class Agent:
    """One agent at the tables of a server. `client` has its token; `reviews` asks for reviews of its matches.

    Methods return texts for the agent. They raise `LiarsDiceError`, whose message says what is possible instead.
    """

    def __init__(self, client: AsyncClient, reviews: MatchReviews) -> None:
        self._client, self._reviews = client, reviews
        self._views: OrderedDict[str, TableView] = OrderedDict()

    async def close(self) -> None:
        """Close the connections to the server. The seats stay those of the token."""
        await self._reviews.close()
        await self._client.close()

    async def list_tables(self) -> str:
        """Return the tables of the lobby."""
        return lobby_text(await self._client.tables())

    async def open_table(self, name: str, rules: str, bots: Sequence[str], **options: Any) -> str:  # noqa: ANN401  each option has a type of its own
        """Open a table and sit down as its host. `options`: as in `AsyncClient.open_table`."""
        seat = await self._client.open_table(name, rules=rules, bots=list(bots), **options)
        return f"You opened table {seat.code} and sit there.\n{await self.look(seat.code)}"

    async def sit(self, code: str, name: str) -> str:
        """Take a seat at a table, or ask its host for one."""
        seat = await self._client.sit(_code(code), name)
        if seat.player is None:
            return f"The host of table {seat.code} decides who sits down and has been asked. Look again later."
        return f"You sit at table {seat.code}.\n{await self.look(seat.code)}"

    async def rules(self, code: str) -> str:
        """Return the rules of a table, and how moves are written."""
        return rules_text(await self._client.rules(_code(code)), as_argument=True)

    async def begin(self, code: str) -> str:
        """Begin a match as the host, or want another one after a match."""
        await self._client.begin(_code(code))
        return f"The match begins as soon as the others are ready.\n{await self.look(code)}"

    async def look(self, code: str, *, odds: bool = False) -> str:
        """Return a table as this agent's seat sees it, with what happened since its last look."""
        return self._shown(await self._client.view(_code(code), after=self._seen(code)), odds=odds)

    async def wait_for_turn(self, code: str, *, wait_s: float, out_of_turn: bool, odds: bool) -> str:
        """Return the table once this agent may act or the match is over, or after `wait_s` seconds as it is then."""
        wait_s = min(max(wait_s, 0.0), LONGEST_WAIT_S)
        table = await self._client.wait_for_turn(
            _code(code), after=self._seen(code), out_of_turn=out_of_turn, wait_s=wait_s
        )
        waits = table.stage is Stage.PLAYING and not table.on_turn and not (out_of_turn and table.may_act)
        return self._shown(table, odds=odds) + (f"\n{WAIT_AGAIN}" if waits else "")

    async def act(self, code: str, move: str) -> str:
        """Make a move, written as in `read_answer`, in the situation that the agent has seen last.

        Raises `NotationError` or `IllegalActionError`, which say what is legal, and `MoveRefusedError` if the match has
        gone on since, or if the agent has seen nothing of it, for example because this program was started again.
        """
        table = self._views.get(_code(code))
        if table is None:
            raise MoveRefusedError("you have not seen this table yet", await self.look(code))
        view = seat_view(table)
        if view is None:
            raise IllegalActionError("you have no seat in a match at this table; sit down, and wait until it begins")
        try:
            chosen = read_answer(move, view)
        except NotationError as error:
            shown = move[:MAX_QUOTE_LENGTH]
            raise NotationError(f"{shown!r} is no move; your legal moves: {legal_moves_text(view)}") from error
        except IllegalActionError as error:
            if view.on_turn:
                raise
            raise MoveRefusedError(str(error), await self.look(code)) from error
        if chosen is None:
            return "You let the bid stand. Call wait_for_turn."
        try:
            await self._client.act(table, chosen)
        except RefusedError as error:
            raise MoveRefusedError(str(error), await self.look(code)) from error
        return f"Your move {move_text(chosen)} is made.\n{await self.look(code)}"

    async def say(self, code: str, text: str) -> str:
        """Send a line of table talk."""
        await self._client.say(_code(code), text)
        return "You said it."

    async def leave(self, code: str) -> str:
        """Give up the seat at a table."""
        await self._client.leave(_code(code))
        self._views.pop(_code(code), None)
        return f"You left table {_code(code)}."

    async def review(self, code: str, number: int | None, *, wait_s: float) -> str:
        """Return what each of the agent's decisions in a finished match cost, or how far the review is.

        `number`: of the match, by default the latest that is over. Raises `MalformedError` for a match that is not
        over, and as `MatchReviews.text`.
        """
        table = await self._client.view(_code(code))
        match = table.match
        latest = 0 if match is None else match.number - (table.stage is Stage.PLAYING)
        wanted = latest if number is None else number
        if match is None or not 1 <= wanted <= latest:
            over = f"1 to {latest}" if latest else "none yet"
            raise MalformedError(f"matches that are over at this table: {over}; only those are reviewed")
        seat = table.own.seat
        name = None if seat is None else table.players[seat].name
        return await self._reviews.text(_code(code), wanted, name, min(wait_s, LONGEST_WAIT_S))

    def _seen(self, code: str) -> int:
        view = self._views.get(_code(code))
        return 0 if view is None else view.seq

    def _shown(self, table: TableView, *, odds: bool) -> str:
        """Return a view as text, and keep it as the latest of its table."""
        since = self._seen(table.code)
        self._views[table.code] = table
        self._views.move_to_end(table.code)
        if len(self._views) > MAX_TABLES:
            self._views.popitem(last=False)
        return table_text(table, since, with_odds=odds)


def _code(code: str) -> str:
    """Return the code of a table as the server spells it. Raises `MalformedError` for a text that is none."""
    plain = code.strip().upper()
    if not plain.isalnum() or not plain.isascii():
        raise MalformedError(f"the code of a table has letters and digits only, not {code[:40]!r}; see list_tables")
    return plain


TOKEN = re.compile(r"[A-Za-z0-9_-]{43}")
HOW_TO_MAKE_ONE = (
    "a token has 43 letters, digits, - and _; make one with: "
    "python -c 'import secrets; print(secrets.token_urlsafe(32))'"
)
MAX_AGENTS = 500
"""How many agents are kept. Those that were idle longest are forgotten, and begin anew with their next call."""

FULL = f"{MAX_AGENTS} agents are playing here already; try again in a minute"


class Agents:
    """The agents at the server at `url`. They share nothing, so that nobody acts on another's seat."""

    def __init__(self, url: str) -> None:
        self._url = url
        self._tls = ssl.create_default_context()  # one for all agents, because it takes a tenth of a second to make
        self._agents: OrderedDict[bytes, Agent] = OrderedDict()
        self._call_count: Counter[bytes] = Counter()

    @asynccontextmanager
    async def call(self, token: str) -> AsyncIterator[Agent]:
        """Lend the agent with a token for one call; an agent with a call in progress is not forgotten.

        Raises `MalformedError` for a text that is no token, and `UnavailableError` if `MAX_AGENTS` others have calls in
        progress.
        """
        if not TOKEN.fullmatch(token):
            raise MalformedError(HOW_TO_MAKE_ONE)
        key = hashlib.sha256(token.encode()).digest()
        if key not in self._agents:
            await self._forget_idle()
            self._agents.setdefault(key, self._make(token))
        self._agents.move_to_end(key)
        self._call_count[key] += 1
        try:
            yield self._agents[key]
        finally:
            self._call_count[key] -= 1
            if not self._call_count[key]:
                del self._call_count[key]

    async def _forget_idle(self) -> None:
        """Make room for one more agent. Raises `UnavailableError` if all have calls in progress."""
        while len(self._agents) >= MAX_AGENTS:
            idle = next((key for key in self._agents if key not in self._call_count), None)
            if idle is None:
                raise UnavailableError(FULL)
            await self._agents.pop(idle).close()

    def _make(self, token: str) -> Agent:
        transport, review_transport = (httpx.AsyncHTTPTransport(verify=self._tls) for _ in range(2))
        client = AsyncClient(self._url, token=token, transport=transport)
        return Agent(client, MatchReviews(self._url, token, review_transport))

    async def close(self) -> None:
        """Close the connections of all agents. The seats stay those of their tokens."""
        while self._agents:
            _, agent = self._agents.popitem()
            await agent.close()
