"""A database that a server of version 0.1.0 wrote is read to the same tables, and their matches go on."""

from __future__ import annotations

import json
import shutil
import sqlite3
from collections.abc import AsyncIterator
from pathlib import Path
from typing import get_args

import msgspec
import pytest

from liarsdice.core.engine.engine import legal
from liarsdice.server.http.auth import holder_of
from liarsdice.server.http.public_info import match_record
from liarsdice.server.live.table_registry import Rooms
from liarsdice.server.table import commands as c
from liarsdice.server.table.log_entries import ENTRY, Entry
from liarsdice.server.table.reducer import fold
from liarsdice.server.table.table_state import MatchState, TableState
from tests.compatibility.readings import FILES, Plain, expected, lost, plain_views
from tests.server.houses import TestHouse, open_house
from tests.server.serving import served

DATABASE = FILES / "databases" / "server.db"
EXPECTED = expected("databases")
CODES = tuple(EXPECTED["tables"])
PLAYED_OUT, PAUSED, WAITING, CHANGED_RULES = CODES


@pytest.fixture
def database(tmp_path: Path) -> Path:
    return Path(shutil.copyfile(DATABASE, tmp_path / "server.db"))


@pytest.fixture
async def rooms(database: Path) -> AsyncIterator[Rooms]:
    """Tables in a process whose clock stands at the time at which the old server stopped."""
    async with open_house(database) as opened:
        assert isinstance(opened.house, TestHouse)
        opened.house.ms = EXPECTED["now_ms"]
        yield opened
        opened.stop()


def stored_entries() -> list[bytes]:
    connection = sqlite3.connect(f"file:{DATABASE}?mode=ro&immutable=1", uri=True)
    try:
        return [body for (body,) in connection.execute("SELECT body FROM entries ORDER BY code, seq")]
    finally:
        connection.close()


def plain_table(table: TableState) -> Plain:
    """Return a table as JSON values."""
    options = table.options
    return {
        "code": table.code,
        "seq": table.seq,
        "title": options.title,
        "rules": json.loads(msgspec.json.encode(options.ruleset)),
        "rules_name": options.rules_name,
        "rules_base": options.rules_base,
        "seats": options.seats,
        "clock": [options.clock.turn_s, options.clock.bank_s],
        "hints": options.hints,
        "spectators": options.spectators,
        "listed": options.listed,
        "away": options.away.value,
        "bot": options.bot,
        "players": [
            {
                "id": player.id,
                "name": player.name,
                "bot": player.bot,
                "token_hashes": list(player.holders),
                "seed": player.seed,
                "stand_in": player.stand_in,
                "gone": player.gone,
                "muted": player.muted,
                "bank_ms": player.bank_ms,
            }
            for player in table.players
        ],
        "host": table.host,
        "next_player": table.next_player,
        "paused": table.paused,
        "left_ms": table.left_ms,
        "sealed": table.sealed,
        "charges": [
            {"number": charge.number, "player": charge.player, "trigger": charge.trigger.value, "denied": charge.denied}
            for charge in table.charges
        ],
        "next_charge": table.next_charge,
        "news": [[item.seq, item.at_ms] for item in table.news],
        "requests": table.wishes,
        "match": None if table.match is None else plain_match(table.match),
    }


def plain_match(match: MatchState) -> Plain:
    """Return a match of a table as JSON values."""
    return {
        "number": match.number,
        "server_seed": match.server_seed,
        "seeds": list(match.seeds),
        "turn_id": match.mark,
        "ready": list(match.ready),
        "out": list(match.out),
        "penalty_count": match.penalty_count,
        "views": plain_views(match.state),
    }


def test_the_database_holds_every_kind_of_entry() -> None:
    stored = {json.loads(body)["type"] for body in stored_entries()}
    assert stored == {kind.__struct_config__.tag for kind in get_args(Entry)}


def test_no_field_of_an_entry_is_lost() -> None:
    """Entries ignore fields that they do not know, so a renamed field would fall back to its default unnoticed."""
    for body in stored_entries():
        rewritten = msgspec.json.encode(ENTRY.decode(body))
        assert lost(json.loads(body), json.loads(rewritten)) == []


@pytest.mark.parametrize("code", CODES)
async def test_a_table_is_read_to_the_same_state(code: str, rooms: Rooms) -> None:
    kept = await rooms.house.store.load(code)
    assert kept is not None
    table = fold(kept.rows)
    assert table is not None
    assert kept.due_at_ms == EXPECTED["tables"][code]["due_at_ms"]
    assert lost(EXPECTED["tables"][code]["table"], plain_table(table)) == []


@pytest.mark.parametrize("code", CODES)
async def test_the_records_of_finished_matches_stay_the_same(code: str, rooms: Rooms) -> None:
    kept = await rooms.house.store.load(code)
    assert kept is not None
    records = [record for number in (1, 2) if (record := match_record(kept.rows, number)) is not None]
    assert [record.splitlines()[1:] for record in records] == EXPECTED["tables"][code]["records"]


async def test_the_lobby_and_the_tables_that_are_due_stay_the_same(rooms: Rooms) -> None:
    assert list(await rooms.house.store.listed(10, 0)) == EXPECTED["listed"]
    assert list(await rooms.house.store.due(0, 10**15)) == EXPECTED["due"]


async def test_a_ticket_to_a_seat_is_good_once(rooms: Rooms) -> None:
    ticket = holder_of("ticket")
    assert await rooms.house.store.take_ticket(ticket, WAITING, EXPECTED["now_ms"]) == 1
    assert await rooms.house.store.take_ticket(ticket, WAITING, EXPECTED["now_ms"]) is None


@pytest.mark.parametrize("code", [PLAYED_OUT, CHANGED_RULES])
async def test_a_match_in_progress_goes_on(code: str, rooms: Rooms) -> None:
    room = await rooms.room(code)
    before = await room.table()
    assert before.playing is not None
    seat, bid = before.playing.state.turn, legal(before.playing.state).bids[0]
    await rooms.ask(room, holder_of(before.players[seat].name), "a-bid", bid, before.playing.mark)
    kept = await rooms.house.store.load(code)
    assert kept is not None
    after = fold(kept.rows)
    assert after is not None
    assert after.playing is not None
    assert after.seq > before.seq
    assert (seat, bid) in after.playing.state.bids


async def test_a_paused_match_goes_on_with_the_time_that_was_left(rooms: Rooms) -> None:
    room = await rooms.room(PAUSED)
    await rooms.ask(room, holder_of("Eve"), "go-on", c.Pause(paused=False))
    assert room.left_ms() == EXPECTED["tables"][PAUSED]["table"]["left_ms"]


async def test_a_match_begins_at_a_table_that_waited_for_players(rooms: Rooms) -> None:
    room = await rooms.room(WAITING)
    await rooms.ask(room, holder_of("Gus"), "begin", c.Begin())
    table = await room.table()
    assert table.match is not None
    assert [player.name for player in table.players] == list(table.match.state.names)


async def test_a_request_that_was_granted_is_not_granted_again(rooms: Rooms) -> None:
    room = await rooms.room(PLAYED_OUT)
    seq = (await room.table()).seq
    requests = EXPECTED["tables"][PLAYED_OUT]["table"]["requests"]
    request, granted = next((name, seq) for name, seq in requests.items() if name.startswith(holder_of("Bo")[:16]))
    assert await rooms.ask(room, holder_of("Bo"), request.partition(":")[2], c.Say("once more")) == granted
    assert (await room.table()).seq == seq
    assert await rooms.ask(room, holder_of("Bo's phone"), "new", c.Say("from a second device")) == seq + 1


async def test_a_server_publishes_the_record_of_a_match_that_was_played_before(database: Path) -> None:
    async with served(database) as running:
        answer = await running.browser().get(f"/api/tables/{PLAYED_OUT}/matches/1")
    assert answer.status_code == 200
    assert answer.text.splitlines()[1:] == EXPECTED["tables"][PLAYED_OUT]["records"][0]
