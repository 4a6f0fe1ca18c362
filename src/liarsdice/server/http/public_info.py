"""What people who are not at a table may know of it: its line in the lobby, and the records of its finished matches."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import msgspec

from liarsdice.core.engine.engine import match_started
from liarsdice.core.errors import LiarsDiceError
from liarsdice.core.events import Event, MatchStarted
from liarsdice.core.records.awards import awards, dice_by_round
from liarsdice.core.records.record import Fairness, signature_line, write_record
from liarsdice.play.record_signature import RecordSigner
from liarsdice.server.errors import UnreadableTableError
from liarsdice.server.http.schemas import MatchSummary, TableSummary
from liarsdice.server.table import log_entries as e
from liarsdice.server.table.dice_source import fairness_of
from liarsdice.server.table.reducer import apply_stored_row
from liarsdice.server.table.seating import present_players
from liarsdice.server.table.table_config import TableConfig
from liarsdice.server.table.table_state import Player, TableState

_ROW_ENCODER = msgspec.json.Encoder()
_ROW_DECODER = msgspec.json.Decoder(e.LogRow)


def table_summary(table: TableState, invite: str) -> TableSummary:
    """Return a table as the lobby and the join page show it. `invite`: the path of its invite link."""
    return TableSummary(
        code=table.code,
        title=table.config.title,
        game=table.config.ruleset.labels.game,
        rules_name=table.config.rules_name,
        stage=table.stage,
        player_names=tuple(player.name for player in present_players(table)),
        seats=table.config.seats,
        spectators=table.config.spectators,
        hints=table.config.hints,
        training=table.config.training,
        invite=invite,
        locked=table.locked,
    )


def has_record(table: TableState, number: int) -> bool:
    """Return whether the match with a number is over, so that its record is public."""
    return 0 < number <= finished_count(table)


def finished_count(table: TableState) -> int:
    """Return how many matches of a table are over."""
    match = table.match
    return 0 if match is None else match.number - (not match.over)


def encode_rows(rows: Iterable[e.LogRow]) -> list[bytes]:
    """Return rows of a log as JSON, to move them to another process."""
    return [_ROW_ENCODER.encode(row) for row in rows]


class UnsignedRecord(msgspec.Struct, frozen=True):
    """The public record of a match without its signature. `key`: the public key that signs it."""

    text: str
    key: str

    def signed(self, signer: RecordSigner | None) -> str:
        """Return the record with its signature, or as it is if the match began under an unknown key (None: no key)."""
        if signer is None or self.key not in signer.public_keys:
            return self.text
        return self.text + signature_line(signer.sign(self.text.encode(), self.key))


def match_record_of_json(code: str, rows: Sequence[bytes], number: int) -> UnsignedRecord | None:
    """Return the record of a match from its rows (`Store.load_match`), encoded; None unless it is over."""
    match = _match_of_json(code, rows, number)
    return None if match is None else match.record()


def match_record(rows: Iterable[e.LogRow], number: int) -> UnsignedRecord | None:
    """Return the record of a match from a table's log, with its seeds and all dice; None unless that match is over."""
    return next((match.record() for match in finished_matches(rows) if match.number == number), None)


def match_summary_of_json(code: str, rows: Sequence[bytes], number: int) -> MatchSummary | None:
    """Return the summary of a match from its rows (`Store.load_match`), encoded; None unless it is over."""
    match = _match_of_json(code, rows, number)
    return None if match is None else match.summary()


def _match_of_json(code: str, rows: Sequence[bytes], number: int) -> FinishedMatch | None:
    matches = finished_matches((_ROW_DECODER.decode(row) for row in rows), code)
    return next((match for match in matches if match.number == number), None)


class FinishedMatch(msgspec.Struct, frozen=True):
    """A match that is over, and when it ended, in milliseconds since 1970.

    `engine`, `start_line`, `stand_ins`: as in `write_record`.
    """

    number: int
    ended_at_ms: int
    events: tuple[Event, ...]
    fairness: Fairness
    engine: str
    start_line: str
    stand_ins: tuple[int, ...]

    def record(self) -> UnsignedRecord:
        """Return the record of the match, with its seeds and all dice."""
        text = write_record(
            self.events, self.engine, self.fairness, start_line=self.start_line, stand_ins=self.stand_ins
        )
        return UnsignedRecord(text, self.fairness.key)

    def summary(self) -> MatchSummary:
        """Return the awards of the match, and the dice that its players held in each round."""
        return MatchSummary(awards(self.events), dice_by_round(self.events))


def finished_matches(rows: Iterable[e.LogRow], code: str = "") -> Iterator[FinishedMatch]:
    """Yield the finished matches of a table from its log, or one from the rows of that match and the table's code.

    Raises `UnreadableTableError` if the log is damaged.
    """
    table: TableState | None = None
    events: list[Event] = []
    start_line = ""
    for row in rows:
        if isinstance(row.entry, e.Spoke):  # table talk can be most of a log, and is in no record
            continue
        if table is None and isinstance(row.entry, e.MatchBegan):
            table = _table_before(code, row.entry)
        table = apply_stored_row(table, row)
        match = table.match
        if isinstance(row.entry, e.MatchBegan) and match is not None:
            events = [match_started(match.state.ruleset, match.state.names)]
            start_line = row.entry.start
        elif isinstance(row.entry, e.Played) and match is not None:
            events += row.entry.events
            if match.over:
                yield FinishedMatch(
                    match.number,
                    row.at_ms,
                    tuple(events),
                    fairness_of(table.code, match),
                    match.engine,
                    start_line,
                    match.stand_ins,
                )


def _table_before(code: str, began: e.MatchBegan) -> TableState:
    """Return a table at which a match may begin, with what its record depends on and nothing else."""
    try:
        start = msgspec.json.decode(began.start, type=MatchStarted)
        seats = zip(began.players, start.names, began.commitments, strict=True)
        players = tuple(Player(id=player, name=name, seed_commitment=seed) for player, name, seed in seats)
    except (ValueError, LiarsDiceError) as error:
        raise UnreadableTableError(f"the log of table {code} cannot be read: match {began.number}") from error
    config = TableConfig(title="", ruleset=start.ruleset)
    return TableState(code=code, config=config, players=players, next_server_seed=began.server_seed)
