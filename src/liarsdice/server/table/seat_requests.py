"""Requests for a seat at a table whose host decides who sits down."""

from __future__ import annotations

from msgspec.structs import replace

from liarsdice.core.errors import IllegalActionError
from liarsdice.server.errors import BannedError, StaleError
from liarsdice.server.table import log_entries as e
from liarsdice.server.table.table_state import SeatRequest, TableState

MAX_OPEN_REQUESTS = 10
MAX_OPEN_PER_ADDRESS = 2
MAX_REFUSED = 100


def open_requests(table: TableState) -> tuple[SeatRequest, ...]:
    """Return the requests that the host has not answered yet, the oldest first."""
    return tuple(request for request in table.seat_requests if not request.refused)


def request_by_token(table: TableState, token_hash: str) -> SeatRequest | None:
    """Return the request of the owner of a token, open or refused; None if there is none."""
    return next((request for request in table.seat_requests if request.token_hash == token_hash), None)


def request_seat(
    table: TableState, name: str, token_hash: str, address_hash: str, *, program: bool = False
) -> list[e.LogEntry]:
    """Return the entry of a new request, none if the person has asked before. `program`: as in `Joined`.

    A refused person is recognised by the token, and by the address if nobody else at the table sat down from it. Raises
    `BannedError` if the host refused a request of this person, and `IllegalActionError` if too many are open.
    """
    known = request_by_token(table, token_hash)
    if known is not None and not known.refused:
        return []
    if known is not None or _is_refused_address(table, address_hash):
        raise BannedError("the host does not let you sit down in the next match")
    waiting = open_requests(table)
    from_address = sum(request.address_hash == address_hash != "" for request in waiting)
    if len(waiting) >= MAX_OPEN_REQUESTS or from_address >= MAX_OPEN_PER_ADDRESS:
        raise IllegalActionError("many people have asked for a seat here already; try again in a while")
    return [e.SeatRequested(table.next_request, name, token_hash, address_hash, program)]


def _is_refused_address(table: TableState, address_hash: str) -> bool:
    """Return whether the host refused somebody at an address from which nobody at the table sat down."""
    shared = any(player.address_hash == address_hash and not player.gone for player in table.players)
    refused = any(request.refused and request.address_hash == address_hash != "" for request in table.seat_requests)
    return refused and not shared


def open_request(table: TableState, number: int) -> SeatRequest:
    """Return an open request by its number. Raises `StaleError` if there is none."""
    request = next((request for request in open_requests(table) if request.number == number), None)
    if request is None:
        raise StaleError("that request has been answered already")
    return request


def requests_after(
    table: TableState,
    entry: e.SeatRequested | e.SeatRefused | e.Joined | e.DeviceAdded | e.MatchBegan | e.ConfigChanged,
) -> tuple[SeatRequest, ...]:
    """Return the requests after an entry: answered ones go, refused ones stay until the next match begins."""
    requests = table.seat_requests
    match entry:
        case e.SeatRequested():
            new = SeatRequest(entry.number, entry.name, entry.token_hash, entry.address_hash, program=entry.program)
            return (*requests, new)[-MAX_REFUSED:]
        case e.SeatRefused(number):
            return tuple(replace(request, refused=request.refused or request.number == number) for request in requests)
        case e.Joined() | e.DeviceAdded():
            return tuple(request for request in requests if request.token_hash != entry.token_hash)
        case e.MatchBegan():
            return open_requests(table)
        case e.ConfigChanged(config):
            return requests if config.approval else ()
