"""A bid without wild dice, said and seen as zhai, and the price of bringing them back, on a phone."""

import asyncio

from playwright.async_api import Locator, expect

from tests.browser.match_player import start_match
from tests.browser.users import NewUser, User

PHONE_WIDTH = 360


def zhai_switch(user: User) -> Locator:
    return user.page.get_by_role("button", name="Zhai", exact=True)


async def user_on_turn(*users: User) -> User:
    """The user who may bid first, which is drawn."""
    waits = [asyncio.create_task(zhai_switch(user).wait_for()) for user in users]
    done, others = await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
    for wait in others:
        wait.cancel()
    await asyncio.gather(*waits, return_exceptions=True)
    return users[waits.index(done.pop())]


async def test_a_pure_bid_is_made_behind_a_switch_and_told_as_zhai(new_user: NewUser) -> None:
    ann, ben = await new_user("Ann"), await new_user("Ben")
    for user in (ann, ben):
        await user.page.set_viewport_size({"width": PHONE_WIDTH, "height": 740})
    code = await ann.open_table("chui-niu+fei", seats=2)
    await ben.join(code)
    await start_match(ann, ben)
    first = await user_on_turn(ann, ben)
    second = ben if first is ann else ann
    await zhai_switch(first).click()
    await expect(first.button("threes from 2")).to_be_visible()
    assert await first.page.evaluate("document.documentElement.scrollWidth") <= PHONE_WIDTH
    await first.button("threes from 2").click()
    await first.button("Say two threes zhai").click()
    await expect(second.page.get_by_text("two threes zhai").first).to_be_visible()
    await expect(zhai_switch(second)).to_have_attribute("aria-pressed", "true")
    await expect(second.button("threes from 3")).to_be_visible()
    await zhai_switch(second).click()
    await second.button("threes from 4").click()
    await second.button("Say four threes").click()
    await expect(first.button("threes from 5")).to_be_visible()
