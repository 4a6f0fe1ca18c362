"""Short hands for a round in which everybody knows all dice, as the tests do."""

import asyncio
import re
from collections.abc import Sequence
from typing import Any

from playwright.async_api import expect

from tests.browser.people import Come, Person
from tests.browser.playing import begin, gone, say

ONES_ARE_WILD, NOTHING_IS_WILD = 1, 0
QUICK_START = {"first_starter.method": "chosen", "first_starter.dice": 1}


async def table_of(come: Come, names: Sequence[str], rules: str, changes: dict[str, Any]) -> tuple[list[Person], str]:
    """A match of people by these rules, begun; the first of them is the host. Also the table's code."""
    host, *guests = [await come(name) for name in names]
    code = await host.open_table(rules, changes, seats=len(names))
    for guest in guests:
        await guest.join(code)
    await begin(host, *guests)
    return [host, *guests], code


async def on_turn(people: Sequence[Person], after: Person | None = None) -> Person:
    """Whose turn it is, once it isn't `after`'s any more; their chart is there."""
    watcher = people[0]
    names = [f"{one.name} to speak" for one in people if one not in (watcher, after)]
    mine = [] if watcher is after else ["Your turn"]
    heading = watcher.dock.get_by_role("heading", name=re.compile("|".join([*mine, *names])))
    told = await heading.inner_text()
    who = next((one for one in people if told == f"{one.name} to speak"), watcher)
    await expect(who.dock.get_by_role("grid")).to_be_visible()
    return who


async def in_turn(people: Sequence[Person]) -> list[Person]:
    """The people from the one on turn on, clockwise."""
    at = people.index(await on_turn(people))
    return [*people[at:], *people[:at]]


async def bids(person: Person, quantity: int, face: int) -> None:
    """Say a bid, and wait until the turn has passed on."""
    chart = await person.dock.get_by_role("grid").element_handle()
    await say(person, f"{quantity},{face}")
    await gone(chart)


async def calls(person: Person, word: str) -> None:
    """Press the button that begins with these words."""
    await person.dock.get_by_role("button", name=re.compile("^" + r"\s*".join(map(re.escape, word.split())))).click()


async def counts(people: Sequence[Person], wild: int = NOTHING_IS_WILD) -> dict[int, int]:
    """How many dice there are for each face, looked up under every cup."""
    dice = [die for hand in await asyncio.gather(*(one.hand() for one in people)) for die in hand]
    return {face: sum(die in (face, wild) for die in dice) for face in range(1, 7)}


async def verdict(person: Person) -> str:
    """What came of a call, as this person reads it."""
    status = person.dock.get_by_role("status")
    await expect(status).to_contain_text(re.compile("right|wrong"))
    return " ".join((await status.inner_text()).split())


async def go_on(people: Sequence[Person]) -> None:
    """Everybody has seen enough."""
    for person in people:
        await person.dock.get_by_role("button", name="Next round").click()


async def held(viewer: Person, other: Person) -> int:
    """How many dice somebody across the table holds, by their plate."""
    seat = viewer.stage.get_by_role("listitem").filter(has=viewer.button(f"{other.name}: more"))
    found = re.search(r"\d+", await seat.locator(".name-tag .count").inner_text())
    return int(found[0]) if found else 0
