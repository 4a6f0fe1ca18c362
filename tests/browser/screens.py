"""All screens of the page, one after another. Several viewers see each screen from the same seat."""

from collections.abc import AsyncIterator, Callable, Sequence

from playwright.async_api import expect

from tests.browser.match_player import legal_bids, start_match, wait_until_removed
from tests.browser.round_steps import (
    ONES_ARE_WILD,
    QUICK_START,
    bid,
    call,
    continue_match,
    current_player,
    lose_die,
    raise_bid,
    read_verdict,
)
from tests.browser.screen_steps import (
    Screen,
    click,
    open_estimates,
    open_first_match,
    open_own_games,
    open_page,
    open_rules_lab,
    press_escape,
    share_seat,
    wait_for,
)
from tests.browser.users import User

RULE_CHANGES = QUICK_START | {
    "challenge.who": "anyone_but_bidder",
    "loss.out_of_turn_factor": 2,
    "exact_call": {},
    "penalties": [{"trigger": "asks_whose_turn"}],
}


MAX_TURNS = 40
MAX_MATCHES = 20


async def page_screens(_: Sequence[User], hosts: Sequence[User]) -> AsyncIterator[Screen]:
    """All pages except tables with a seat."""
    host, code = hosts[0], ""
    origin = host.server.address
    for title, seats, rules in (("The Last Candle", 4, "mustache"), ("The Loaded Cup", 6, "perudo")):
        code = await host.open_table(rules, title=title, seats=seats, listed=True)
    yield Screen("landing", open_page(f"{origin}/", shown="h1"))
    yield Screen("landing-options", open_page(f"{origin}/", click="details summary", shown="h1"), part="details")
    yield Screen("new", open_page(f"{origin}/new?rules=mustache&dice.per_player=6", shown=".preset"))
    yield Screen("new-variants", click(".variants > summary", shown=".rulebook li"), part="main")
    yield Screen("new-more", click("#setup > details > summary", shown=".switches"), part="#setup > details")
    yield Screen("new-own", open_own_games(origin), part="main")
    yield Screen(
        "new-invalid",
        open_page(f"{origin}/new?rules=classic&bidding.raise=either_increases", shown=".error"),
        part=".error",
    )
    yield Screen("rules-lab", open_rules_lab(origin), part="main details:has(table)")
    yield Screen("join", open_page(f"{origin}/t/{code}", shown="#name"))
    group = await host.post("/api/groups", {"name": "The Crooked Spoon", "person": host.name})
    yield Screen("group-door", open_page(f"{origin}/g/{group['inside']['code']}", shown="form"), part="main")
    yield Screen("group-new", open_page(f"{origin}/g", shown="form"), part="main")
    yield Screen("lobby", open_page(f"{origin}/lobby", shown="li.card"))
    yield Screen("quick", open_page(f"{origin}/quick", shown="form.card"))
    yield Screen("no-matches", open_page(f"{origin}/matches", click="summary", shown="main h2"))
    yield Screen("rules", open_page(f"{origin}/rules", shown="main li"))
    yield Screen("strategy", open_page(f"{origin}/strategy", shown="main [role=img]"))
    yield Screen("rule-sheet", open_page(f"{origin}/rules/mustache", shown="article h2"))
    yield Screen("cup", open_page(f"{origin}/cup", click="main .btn.primary", shown=".btn.primary"))
    yield Screen("puzzle", open_page(f"{origin}/puzzles", shown=".moves button"))
    yield Screen("puzzle-answer", click(".moves button", shown="main h2[tabindex]"), part="main")
    yield Screen("review-start", open_page(f"{origin}/review", shown="h1"))
    yield Screen("coach", open_page(f"{origin}/coach", shown="h1"))
    yield Screen("verify", open_page(f"{origin}/verify", shown="form"))
    yield Screen("first-match", open_first_match(origin))
    yield Screen("missing", open_page(f"{origin}/nowhere", shown="h1"))  # with the way back to the first match


async def table_screens(viewers: Sequence[User], guests: Sequence[User]) -> AsyncIterator[Screen]:
    """The states of a table in one round, with all rule options."""
    ann = viewers[0]
    code = await ann.open_table("mustache", RULE_CHANGES, seats=len(guests) + 2, hints=True, bots=["threshold"])
    await share_seat(viewers, f"{ann.server.address}/t/{code}")
    yield Screen("gathering-alone")
    for guest in guests:
        await guest.join(code)
    yield Screen("gathering", part="main")
    await start_match(ann, *guests)
    users = [*guests, ann]
    await expect(ann.dice).to_have_count(5)
    await guests[0].button("I don't believe you").click()
    await guests[1].page.get_by_label("Say something").fill("Whose turn is it?")
    await guests[1].page.keyboard.press("Enter")
    await bid_until_own_turn(ann, users)
    yield Screen("turn", click(".bid-picker", shown="[data-bid]"))
    yield Screen(
        "turn-odds", click(".bid-picker header [aria-pressed=false]", shown="[data-bid] small"), part=".bid-picker"
    )
    yield Screen("talk", click(".bar button[aria-expanded]"), press_escape, part=".chat")
    yield Screen("menu", click(".bar button[aria-haspopup]", shown="dialog"), press_escape, part="dialog")
    yield Screen("seat-menu", click(".seats button.avatar-button", shown="dialog"), press_escape, part="dialog")
    yield Screen(
        "table-cup", open_page(f"{ann.server.address}/t/{code}/cup"), open_page(f"{ann.server.address}/t/{code}")
    )
    await raise_bid(ann)
    yield Screen("waiting", part="main")
    await bid_until_out_of_turn(ann, users)
    yield Screen("out-of-turn", wait_for(".action-panel .danger"), part="main")
    await call(ann, "Liar!")
    await read_verdict(ann)
    yield Screen("reveal", click(".verdict", shown=".verdict"), part="main")


async def special_round_screens(viewers: Sequence[User], guests: Sequence[User]) -> AsyncIterator[Screen]:
    """A special round, the end of a match that Ann wins, its replay and its verification."""
    ann = viewers[0]
    code = await ann.open_table("mustache", QUICK_START | {"dice.per_player": 2}, seats=len(guests) + 1)
    origin = ann.server.address
    await share_seat(viewers, f"{origin}/t/{code}")
    for guest in guests:
        await guest.join(code)
    await start_match(ann, *guests)
    users = [ann, *guests]
    await lose_die(guests[0], users, wild=ONES_ARE_WILD)
    await continue_match(users)
    await current_player(users)
    yield Screen("mustache", click(".plank", shown=".plank svg"), part=".board")
    await lose_die(guests[0], users)
    await continue_match(users)
    users.remove(guests[0])
    await lose_die(guests[1], users, wild=ONES_ARE_WILD)
    await continue_match(users)
    await lose_die(guests[1], users)
    yield Screen("over", click(".action-panel .next .primary", shown="ol.order"))
    group = await ann.post("/api/groups", {"name": "The Crooked Spoon", "table": code})
    yield Screen("group", open_page(f"{origin}/g/{group['inside']['code']}", shown="#season"), part="main")
    yield Screen("matches", open_page(f"{origin}/matches", click="main li .iconbtn", shown="main li h3"))
    yield Screen("review", open_page(f"{origin}/review/{code}/1", shown="td b"))
    yield Screen("review-decision", open_page(f"{origin}/review/{code}/1#2", shown=".scene"))
    yield Screen("replay", open_page(f"{origin}/replay/{code}/1#6", shown="p.step"))
    yield Screen("verified", open_page(f"{origin}/verify?table={code}&match=1", shown="section.verdict"))


async def guest_screens(viewers: Sequence[User], guests: Sequence[User]) -> AsyncIterator[Screen]:
    """What a guest sees: changed rules, the shared screen, and a match after being out."""
    ann, (host, other) = viewers[0], guests
    code = await host.open_table("basic", QUICK_START | {"dice.per_player": 2}, seats=len(guests) + 1)
    address = f"{ann.server.address}/t/{code}"
    for guest in (ann, other):
        await guest.join(code)
    await share_seat(viewers, address)
    await host.button("Change the table").click()
    await host.page.get_by_text("Rules: Basic").click()
    await host.button("Dice each at the start: less").click()
    await host.button("Save changes").click()
    yield Screen("changed-rules", wait_for(".rules-change li"), part=".rules-change")
    for guest in (ann, other):
        await guest.button("Play by these rules").click()
    await host.button("Start the match").click()
    users = [host, other, ann]
    await expect(ann.dice).to_have_count(1)
    standing = await raise_bid(await current_player(users))
    yield Screen("tv", open_page(f"{address}/tv", shown=".tv .bid-text"), open_page(address))
    await lose_die(ann, users, standing=standing)
    await continue_match(users)
    await raise_bid(await current_player(users[:2]))
    yield Screen("out", wait_for(".eliminated"), part="main")


async def training_screens(viewers: Sequence[User], _: Sequence[User]) -> AsyncIterator[Screen]:
    """Estimates at a training table, and a match that bots play to its end."""
    ann = viewers[0]
    bots = ["novice"] * 4
    code = await ann.open_table("perudo", seats=len(bots) + 1, bots=bots, training=True, begin=True)
    await share_seat(viewers, f"{ann.server.address}/t/{code}")
    await ann.action_panel.get_by_role("grid").wait_for()
    yield Screen("training", open_estimates, part=".training")
    for _attempt in range(MAX_MATCHES):
        code = await ann.open_table("basic", {"dice.per_player": 1}, seats=len(bots) + 1, bots=bots, begin=True)
        if await lose_only_die(ann):
            break
    await share_seat(viewers, f"{ann.server.address}/t/{code}")
    yield Screen("play-out", wait_for(".play-out"), part=".action-panel")


async def lose_only_die(ann: User) -> bool:
    """Makes the highest bid in every turn until Ann is out; returns whether bots play on without her.

    They do not if all but one were out before her.
    """
    chart, out = ann.action_panel.get_by_role("grid"), ann.page.locator(".play-out")
    next_button = ann.action_panel.get_by_role("button", name="Next round")
    over = ann.action_panel.get_by_role("button", name="The final order")
    for _ in range(MAX_TURNS):
        await chart.or_(out).or_(next_button).or_(over).first.wait_for()
        if await out.is_visible():
            return True
        if await over.is_visible():
            return False
        if await next_button.is_visible():
            handle = await next_button.element_handle()
            await next_button.click()
            await wait_until_removed(handle)
        else:
            bids = [[int(number) for number in text.split(",")] for text in await legal_bids(chart)]
            await bid(ann, *max(bids))
    raise AssertionError("Ann is never out")


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


GROUPS = (page_screens, table_screens, special_round_screens, guest_screens, training_screens)
"""All screens, in groups that each need users of their own."""
