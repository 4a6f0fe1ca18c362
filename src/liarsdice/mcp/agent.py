"""What one agent does at the tables of a server, answered in text.

An agent is known by one token, which holds its seats. All that it is told comes from the views that the server builds
for this token, so no text can hold another's dice.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from typing import Any

from liarsdice.client.async_client import AsyncClient
from liarsdice.client.errors import RefusedError
from liarsdice.client.views import TableView
from liarsdice.core.errors import IllegalActionError, MalformedError
from liarsdice.core.text.answer import read_answer
from liarsdice.core.text.turn_text import move_text, rules_text
from liarsdice.mcp.review import MatchReviews
from liarsdice.mcp.seat_view import seat_view
from liarsdice.mcp.table_text import lobby_text, table_text

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
        return rules_text(await self._client.rules(_code(code)))

    async def begin(self, code: str) -> str:
        """Begin a match, as the host may."""
        await self._client.begin(_code(code))
        return f"The match begins.\n{await self.look(code)}"

    async def look(self, code: str, *, odds: bool = False) -> str:
        """Return a table as this agent's seat sees it, with what happened since its last look."""
        return self._shown(await self._client.view(_code(code), after=self._seen(code)), odds=odds)

    async def wait_for_turn(self, code: str, *, wait_s: float, out_of_turn: bool, odds: bool) -> str:
        """Return the table once this agent may act or the match is over, or after `wait_s` seconds as it is then."""
        wait_s = min(max(wait_s, 0.0), LONGEST_WAIT_S)
        table = await self._client.wait_for_turn(
            _code(code), after=self._seen(code), out_of_turn=out_of_turn, wait_s=wait_s
        )
        waits = table.stage == "playing" and not table.on_turn and not (out_of_turn and table.may_act)
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
        latest = 0 if match is None else match.number - (table.stage == "playing")
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
