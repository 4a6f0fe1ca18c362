"""Pages that wait do nothing: no animation goes on, no frame is asked for, and no timer runs several times a second."""

import asyncio
from collections.abc import AsyncIterator

import pytest_asyncio
from playwright.async_api import CDPSession, Page, expect

from tests.browser.match_player import start_match
from tests.browser.round_steps import QUICK_START, bid, call, current_player, read_verdict
from tests.browser.users import PHONE, WITHIN_MS, NewUser, User

SHORTEST_TIMER_MS = 900
"""A clock may wake the page once a second."""
RECORD_TIMERS = """() => {
  const [frames, timers] = [new Set(), new Map()];
  const wrap = (start, end, pending, repeats) => {
    const [realStart, realEnd] = [globalThis[start].bind(globalThis), globalThis[end].bind(globalThis)];
    globalThis[start] = (callback, ms = 0, ...values) => {
      const id = realStart((...results) => {
        if (!repeats) pending.delete(id);
        callback(...results);
      }, ms, ...values);
      if (pending instanceof Map) pending.set(id, ms); else pending.add(id);
      return id;
    };
    globalThis[end] = (id) => { pending.delete(id); realEnd(id); };
    return realStart;
  };
  const later = wrap("setTimeout", "clearTimeout", timers, false);
  wrap("setInterval", "clearInterval", timers, true);
  wrap("requestAnimationFrame", "cancelAnimationFrame", frames, false);
  const busy = (shortest) => [
    ...document.getAnimations().filter(({ playState }) => playState === "running")
      .map(({ animationName, effect }) => `animation ${animationName} of .${effect.target.className}`),
    ...[...timers.values()].filter((ms) => ms < shortest).map((ms) => `timer of ${ms} ms`),
    ...[...frames].map(() => "frame"),
  ];
  globalThis.comeToRest = async ([shortest, within]) => {
    const end = performance.now() + within;
    for (let quiet = 0; quiet < 3; ) {
      quiet = busy(shortest).length === 0 ? quiet + 1 : 0;
      if (performance.now() > end) return busy(shortest);
      await new Promise((done) => later(done, 50));
    }
    return [];
  };
}"""


@pytest_asyncio.fixture(loop_scope="session")
async def ann(new_user: NewUser) -> AsyncIterator[User]:
    """A user with a phone on which things move, and whose timers are recorded."""
    user = await new_user("Ann", PHONE)
    page = await user.context.new_page()
    await page.emulate_media(reduced_motion="no-preference")
    await page.add_init_script(f"({RECORD_TIMERS})()")
    yield User("Ann", user.server, page)


async def come_to_rest(page: Page) -> list[str]:
    """Waits until nothing goes on. Returns what still does after a while."""
    busy: list[str] = await page.evaluate("limits => comeToRest(limits)", [SHORTEST_TIMER_MS, WITHIN_MS])
    return busy


async def test_pages_that_wait_do_nothing(new_user: NewUser, ann: User) -> None:
    ben = await new_user("Ben")
    await ann.goto("/")
    await expect(ann.page.locator(".illustration")).to_be_attached()
    assert await come_to_rest(ann.page) == []
    code = await ann.open_table("basic", {"dice.per_player": 1} | QUICK_START, seats=2, clock={"turn_s": 300})
    await ben.join(code)
    assert await come_to_rest(ann.page) == [], "before a match"
    await start_match(ann, ben)
    if await current_player((ann, ben)) is ann:
        await bid(ann, 1, 2)
    assert await come_to_rest(ann.page) == [], "while another player thinks"
    await bid(ben, 2, 3)
    await expect(ann.heading("Your turn")).to_be_visible()
    assert await come_to_rest(ann.page) == [], "on the own turn"
    await call(ann, "Liar!")
    await asyncio.gather(*(read_verdict(user) for user in (ann, ben)))
    assert await come_to_rest(ann.page) == [], "after a reveal"
    await ann.button("The final order").click()
    await expect(ann.heading("Good game")).to_be_visible()
    assert await come_to_rest(ann.page) == [], "at the end of a match"


async def test_a_hint_of_a_first_match_waits_without_work(ann: User) -> None:
    await ann.goto("/")
    await ann.page.evaluate("localStorage.removeItem('liarsdice.played')")
    await ann.page.locator(".start > button:not(.primary)").first.click()
    await ann.page.locator(".tutorial .primary").wait_for()
    assert await come_to_rest(ann.page) == []


CHANGES = 10
TRIES = 5
"""What the page does by itself between two counts, such as a frame of an animation, only adds to one of them."""
CHANGE_THE_HEADING = """(changes) => {
  const { style } = document.querySelector(".action-panel h2");
  for (let change = 1; change <= changes; change += 1) {
    style.paddingRight = `${change}px`;
    document.body.getBoundingClientRect();
  }
}"""


async def read_counts(devtools: CDPSession) -> tuple[float, float]:
    """How often the page was laid out, and how often styles were computed."""
    metrics = {metric["name"]: metric["value"] for metric in (await devtools.send("Performance.getMetrics"))["metrics"]}
    return metrics["LayoutCount"], metrics["RecalcStyleCount"]


async def count_extra_styles(page: Page, devtools: CDPSession) -> float:
    """How much more often styles were computed than the page was laid out, while a heading changed several times."""
    layouts_before, styles_before = await read_counts(devtools)
    await page.evaluate(CHANGE_THE_HEADING, CHANGES)
    layouts_after, styles_after = await read_counts(devtools)
    assert layouts_after - layouts_before >= CHANGES
    return (styles_after - styles_before) - (layouts_after - layouts_before)


async def test_a_change_beside_the_bid_chart_does_not_compute_the_styles_of_its_cells(new_user: NewUser) -> None:
    ann = await new_user("Ann", PHONE)
    await ann.open_table("perudo", seats=3, bots=["novice", "novice"], begin=True)
    await ann.action_panel.get_by_role("grid").wait_for()
    await ann.page.wait_for_function("() => !document.querySelector('.chart .row[aria-hidden]')")  # it is built
    devtools = await ann.context.new_cdp_session(ann.page)
    await devtools.send("Performance.enable")
    extra_styles = [await count_extra_styles(ann.page, devtools) for _ in range(TRIES)]
    await devtools.detach()
    assert min(extra_styles) <= 0, extra_styles
