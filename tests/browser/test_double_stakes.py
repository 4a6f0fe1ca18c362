"""A challenge for double stakes, made out of turn on a phone, and what it costs."""

from playwright.async_api import expect

from tests.browser.match_player import start_match
from tests.browser.test_pure_bids import user_on_turn, zhai_switch
from tests.browser.users import NewUser

PHONE_WIDTH = 360


async def test_a_challenge_for_double_stakes_is_made_with_its_own_button(new_user: NewUser) -> None:
    ann, ben = await new_user("Ann"), await new_user("Ben")
    for user in (ann, ben):
        await user.page.set_viewport_size({"width": PHONE_WIDTH, "height": 740})
    code = await ann.open_table("chui-niu+bar-strict", seats=2)
    await ben.join(code)
    await start_match(ann, ben)
    first = await user_on_turn(ann, ben)
    second = ben if first is ann else ann
    await zhai_switch(first).click()
    await first.button("sixes from 2").click()
    await first.button("Say two sixes zhai").click()
    double = second.page.get_by_role("button", name="stakes doubled")
    await expect(double).to_be_visible()
    assert await second.page.evaluate("document.documentElement.scrollWidth") <= PHONE_WIDTH
    await double.click()
    if await second.action_panel.get_by_text("Tap again").is_visible():  # the bid is nearly certain
        await double.click()
    await first.button("Accept").click()
    await expect(first.page.get_by_text("with the stakes doubled").first).to_be_visible()
