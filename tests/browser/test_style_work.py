"""The browser computes styles once for a change, not again in each pass of the layout."""

from playwright.async_api import CDPSession, Page

from tests.browser.users import PHONE, NewUser

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
