"""A player who is out while only bots have dice left does not have to watch them."""

from playwright.async_api import expect

from tests.browser.screens import MAX_MATCHES, lose_only_die
from tests.browser.users import PHONE, NewUser

BOTS = ["novice"] * 4
HANDS_BELOW_THE_COUNT = """() => {
  const count = document.querySelector(".centre").getBoundingClientRect();
  return [...document.querySelectorAll(".seats .seat .hand")].map((hand) => hand.getBoundingClientRect())
    .filter((hand) => hand.bottom > count.top).length;
}"""


async def test_a_player_who_is_out_skips_to_the_end_of_a_match_between_bots(new_user: NewUser) -> None:
    ann = await new_user("Ann", PHONE)
    for _ in range(MAX_MATCHES):
        await ann.open_table("basic", {"dice.per_player": 1}, seats=len(BOTS) + 1, bots=BOTS, begin=True)
        if await lose_only_die(ann) and await ann.board.locator(".seats .hand").count() == len(BOTS):
            break
    assert await ann.page.evaluate(HANDS_BELOW_THE_COUNT) == 0
    await ann.button("Skip to the end").click()
    await expect(ann.heading("Good game")).to_be_visible()
    await expect(ann.page.get_by_role("list", name="Final order").get_by_role("listitem")).to_have_count(len(BOTS) + 1)
    await expect(ann.button("Rematch")).to_be_visible()
