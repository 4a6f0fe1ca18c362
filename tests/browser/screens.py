"""All screens of the page, one after another. Several viewers see each screen from the same seat."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from dataclasses import dataclass

from playwright._impl._api_structures import SetCookieParam
from playwright.async_api import Page, expect

from tests.browser.match_player import Player, legal_bids, start_match
from tests.browser.round_steps import QUICK_START, bid, call, continue_match, current_player, read_verdict
from tests.browser.users import User

RULE_CHANGES = QUICK_START | {
    "challenge.who": "anyone_but_bidder",
    "loss.out_of_turn_factor": 2,
    "exact_call": {},
    "penalties": [{"trigger": "asks_whose_turn"}],
}


MAX_TURNS = 40


async def nothing(_: Page) -> None:
    """Does nothing."""


@dataclass(frozen=True)
class Screen:
    """A screen: its name, and what each viewer does to see it and to leave it."""

    name: str
    prepare: Callable[[Page], Awaitable[None]] = nothing
    undo: Callable[[Page], Awaitable[None]] = nothing


def open_page(address: str, *, click: str = "", shown: str = "main") -> Callable[[Page], Awaitable[None]]:
    """Opens a page, waits for the selector `shown`, and clicks on the selector `click`."""

    async def run(page: Page) -> None:
        await page.goto(address)
        await page.locator(shown).first.wait_for()
        if click:
            await page.locator(click).first.click()

    return run


def click(selector: str, *, shown: str = "body") -> Callable[[Page], Awaitable[None]]:
    """Clicks the first visible element of a selector, and waits for the selector `shown`."""

    async def run(page: Page) -> None:
        for element in await page.locator(selector).all():
            if await element.is_visible():
                await element.click()
                break
        await page.locator(shown).first.wait_for()

    return run


async def press_escape(page: Page) -> None:
    """Closes a dialog."""
    await page.keyboard.press("Escape")


async def share_seat(viewers: Sequence[User], address: str) -> None:
    """Gives all viewers the seat of the first one, and shows the table."""
    first, *others = viewers
    stored = (await first.context.storage_state())["cookies"]
    cookies: list[SetCookieParam] = [
        {"name": cookie["name"], "value": cookie["value"], "url": first.server.address} for cookie in stored
    ]
    for other in others:
        await other.context.add_cookies(cookies)
    await asyncio.gather(*(other.page.goto(address) for other in others))


async def page_screens(_: Sequence[User], hosts: Sequence[User]) -> AsyncIterator[Screen]:
    """All pages except tables with a seat."""
    host, code = hosts[0], ""
    origin = host.server.address
    for title, seats, rules in (("The Last Candle", 4, "mustache"), ("The Loaded Cup", 6, "perudo")):
        code = await host.open_table(rules, title=title, seats=seats, listed=True)
    yield Screen("landing", open_page(f"{origin}/", shown="h1"))
    yield Screen("landing-options", open_page(f"{origin}/", click="details summary", shown="h1"))
    yield Screen("first-match", open_first_match(origin))
    yield Screen("new", open_page(f"{origin}/new?rules=mustache&dice.per_player=6", shown=".rulebook li"))
    yield Screen("new-invalid", open_page(f"{origin}/new?rules=classic&bidding.raise=either_increases", shown=".error"))
    yield Screen("join", open_page(f"{origin}/t/{code}", shown="#name"))
    yield Screen("lobby", open_page(f"{origin}/lobby", shown="li.card"))
    yield Screen("quick", open_page(f"{origin}/quick", shown="form.card"))
    yield Screen("no-matches", open_page(f"{origin}/matches", click="summary", shown="main h2"))
    yield Screen("rules", open_page(f"{origin}/rules", shown="main li"))
    yield Screen("rule-sheet", open_page(f"{origin}/rules/mustache", shown="article h2"))
    yield Screen("cup", open_page(f"{origin}/cup", click="main .btn.primary", shown=".btn.primary"))
    yield Screen("review-start", open_page(f"{origin}/review", shown="h1"))
    yield Screen("verify", open_page(f"{origin}/verify", shown="form"))
    yield Screen("missing", open_page(f"{origin}/nowhere", shown="h1"))


async def table_screens(viewers: Sequence[User], guests: Sequence[User]) -> AsyncIterator[Screen]:
    """The states of a table in one round, with all rule options."""
    ann = viewers[0]
    code = await ann.open_table("mustache", RULE_CHANGES, seats=len(guests) + 2, hints=True, bots=["threshold"])
    await share_seat(viewers, f"{ann.server.address}/t/{code}")
    yield Screen("gathering-alone")
    for guest in guests:
        await guest.join(code)
    yield Screen("gathering")
    await start_match(ann, *guests)
    users = [*guests, ann]
    await expect(ann.dice).to_have_count(5)
    await guests[0].button("I don't believe you").click()
    await guests[1].page.get_by_label("Say something").fill("Whose turn is it?")
    await guests[1].page.keyboard.press("Enter")
    await bid_until_own_turn(ann, users)
    yield Screen("turn", click(".bid-picker", shown="[data-bid]"))
    yield Screen("turn-odds", click(".bid-picker header [aria-pressed=false]", shown="[data-bid] small"))
    yield Screen("talk", click(".bar button[aria-expanded]"), press_escape)
    yield Screen("menu", click(".bar button[aria-haspopup]", shown="dialog"), press_escape)
    yield Screen("seat-menu", click(".seats button.avatar-button", shown="dialog"), press_escape)
    yield Screen(
        "table-cup", open_page(f"{ann.server.address}/t/{code}/cup"), open_page(f"{ann.server.address}/t/{code}")
    )
    await raise_bid(ann)
    yield Screen("waiting")
    await bid_until_out_of_turn(ann, users)
    yield Screen("out-of-turn", wait_for_out_of_turn_button)
    await call(ann, "Liar!")
    await read_verdict(ann)
    yield Screen("reveal", click(".verdict", shown=".verdict"))


async def special_round_screens(viewers: Sequence[User], guests: Sequence[User]) -> AsyncIterator[Screen]:
    """A special round, the end of a match, its replay and its verification."""
    ann = viewers[0]
    rules = QUICK_START | {"dice.per_player": 2}
    code = await ann.open_table("mustache", rules, seats=len(guests) + 1)
    origin = ann.server.address
    await share_seat(viewers, f"{origin}/t/{code}")
    for guest in guests:
        await guest.join(code)
    await start_match(ann, *guests)
    users = [*guests, ann]
    first = await current_player(users)
    await bid(first, 1, 6)
    second = await current_player(users, after=first)
    await second.action_panel.get_by_role("button", name="Liar!").click()
    await read_verdict(ann)
    await continue_match(users)
    await current_player(users)
    yield Screen("mustache", click(".plank", shown=".plank svg"))
    await asyncio.gather(*(Player(user, seed=3).play() for user in users))
    yield Screen("over", click(".action-panel .next .primary", shown="ol.order"))
    yield Screen("matches", open_page(f"{origin}/matches", click="main li .iconbtn", shown="main li h3"))
    yield Screen("review", open_page(f"{origin}/review/{code}/1", shown="td b"))
    yield Screen("review-decision", open_page(f"{origin}/review/{code}/1#2", shown=".scene"))
    yield Screen("replay", open_page(f"{origin}/replay/{code}/1#6", shown="p.step"))
    yield Screen("verified", open_page(f"{origin}/verify?table={code}&match=1", shown="section.verdict"))


def open_first_match(origin: str) -> Callable[[Page], Awaitable[None]]:
    """Starts a first match and waits for its first hint."""

    async def run(page: Page) -> None:
        await open_page(f"{origin}/", click=".start > button:not(.primary)", shown="h1")(page)
        await page.locator(".coach .primary").wait_for()

    return run


async def wait_for_out_of_turn_button(page: Page) -> None:
    """Waits for the button to call out of turn."""
    await page.locator(".action-panel .danger").wait_for()


async def raise_bid(user: User) -> None:
    """Makes the lowest legal bid that is not of ones."""
    texts = await legal_bids(user.action_panel)
    pairs = [(int(quantity), int(face)) for quantity, face in (text.split(",") for text in texts)]
    quantity, face = min(pair for pair in pairs if pair[1] != 1)
    await bid(user, quantity, face)


async def bid_until_own_turn(ann: User, users: Sequence[User]) -> None:
    """Bids until it is Ann's turn to answer a bid."""
    await bid_until(ann, users, lambda text: "Your turn" in text and "No bid" not in text, own=False)


async def bid_until_out_of_turn(ann: User, users: Sequence[User]) -> None:
    """Bids until Ann may call before another user, who takes any time, unlike a bot."""
    others = [f"You may call before {user.name} " for user in users if user is not ann]
    await bid_until(ann, users, lambda text: any(words in text for words in others), own=True)


async def bid_until(ann: User, users: Sequence[User], done: Callable[[str], bool], *, own: bool) -> None:
    """Lets the current player bid until the text of Ann's action panel satisfies `done`. `own`: also Ann bids."""
    changed = "text => document.querySelector('.action-panel').innerText !== text"
    for _ in range(MAX_TURNS):
        text = await ann.action_panel.inner_text()
        raised = await ann.board.locator(".bid-dice").count() > 0
        if done(text) and raised:
            return
        current = next((user for user in users if f"{user.name}'s turn" in text), None)
        if "Your turn" in text and (own or not raised):
            current = ann
        if current is not None:
            await expect(current.action_panel.get_by_role("grid")).to_be_visible()
            await raise_bid(current)
        await ann.page.wait_for_function(changed, arg=text)
    raise AssertionError("the wanted state never comes")
