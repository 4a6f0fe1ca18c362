"""At every window size, all important elements are inside the window and do not overlap."""

import asyncio

import pytest
from playwright.async_api import expect

from tests.browser.match_player import start_match
from tests.browser.round_steps import (
    QUICK_START,
    bid,
    call,
    current_player,
    players_in_turn_order,
    raise_bid,
    read_verdict,
)
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
MIN_CHART_HEIGHT = 140  # three rows
MAX_TURNS = 60
MAX_SETTLING_FRAMES = 30
"""A window that has changed its size may need some frames until everything is in place."""
MEASURE = """() => {
  const boxes = (selector) => [...document.querySelectorAll(selector)]
    .map((element) => element.getBoundingClientRect()).filter((box) => box.width > 0);
  const textBoxes = (selector) => [...document.querySelectorAll(selector)].map((element) => {
    const range = document.createRange();
    range.selectNodeContents(element);
    return range.getBoundingClientRect();
  });
  const parts = {
    "the own dice": boxes(".own-dice .dice .die"),
    "the bid": textBoxes(".centre.bidding .bid-text"),
    "the chart": boxes(".chart"),
    "a button": boxes(".action-buttons .btn, .action-panel .next .btn"),
    "a player": boxes(".seats:not(.reveal) .avatar-button"),
  };
  const smallTable = innerWidth >= 600 && innerWidth < 760 && innerHeight >= 850;
  if (smallTable && document.querySelectorAll(".seats .seat").length < 6) {
    parts["the count"] = boxes(".centre.reveal .scores b, .centre.reveal .slots > *");
    parts["a revealed hand"] = boxes(".seats .hand .die");
  }
  const bar = document.querySelector("header.bar").getBoundingClientRect().bottom;
  const faults = [];
  for (const [name, all] of Object.entries(parts))
    for (const box of all)
      if (box.left < 0 || box.top < bar - 1 || box.right > innerWidth + 1 || box.bottom > innerHeight + 1)
        faults.push(`${name} sticks out`);
  const names = Object.keys(parts);
  for (const [index, first] of names.entries())
    for (const second of names.slice(index + 1))
      for (const a of parts[first])
        for (const b of parts[second])
          if (Math.min(a.right, b.right) - Math.max(a.left, b.left) > 1 &&
              Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 1)
            faults.push(`${first} and ${second} overlap`);
  if ([...document.querySelectorAll(".chart .bid")].some((bid) => bid.scrollWidth > bid.clientWidth))
    faults.push("a bid is wider than its cell in the chart");
  const seat = document.querySelector(".seats .seat");
  const roundTable = smallTable || (innerWidth >= 760 && innerHeight >= 600);
  if (roundTable && getComputedStyle(seat).position !== "absolute")
    faults.push("the seats are not around a table");
  const felt = document.querySelector(".felt.top").getBoundingClientRect();
  if (boxes(".seats .hand .die").some((die) => die.left < felt.left || die.right > felt.right))
    faults.push("a revealed hand is outside the board");
  return { faults: [...new Set(faults)], rows: document.querySelector(".chart")?.clientHeight ?? null };
}"""
NEXT_FRAME = "() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done())))"


async def to_own_turn(ann: User) -> None:
    """Bids and continues until it is Ann's turn to answer a bid."""
    next_button = ann.action_panel.locator(".next .btn")
    chart = ann.action_panel.get_by_role("grid")
    for _ in range(MAX_TURNS):
        await chart.or_(next_button).first.wait_for()
        if await next_button.count() > 0:
            handle = await next_button.first.element_handle()
            await next_button.first.click()
            await handle.wait_for_element_state("hidden")
        elif await ann.board.locator(".bid-text").count() > 0 and await ann.button("Dudo!").count() > 0:
            return
        else:
            await raise_bid(ann)
    raise AssertionError("Ann never has a bid to answer")


async def find_faults(ann: User) -> dict[str, list[str]]:
    """The faults by window size."""
    faults = {}
    for width, height in SIZES:
        await ann.page.set_viewport_size({"width": width, "height": height})
        await ann.page.evaluate(NEXT_FRAME)
        found = await measure(ann)
        for _ in range(MAX_SETTLING_FRAMES):
            if not found:
                break
            await ann.page.evaluate(NEXT_FRAME)
            found = await measure(ann)
        if found:
            faults[f"{width}x{height}"] = found
    return faults


async def measure(ann: User) -> list[str]:
    """The faults in the window as it is."""
    measured = await ann.page.evaluate(MEASURE)
    found: list[str] = measured["faults"]
    if measured["rows"] is not None and measured["rows"] < MIN_CHART_HEIGHT:
        found.append(f"the chart is only {measured['rows']} pixels high")
    return found


@pytest.mark.parametrize("seats, dice", [(2, 5), (6, 5), (10, 10)])
async def test_everything_fits_into_every_window(new_user: NewUser, seats: int, dice: int) -> None:
    ann = await new_user("Ann")
    bots = ["threshold"] * (seats - 1)
    await ann.open_table("perudo", {"dice.per_player": dice}, seats=seats, bots=bots, begin=True, hints=True)
    await to_own_turn(ann)
    assert await find_faults(ann) == {}
    await call(ann, "Dudo!")
    await expect(ann.action_panel.get_by_role("status")).to_contain_text("You were")
    assert await find_faults(ann) == {}


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


@pytest.mark.parametrize("seats", [3, 4, 5, 6, 7])
async def test_revealed_hands_do_not_overlap(new_user: NewUser, seats: int) -> None:
    ann = await new_user("Ann")
    await ann.open_table("perudo", seats=seats, bots=["threshold"] * (seats - 1), begin=True)
    await to_own_turn(ann)
    await call(ann, "Dudo!")
    await expect(ann.action_panel.get_by_role("status")).to_contain_text("You were")
    await expect(ann.board.locator(".hand .die")).to_have_count(5 * (seats - 1))
    overlaps = {}
    for width, height in SIZES:
        await ann.page.set_viewport_size({"width": width, "height": height})
        await ann.page.evaluate(NEXT_FRAME)
        if found := await ann.page.evaluate(OVERLAPPING_HANDS):
            overlaps[f"{width}x{height}"] = found
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


async def test_on_a_crowded_phone_a_line_of_talk_takes_the_place_of_the_name(new_user: NewUser) -> None:
    ann, ben = await new_user("Ann", PHONE), await new_user("Ben")
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
    assert await find_faults(ann) == {}


async def say(viewer: User, speakers: list[User], text: str) -> None:
    """Lets all speak at once, and waits until the viewer sees their bubbles."""
    for speaker in speakers:
        await speaker.page.get_by_label("Say something").fill(text)
    await asyncio.gather(*(speaker.page.keyboard.press("Enter") for speaker in speakers))
    await expect(viewer.board.locator(".speech").filter(has_text=text)).to_have_count(len(speakers))


SMALL_TARGETS = """() => {
  const selector = "header.bar > a, header.bar button, .action-panel button, .seats .avatar-button, .own-dice button";
  return [...document.querySelectorAll(selector)].filter((target) => {
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
    ann = await new_user("Ann", size)
    await ann.open_table("perudo", seats=4, bots=["threshold"] * 3, begin=True, hints=True)
    await to_own_turn(ann)
    await expect(ann.button("What do the words mean?")).to_be_visible()
    assert await ann.page.evaluate(SMALL_TARGETS) == []
