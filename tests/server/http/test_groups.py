"""Groups: founded, joined and played in over HTTP, counted through crashes, and closed to strangers."""

import asyncio
import datetime as dt
import threading
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, get_args

import httpx
import msgspec
import pytest

from liarsdice.core.actions import Challenge
from liarsdice.core.errors import IllegalActionError
from liarsdice.core.rules.bids import Bid
from liarsdice.server.errors import StoreError
from liarsdice.server.groups import group, group_views
from liarsdice.server.groups.group import VOUCH_WAIT_MS
from liarsdice.server.groups.group_views import Tally
from liarsdice.server.groups.results import GroupResult, ResultSeat, played_matches
from liarsdice.server.http import groups
from liarsdice.server.http.address_limits import RateLimits
from liarsdice.server.http.app_state import qr_svg
from liarsdice.server.http.auth import COOKIE, hash_token
from liarsdice.server.http.costly_work import CACHED_COST, RULES_COST
from liarsdice.server.http.groups import REMINDED_BEFORE_MS, Groups, calendar_file
from liarsdice.server.http.outgoing import MAX_PER_HOST, Webhooks
from liarsdice.server.settings import WebhookMode
from liarsdice.server.storage.group_rows import GroupRows
from liarsdice.server.storage.store import RawRow
from liarsdice.server.table import commands as c
from liarsdice.server.table.reducer import MAX_NEWS
from tests.server.live_tables import START_MS, RecordingSubscriber, is_bidding, is_over, match_of, turn_id, wait_until
from tests.server.running_server import RunningServer, run_server

NAMES = ("Ann", "Bo", "Cleo", "Dee")


class Table:
    """Friends with a browser each, and the table where they sit."""

    def __init__(self, server: RunningServer, names: Iterable[str] = NAMES) -> None:
        self.server = server
        self.browsers = {name: server.browser() for name in names}
        self.code = ""

    def __getitem__(self, name: str) -> httpx.AsyncClient:
        return self.browsers[name]

    async def sit_down(self, code: str = "", **form: object) -> None:
        """All take seats: at a new table of the first one, or at one that is open."""
        first, *others = self.browsers
        form = {"rules": "basic", **form}
        self.code = code or await self.server.open_table(self[first], first, **form)
        for name in others if not code else self.browsers:
            answer = await self[name].post(f"/api/tables/{self.code}/seats", json={"name": name, "id": name})
            assert answer.status_code == 201, answer.text

    async def play(self) -> None:
        """A whole match, in which each opens with one six and the next one doubts that."""
        registry = self.server.registry
        live_table = await registry.get(self.code)
        table = await live_table.state()
        number, host = table.finished_count, table.player(table.host)
        for name, browser in self.browsers.items():
            if number or host is None or name == host.name:
                await registry.submit(live_table, _token(browser), f"begin{number}{name}", c.Begin())
        while True:
            table = await wait_until(live_table, lambda table: is_over(table) or is_bidding(table))
            if is_over(table) and table.finished_count > number:
                return
            match = match_of(table)
            player = table.players[match.state.turn]
            move = Challenge() if match.state.bids else Bid(1, 6)
            request_id = f"move{number}-{turn_id(table)}"
            await registry.submit(live_table, player.token_hashes[0], request_id, move, turn_id(table))


def _token(browser: httpx.AsyncClient) -> str:
    return hash_token(browser.cookies.get(COOKIE))


async def page(browser: httpx.AsyncClient, code: str) -> dict[str, Any]:
    answer = await browser.get(f"/api/groups/{code}")
    assert answer.status_code == 200, answer.text
    page: dict[str, Any] = answer.json()
    return page


async def inside(browser: httpx.AsyncClient, code: str) -> dict[str, Any]:
    """A group as its member sees it."""
    view: dict[str, Any] = (await page(browser, code))["inside"]
    assert view is not None
    return view


async def do(browser: httpx.AsyncClient, code: str, kind: str, **fields: object) -> httpx.Response:
    return await browser.post(f"/api/groups/{code}/do", json={"command": {"type": kind, **fields}})


async def founded(table: Table, **form: object) -> str:
    """The code of a group that the first one founds of the table."""
    first = next(iter(table.browsers))
    form = {"name": "The Crooked Spoon", "table": table.code, "timezone": "Europe/Madrid", **form}
    answer = await table[first].post("/api/groups", json=form)
    assert answer.status_code == 201, answer.text
    return str(answer.json()["inside"]["code"])


@pytest.fixture
async def table(server: RunningServer) -> Table:
    table = Table(server)
    await table.sit_down()
    return table


async def test_friends_keep_their_table_as_a_group_and_meet_again(table: Table) -> None:
    await table.play()
    code = await founded(table)
    view = await inside(table["Bo"], code)
    assert [member["name"] for member in view["members"]] == list(NAMES)
    assert view["me"] == 2
    assert view["founder"] == 1
    assert [row["matches"] for row in view["standings"]] == [1] * 4
    assert sorted(row["points"] for row in view["standings"]) == [0, 1, 2, 3]
    assert [game["versions"][-1]["rules"] for game in view["games"]] == ["basic"]
    (night,) = view["nights"]
    assert night["matches"] == [{"table": table.code, "match": 1, "at_ms": START_MS}]

    # the next week: one tap opens the table as last time, and its match counts by itself
    table.server.services.time_ms += 7 * 24 * 3_600_000
    answer = await table["Cleo"].post(f"/api/groups/{code}/tables", json={})
    assert answer.status_code == 201, answer.text
    open_tables = (await inside(table["Ann"], code))["tables"]
    assert [open_table["code"] for open_table in open_tables] == [answer.json()["code"]]
    await table.sit_down(answer.json()["code"])
    await table.play()
    await wait_for_tasks(table.server)
    rows = await table.server.services.store.select("SELECT count(*) FROM group_results WHERE code = $1", code)
    assert rows == [(2,)]
    view = await inside(table["Dee"], code)
    assert view["night_count"] == 2
    assert sum(row["points"] for row in view["standings"]) == 12


async def test_the_link_of_a_group_is_drawn_for_whoever_has_it(table: Table) -> None:
    code = await founded(table)
    drawn = [await browser.get(f"/api/groups/{code}/qr.svg") for browser in (table["Ann"], table.server.browser())]
    assert [answer.status_code for answer in drawn] == [200, 200]
    assert drawn[0].content == drawn[1].content == qr_svg(f"{table.server.address}/g/{code}")


async def test_a_table_as_last_time_has_a_seat_for_every_member_as_far_as_its_game_allows(table: Table) -> None:
    code = await founded(table)
    form = {"name": "Ann", "rules": "basic", "seats": 2}
    for game, seats in ((form, 2), (None, 4)):
        answer = await table["Ann"].post(f"/api/groups/{code}/tables", json={"form": game})
        assert answer.status_code == 201, answer.text
        live_table = await table.server.registry.get(answer.json()["code"])
        assert (await live_table.state()).config.seats == seats


async def wait_for_tasks(server: RunningServer) -> None:
    for task in server.services.running_tasks:
        await task


async def test_all_matches_of_the_evening_count_in_the_first_season(table: Table) -> None:
    """Also those of which the table no longer has the news."""
    for _ in range(3):
        await table.play()
        table.server.services.time_ms += 3_600_000
    live_table = await table.server.registry.get(table.code)
    for number in range(MAX_NEWS):
        name = NAMES[number % 4]
        table.server.services.time_ms += 1000
        await table.server.registry.submit(live_table, _token(table[name]), f"say{number}", c.Say(f"line {number}"))
    view = await inside(table["Ann"], await founded(table))
    assert [row["matches"] for row in view["standings"]] == [3] * 4
    assert len(view["nights"][0]["matches"]) == 3


async def test_a_table_is_kept_as_one_group_by_the_people_at_it(table: Table) -> None:
    program = table.server.program()
    seat = await program.post(f"/api/tables/{table.code}/seats", json={"name": "Prog", "id": "prog"})
    assert seat.status_code == 201
    form = {"name": "Us", "table": table.code}
    for stranger in (program, table.server.browser()):
        assert (await stranger.post("/api/groups", json=form)).status_code == 403
    answers = await asyncio.gather(*(table[name].post("/api/groups", json=form) for name in NAMES))
    assert sorted(answer.status_code for answer in answers) == [201, 409, 409, 409]
    (row,) = await table.server.services.store.select("SELECT code FROM groups")
    founder = next(name for name, answer in zip(NAMES, answers, strict=True) if answer.status_code == 201)
    assert (await table[founder].post("/api/groups", json=form)).status_code == 409
    assert (await do(table[founder], row[0], "close_group")).status_code == 200
    again = await table["Bo"].post("/api/groups", json=form)
    assert again.status_code == 201
    assert [open_table["code"] for open_table in again.json()["inside"]["tables"]] == [table.code]


async def test_only_whom_a_member_lets_in_sees_the_group(table: Table) -> None:
    code = await founded(table)
    eve = table.server.browser()
    door = await page(eve, code)
    assert door == {
        "inside": None,
        "door": {"code": code, "name": "The Crooked Spoon", "member_count": 4, "weekday": None, "waiting": None},
    }
    for kind, fields in COMMANDS.items():
        answer = await do(eve, code, kind, **fields)
        assert answer.status_code == 403, kind
    for method, path in (("POST", "tables"), ("POST", "ticket"), ("GET", "export"), ("GET", "calendar.ics")):
        answer = await eve.request(method, f"/api/groups/{code}/{path}", json={} if method == "POST" else None)
        assert answer.status_code == 403, path

    refused = await eve.post(f"/api/groups/{code}/knock", json={"name": "ann"})
    assert refused.status_code == 400
    assert "called ann already" in refused.json()["text"]
    knocked = await eve.post(f"/api/groups/{code}/knock", json={"name": "Eve", "face": 7})
    assert knocked.json()["inside"] is None
    (waiting,) = (await inside(table["Bo"], code))["waiting"]
    assert (waiting["name"], waiting["face"], waiting["member"]) == ("Eve", 7, None)
    assert (await do(table["Bo"], code, "admit", number=waiting["number"])).status_code == 200
    view = await inside(eve, code)
    assert [member["name"] for member in view["members"]][-1] == "Eve"
    assert (await do(table["Bo"], code, "admit", number=waiting["number"])).status_code == 404


COMMANDS: dict[str, dict[str, object]] = {
    "admit": {"number": 1},
    "refuse": {"number": 1},
    "introduce": {"name": "Zoe", "face": 1},
    "rename": {"name": "Ours"},
    "leave_group": {},
    "hand_over": {"member": 2},
    "dismiss": {"member": 2},
    "keep_game": {"name": "Fast", "rules": "perudo"},
    "drop_game": {"game": 1},
    "choose_game": {"game": 1},
    "set_date": {"date": {"weekday": 3, "minute": 1260, "timezone": "Europe/Madrid"}},
    "say_coming": {"coming": "yes"},
    "push_group": {"endpoint": "https://fcm.googleapis.com/1", "wanted": True},
    "vote_liar": {"night": "2026-09-21", "member": 2},
    "end_season": {"scoring": "places"},
    "choose_scoring": {"scoring": "rating"},
    "set_chat": {"url": ""},
    "close_group": {},
}
FOUNDERS = {"rename", "hand_over", "dismiss", "end_season", "choose_scoring", "set_chat", "close_group"}


async def test_powers_of_the_founder_are_refused_to_other_members(table: Table) -> None:
    code = await founded(table)
    assert {*COMMANDS} == {command.__struct_config__.tag for command in get_args(group.GroupCommand)}
    for kind in FOUNDERS:
        answer = await do(table["Bo"], code, kind, **COMMANDS[kind])
        assert answer.status_code == 403, kind
        assert "founder" in answer.json()["text"]
    assert (await table["Bo"].get(f"/api/groups/{code}/export")).status_code == 403
    assert (await inside(table["Bo"], code))["founder"] == 1


async def test_the_founder_runs_the_group_and_hands_it_over(table: Table) -> None:
    code = await founded(table)
    assert (await do(table["Ann"], code, "leave_group")).status_code == 409
    for kind in ("rename", "choose_scoring", "dismiss"):
        assert (await do(table["Ann"], code, kind, **COMMANDS[kind])).status_code == 200, kind
    assert (await page(table["Bo"], code))["inside"] is None  # dismissed
    assert (await do(table["Ann"], code, "hand_over", member=3)).json()["inside"]["founder"] == 3
    assert (await do(table["Ann"], code, "close_group")).status_code == 403
    assert (await do(table["Cleo"], code, "close_group")).json() == {"inside": None, "door": None}
    gone = await table["Cleo"].get(f"/api/groups/{code}")
    assert gone.status_code == 404
    assert await table.server.services.store.select("SELECT count(*) FROM group_results WHERE code = $1", code) == [
        (0,)
    ]


async def test_a_lost_device_is_replaced_by_two_who_vouch_or_the_founder(table: Table) -> None:
    code = await founded(table)
    phone, thief = table.server.browser(), table.server.browser()
    await do(table["Bo"], code, "push_group", endpoint="https://fcm.googleapis.com/lost", wanted=True)
    nobody = await phone.post(f"/api/groups/{code}/knock", json={"name": "Zoe", "lost": True})
    assert (nobody.status_code, nobody.json()["code"]) == (404, "unavailable")
    door = (await phone.post(f"/api/groups/{code}/knock", json={"name": "bo", "lost": True})).json()["door"]
    assert door["waiting"]["name"] == "Bo"
    assert len(door["waiting"]["dice"]) == 5
    (seen,) = (await inside(table["Cleo"], code))["waiting"]
    assert seen["dice"] == door["waiting"]["dice"]
    number = seen["number"]
    assert (await do(table["Bo"], code, "admit", number=number)).status_code == 409  # not by the device itself
    for _ in range(2):  # one friend alone is not enough, however often
        assert (await do(table["Cleo"], code, "admit", number=number)).status_code == 200
    assert (await page(phone, code))["inside"] is None
    assert (await do(table["Dee"], code, "admit", number=number)).status_code == 200
    assert (await inside(phone, code))["me"] == 2
    assert (await page(table["Bo"], code))["inside"] is None  # the old phone is a stranger now

    rows = await table.server.services.store.select("SELECT body FROM groups WHERE code = $1", code)
    assert b"fcm.googleapis.com/lost" not in rows[0][0]  # nor is it told when the group meets

    await thief.post(f"/api/groups/{code}/knock", json={"name": "Cleo", "lost": True})
    (seen,) = (await inside(table["Ann"], code))["waiting"]
    assert (await do(table["Ann"], code, "admit", number=seen["number"])).status_code == 200  # the founder alone may
    assert (await inside(thief, code))["me"] == 3


async def test_the_founder_of_a_group_of_two_comes_back_when_the_other_one_says_so_and_three_days_pass(
    server: RunningServer,
) -> None:
    table = Table(server, ("Ann", "Bo"))
    await table.sit_down()
    code = await founded(table)
    server.services.time_ms += 1
    phone, puppet = server.browser(), server.browser()
    await phone.post(f"/api/groups/{code}/knock", json={"name": "Ann", "lost": True})
    (seen,) = (await do(table["Bo"], code, "admit", number=1)).json()["inside"]["waiting"]
    assert seen["opens_ms"] == server.services.now_ms() + VOUCH_WAIT_MS

    # a friend of one's own making makes it no quicker
    await puppet.post(f"/api/groups/{code}/knock", json={"name": "Puppet"})
    await do(table["Bo"], code, "admit", number=2)
    assert (await do(puppet, code, "admit", number=1)).status_code == 409
    server.services.time_ms += VOUCH_WAIT_MS - 1
    await do(table["Bo"], code, "admit", number=1)
    assert (await page(phone, code))["inside"] is None
    assert (await inside(table["Ann"], code))["waiting"][0]["member"] == 1  # the old phone sees it, and can say no

    server.services.time_ms += 1
    await do(puppet, code, "leave_group")
    assert (await do(table["Bo"], code, "admit", number=1)).status_code == 200
    view = await inside(phone, code)
    assert (view["me"], view["founder"]) == (1, 1)
    assert (await page(table["Ann"], code))["inside"] is None


async def test_the_old_phone_of_a_founder_refuses_who_would_take_its_place(server: RunningServer) -> None:
    table = Table(server, ("Ann", "Bo"))
    await table.sit_down()
    code = await founded(table)
    thief = server.browser()
    await thief.post(f"/api/groups/{code}/knock", json={"name": "Ann", "lost": True})
    await do(table["Bo"], code, "admit", number=1)
    await do(table["Ann"], code, "refuse", number=1)
    server.services.time_ms += VOUCH_WAIT_MS
    assert (await do(table["Bo"], code, "admit", number=1)).status_code == 404
    assert (await page(thief, code))["inside"] is None


async def test_who_was_dismissed_vouches_for_nobody(table: Table) -> None:
    code = await founded(table)
    thief = table.server.browser()
    await thief.post(f"/api/groups/{code}/knock", json={"name": "Bo", "lost": True})
    await do(table["Cleo"], code, "admit", number=1)
    await do(table["Ann"], code, "dismiss", member=3)
    (waiting,) = (await do(table["Dee"], code, "admit", number=1)).json()["inside"]["waiting"]
    assert waiting["vouched"] == [4]
    assert (await page(thief, code))["inside"] is None


async def test_a_private_link_brings_a_second_device_once(table: Table) -> None:
    code = await founded(table)
    ticket = (await table["Bo"].post(f"/api/groups/{code}/ticket")).json()
    assert ticket["path"].startswith(f"/g/{code}#device=")
    second, third = table.server.browser(), table.server.browser()
    body = {"ticket": ticket["ticket"]}
    answers = [await browser.post(f"/api/groups/{code}/redeem", json=body) for browser in (second, third)]
    assert [answer.status_code for answer in answers] == [200, 403]
    assert (await inside(second, code))["me"] == (await inside(table["Bo"], code))["me"] == 2
    assert (await inside(second, code))["members"][1]["devices"] == 2
    ticket = (await table["Bo"].post(f"/api/groups/{code}/ticket")).json()
    taken = await table["Cleo"].post(f"/api/groups/{code}/redeem", json={"ticket": ticket["ticket"]})
    assert taken.status_code == 403
    assert "belongs to Cleo" in taken.json()["text"]


async def test_who_leaves_takes_their_name_out_and_others_keep_their_results(table: Table) -> None:
    await table.play()
    code = await founded(table)
    before = {row["member"]: row["points"] for row in (await inside(table["Ann"], code))["standings"]}
    assert (await do(table["Bo"], code, "leave_group")).json()["inside"] is None
    view = await inside(table["Ann"], code)
    assert view["members"][1] == {"id": 2, "name": "", "face": 0, "coming": None, "devices": 0, "gone": True}
    assert {row["member"]: row["points"] for row in view["standings"]} == {
        member: points for member, points in before.items() if member != 2
    }
    rows = await table.server.services.store.select("SELECT body FROM groups WHERE code = $1", code)
    rows = [*rows, *await table.server.services.store.select("SELECT body FROM group_results WHERE code = $1", code)]
    assert not any(b'"Bo"' in body for (body,) in rows)
    export = (await table["Ann"].get(f"/api/groups/{code}/export")).json()
    assert "Bo" not in str(export)
    assert "token" not in str(export)
    assert len(export["results"]) == 1


async def test_bots_guests_and_leavers_never_count(server: RunningServer) -> None:
    table = Table(server, ("Ann", "Bo"))
    await table.sit_down(bots=["random"])
    code = await founded(table)
    guest = server.browser()
    assert (await guest.post(f"/api/tables/{table.code}/seats", json={"name": "Gus", "id": "gus"})).status_code == 201
    live_table = await server.registry.get(table.code)
    await server.registry.submit(live_table, _token(table["Ann"]), "begin", c.Begin())
    await wait_until(live_table, is_bidding)
    await server.registry.submit(live_table, _token(table["Bo"]), "leave", c.Leave())
    for player in reversed((await live_table.state()).players):
        if not player.played_by_bot and not player.gone:
            await server.registry.submit(
                live_table, _token(table["Ann"]), f"away{player.id}", c.StandIn(player.id, bot=True)
            )
    await wait_until(live_table, is_over)
    await wait_for_tasks(server)
    view = await inside(table["Ann"], code)
    assert view["standings"] == []
    assert view["records"] == {"boldest": None, "tightest": None, "most_caught": None, "longest": None}
    (night,) = view["nights"]
    assert (night["winners"], night["points"]) == ([], {})


async def test_who_takes_the_name_of_a_bot_has_none_of_its_results(server: RunningServer) -> None:
    table = Table(server, ("Ann",))
    await table.sit_down(bots=["random"])
    live_table = await server.registry.get(table.code)
    await server.registry.submit(live_table, _token(table["Ann"]), "begin", c.Begin())
    await server.registry.submit(live_table, _token(table["Ann"]), "away", c.StandIn(1, bot=True))
    (_, bot) = (await wait_until(live_table, is_over)).players
    await server.registry.submit(live_table, _token(table["Ann"]), "remove", c.Remove(bot.id))
    seat = await server.browser().post(f"/api/tables/{table.code}/seats", json={"name": bot.name, "id": "thief"})
    assert seat.status_code == 201
    view = await inside(table["Ann"], await founded(table))
    assert [member["name"] for member in view["members"]] == ["Ann", bot.name]
    assert view["standings"] == []
    assert view["night_count"] == 1


async def test_a_match_that_was_missed_is_counted_when_somebody_looks(
    table: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As after kill -9 between the end of a match and its result."""
    code = await founded(table)

    async def die(*_: object) -> None:
        raise StoreError("killed")

    with monkeypatch.context() as patched:
        patched.setattr(Groups, "count", die)
        await table.play()
        await wait_for_tasks(table.server)
    for _ in range(2):  # and only once
        assert [row["matches"] for row in (await inside(table["Ann"], code))["standings"]] == [1] * 4


async def test_a_match_that_is_too_long_to_count_is_loaded_once(table: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    await table.play()
    monkeypatch.setattr(groups, "MAX_ENTRIES", 3)
    loads = list[int]()
    load_match = table.server.services.store.load_match

    async def counted(code: str, number: int, limit: int) -> Sequence[RawRow]:
        loads.append(number)
        return await load_match(code, number, limit)

    monkeypatch.setattr(table.server.services.store, "load_match", counted)
    code = await founded(table)
    for _ in range(2):
        view = await inside(table["Ann"], code)
        assert (view["standings"], view["night_count"]) == ([], 1)
    assert loads == [1]


async def test_a_match_that_is_counted_while_its_group_closes_leaves_nothing(
    table: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    await founded(table)
    add_result = GroupRows.add_result

    async def close_first(rows: GroupRows, code: str, table: str, match: int, at_ms: int, body: bytes) -> bool:
        await rows.delete(code)
        return await add_result(rows, code, table, match, at_ms, body)

    monkeypatch.setattr(GroupRows, "add_result", close_first)
    await table.play()
    await wait_for_tasks(table.server)
    assert await table.server.services.store.select("SELECT body FROM group_results") == []


async def test_changes_at_the_same_time_are_all_kept(table: Table) -> None:
    code = await founded(table)
    await do(table["Ann"], code, "set_date", date=COMMANDS["set_date"]["date"])
    answers = await asyncio.gather(*(do(table[name], code, "say_coming", coming="yes") for name in NAMES))
    assert [answer.status_code for answer in answers] == [200] * 4
    assert [member["coming"] for member in (await inside(table["Ann"], code))["members"]] == ["yes"] * 4


async def test_a_group_keeps_what_its_table_changed_and_no_more(server: RunningServer) -> None:
    table = Table(server, ("Ann", "Bo"))
    await table.sit_down(changes={"dice.per_player": 6, "wilds.special_is_wild": True})
    (game,) = (await inside(table["Ann"], await founded(table)))["games"]
    (version,) = game["versions"]
    assert (version["rules"], version["changes"]) == ("basic", {"dice.per_player": 6, "wilds.special_is_wild": True})


async def test_games_have_versions_with_who_changed_them(table: Table) -> None:
    code = await founded(table)
    await do(table["Bo"], code, "keep_game", name="Rosa's Sunday dice", rules="mustache")
    changed = await do(
        table["Cleo"], code, "keep_game", name="Rosa's dice", rules="mustache", changes={"dice.per_player": 6}, game=2
    )
    game = changed.json()["inside"]["games"][1]
    assert game["name"] == "Rosa's dice"
    assert [(version["by"], version["changes"]) for version in game["versions"]] == [
        (2, {}),
        (3, {"dice.per_player": 6}),
    ]
    again = await do(table["Cleo"], code, "keep_game", name="ROSA'S dice", rules="perudo")
    assert again.status_code == 400
    assert (await do(table["Cleo"], code, "keep_game", name="None", rules="no such rules")).status_code == 404
    assert (await do(table["Cleo"], code, "drop_game", game=2)).status_code == 403  # Bo brought it
    assert (await do(table["Ann"], code, "choose_game", game=2)).json()["inside"]["tonight"] == 2
    opened = (await table["Dee"].post(f"/api/groups/{code}/tables", json={})).json()
    state = await (await table.server.registry.get(opened["code"])).state()
    assert state.config.ruleset.dice.per_player == 6
    assert state.config.title == "The Crooked Spoon"
    assert (await do(table["Bo"], code, "drop_game", game=2)).json()["inside"]["tonight"] == 1


@pytest.mark.parametrize("scoring", ["places", "rivals", "nights"])
async def test_a_season_ends_with_a_champion_and_the_next_begins_at_nought(table: Table, scoring: str) -> None:
    await table.play()
    code = await founded(table)
    await do(table["Ann"], code, "choose_scoring", scoring=scoring)
    before = (await inside(table["Ann"], code))["standings"]
    assert [row["points"] for row in before] == [3, 2, 1, 0]
    table.server.services.time_ms += 1
    view = (await do(table["Ann"], code, "end_season", scoring="rating")).json()["inside"]
    assert view["standings"] == []
    assert view["season"]["number"] == 2
    (champion,) = view["champions"]
    assert champion["winners"] == [before[0]["member"]]
    await table.play()
    await wait_for_tasks(table.server)
    rated = (await inside(table["Ann"], code))["standings"]
    assert [row["place"] for row in rated] == [1, 2, 3, 4]
    assert sum(row["points"] for row in rated) == pytest.approx(100, abs=0.2)


async def test_all_nights_of_a_season_are_shown_a_dozen_at_a_time_to_members(server: RunningServer) -> None:
    """Who comes on every second night of them has the better average of the two, and not more points."""
    ann, stranger = server.browser(), server.browser()
    code = (await ann.post("/api/groups", json={"name": "Us", "person": "Ann"})).json()["inside"]["code"]
    week_ms = 7 * 24 * 3_600_000
    await stranger.post(f"/api/groups/{code}/knock", json={"name": "Bo"})
    await do(ann, code, "admit", number=1)
    for number in range(30):
        seats = tuple(ResultSeat(member, place, played=True) for place, member in enumerate((2, 1)[number % 2 :], 1))
        result = GroupResult("ABCD", number, START_MS + number * week_ms, "Perudo", seats)
        await GroupRows(server.services.store).add_result(
            code, result.table, number, result.at_ms, msgspec.json.encode(result)
        )
    view = await inside(ann, code)
    dates = [night["date"] for night in view["nights"]]
    assert (len(dates), view["season_nights"]) == (12, 30)
    for size in (12, 6, 0):
        nights = (await ann.get(f"/api/groups/{code}/nights", params={"before": dates[-1]})).json()
        assert len(nights) == size
        dates += [night["date"] for night in nights]
    assert dates == sorted(set(dates), reverse=True)
    assert (await server.browser().get(f"/api/groups/{code}/nights")).status_code == 403

    await do(ann, code, "choose_scoring", scoring="nights")
    rows = {row["member"]: row for row in (await inside(ann, code))["standings"]}
    assert (rows[2]["points"], rows[2]["nights"]) == (1, 15)
    assert (rows[1]["points"], rows[1]["nights"]) == (0, 30)


async def test_a_season_ends_once_and_not_before_somebody_has_a_result(table: Table) -> None:
    code = await founded(table)
    assert (await do(table["Ann"], code, "end_season", scoring="places")).status_code == 409
    await table.play()
    await wait_for_tasks(table.server)
    table.server.services.time_ms += 1
    answers = await asyncio.gather(*(do(table["Ann"], code, "end_season", scoring="places") for _ in range(4)))
    assert sorted(answer.status_code for answer in answers) == [200, 409, 409, 409]
    assert [season["number"] for season in (await inside(table["Ann"], code))["champions"]] == [1]


class Room(Webhooks):
    """A chat room that notes what is said in it."""

    def __init__(self) -> None:
        super().__init__(b"key", WebhookMode.PUBLIC)
        self.said: list[tuple[str, str]] = []

    async def say(self, url: str, text: str) -> None:
        self.said.append((url, text))


async def test_a_standing_date_is_in_calendars_and_said_in_the_chat_once(table: Table) -> None:
    table.server.services.webhooks = chat = Room()
    said = chat.said
    code = await founded(table)
    await do(table["Ann"], code, "set_date", date=COMMANDS["set_date"]["date"])
    room = "https://hooks.slack.com/services/x"
    assert (await do(table["Ann"], code, "set_chat", url="http://10.0.0.1/x")).status_code == 400
    assert (await do(table["Ann"], code, "set_chat", url=room, language="es")).status_code == 200
    view = await inside(table["Bo"], code)
    assert view["chat"] == "set"  # only the founder sees the address
    calendar = (await table.server.browser().get(view["calendar"])).text  # phones that subscribe have no cookie
    assert calendar.count("BEGIN:VEVENT") == 26
    begins_ms = view["next_ms"]
    reminders = table.server.app.state.groups
    assert isinstance(reminders, Groups)
    await do(table["Bo"], code, "say_coming", coming="late")
    for time_ms in (begins_ms - REMINDED_BEFORE_MS - 1, begins_ms - REMINDED_BEFORE_MS, begins_ms - 1, begins_ms + 1):
        table.server.services.time_ms = time_ms
        await reminders.remind()
        await wait_for_tasks(table.server)
    assert [text for _, text in said] == [f"The Crooked Spoon juega a las 21:00; han dicho que vienen: 1. /g/{code}"]
    table.server.services.time_ms = begins_ms + 7 * 24 * 3_600_000 - 1
    await reminders.remind()
    await wait_for_tasks(table.server)
    assert len(said) == 2
    await table["Ann"].post(f"/api/groups/{code}/tables", json={})
    await wait_for_tasks(table.server)
    assert said[-1][1].startswith("Ann ha abierto una mesa de The Crooked Spoon: /t/")
    assert {url for url, _ in said} == {room}


async def test_names_mention_nobody_in_a_chat_room_and_are_no_links(server: RunningServer) -> None:
    server.services.webhooks = chat = Room()
    table = Table(server, ("<!channel> @all", "[x](www.ev.il)"))
    await table.sit_down()
    code = await founded(table, name="@everyone **_us_**")
    await do(table["<!channel> @all"], code, "set_chat", url="https://hooks.slack.com/services/x")
    await table["[x](www.ev.il)"].post(f"/api/groups/{code}/tables", json={})
    await table["<!channel> @all"].post(f"/api/groups/{code}/tables", json={})
    await wait_for_tasks(server)
    for _, text in chat.said:
        assert not {*"<>@[]()*_~`|\\."} & {*text}, text
    assert len(chat.said) == 2


async def test_a_group_that_cannot_be_read_keeps_no_other_from_being_reminded(table: Table) -> None:
    table.server.services.webhooks = chat = Room()
    code = await founded(table)
    await do(table["Ann"], code, "set_date", date=COMMANDS["set_date"]["date"])
    await do(table["Ann"], code, "set_chat", url="https://hooks.slack.com/services/x")
    begins_ms = (await inside(table["Ann"], code))["next_ms"]
    await GroupRows(table.server.services.store).create("AAAAAAAAAA", 0, 1, b"not json")
    table.server.services.time_ms = begins_ms - 1
    await table.server.app.state.groups.remind()
    await wait_for_tasks(table.server)
    assert len(chat.said) == 1


async def test_slow_tables_call_who_is_on_turn_in_the_chat(server: RunningServer) -> None:
    server.services.webhooks = chat = Room()
    table = Table(server, ("Ann", "Bo", "Cleo"))
    await table.sit_down(clock={"turn_s": 3600})
    live_table = await server.registry.get(table.code)
    live_table.subscribe(RecordingSubscriber(_token(table["Cleo"])))  # who looks at the table
    code = await founded(table)
    await do(table["Ann"], code, "set_chat", url="https://discord.com/api/webhooks/1/x")
    await table.play()
    await wait_for_tasks(server)
    assert {text.partition(",")[0] for _, text in chat.said} == {"Ann", "Bo"}
    assert all(text.endswith(f"it is your turn: /t/{table.code}") for _, text in chat.said)


def test_lines_of_a_calendar_are_folded_and_escaped() -> None:
    date = group.StandingDate(3, 21 * 60, "Europe/Madrid")
    known = group.Group(code="A" * 10, name="Ñandú; dice, " + "é" * 20, founder=1, founded_at_ms=START_MS, date=date)
    text = calendar_file(known, "https://dice.example/g/" + "A" * 10, START_MS)
    assert all(len(line) <= 75 for line in text.split(b"\r\n"))
    unfolded = text.replace(b"\r\n ", b"").decode()
    assert r"SUMMARY:Ñandú\; dice\, " + "é" * 20 in unfolded
    begins = [line.partition("T")[2] for line in unfolded.splitlines() if line.startswith("DTSTART:")]
    assert {time[-7:] for time in begins} == {"190000Z", "200000Z"}  # nine in the evening, summer and winter


@pytest.mark.parametrize(
    "ended, night",
    [
        ("2026-03-29T05:59:00+02:00", "2026-03-28"),  # the clocks went forward at two
        ("2026-03-29T06:00:00+02:00", "2026-03-29"),
        ("2026-10-25T05:59:00+01:00", "2026-10-24"),  # and back at three
        ("2026-10-25T06:00:00+01:00", "2026-10-25"),
        ("2028-03-01T05:59:00+01:00", "2028-02-29"),
    ],
)
def test_a_night_lasts_until_six_by_the_clock(ended: str, night: str) -> None:
    at_ms = round(1000 * dt.datetime.fromisoformat(ended).timestamp())
    known = group.Group(code="A" * 10, name="Us", founder=1, founded_at_ms=0, timezone="Europe/Madrid")
    (played,) = played_matches(known, [GroupResult("ABCD", 1, at_ms, "Perudo", ())])
    assert played.date == night


@pytest.mark.parametrize(
    "date",
    [
        {"weekday": 99, "minute": 0, "timezone": "UTC"},
        {"weekday": -1, "minute": 0, "timezone": "UTC"},
        {"weekday": 3, "minute": 1440, "timezone": "UTC"},
        {"weekday": 10**40, "minute": 0, "timezone": "UTC"},
        *(
            {"weekday": 3, "minute": 0, "timezone": zone}
            for zone in ("", ".", "Europe", "../../etc/passwd", "localtime", "posix/Europe/Madrid", "UTC\0", "x" * 5000)
        ),
    ],
)
async def test_evenings_that_no_calendar_has_are_refused(server: RunningServer, date: object) -> None:
    ann = server.browser()
    code = (await ann.post("/api/groups", json={"name": "Us", "person": "Ann"})).json()["inside"]["code"]
    assert (await do(ann, code, "set_date", date=date)).status_code == 400
    assert (await inside(ann, code))["date"] is None


async def test_who_waits_too_long_or_in_too_great_a_number_is_sent_away(table: Table) -> None:
    code = await founded(table)
    for number in range(group.MAX_KNOCKS):
        answer = await table.server.browser().post(f"/api/groups/{code}/knock", json={"name": f"Guest {number}"})
        assert answer.status_code == 200, answer.text
    assert (await table.server.browser().post(f"/api/groups/{code}/knock", json={"name": "One"})).status_code == 403
    table.server.services.time_ms += group.KNOCK_MS
    assert (await inside(table["Ann"], code))["waiting"] == []
    late = table.server.browser()
    assert (await late.post(f"/api/groups/{code}/knock", json={"name": "Guest 1"})).status_code == 200
    assert (await late.post(f"/api/groups/{code}/withdraw")).json()["door"]["waiting"] is None
    versions = "SELECT version FROM groups WHERE code = $1"
    before = await table.server.services.store.select(versions, code)
    assert (await late.post(f"/api/groups/{code}/withdraw")).status_code == 200
    assert await table.server.services.store.select(versions, code) == before  # nothing is written for a stranger


async def test_a_group_is_there_after_a_restart(tmp_path: Path) -> None:
    async with run_server(tmp_path / "db") as server:
        table = Table(server)
        await table.sit_down()
        await table.play()
        code = await founded(table)
        before = await inside(table["Bo"], code)
        cookies = table["Bo"].cookies
    async with run_server(tmp_path / "db") as server:
        browser = server.browser()
        browser.cookies = cookies
        after = await inside(browser, code)
        for view in (before, after):
            (open_table,) = view["tables"]
            del open_table["invite"]  # signed with the key of this server
        assert after == before


async def test_the_best_liar_of_a_night_is_voted_by_those_who_played(table: Table) -> None:
    await table.play()
    code = await founded(table)
    (night,) = (await inside(table["Ann"], code))["nights"]
    eve = table.server.browser()
    await eve.post(f"/api/groups/{code}/knock", json={"name": "Eve"})
    await do(table["Ann"], code, "admit", number=1)
    for name, liar in ("Ann", 2), ("Bo", 3), ("Cleo", 2):
        assert (await do(table[name], code, "vote_liar", night=night["date"], member=liar)).status_code == 200
    assert (await do(eve, code, "vote_liar", night=night["date"], member=3)).status_code == 200  # who did not play
    assert (await do(table["Bo"], code, "vote_liar", night=night["date"], member=2)).status_code == 409  # for oneself
    for date in ("2026-08-01", "9999-01-01", "yesterday", night["date"][:-2] + "0\u0666", night["date"][:-2] + "0a"):
        assert (await do(table["Ann"], code, "vote_liar", night=date, member=2)).status_code == 400, date
    assert (await inside(table["Cleo"], code))["voted"] == {night["date"]: 2}
    (night,) = (view := await inside(table["Dee"], code))["nights"]
    assert view["voted"] == {}
    assert night["liars"] == {"2": 2, "3": 1}
    assert "votes" not in (await table["Ann"].get(f"/api/groups/{code}/export")).json()["group"]


async def test_browsers_are_told_that_the_table_is_open_but_not_who_opened_it(table: Table) -> None:
    class Pushes:
        def __init__(self) -> None:
            self.sent: list[str] = []

        async def send(self, endpoint: str, ttl_s: int) -> bool:  # noqa: ARG002  as `PushSender` has it
            self.sent.append(endpoint)
            return not endpoint.endswith("gone")

    table.server.services.web_push = pushes = Pushes()
    code = await founded(table)
    endpoints = {name: f"https://fcm.googleapis.com/{name}" for name in ("Ann", "Bo", "gone")}
    for name, holder in ("Ann", "Ann"), ("Bo", "Bo"), ("gone", "Cleo"):
        answer = await do(table[holder], code, "push_group", endpoint=endpoints[name], wanted=True)
        assert answer.status_code == 200
        assert "googleapis" not in answer.text
    refused = await do(table["Dee"], code, "push_group", endpoint="https://10.0.0.1/x", wanted=True)
    assert refused.status_code == 400
    for _ in range(2):
        await table["Ann"].post(f"/api/groups/{code}/tables", json={})
        await wait_for_tasks(table.server)
    assert sorted(pushes.sent) == sorted([endpoints["Bo"], endpoints["Bo"], endpoints["gone"]])


@pytest.mark.parametrize("here, gone", [(group.MAX_MEMBERS, 0), (1, group.MAX_EVER - 1)])
def test_a_group_grows_no_larger_by_members_who_come_and_go(here: int, gone: int) -> None:
    members = tuple(
        group.Member(id=number, name=f"M{number}" if number <= here else "", token_hashes=("-",) * (number <= here))
        for number in range(1, here + gone + 1)
    )
    full = group.Group(code="A" * 10, name="Us", founder=1, founded_at_ms=0, members=members)
    full = group.knocked(full, "Eve", 0, "--", None, START_MS)
    with pytest.raises(IllegalActionError, match="at most 40 members"):
        group.changed(full, members[0], group.Admit(1), START_MS)


async def test_all_browsers_of_a_large_group_are_told(server: RunningServer) -> None:
    """A push service that answers slowly drops none of them: fewer wait for it than may."""

    class Pushes:
        def __init__(self) -> None:
            self.sent: set[str] = set()
            self.waiting = self.most = 0

        async def send(self, endpoint: str, ttl_s: int) -> bool:  # noqa: ARG002  as `PushSender` has it
            self.waiting += 1
            self.most = max(self.most, self.waiting)
            await asyncio.sleep(0)
            self.waiting -= 1
            self.sent.add(endpoint)
            return True

    server.services.web_push = pushes = Pushes()
    endpoints = [tuple(f"https://fcm.googleapis.com/{number}/{device}" for device in range(8)) for number in range(40)]
    members = tuple(
        group.Member(id=number, name=f"M{number}", token_hashes=("-",), push_endpoints=endpoints[number])
        for number in range(group.MAX_MEMBERS)
    )
    pushing = server.app.state.groups
    assert isinstance(pushing, Groups)
    pushing.push(group.Group(code="A" * 10, name="Us", founder=1, founded_at_ms=0, members=members))
    await wait_for_tasks(server)
    assert len(pushes.sent) == 8 * 40
    assert pushes.most <= MAX_PER_HOST


async def test_who_looks_at_a_group_pays_for_its_results_outside_the_loop(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    threads = set[int]()

    def tally_of(*arguments: Any) -> Tally:  # noqa: ANN401  whatever the function takes
        threads.add(threading.get_ident())
        return group_views.tally_of(*arguments)

    monkeypatch.setattr(groups, "tally_of", tally_of)
    limits = RateLimits(work_per_minute=RULES_COST + 2 * CACHED_COST, now_s=lambda: 0.0)
    async with run_server(tmp_path / "db", limits) as server:
        ann = server.browser()
        code = (await ann.post("/api/groups", json={"name": "Us", "person": "Ann"})).json()["inside"]["code"]
        for number in range(500):
            result = GroupResult("ABCD", number, START_MS, "Perudo", (ResultSeat(1, 1, played=True),))
            await GroupRows(server.services.store).add_result(
                code, result.table, number, result.at_ms, msgspec.json.encode(result)
            )
        assert (await inside(ann, code))["standings"][0]["matches"] == 500
        assert (await ann.get(f"/api/groups/{code}")).status_code == 429
    assert threading.get_ident() not in threads
