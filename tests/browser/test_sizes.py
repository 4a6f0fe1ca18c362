"""At every window size, all important elements are inside the window and do not overlap."""

import asyncio

import pytest
from playwright.async_api import Route, expect

from liarsdice.core.text.rulebook import LANGUAGES
from tests.browser.match_player import legal_bids, make_bid, start_match, wait_until_removed
from tests.browser.round_steps import (
    QUICK_START,
    bid,
    call,
    current_player,
    players_in_turn_order,
    raise_bid,
    read_verdict,
)
from tests.browser.scene_page import NEXT_FRAME, ScenePage
from tests.browser.table_states import ESTIMATES, SCENES, TURN, Scene, ScriptedTable, revealed
from tests.browser.users import DESKTOP, PHONE, NewUser, User

SIZES = (
    (320, 568),
    (375, 553),
    (360, 640),
    (390, 664),
    (390, 844),
    (568, 320),
    (640, 400),
    (667, 375),
    (740, 360),
    (844, 390),
    (600, 500),
    (600, 960),
    (700, 900),
    (744, 1133),
    (820, 1180),
    (960, 540),
    (1024, 640),
    (1280, 800),
    (2560, 1440),
)
IN_EVERY_STATE = ((1280, 800), (390, 844), (360, 640), (360, 560), (320, 460), (844, 390), (640, 400))
"""The last one is 1280x800 at 200%."""
SMALLEST = (320, 460)
TABLETS = ((744, 1133), (820, 1180))


@pytest.mark.parametrize("seats", [2, 6, 10, 20])
async def test_every_control_can_be_reached_and_every_fact_is_seen(new_user: NewUser, seats: int) -> None:
    """In every state of a table, with the longest names. Every state is seen in every language."""
    pages = []
    for language in LANGUAGES:
        user = await new_user("Ann", language=language)
        pages.append(await open_scenes(user))
    faults: dict[str, list[str]] = {}
    for index, (name, create) in enumerate(SCENES.items()):
        scene, page = create(seats), pages[(index + seats // 4) % len(pages)]
        await page.page.set_viewport_size({"width": PHONE[0], "height": PHONE[1]})
        await page.show(scene)
        controls: set[str] = set()
        for size in (*IN_EVERY_STATE, *(TABLETS if seats == 6 else ())):
            facts = scene.facts()
            if seats >= 10 and size == SMALLEST:  # no room: the heading of the panel may need a scroll
                facts.pop(TURN, None)
            found, panel = await page.look(facts, size)
            controls = controls or set(panel)
            missing = [f"the control {control!r} is missing" for control in controls.difference(panel)]
            if found or missing:
                faults[f"{name}, {size[0]}x{size[1]}"] = [*found, *missing]
    assert faults == {}


OUT_OF_SIGHT = """(selectors) => selectors.filter((selector) => {
  const found = document.querySelector(selector);
  if (!found) return true;
  const { top, bottom, left, right } = found.getBoundingClientRect();
  for (let above = found.parentElement; above; above = above.parentElement) {
    const frame = above.getBoundingClientRect();
    const scrolls = getComputedStyle(above).overflowY === "auto";
    if (scrolls && (top < frame.top - 2 || bottom > frame.bottom + 2)) return true;
  }
  return top < 0 || bottom > innerHeight || left < 0 || right > innerWidth;
})"""


@pytest.mark.parametrize("size", [SMALLEST, PHONE, (844, 390), DESKTOP])
async def test_at_twenty_seats_a_player_sees_all_that_a_round_is_about(
    new_user: NewUser, size: tuple[int, int]
) -> None:
    """Each seat with its dice, the bid, who is next, and after a call the rows of both sides."""
    ann = await new_user("Ann", size)
    await ann.open_table("basic", seats=20, bots=["threshold"] * 19, begin=True)
    chart, next_button = ann.action_panel.get_by_role("grid"), ann.button("Next round")
    for number in (1, 2):
        held = ann.board.locator(".seats .count > b")
        await expect(held).to_have_count(19)
        assert sum(map(int, await held.all_inner_texts())) > 19 * 5 - number
        while True:
            await chart.or_(next_button).first.wait_for()
            if await next_button.is_visible():
                break
            if await ann.board.locator(".bid-dice").count():
                facts = [".centre .bid-text", ".centre .in-play", ".seats .arrow", ".own-dice .die:last-child"]
                assert await ann.page.evaluate(OUT_OF_SIGHT, facts) == []
            handle = await chart.element_handle()
            if await ann.action_panel.get_by_role("button", name="Liar!").is_visible():
                await call(ann, "Liar!")
            else:
                await make_bid(ann, (await legal_bids(chart))[0])
            await wait_until_removed(handle)
        await read_verdict(ann)
        await ann.page.evaluate(NEXT_FRAME)
        both = (".seats .caller", ".seats .seat:has(+ .caller)")  # unless one of them is Ann, who calls the last seat
        sides = [side for side in both if await ann.board.locator(side).count()] or [".seats > :last-child"]
        assert await ann.page.evaluate(OUT_OF_SIGHT, sides) == []
        handle = await next_button.element_handle()
        await next_button.click()
        await wait_until_removed(handle)


async def open_scenes(user: User) -> ScenePage:
    """A page of a user for scenes. It is another one, as what it intercepts stays intercepted."""
    user.expect_problem("404")
    page = ScenePage(await user.context.new_page(), user.server.address)
    await page.open()
    return page


@pytest.mark.parametrize("size", [SMALLEST, (360, 560), (360, 640), PHONE])
async def test_the_tabs_of_a_training_table_stay_where_they_are_on_a_phone(
    new_user: NewUser, size: tuple[int, int]
) -> None:
    """At the own turn and those of others, before and after the estimates come, and when the other tab is chosen."""
    page = await open_scenes(await new_user("Ann"))
    await page.page.set_viewport_size({"width": size[0], "height": size[1]})
    tabs, places, arrived = page.page.locator(".training .tabs"), set[float](), asyncio.Event()
    shown: list[Scene] = []

    async def answer(route: Route) -> None:
        await arrived.wait()
        await route.fulfill(json=shown[-1].estimates())

    await page.page.route("**/training*", answer)
    for seat in (0, 1):
        shown.append(Scene(ScriptedTable("official", 3, training=True).deal().bid_until(seat)))
        await page.show(shown[-1])
        arrived.clear()
        for _ in range(2):
            places.add(await tabs.evaluate("tabs => tabs.getBoundingClientRect().bottom"))
            await page.page.locator(ESTIMATES).click()
        arrived.set()
        await page.page.locator(".estimates .scroll").wait_for()
        places.add(await tabs.evaluate("tabs => tabs.getBoundingClientRect().bottom"))
        await tabs.locator("button").first.click()
    assert len(places) == 1, places


OVERLAPPING_HANDS = """() => {
  const around = [...document.querySelectorAll(".seats .hand")];
  if (around.some((hand) => getComputedStyle(hand).position !== "absolute")) return [];  // they are in a list
  const hands = [...document.querySelectorAll(".seats .hand")].map((hand) => {
    const [uncounted, counted] = [hand.querySelector(".uncounted"), hand.querySelector(".counted")];
    return { uncounted, counted, dice: [...uncounted.children, ...counted.children] };
  });
  const faults = new Set();
  for (let count = 0; count <= 5; count++) {
    for (const { uncounted, counted, dice } of hands) {
      const countedDice = Math.min(count, dice.length);
      for (const [index, die] of dice.entries()) (index < countedDice ? counted : uncounted).append(die);
      counted.classList.toggle("long", countedDice > 4);
      uncounted.classList.toggle("long", dice.length - countedDice > 4);
    }
    const boxes = hands.map(({ dice }) => dice.map((die) => die.getBoundingClientRect()));
    for (const [first, firstBoxes] of boxes.entries())
      for (const [second, secondBoxes] of boxes.entries())
        if (first < second && firstBoxes.some((a) => secondBoxes.some((b) =>
            Math.min(a.right, b.right) - Math.max(a.left, b.left) > 1 &&
            Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 1)))
          faults.add(`with ${count} counted dice, hands ${first} and ${second} overlap`);
  }
  return [...faults];
}"""


async def test_revealed_hands_do_not_overlap(new_user: NewUser) -> None:
    page = await open_scenes(await new_user("Ann"))
    overlaps = {}
    for seats in (3, 4, 5, 6, 7):
        await page.show(Scene(revealed(seats)))
        await expect(page.page.locator(".seats .hand .die")).to_have_count(5 * (seats - 1))
        for width, height in SIZES:
            await page.page.set_viewport_size({"width": width, "height": height})
            await page.page.evaluate(NEXT_FRAME)
            if found := await page.page.evaluate(OVERLAPPING_HANDS):
                overlaps[f"{seats} seats, {width}x{height}"] = found
    assert overlaps == {}


async def test_on_a_phone_neither_bids_of_others_nor_the_outcome_of_a_call_move_the_board(new_user: NewUser) -> None:
    users = [await new_user(name, PHONE) for name in ("Ann", "Ben", "Cyd")]
    ann = users[0]
    code = await ann.open_table("basic", {"dice.per_player": 3} | QUICK_START, seats=3)
    for guest in users[1:]:
        await guest.join(code)
    await start_match(*users)
    first, second, third = await players_in_turn_order(users)
    heights = []
    for user, quantity in ((first, 1), (second, 2)):
        await bid(user, quantity, 3)
        await expect(first.board.locator(".bid-text")).to_contain_text({1: "one", 2: "two"}[quantity])
        heights.append(await first.board.evaluate("board => board.clientHeight"))
    await call(third, "Liar!")
    await read_verdict(first)
    heights.append(await first.board.evaluate("board => board.clientHeight"))
    assert len(set(heights)) == 1, heights


COVERED = """() => {
  const boxes = (selector) => [...document.querySelectorAll(selector)].map((found) => found.getBoundingClientRect());
  const overlaps = (a, b) => Math.min(a.right, b.right) - Math.max(a.left, b.left) > 1 &&
    Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 1;
  const lines = boxes(".seats .speech, .seats .emote");
  const faults = new Set();
  if (boxes(".seats .hand .die").some((die) => lines.some((line) => overlaps(die, line)))) faults.add("a die");
  for (const [index, line] of lines.entries())
    if (lines.slice(index + 1).some((other) => overlaps(line, other))) faults.add("another line");
  if (lines.some((line) => line.left < 0 || line.right > innerWidth)) faults.add("the edge");
  return [...faults];
}"""


OWN_LINE_COVERS_A_DIE = """() => {
  const line = document.querySelector(".own-dice .voice").getBoundingClientRect();
  const dice = [...document.querySelectorAll(".own-dice .die")].map((die) => die.getBoundingClientRect());
  return dice.some(({ left, right, top, bottom }) =>
    left < line.right && line.left < right && top + 1 < line.bottom && line.top < bottom);
}"""


async def test_what_is_said_covers_neither_other_lines_nor_dice(new_user: NewUser) -> None:
    ann = await new_user("Ann", PHONE)
    guests = [await new_user(name) for name in ("Ben", "Cyd", "Dan")]
    code = await ann.open_table("basic", {"dice.per_player": 5} | QUICK_START, seats=6)
    for guest in guests:
        await guest.join(code)
    await say(ann, guests, "Nobody here has four threes, I would bet my cup on it")
    assert await ann.page.evaluate(COVERED) == [], "before the match"
    await expect(ann.board.locator(".speech")).to_have_count(0)  # nobody may say two lines in a second
    await start_match(ann, *guests)
    first, second, third, *_ = await players_in_turn_order([ann, *guests])
    await bid(first, 1, 3)
    if second is ann:
        await bid(ann, 2, 3)
    caller = third if second is ann else second
    await call(caller, "Liar!")
    await read_verdict(ann)
    await read_verdict(caller)
    assert await caller.page.evaluate(OWN_LINE_COVERS_A_DIE) is False, "the own call"
    await say(ann, guests, "I knew it, you always have two of them")
    assert await ann.page.evaluate(COVERED) == [], "in the reveal"
    await expect(ann.board.locator(".seats .call")).to_be_visible()  # and not what its caller says instead


async def test_on_a_crowded_phone_a_line_of_talk_takes_the_place_of_the_name(new_user: NewUser) -> None:
    ann, ben = await new_user("Ann", PHONE), await new_user("Ben")
    await ben.join(await ann.open_table("basic", seats=10, bots=["threshold"] * 5))
    await say(ann, [ben], "At the left edge of the second row there is little room for a long line")
    assert await ann.page.evaluate(COVERED) == [], "at the edge"
    rules = {"dice.per_player": 10} | QUICK_START
    code = await ann.open_table("basic", rules, seats=10, bots=["threshold"] * 8)
    await ben.join(code)
    await start_match(ann, ben)
    bidder = await current_player([ann, ben])
    await raise_bid(bidder)
    caller = await current_player([ann, ben], after=bidder)
    await call(caller, "Liar!")
    await read_verdict(ann)
    await say(ann, [ben], "Nobody at this table ever believes me, although I never say what is not so")
    assert await ann.page.evaluate(COVERED) == []


async def say(viewer: User, speakers: list[User], text: str) -> None:
    """Lets all speak at once, and waits until the viewer sees their bubbles."""
    for speaker in speakers:
        await speaker.page.get_by_label("Say something").fill(text)
    await asyncio.gather(*(speaker.page.keyboard.press("Enter") for speaker in speakers))
    await expect(viewer.board.locator(".speech").filter(has_text=text)).to_have_count(len(speakers))


OFF_THE_MIDDLE = """() => {
  const middle = (selector) => {
    const { top, height } = document.querySelector(selector).getBoundingClientRect();
    return top + height / 2;
  };
  return Math.abs(middle(".felt .bid-text") - middle(".felt"));
}"""


async def test_in_a_low_window_the_winner_stands_in_the_middle_of_the_board(new_user: NewUser) -> None:
    page = await open_scenes(await new_user("Ann", (844, 390)))
    await page.show(SCENES["over, host"](3))
    assert await page.page.evaluate(OFF_THE_MIDDLE) < 4


SMALL_TARGETS = """() => {
  const selector = "header.bar > a, header.bar button, .action-panel button, .seats .avatar-button, .own-dice button";
  return [...document.querySelectorAll(selector)].filter((target) => {
    target.scrollIntoView({ block: "nearest" }); // the chart of bids scrolls
    const box = target.getBoundingClientRect();
    const [x, y] = [box.left + box.width / 2, box.top + box.height / 2];
    const hits = (dx, dy) => target.contains(document.elementFromPoint(x + dx, y + dy));
    return hits(0, 0) && ![[21, 0], [-21, 0], [0, 21], [0, -21]].every(([dx, dy]) => hits(dx, dy));
  }).map((target) => target.getAttribute("aria-label") ?? target.textContent.trim());
}"""


@pytest.mark.parametrize("size", [PHONE, DESKTOP], ids=["phone", "desktop"])
async def test_every_target_of_a_table_reacts_to_a_finger_44_pixels_wide(
    new_user: NewUser, size: tuple[int, int]
) -> None:
    page = await open_scenes(await new_user("Ann", size))
    await page.show(SCENES["turn, exact call"](4))
    assert await page.page.evaluate(SMALL_TARGETS) == []
