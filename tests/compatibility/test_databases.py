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
from liarsdice.play.record_signature import KEY_BYTES, RecordSigner
from liarsdice.server.http.auth import hash_token
from liarsdice.server.http.public_info import match_record
from liarsdice.server.live.table_registry import TableRegistry
from liarsdice.server.table import commands as c
from liarsdice.server.table.log_entries import LOG_ENTRY_DECODER, LogEntry
from liarsdice.server.table.reducer import replay_log
from liarsdice.server.table.table_state import MatchState, TableState
from tests.compatibility.readings import FILES, Plain, expected, lost, plain_views
from tests.server.live_tables import open_registry
from tests.server.running_server import run_server

DATABASE = FILES / "databases" / "server.db"
EXPECTED = expected("databases")
CODES = tuple(EXPECTED["tables"])
PLAYED_OUT, PAUSED, WAITING, CHANGED_RULES = CODES
SIGNER = RecordSigner(bytes(KEY_BYTES))


NEWER_ENTRIES = {
    "ban_lifted",
    "call_guessed",
    "face_chosen",
    "locked",
    "push_changed",
    "seat_refused",
    "seat_requested",
    "seed_committed",
    "seed_revealed",
    "rules_accepted",
    "speed_changed",
    "webhook_changed",
}
"""The tags of entries that version 0.1.0 did not know."""


@pytest.fixture
def database(tmp_path: Path) -> Path:
    return Path(shutil.copyfile(DATABASE, tmp_path / "server.db"))


@pytest.fixture
async def registry(database: Path) -> AsyncIterator[TableRegistry]:
    """Tables in a process whose clock stands at the time at which the old server stopped."""
    async with open_registry(database, time_ms=EXPECTED["now_ms"]) as opened:
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
    config = table.config
    return {
        "code": table.code,
        "seq": table.seq,
        "title": config.title,
        "rules": json.loads(msgspec.json.encode(config.ruleset)),
        "rules_name": config.rules_name,
        "rules_base": config.rules_base,
        "seats": config.seats,
        "clock": [config.clock.turn_s, config.clock.bank_s],
        "hints": config.hints,
        "spectators": config.spectators,
        "listed": config.listed,
        "away": config.away.value,
        "bot": config.bot,
        "players": [
            {
                "id": player.id,
                "name": player.name,
                "bot": player.bot,
                "token_hashes": list(player.token_hashes),
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
        "left_ms": table.paused_left_ms,
        "sealed": table.next_server_seed,
        "charges": [
            {
                "number": accusation.number,
                "player": accusation.player,
                "trigger": accusation.trigger.value,
                "denied": accusation.denied,
            }
            for accusation in table.accusations
        ],
        "next_charge": table.next_accusation,
        "news": [[item.seq, item.at_ms] for item in table.news],
        "requests": table.handled_requests,
        "match": None if table.match is None else plain_match(table.match),
    }


def plain_match(match: MatchState) -> Plain:
    """Return a match of a table as JSON values."""
    return {
        "number": match.number,
        "server_seed": match.server_seed,
        "seeds": list(match.seeds),
        "turn_id": match.turn_id,
        "ready": list(match.ready),
        "out": list(match.out),
        "penalty_count": match.penalty_count,
        "views": plain_views(match.state),
    }


def test_the_database_holds_every_kind_of_entry() -> None:
    stored = {json.loads(body)["type"] for body in stored_entries()}
    assert stored == {kind.__struct_config__.tag for kind in get_args(LogEntry)} - NEWER_ENTRIES


def test_no_field_of_an_entry_is_lost() -> None:
    """Entries ignore fields that they do not know, so a renamed field would fall back to its default unnoticed."""
    for body in stored_entries():
        rewritten = msgspec.json.encode(LOG_ENTRY_DECODER.decode(body))
        assert lost(json.loads(body), json.loads(rewritten)) == []


@pytest.mark.parametrize("code", CODES)
async def test_a_table_is_read_to_the_same_state(code: str, registry: TableRegistry) -> None:
    stored = await registry.services.store.load(code)
    assert stored is not None
    table = replay_log(stored.rows)
    assert table is not None
    assert stored.due_at_ms == EXPECTED["tables"][code]["due_at_ms"]
    assert lost(EXPECTED["tables"][code]["table"], plain_table(table)) == []


@pytest.mark.parametrize("code", CODES)
async def test_the_records_of_finished_matches_stay_the_same(code: str, registry: TableRegistry) -> None:
    stored = await registry.services.store.load(code)
    assert stored is not None
    records = [record for number in (1, 2) if (record := match_record(stored.rows, number)) is not None]
    assert [record.signed(SIGNER).splitlines()[1:] for record in records] == EXPECTED["tables"][code]["records"]


async def test_the_lobby_and_the_tables_that_are_due_stay_the_same(registry: TableRegistry) -> None:
    assert list(await registry.services.store.listed_codes(10, 0)) == EXPECTED["listed"]
    assert list(await registry.services.store.due_codes(0, 10**15)) == EXPECTED["due"]


async def test_a_ticket_to_a_seat_is_good_once(registry: TableRegistry) -> None:
    ticket = hash_token("ticket")
    assert await registry.services.store.redeem_ticket(ticket, WAITING, EXPECTED["now_ms"]) == 1
    assert await registry.services.store.redeem_ticket(ticket, WAITING, EXPECTED["now_ms"]) is None


@pytest.mark.parametrize("code", [PLAYED_OUT, CHANGED_RULES])
async def test_a_match_in_progress_goes_on(code: str, registry: TableRegistry) -> None:
    live_table = await registry.get(code)
    before = await live_table.state()
    assert before.ongoing_match is not None
    seat, bid = before.ongoing_match.state.turn, legal(before.ongoing_match.state).bids[0]
    await registry.submit(live_table, hash_token(before.players[seat].name), "a-bid", bid, before.ongoing_match.turn_id)
    stored = await registry.services.store.load(code)
    assert stored is not None
    after = replay_log(stored.rows)
    assert after is not None
    assert after.ongoing_match is not None
    assert after.seq > before.seq
    assert (seat, bid) in after.ongoing_match.state.bids


async def test_a_paused_match_goes_on_with_the_time_that_was_left(registry: TableRegistry) -> None:
    live_table = await registry.get(PAUSED)
    await registry.submit(live_table, hash_token("Eve"), "go-on", c.Pause(paused=False))
    assert live_table.left_ms() == EXPECTED["tables"][PAUSED]["table"]["left_ms"]


async def test_a_match_begins_at_a_table_that_waited_for_players(registry: TableRegistry) -> None:
    live_table = await registry.get(WAITING)
    await registry.submit(live_table, hash_token("Gus"), "begin", c.Begin())
    table = await live_table.state()
    assert table.match is not None
    assert [player.name for player in table.players] == list(table.match.state.names)


async def test_a_request_that_was_granted_is_not_granted_again(registry: TableRegistry) -> None:
    live_table = await registry.get(PLAYED_OUT)
    seq = (await live_table.state()).seq
    requests = EXPECTED["tables"][PLAYED_OUT]["table"]["requests"]
    request, granted = next((name, seq) for name, seq in requests.items() if name.startswith(hash_token("Bo")[:16]))
    assert await registry.submit(live_table, hash_token("Bo"), request.partition(":")[2], c.Say("once more")) == granted
    assert (await live_table.state()).seq == seq
    assert await registry.submit(live_table, hash_token("Bo's phone"), "new", c.Say("from a second device")) == seq + 1


async def test_a_server_publishes_the_record_of_a_match_that_was_played_before(database: Path) -> None:
    async with run_server(database) as running:
        answer = await running.browser().get(f"/api/tables/{PLAYED_OUT}/matches/1")
    assert answer.status_code == 200
    assert answer.text.splitlines()[1:] == EXPECTED["tables"][PLAYED_OUT]["records"][0]
