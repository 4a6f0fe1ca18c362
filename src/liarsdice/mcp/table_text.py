"""What an agent is told of tables: those of the lobby, one table, and what has happened there since."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from liarsdice.client.views import Happened, NewsItem, Notice, Said, TablePlayer, TableSummary, TableView
from liarsdice.core.errors import printable
from liarsdice.core.text.narration import Narrator, narrate
from liarsdice.core.text.turn_text import turn_text
from liarsdice.mcp.seat_view import seat_view

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
    stage = {"gathering": "waits for its first match", "playing": "is in a match", "over": "waits for a rematch"}
    rules = f"{table.game} ({table.rules_name or 'house rules'})"
    names = ", ".join(map(printable, table.player_names))
    return f"{printable(table.title)!r}, {rules}; {stage[table.stage]}; {seats}; players: {names}"


def table_text(table: TableView, since: int = 0, *, with_odds: bool = False) -> str:
    """Return a table as text: its players, its news after the entry `since` of its log, and the match of this seat.

    `with_odds`: as in `turn_text`.
    """
    lines = [_heading(table), *_news_lines(table, since)]
    view = seat_view(table)
    if view is not None:
        lines.append(turn_text(view, with_odds=with_odds))
    elif table.match is not None and table.stage == "playing":
        lines.append("You have no seat in this match, and see only what everybody may see.")
    if table.stage != "playing":
        lines.append(_between_matches(table))
    if table.paused:
        lines.append("The match is paused; no move is possible until the host resumes it.")
    return "\n".join(lines)


def _heading(table: TableView) -> str:
    players = ", ".join(_player(table, player) for player in table.players)
    return f"Table {table.code} {printable(table.title)!r}, {table.rules.labels.game}. Players: {players}."


def _player(table: TableView, player: TablePlayer) -> str:
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
    you_are_host = host is not None and host.id == table.own.player
    who = "You are the host: begin starts a match." if you_are_host else "The host begins the next match."
    return f"No match is being played; {free} of {table.seats} seats are free. {who}"


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
            return f"{name}: {kind.replace('_', ' ')}" if name else ""
