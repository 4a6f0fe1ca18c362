"""What a table shows to those who are not at it: its line in the lobby, and the records of its finished matches."""

from __future__ import annotations

from collections.abc import Sequence

from liarsdice import __version__
from liarsdice.core.engine.engine import seated
from liarsdice.core.events import Event
from liarsdice.core.records.record import write_record
from liarsdice.server.http.schemas import TableListed
from liarsdice.server.table import log_entries as e
from liarsdice.server.table.dice_source import fairness_of
from liarsdice.server.table.reducer import grown
from liarsdice.server.table.seating import here
from liarsdice.server.table.table_state import TableState


def listed(table: TableState) -> TableListed:
    """A table as the lobby and the join page show it."""
    return TableListed(
        code=table.code,
        title=table.options.title,
        game=table.options.ruleset.labels.game,
        rules_name=table.options.rules_name,
        stage=table.stage,
        seated=tuple(one.name for one in here(table)),
        seats=table.options.seats,
        spectators=table.options.spectators,
        hints=table.options.hints,
    )


def match_record(rows: Sequence[e.Row], number: int) -> str | None:
    """The record of a match from a table's log, seeds and all dice included; None unless that match is over."""
    table: TableState | None = None
    events: list[Event] = []
    for row in rows:
        table = grown(table, row)
        match = table.match
        if isinstance(row.entry, e.Began) and match is not None:
            events = [seated(match.state.ruleset, match.state.names)]
        elif isinstance(row.entry, e.Played) and match is not None:
            events += row.entry.events
            if match.over and match.number == number:
                return write_record(events, __version__, fairness_of(table.code, match))
    return None
