"""At every size of window all that a player needs lies inside it, whole and clear of the rest."""

import pytest
from playwright.async_api import expect

from tests.browser.people import Come, Person
from tests.browser.scenes import raise_by_one

PACE = "1"
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
    (960, 540),
    (1024, 640),
    (1280, 800),
    (2560, 1440),
)
THREE_ROWS = 140
LONGEST_TURNS = 60
MEASURE = """() => {
  const boxes = (selector) => [...document.querySelectorAll(selector)]
    .map((one) => one.getBoundingClientRect()).filter((box) => box.width > 0);
  const words = (selector) => [...document.querySelectorAll(selector)].map((one) => {
    const range = document.createRange();
    range.selectNodeContents(one);
    return range.getBoundingClientRect();
  });
  const parts = {
    "the own dice": boxes(".own-dice .dice .die"),
    "the bid": words(".centre.bidding .bid-text"),
    "the chart": boxes(".chart"),
    "a button": boxes(".action-buttons .btn, .action-panel .next .btn"),
    "a player": boxes(".seats:not(.reveal) .avatar-button"),
  };
  const bar = document.querySelector("header.bar").getBoundingClientRect().bottom;
  const told = [];
  for (const [name, all] of Object.entries(parts))
    for (const box of all)
      if (box.left < 0 || box.top < bar - 1 || box.right > innerWidth + 1 || box.bottom > innerHeight + 1)
        told.push(`${name} sticks out`);
  const names = Object.keys(parts);
  for (const [at, one] of names.entries())
    for (const other of names.slice(at + 1))
      for (const a of parts[one])
        for (const b of parts[other])
          if (Math.min(a.right, b.right) - Math.max(a.left, b.left) > 1 &&
              Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 1)
            told.push(`${one} and ${other} overlap`);
  if ([...document.querySelectorAll(".chart .bid")].some((bid) => bid.scrollWidth > bid.clientWidth))
    told.push("a bid is wider than its place in the chart");
  const felt = document.querySelector(".felt.top").getBoundingClientRect();
  if (boxes(".seats .hand .die").some((die) => die.left < felt.left || die.right > felt.right))
    told.push("an opened hand lies beside the felt");
  return { told: [...new Set(told)], rows: document.querySelector(".chart")?.clientHeight ?? null };
}"""
SETTLED = "() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done())))"


async def to_own_turn(ann: Person) -> None:
    """Raise, and see reveals through, until a bid of somebody else stands and it is Ann's turn."""
    go = ann.dock.locator(".next .btn")
    chart = ann.dock.get_by_role("grid")
    for _ in range(LONGEST_TURNS):
        await chart.or_(go).first.wait_for()
        if await go.count() > 0:
            handle = await go.first.element_handle()
            await go.first.click()
            await handle.wait_for_element_state("hidden")
        elif await ann.stage.locator(".bid-text").count() > 0 and await ann.button("Dudo!").count() > 0:
            return
        else:
            await raise_by_one(ann)
    raise AssertionError("nobody ever leaves a bid to Ann")


async def faults(ann: Person) -> dict[str, list[str]]:
    """What is wrong, by the size of the window."""
    found = {}
    for width, height in SIZES:
        await ann.page.set_viewport_size({"width": width, "height": height})
        await ann.page.evaluate(SETTLED)
        measured = await ann.page.evaluate(MEASURE)
        told = measured["told"]
        if measured["rows"] is not None and measured["rows"] < THREE_ROWS:
            told.append(f"the chart is only {measured['rows']} pixels high")
        if told:
            found[f"{width}x{height}"] = told
    return found


@pytest.mark.parametrize("seats, dice", [(2, 5), (4, 5), (10, 10)])
async def test_everything_fits_into_every_window(come: Come, seats: int, dice: int) -> None:
    ann = await come("Ann")
    bots = ["threshold"] * (seats - 1)
    await ann.open_table("perudo", {"dice.per_player": dice}, seats=seats, bots=bots, begin=True, hints=True)
    await to_own_turn(ann)
    assert await faults(ann) == {}
    await ann.button("Dudo!").click()
    await expect(ann.dock.get_by_role("status")).to_contain_text("You were")
    assert await faults(ann) == {}


HANDS_THAT_MEET = """() => {
  const around = [...document.querySelectorAll(".seats .hand")];
  if (around.some((hand) => getComputedStyle(hand).position !== "absolute")) return [];  // they lie in a list
  const hands = [...document.querySelectorAll(".seats .hand")].map((hand) => {
    const [rest, forward] = [hand.querySelector(".uncounted"), hand.querySelector(".counted")];
    return { rest, forward, dice: [...rest.children, ...forward.children] };
  });
  const told = new Set();
  for (let counted = 0; counted <= 5; counted++) {
    for (const { rest, forward, dice } of hands) {
      const here = Math.min(counted, dice.length);
      for (const [at, die] of dice.entries()) (at < here ? forward : rest).append(die);
      forward.classList.toggle("long", here > 4);
      rest.classList.toggle("long", dice.length - here > 4);
    }
    const boxes = hands.map(({ dice }) => dice.map((die) => die.getBoundingClientRect()));
    for (const [at, one] of boxes.entries())
      for (const [also, other] of boxes.entries())
        if (at < also && one.some((a) => other.some((b) =>
            Math.min(a.right, b.right) - Math.max(a.left, b.left) > 1 &&
            Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 1)))
          told.add(`${counted} dice of hands ${at} and ${also} lie on each other`);
  }
  return [...told];
}"""


@pytest.mark.parametrize("seats", [3, 4, 5, 6, 7])
async def test_opened_hands_lie_beside_each_other(come: Come, seats: int) -> None:
    ann = await come("Ann")
    await ann.open_table("perudo", seats=seats, bots=["threshold"] * (seats - 1), begin=True)
    await to_own_turn(ann)
    await ann.button("Dudo!").click()
    await expect(ann.dock.get_by_role("status")).to_contain_text("You were")
    await expect(ann.stage.locator(".hand .die")).to_have_count(5 * (seats - 1))
    met = {}
    for width, height in SIZES:
        await ann.page.set_viewport_size({"width": width, "height": height})
        await ann.page.evaluate(SETTLED)
        if told := await ann.page.evaluate(HANDS_THAT_MEET):
            met[f"{width}x{height}"] = told
    assert met == {}
