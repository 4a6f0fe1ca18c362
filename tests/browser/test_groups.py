"""Groups that meet again: founded, joined, lost and found by browsers, and their page in every size."""

import datetime as dt
import random
import re
from collections import Counter
from collections.abc import AsyncIterator, Sequence
from pathlib import Path
from typing import Any

import msgspec
import pytest
import pytest_asyncio
from playwright.async_api import Browser, Route, expect

from liarsdice.core.records.awards import Award, AwardKind
from liarsdice.core.rules.bids import Bid
from liarsdice.server.groups import group as g
from liarsdice.server.groups.group_views import GroupPage, door_of, tally_of, view_of
from liarsdice.server.groups.results import GroupResult, ResultSeat
from liarsdice.wire import Stage, TableSummary
from tests.browser.match_player import play_match, start_match
from tests.browser.round_steps import QUICK_START, current_player, lose_die
from tests.browser.server_without_pauses import PROGRAM, SERVER_FLAGS, WEEKS_LATER
from tests.browser.test_accessibility import EXCESS_WIDTH, find_faults
from tests.browser.users import PHONE, NewUser, PageOptions, User, create_page
from tests.processes import Server

CODE = "SPQQNS2345"
NAMES = ("Nia", "Cleo", "Bob", "Ann", "Rosa", "Mateo")
LONG_NAMES = (
    "Wolfeschlegelsteinhausenb",
    "Wilhelmina Maximiliane M",
    "مريم عبد الرحمن السيد",
    "WWWWWWWWWWWWWWWWWWWWWWWW",
)
NIGHT_MS = int(dt.datetime(2026, 11, 19, 21, tzinfo=dt.UTC).timestamp() * 1000)
DAY_MS = 24 * 3_600_000


def names_of(count: int) -> list[str]:
    """So many names, the first of them long ones if they are many."""
    if count <= len(NAMES):
        return list(NAMES[:count])
    return [*(name[:24] for name in LONG_NAMES), *(f"Friend {number}" for number in range(5, count + 1))]


def some_group(count: int, *, date: bool = True, seasons: int = 2) -> g.Group:
    """A group of so many people, who have met since September."""
    people = [
        g.Member(id=0, name=name, face=index % 24 + 1, token_hashes=(name,))
        for index, name in enumerate(names_of(count))
    ]
    founded = g.found(
        CODE,
        "The Crooked Spoon",
        people,
        people[0].token_hashes[0],
        now_ms=NIGHT_MS - 70 * DAY_MS,
        timezone="Europe/Madrid",
        language="en",
    )
    ended = [
        g.Season(number, NIGHT_MS - 70 * DAY_MS, ended_at_ms=NIGHT_MS - 35 * DAY_MS, winners=(1,), points=42)
        for number in range(1, seasons)
    ]
    sheets = (
        g.GroupGame(
            1,
            "Rosa's Sunday dice",
            (
                g.GameVersion(NIGHT_MS - 50 * DAY_MS, 1, "perudo"),
                g.GameVersion(NIGHT_MS - 14 * DAY_MS, min(2, count), "perudo", {"dice.per_player": 4}),
            ),
        ),
        g.GroupGame(2, "Last hour", (g.GameVersion(NIGHT_MS - 40 * DAY_MS, 1, "classic", {"dice.per_player": 3}),)),
    )
    group = msgspec.structs.replace(
        founded,
        seasons=(*ended, g.Season(seasons, NIGHT_MS - 35 * DAY_MS)),
        games=sheets,
        next_game=3,
        tonight=1,
        votes={"2026-11-12": {1: min(2, count), 3: min(2, count)}},
        settings={"seats": 6},
        date=g.StandingDate(3, 22 * 60, "Europe/Madrid") if date else None,
    )
    if date:
        answers: Sequence[g.Coming | None] = (
            g.Coming.YES,
            g.Coming.YES,
            g.Coming.LATE,
            None,
            g.Coming.NO,
            g.Coming.YES,
        )
        next_ms = group.date.next_ms(NIGHT_MS) if group.date else 0
        for member, coming in zip(group.members, answers, strict=False):
            group = group.with_member(member.id, coming=coming, coming_ms=next_ms)
    return group


def some_results(group: g.Group, nights: int = 9, matches: int = 3) -> list[GroupResult]:
    """The results of some nights, by chance, the same for the same group."""
    rng = random.Random(len(group.members))
    results = []
    for night in range(nights, 0, -1):
        for number in range(1, matches + 1):
            members = rng.sample([member.id for member in group.present], min(6, len(group.present)))
            at_ms = NIGHT_MS - night * 7 * DAY_MS + number * 2_400_000
            seats = tuple(
                ResultSeat(member, place, played=True, guessed=rng.randrange(3))
                for place, member in enumerate(members, 1)
            )
            pairs = [(rng.randrange(len(members)), rng.randrange(len(members))) for _ in range(4)]
            awards = (
                Award(
                    kind=AwardKind.BOLDEST_LIE, seat=0, round_number=1, count=2, dice=5, bid=Bid(7, 5), p=0.01 * night
                ),
                Award(kind=AwardKind.TIGHTEST_CALL, seat=0, round_number=1, count=6, dice=5, bid=Bid(6, 3)),
            )
            results.append(
                GroupResult(
                    f"T{night:03}",
                    number,
                    at_ms,
                    "Perudo",
                    seats,
                    awards,
                    tuple((a, b) for a, b in pairs if a != b),
                    (1, 20 + night),
                )
            )
    return results


def some_table(**changes: Any) -> TableSummary:  # noqa: ANN401  fields of any type
    """An open table of the group."""
    fields: dict[str, Any] = {
        "code": "K7P4",
        "title": "The Crooked Spoon",
        "game": "Perudo",
        "rules_name": "perudo",
        "stage": Stage.GATHERING,
        "player_names": ("Bob", "Ann", "Cleo"),
        "seats": 6,
        "spectators": True,
        "hints": False,
        "training": False,
        "locked": False,
        "invite": "/t/K7P4?invite=0123456789abcdef",
    }
    return TableSummary(**fields | changes)


def knocking(group: g.Group) -> g.Group:
    """The group with a stranger at its door, and with a member who lost a phone."""
    group = g.knocked(group, "Vera", 3, "vera", None, NIGHT_MS)
    if len(group.members) < 3:
        return group
    group = g.knocked(group, group.members[2].name, 0, "phone", (3, 1, 6, 4, 2), NIGHT_MS)
    return g.changed(group, group.members[1], g.Admit(2), NIGHT_MS)


def page_of(name: str) -> GroupPage:
    """The page of a group in a state."""
    match name.split():
        case ["door"]:
            return GroupPage(None, door_of(some_group(6), "nobody", NIGHT_MS))
        case ["asked"]:
            return GroupPage(None, door_of(knocking(some_group(6)), "vera", NIGHT_MS))
        case ["lost"]:
            return GroupPage(None, door_of(knocking(some_group(6)), "phone", NIGHT_MS))
        case [state, count]:
            group = some_group(int(count), date=state != "fresh")
            results = some_results(group) if int(count) > 1 else []
            tables = []
            if state == "fresh":
                results = results[-1:]
                group = msgspec.structs.replace(
                    group, founded_at_ms=NIGHT_MS, seasons=(g.Season(1, NIGHT_MS - 70 * DAY_MS),), games=group.games[:1]
                )
            if state == "open":
                tables = [some_table(), some_table(code="W2W2", stage=Stage.PLAYING)]
                group = knocking(group)
            if state == "end":
                group = msgspec.structs.replace(
                    group,
                    seasons=(
                        *group.seasons[:-1],
                        msgspec.structs.replace(group.season, ended_at_ms=NIGHT_MS, winners=(2,), points=48),
                        g.Season(3, NIGHT_MS),
                    ),
                )
            return GroupPage(
                view_of(group, tally_of(group, results), tables, group.members[0], NIGHT_MS - 2_400_000), None
            )
        case _:
            raise AssertionError(name)


STATES = ("tonight 6", "tonight 40", "tonight 10", "open 6", "end 6", "fresh 4", "fresh 1", "door", "asked", "lost")


async def look_again(user: User) -> None:
    """Has the page ask the server at once, as when the user comes back to it."""
    await user.page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")


async def leave_table(user: User) -> None:
    """Gives up the seat at the table that is shown."""
    await user.button("Table menu").click()
    dialog = user.page.get_by_role("dialog")
    await dialog.get_by_role("button", name="Leave the table").click()
    await dialog.locator(".danger").click()
    await expect(user.page).to_have_url(re.compile("/$"))


async def test_a_finished_match_becomes_a_group_that_a_friend_joins_and_that_plays_again_in_two_taps(
    new_user: NewUser,
) -> None:
    ann, ben, cyd = await new_user("Ann", PHONE), await new_user("Ben"), await new_user("Cyd", PHONE)
    table = await ann.open_table("basic", {"dice.per_player": 1} | QUICK_START, seats=2)
    await ben.join(table)
    await start_match(ann, ben)
    await lose_die(ben, [ann, ben])
    for user in (ann, ben):
        await user.button("The final order").click()

    await ann.button("Keep this group").click()
    await expect(ann.page.get_by_label("Name of the group")).to_have_value("The Wet Boot")
    await ann.page.get_by_label("Name of the group").fill("The Crooked Spoon")
    await ann.button("Keep it").click()
    link = await ann.page.locator(".link").inner_text()
    assert await find_faults(ann.page, ".action-panel") == []
    await ben.page.get_by_role("link", name="To the group").click()
    await expect(ben.heading("The Crooked Spoon")).to_be_visible()
    await expect(ben.page.get_by_text("Won the only night.")).to_be_visible()
    assert await find_faults(ben.page) == []

    await cyd.page.goto(f"http://{link}")
    await cyd.page.get_by_label("Your name").fill("Cyd")
    await cyd.button("Ask to join").click()
    await expect(cyd.heading("You have knocked")).to_be_visible()
    await ann.page.get_by_role("link", name="To the group").click()
    await ann.button(re.compile("^Let in.*Cyd")).click()
    await expect(ann.page.get_by_text("Three of us")).to_be_visible()
    await look_again(cyd)
    await expect(cyd.heading("Season 1")).to_be_visible()

    for user in (ann, ben):
        await user.goto(f"/t/{table}")
        await expect(user.heading("Good game")).to_be_visible()
        await leave_table(user)
    path = f"/g/{link.rpartition('/')[2]}"
    await ben.goto(path)
    await ben.button(re.compile("^Every ")).click()
    await expect(ben.page.get_by_role("group", name="Are you coming?")).to_be_visible()
    await ben.button(re.compile("Open the table as last time")).click()  # the first tap
    await expect(ben.board).to_be_visible()
    for friend in (ann, cyd):
        await friend.goto(path)
        await friend.button("Take your seat").click()
        await expect(friend.board).to_be_visible()
    await start_match(ben, cyd)  # the second tap
    for user in (ann, ben, cyd):
        await expect(user.dice).to_have_count(1)

    await cyd.goto("/")
    await cyd.page.get_by_role("navigation", name="Your groups").get_by_role("link", name="The Crooked Spoon").click()
    await expect(cyd.page.get_by_role("link", name=re.compile("Back to your seat|It is your turn"))).to_be_visible()


async def test_two_friends_bring_a_lost_phone_back_and_a_link_a_second_one(new_user: NewUser) -> None:
    users = [await new_user(name, PHONE) for name in ("Ann", "Bob", "Cleo")]
    ann, bob, cleo = users
    table = await ann.open_table("basic", seats=3)
    for guest in (bob, cleo):
        await guest.join(table)
    page = await cleo.post("/api/groups", {"name": "The Last Candle", "table": table})
    path = f"/g/{page['inside']['code']}"
    phone, second = await new_user("Bob"), await new_user("Ann", PHONE)
    phone.expect_problem("404")
    await phone.goto(path)
    await phone.button("I lost my phone").click()
    name = phone.page.get_by_label("Your name in the group")
    await name.fill("Zoe")
    await phone.button("Ask them").click()
    await expect(phone.page.get_by_text("nobody in this group has that name")).to_be_visible()
    await name.fill("Bob")
    await phone.button("Ask them").click()
    await expect(phone.heading("Is it you, Bob?")).to_be_visible()
    dice = await phone.page.locator(".say [role=img]").get_attribute("aria-label")
    assert await find_faults(phone.page) == []
    for friend in (ann, cleo):
        await friend.goto(path)
        await friend.page.get_by_text("Call, and compare the dice").click()
        await expect(friend.page.locator(".knock [role=img]")).to_have_attribute("aria-label", dice or "")
        assert await find_faults(friend.page, ".waiting") == []
        if friend is cleo:  # the founder's yes alone would be enough
            await expect(friend.page.get_by_text("Ann said yes.")).to_be_visible()
        await friend.button("It is Bob").click()
        await expect(friend.button("It is Bob")).to_have_count(0)
    await look_again(phone)
    await expect(phone.heading("Season 1")).to_be_visible()
    await bob.goto(path)
    await expect(bob.button("Ask to join")).to_be_visible()

    await ann.button("Bring somebody").click()
    await expect(ann.page.get_by_role("img", name="QR code of the link of the group")).to_have_js_property(
        "complete", value=True
    )
    assert await find_faults(ann.page, "dialog") == []
    await ann.page.keyboard.press("Escape")
    await ann.button("My second phone").click()
    await expect(ann.page.get_by_role("img", name="QR code of the link for your other phone")).to_be_visible()
    link = await ann.page.locator("dialog .address").inner_text()
    assert await find_faults(ann.page, "dialog") == []
    await second.page.goto(f"http://{link}")
    await expect(second.heading("Season 1")).to_be_visible()
    await expect(second.page).to_have_url(re.compile(f"{path}$"))


SIZES = ((320, 460), (360, 640), (390, 844), (844, 390), (1280, 800))
SMALL_TARGETS = """() => [
    ...document.querySelectorAll("main :is(button, summary, select, input:not(.sr-only), a[href])")
  ]
  .map((found) => [found, found.getBoundingClientRect()])
  .filter(([, { width, height }]) => width > 0 && height > 0 && (height < 43.5 || width < 24))
  .map(([found, { width, height }]) => `${found.outerHTML.slice(0, 90)} is ${width}x${height}`)"""


@pytest.mark.parametrize("language", ["en", "es"])
async def test_the_page_of_a_group_fits_every_size_in_every_state(new_user: NewUser, language: str) -> None:
    user = await new_user("Nia", language=language)
    shown = ""

    async def answer(route: Route) -> None:
        await route.fulfill(body=msgspec.json.encode(page_of(shown)), content_type="application/json")

    page = await user.context.new_page()
    await page.route(f"**/api/groups/{CODE}", answer)
    faults: dict[str, list[str]] = {}
    for index, state in enumerate(STATES):
        shown = state
        await page.goto(f"{user.server.address}/g/{CODE}")
        await page.locator("main h1").wait_for()
        await page.evaluate("for (const details of document.querySelectorAll('details')) details.open = true")
        for width, height in SIZES:
            await page.set_viewport_size({"width": width, "height": height})
            excess = await page.evaluate(EXCESS_WIDTH)
            small = await page.evaluate(SMALL_TARGETS)
            faults[f"{state}, {width}x{height}"] = [*([f"{excess} pixels too wide"] if excess > 0 else []), *small]
        await page.set_viewport_size({"width": SIZES[index % 5][0], "height": SIZES[index % 5][1]})
        faults[state] = await find_faults(page)
    assert {place: found for place, found in faults.items() if found} == {}


SHIFT_DATE = """(days) => {
  const Real = Date;
  const now = () => Real.now() + days * 86_400_000;
  window.Date = class extends Real {
    constructor(...parts) {
      if (parts.length > 0) super(...parts);
      else super(now());
    }
    static now = now;
  };
}"""
"""A week passes for a page, too."""


class Friends:
    """People who meet every week at a server of their own, whose clock goes on by a week from evening to evening."""

    def __init__(self, server: Server, browser: Browser) -> None:
        self.server, self.browser = server, browser
        self.week = 0
        self.users: dict[str, User] = {}
        self.points = Counter[str]()
        self.path = ""

    async def arrive(self, name: str) -> User:
        """Somebody comes with a new phone."""
        user = User(name, self.server, await create_page(self.browser, PageOptions(PHONE)))
        user.expect_problem("ERR_CONNECTION_REFUSED")  # while the server starts again
        await user.context.add_init_script(f"({SHIFT_DATE})({7 * self.week})")
        self.users[name] = user
        return user

    async def lose_phone(self, name: str) -> User:
        """Somebody comes with a new phone, and the old one is gone."""
        await self.users[name].context.close()
        user = await self.arrive(name)
        user.expect_problem("404")
        return user

    async def meet_next_week(self) -> None:
        """A week later; the server was started again meanwhile."""
        self.week += 1
        self.server.stop()
        self.server.program = (*PROGRAM, f"{WEEKS_LATER}{self.week}")
        self.server.start()
        for user in self.users.values():
            await user.context.add_init_script(f"({SHIFT_DATE})(7)")
            await user.goto(self.path)
            await expect(user.heading(re.compile("^Season"))).to_be_visible()

    async def sit_down(self, host: str, *guests: str) -> list[User]:
        """The host opens the table as last time, and the others take their seats."""
        await self.users[host].button(re.compile("^Open the table as last time")).click()
        return await self.take_seats(host, *guests)

    async def take_seats(self, host: str, *guests: str) -> list[User]:
        """The others take their seats from the page of the group at the table that the host sees."""
        first, *others = (self.users[name] for name in (host, *guests))
        await expect(first.board).to_be_visible()
        for friend in others:
            await look_again(friend)
            await friend.button("Take your seat").click()
            await expect(friend.board).to_be_visible()
        await start_match(first, *others)
        return [first, *others]

    async def play(self, users: Sequence[User], gone: str = "") -> None:
        """Plays a match to its end and counts who outlasted whom, but for a friend who has left."""
        notes = await play_match([user for user in users if user.name != gone], self.week)
        order = [next(user.name for user in users if user.name in line) for line in notes[0].final_order]
        order = [name for name in order if name != gone]
        for place, name in enumerate(order, 1):
            self.points[name] += len(order) - place

    async def standings(self, reader: str) -> dict[str, int]:
        """The points in the standings on the page of the group, by name."""
        user = self.users[reader]
        await user.goto(self.path)
        rows = user.page.locator(".rank li")
        await rows.first.wait_for()
        names = [text.replace("You", reader) for text in await rows.locator(".who b").all_inner_texts()]
        points = [int(re.sub(r"\D", "", text)) for text in await rows.locator(".points").all_inner_texts()]
        return dict(zip(names, points, strict=True))

    async def found(self) -> None:
        """The first week: a match, the group that it becomes, its evening and its game."""
        ann, ben, cyd, dee = [await self.arrive(name) for name in ("Ann", "Ben", "Cyd", "Dee")]
        table = await ann.open_table("basic", {"dice.per_player": 1} | QUICK_START, seats=4)
        for guest in (ben, cyd, dee):
            await guest.join(table)
        await start_match(ann, ben, cyd, dee)
        await self.play([ann, ben, cyd, dee])
        await ann.page.get_by_text("The seats of the next match").click()
        await ann.button("Dee: one seat further up").click()
        seats = ann.page.locator("details.roster ol li")
        await expect(seats).to_have_text([re.compile(f"^{name}") for name in ("Ann", "Ben", "Dee", "Cyd")])
        await ann.button("Keep this group").click()
        await ann.button("Keep it").click()
        self.path = f"/g/{(await ann.page.locator('.link').inner_text()).rpartition('/')[2]}"
        assert await self.standings("Ann") == self.points
        await ann.button(re.compile("^Every ")).click()
        await expect(ann.page.get_by_role("group", name="Are you coming?")).to_be_visible()
        await ann.button("Add a game").click()
        await ann.button("The rules of the last match").click()
        await expect(ann.page.get_by_label("What you call it")).to_have_value("Basic Liar's Dice")
        await ann.page.get_by_label("What you call it").fill("Our dice")
        await ann.button("Keep it").click()
        await expect(ann.heading("Our dice")).to_be_visible()

    async def bring_back(self, name: str, voucher: str) -> None:
        """Somebody lost their phone, and has a new one that the founder vouches for."""
        phone, friend = await self.lose_phone(name), self.users[voucher]
        await phone.goto(self.path)
        await phone.button("I lost my phone").click()
        await phone.page.get_by_label("Your name in the group").fill(name)
        await phone.button("Ask them").click()
        await expect(phone.heading(f"Is it you, {name}?")).to_be_visible()
        await friend.goto(self.path)
        await friend.page.get_by_text("Call, and compare the dice").click()
        await friend.button(f"It is {name}").click()
        await expect(friend.button(f"It is {name}")).to_have_count(0)
        await look_again(phone)
        await expect(phone.heading("Season 1")).to_be_visible()

    async def bring(self, name: str, friend: User) -> None:
        """Somebody new asks to join, and a friend lets them in."""
        new = await self.arrive(name)
        new.expect_problem("404")
        await new.goto(self.path)
        await new.page.get_by_label("Your name").fill(name)
        await new.button("Ask to join").click()
        await friend.goto(self.path)
        await friend.button(re.compile(f"^Let in.*{name}")).click()
        await expect(friend.page.get_by_text("Five of us")).to_be_visible()
        await look_again(new)
        await expect(new.heading("Season 1")).to_be_visible()

    async def open_another_game(self, host: User) -> None:
        """A member opens a table with rules and seats that the group never had, for a short match."""
        await host.page.get_by_role("link", name="Another game").click()
        await host.page.get_by_role("radio", name=re.compile("^Classic")).check()
        await host.page.locator(".variants > summary").click()
        for words in ("4 dice each", "3 dice each", "2 dice each", "1 die each"):
            await host.button("Dice each at the start: less").click()
            await expect(host.page.get_by_text(words, exact=True)).to_be_visible()
        await host.button("Seats: more").click()
        await host.page.locator("#open").click()

    async def change_rules(self, member: User) -> None:
        """The rules of the last match become the next version of the group's game."""
        await member.goto(self.path)
        await member.button("Add a game").click()
        await member.button("The rules of the last match").click()
        dialog = member.page.get_by_role("dialog")
        await dialog.get_by_role("combobox", name="As").select_option("the next version of Our dice")
        await member.button("Keep it").click()  # at once: the rules of the match may still be on their way
        await expect(dialog).to_have_count(0)
        await member.page.get_by_text(re.compile("^Version 2: you")).click()
        await expect(member.page.get_by_role("insertion").first).to_be_visible()

    async def end_season(self, founder: User) -> None:
        """The founder ends the season, and whoever leads is its champion."""
        await founder.page.get_by_text("Scoring, and the end of the season").click()
        await founder.page.get_by_text("End season 1", exact=True).click()
        await founder.button("End it now").click()
        await expect(founder.heading("Season 2")).to_be_visible()
        (best, points), *_ = self.points.most_common()
        champions = founder.page.get_by_role("region", name="Champions")
        await expect(champions).to_contain_text("You" if best == founder.name else best)
        await expect(champions).to_contain_text(f"season 1, with {points},")


@pytest_asyncio.fixture(loop_scope="session")
async def friends(built_page: None, browser: Browser, tmp_path: Path) -> AsyncIterator[Friends]:  # noqa: ARG001
    server = Server(tmp_path / "tables.db", *SERVER_FLAGS, keeps_port=True, program=PROGRAM)
    server.start()
    friends = Friends(server, browser)
    yield friends
    for user in friends.users.values():
        await user.context.close()
    server.end()
    assert [problem for user in friends.users.values() for problem in user.unexpected_problems()] == []


async def test_a_group_meets_for_five_weeks(friends: Friends) -> None:
    await friends.found()
    ann, dee = friends.users["Ann"], friends.users["Dee"]

    await friends.meet_next_week()
    users = await friends.sit_down("Ben", "Ann", "Cyd", "Dee")
    await current_player(users)
    await leave_table(dee)
    await friends.play(users, gone="Dee")
    assert await friends.standings("Cyd") == friends.points, "who leaves has no result"

    for name in ("Ben", "Cyd", "Dee"):
        await friends.bring_back(name, "Ann")
    await friends.meet_next_week()
    await friends.play(await friends.sit_down("Cyd", "Ann", "Ben", "Dee"))
    assert await friends.standings("Dee") == friends.points

    await friends.meet_next_week()
    ben = friends.users["Ben"]
    await friends.bring("Eve", ben)
    await friends.open_another_game(ben)
    await friends.play(await friends.take_seats("Ben", "Ann", "Cyd", "Dee", "Eve"))
    assert await friends.standings("Eve") == friends.points
    await friends.change_rules(ben)

    await friends.meet_next_week()
    await ann.button("Not today").click()
    await friends.play(await friends.sit_down("Eve", "Ben", "Cyd", "Dee"))
    assert await friends.standings("Ann") == friends.points
    assert await ann.page.get_by_role("region", name="Last nights").get_by_role("link").count() == 5
    await friends.end_season(ann)
    await ann.page.get_by_role("region", name="Records").get_by_role("link").first.click()
    await expect(ann.page).to_have_url(re.compile("/replay/"))
    await expect(ann.page.get_by_role("region", name="The table", exact=True)).to_be_visible()
