"""The HTTP API of finished matches: their records, and their awards and dice by round.

The docstrings of the handlers appear in the API's description at `/docs`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TypeVar

import msgspec
from litestar import Response, get
from litestar.enums import MediaType
from litestar.params import FromPath

from liarsdice.core.engine.engine import match_started
from liarsdice.core.errors import LiarsDiceError, UnavailableError
from liarsdice.core.events import Event, MatchStarted
from liarsdice.core.records.awards import awards, dice_by_round
from liarsdice.core.records.record import Fairness, signature_line, write_record
from liarsdice.play.match_runner import final_places
from liarsdice.play.verify_record import RecordSigner
from liarsdice.server.errors import ForbiddenError, UnreadableTableError
from liarsdice.server.http.address_limits import client_address
from liarsdice.server.http.app_state import AppRequest, AppState, find_table
from liarsdice.server.http.costly_work import RECORD_COST
from liarsdice.server.http.error_responses import ERRORS, responses_with
from liarsdice.server.http.schemas import MatchSummary
from liarsdice.server.storage.rows import read_row
from liarsdice.server.storage.store import RawRow
from liarsdice.server.table import log_entries as e
from liarsdice.server.table.dice_source import fairness_of
from liarsdice.server.table.reducer import apply_stored_row
from liarsdice.server.table.seating import present_players
from liarsdice.server.table.table_config import TableConfig
from liarsdice.server.table.table_state import Player, TableState
from liarsdice.wire import TableSummary


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
        best_of=table.config.best_of,
    )


class UnsignedRecord(msgspec.Struct, frozen=True):
    """The public record of a match without its signature. `key`: the public key that signs it."""

    text: str
    key: str

    def signed(self, signer: RecordSigner | None) -> str:
        """Return the record with its signature, or as it is if the match began under an unknown key (None: no key)."""
        if signer is None or self.key not in signer.public_keys:
            return self.text
        return self.text + signature_line(signer.sign(self.text.encode(), self.key))


def record_of_match(code: str, rows: Sequence[RawRow], number: int) -> UnsignedRecord:
    """Return the record of a match from its rows (`Store.load_match`). Raises as `match_of_rows`."""
    return match_of_rows(code, rows, number).record()


def summary_of_match(code: str, rows: Sequence[RawRow], number: int) -> MatchSummary:
    """Return the summary of a match from its rows (`Store.load_match`). Raises as `match_of_rows`."""
    return match_of_rows(code, rows, number).summary()


def match_of_rows(code: str, rows: Sequence[RawRow], number: int) -> FinishedMatch:
    """Return a match. Raises `ForbiddenError` if it is not over, and `UnreadableTableError` if a row is damaged."""
    matches = finished_matches((read_row(code, row) for row in rows), code)
    match = next((match for match in matches if match.number == number), None)
    if match is None:
        raise ForbiddenError(NO_RECORD)
    return match


class FinishedMatch(msgspec.Struct, frozen=True):
    """A match that is over, when it ended, in milliseconds since 1970, and the player and the place of each seat.

    `engine`, `start_line`, `stand_ins`: as in `write_record`.
    """

    number: int
    ended_at_ms: int
    events: tuple[Event, ...]
    fairness: Fairness
    engine: str
    start_line: str
    stand_ins: tuple[int, ...]
    players: tuple[int, ...]
    places: tuple[int, ...]

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
                    tuple(player.id for player in table.players[: len(match.state.names)]),
                    final_places(match.state, match.out),
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


Result = TypeVar("Result")
NO_RECORD = "there is no record of that match until it is over"
MAX_ENTRIES = 50_000
"""The most entries of one match from which its record is computed, whatever else happened at the table."""

NOT_HERE = "this match is too long to make its record here; whoever runs the server can export it"


@get("/api/tables/{code:str}/matches/{number:int}", responses=ERRORS, media_type=MediaType.TEXT)
async def record(request: AppRequest, state: AppState, code: FromPath[str], number: FromPath[int]) -> str:
    """Return the signed public record of a finished match, with its dice and the seeds that they came from."""

    def sign(unsigned: UnsignedRecord) -> bytes:
        return unsigned.signed(state.signer).encode()

    return (await _of_match(request, state, code, number, record_of_match, sign)).decode()


@get("/api/tables/{code:str}/matches/{number:int}/summary", responses=responses_with(MatchSummary))
async def match_summary(
    request: AppRequest, state: AppState, code: FromPath[str], number: FromPath[int]
) -> Response[bytes]:
    """Return the awards of a finished match, and the dice that its players held in each round."""
    body = await _of_match(request, state, code, number, summary_of_match, msgspec.json.encode)
    return Response(body, media_type=MediaType.JSON)


async def _of_match(
    request: AppRequest,
    state: AppState,
    code: str,
    number: int,
    function: Callable[[str, Sequence[RawRow], int], Result],
    encode: Callable[[Result], bytes],
) -> bytes:
    """Return what a function computes, in a process, from the rows of a finished match; the body is cached.

    Raises `ForbiddenError` while the match is not over, `UnavailableError` if it has more than `MAX_ENTRIES`, and as
    `find_table` and `CostlyWork.cached`.
    """
    address = client_address(request)
    live_table = await find_table(state, request, code)
    if not 0 < number <= (await live_table.state()).finished_count:
        raise ForbiddenError(NO_RECORD)

    async def compute() -> bytes:
        async with state.costly_work.log_slots:
            rows = await state.registry.services.store.load_match(live_table.code, number, MAX_ENTRIES + 1)
            if len(rows) > MAX_ENTRIES:
                raise UnavailableError(NOT_HERE)
            result = await state.costly_work.in_process(address, function, live_table.code, rows, number)
            return encode(result)

    key = (live_table.code, number, function.__name__)
    return await state.costly_work.cached(address, key, RECORD_COST, compute)
