"""Every screen of the page, one after another, as several viewers of one seat see it at the same time."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from dataclasses import dataclass

from playwright._impl._api_structures import SetCookieParam
from playwright.async_api import Page, expect

from tests.browser.people import Person
from tests.browser.playing import Player, begin
from tests.browser.turns import QUICK_START, bids, go_on, on_turn, verdict

PACE = "3"
"""Slow enough for a reveal to stay until everybody has looked."""

HOUSE_RULES = QUICK_START | {
    "challenge.who": "anyone_but_bidder",
    "loss.out_of_turn_factor": 2,
    "exact_call": {},
    "penalties": [{"trigger": "asks_whose_turn"}],
}


LONGEST_TURNS = 40


async def nothing(_: Page) -> None:
    """The screen is as it is."""


@dataclass(frozen=True)
class Scene:
    """A screen: its name, what each viewer does to see it, and afterwards to leave it."""

    name: str
    prepare: Callable[[Page], Awaitable[None]] = nothing
    undo: Callable[[Page], Awaitable[None]] = nothing


def opened(address: str, *, click: str = "", shown: str = "main") -> Callable[[Page], Awaitable[None]]:
    """Go to a page of the same server, click something there, and wait for something."""

    async def goes(page: Page) -> None:
        await page.goto(address)
        await page.locator(shown).first.wait_for()
        if click:
            await page.locator(click).first.click()

    return goes


def clicked(selector: str, *, shown: str = "body") -> Callable[[Page], Awaitable[None]]:
    """Click something where it is to be seen, and wait for something."""

    async def clicks(page: Page) -> None:
        for one in await page.locator(selector).all():
            if await one.is_visible():
                await one.click()
                break
        await page.locator(shown).first.wait_for()

    return clicks


async def escaped(page: Page) -> None:
    """Leave a dialog, or whatever lies over the page."""
    await page.keyboard.press("Escape")


async def share_seat(viewers: Sequence[Person], address: str) -> None:
    """Let all viewers hold the first one's seat, and look at the table."""
    first, *others = viewers
    kept = (await first.context.storage_state())["cookies"]
    cookies: list[SetCookieParam] = [
        {"name": cookie["name"], "value": cookie["value"], "url": first.server.address} for cookie in kept
    ]
    for other in others:
        await other.context.add_cookies(cookies)
    await asyncio.gather(*(other.page.goto(address) for other in others))


async def pages(_: Sequence[Person], hosts: Sequence[Person]) -> AsyncIterator[Scene]:
    """The pages around the table, which viewers come to as strangers."""
    host, code = hosts[0], ""
    origin = host.server.address
    for title, seats, rules in (("The Last Candle", 4, "mustache"), ("The Loaded Cup", 6, "perudo")):
        code = await host.open_table(rules, title=title, seats=seats, listed=True)
    yield Scene("landing", opened(f"{origin}/", shown="h1"))
    yield Scene("landing-options", opened(f"{origin}/", click="details summary", shown="h1"))
    yield Scene("new", opened(f"{origin}/new?rules=mustache&dice.per_player=6", shown=".rulebook li"))
    yield Scene("new-invalid", opened(f"{origin}/new?rules=classic&bidding.raise=either_increases", shown=".error"))
    yield Scene("join", opened(f"{origin}/t/{code}", shown="#name"))
    yield Scene("lobby", opened(f"{origin}/lobby", shown="li.card"))
    yield Scene("rules", opened(f"{origin}/rules", shown="main li"))
    yield Scene("rule-sheet", opened(f"{origin}/rules/mustache", shown="article h2"))
    yield Scene("cup", opened(f"{origin}/cup", click="main .btn.primary", shown=".btn.primary"))
    yield Scene("verify", opened(f"{origin}/verify", shown="form"))
    yield Scene("missing", opened(f"{origin}/nowhere", shown="h1"))


async def match(viewers: Sequence[Person], guests: Sequence[Person]) -> AsyncIterator[Scene]:
    """A round at a table of the viewers' own, with everything that is offered there."""
    ann = viewers[0]
    code = await ann.open_table("mustache", HOUSE_RULES, seats=len(guests) + 2, hints=True, bots=["threshold"])
    await share_seat(viewers, f"{ann.server.address}/t/{code}")
    yield Scene("gathering-alone")
    for guest in guests:
        await guest.join(code)
    yield Scene("gathering")
    await begin(ann, *guests)
    people = [*guests, ann]
    await expect(ann.dice).to_have_count(5)
    await guests[0].button("I don't believe you").click()
    await guests[1].page.get_by_label("Say something").fill("Whose turn is it?")
    await guests[1].page.keyboard.press("Enter")
    await lead_to(ann, people)
    yield Scene("turn", clicked(".bid-picker", shown="[data-bid]"))
    yield Scene("turn-odds", clicked(".bid-picker header [aria-pressed=false]", shown="[data-bid] small"))
    yield Scene("talk", clicked(".bar button[aria-expanded]"), escaped)
    yield Scene("menu", clicked(".bar button[aria-haspopup]", shown="dialog"), escaped)
    yield Scene("seat-menu", clicked(".seats button.avatar-button", shown="dialog"), escaped)
    yield Scene("table-cup", opened(f"{ann.server.address}/t/{code}/cup"), opened(f"{ann.server.address}/t/{code}"))
    await raise_by_one(ann)
    yield Scene("waiting")
    await lead_to_out_of_turn(ann, people)
    yield Scene("out-of-turn", shown_early)
    await ann.dock.get_by_role("button", name="Liar!").click()
    await verdict(ann)
    yield Scene("reveal", clicked(".verdict", shown=".verdict"))


async def mustache(viewers: Sequence[Person], guests: Sequence[Person]) -> AsyncIterator[Scene]:
    """A short match to its end, with a Mustache Round, and what follows it."""
    ann = viewers[0]
    rules = QUICK_START | {"dice.per_player": 2}
    code = await ann.open_table("mustache", rules, seats=len(guests) + 1)
    origin = ann.server.address
    await share_seat(viewers, f"{origin}/t/{code}")
    for guest in guests:
        await guest.join(code)
    await begin(ann, *guests)
    people = [*guests, ann]
    first = await on_turn(people)
    await bids(first, 1, 6)
    second = await on_turn(people, after=first)
    await second.dock.get_by_role("button", name="Liar!").click()
    await verdict(ann)
    await go_on(people)
    await on_turn(people)
    yield Scene("mustache", clicked(".centre", shown=".centre svg"))
    await asyncio.gather(*(Player(person, seed=3).play() for person in people))
    yield Scene("over", clicked(".action-panel .next .primary", shown="ol.order"))
    yield Scene("replay", opened(f"{origin}/replay/{code}/1#6", shown="p.step"))
    yield Scene("verified", opened(f"{origin}/verify?table={code}&match=1", shown="section.verdict"))


async def shown_early(page: Page) -> None:
    """Wait for the button that doubles the stakes."""
    await page.locator(".action-panel .danger").wait_for()


async def raise_by_one(person: Person) -> None:
    """Make the lowest bid there is, or the second on an empty table."""
    lit = person.dock.locator("[data-bid]")
    low: list[str] = await lit.evaluate_all("cells => cells.map(cell => cell.dataset.bid)")
    quantity, face = min((int(one.split(",")[0]), int(one.split(",")[1])) for one in low if not one.endswith(",1"))
    await bids(person, quantity, face)


async def lead_to(ann: Person, people: Sequence[Person]) -> None:
    """Bid around until it is Ann's turn, on a bid."""
    await turns_until(ann, people, lambda seen: "Your turn" in seen and "No bid" not in seen, own=False)


async def lead_to_out_of_turn(ann: Person, people: Sequence[Person]) -> None:
    """Bid around until Ann may call although it isn't her turn."""
    await turns_until(ann, people, lambda seen: "You may call before" in seen, own=True)


async def turns_until(ann: Person, people: Sequence[Person], done: Callable[[str], bool], *, own: bool) -> None:
    """Whoever's turn it is bids, until the dock of Ann says what is wanted; a bot bids by itself."""
    changed = "seen => document.querySelector('.action-panel').innerText !== seen"
    for _ in range(LONGEST_TURNS):
        seen = await ann.dock.inner_text()
        raised = await ann.stage.locator(".bid-dice").count() > 0
        if done(seen) and raised:
            return
        speaker = next((one for one in people if f"{one.name} to speak" in seen), None)
        if "Your turn" in seen and (own or not raised):
            speaker = ann
        if speaker is not None:
            await expect(speaker.dock.get_by_role("grid")).to_be_visible()
            await raise_by_one(speaker)
        await ann.page.wait_for_function(changed, arg=seen)
    raise AssertionError("the table never comes to that")
