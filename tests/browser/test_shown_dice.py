"""Dice that are shown with a bid lie in the open for everybody, on a phone, and the others are rolled again."""

import asyncio

from playwright.async_api import Locator, expect

from tests.browser.match_player import Player, start_match
from tests.browser.users import NewUser, User

PHONE_WIDTH = 360
SIGN = "die => getComputedStyle(die, '::after').content"


def dice_to_show(user: User) -> Locator:
    return user.action_panel.get_by_role("button", name="Show a")


async def user_on_turn(*users: User) -> User:
    """The user who may bid first, which is drawn."""
    waits = [asyncio.create_task(user.button("threes from 1").wait_for()) for user in users]
    done, others = await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
    for wait in others:
        wait.cancel()
    await asyncio.gather(*waits, return_exceptions=True)
    return users[waits.index(done.pop())]


async def test_dice_are_shown_with_a_bid_and_stay_in_the_open(new_user: NewUser) -> None:
    ann, ben = await new_user("Ann"), await new_user("Ben")
    for user in (ann, ben):
        await user.page.set_viewport_size({"width": PHONE_WIDTH, "height": 740})
    code = await ann.open_table("bluff+show-dice", seats=2)
    await ben.join(code)
    await start_match(ann, ben)
    first = await user_on_turn(ann, ben)
    second = ben if first is ann else ann
    for face in ("stars", "twos", "threes", "fours", "fives", "sixes"):
        await first.button(f"{face} from 1").click()
        if await dice_to_show(first).count():
            break
    assert await first.page.evaluate("document.documentElement.scrollWidth") <= PHONE_WIDTH
    await dice_to_show(first).first.click()
    await expect(dice_to_show(first).first).to_have_attribute("aria-pressed", "true")
    assert await first.page.locator("#main .die.d1").first.evaluate(SIGN) == '"★"'  # as the boxed game has it
    await expect(first.page.get_by_text("Show, and roll 4 dice again:")).to_be_visible()
    await first.page.get_by_role("button", name="and show one").click()
    in_the_open = second.page.get_by_role("list", name="In the open")
    await expect(in_the_open.get_by_role("listitem")).to_have_count(1)
    await expect(second.page.get_by_text(" and shows one ").first).to_be_attached()
    assert await second.page.evaluate("document.documentElement.scrollWidth") <= PHONE_WIDTH


async def test_a_match_with_shown_dice_is_played_to_its_end(new_user: NewUser) -> None:
    ann, ben = await new_user("Ann"), await new_user("Ben")
    code = await ann.open_table("bluff+show-dice", seats=2)
    await ben.join(code)
    await start_match(ann, ben)
    notes = await asyncio.gather(*(Player(user, 1, challenge="Bluff!").play() for user in (ann, ben)))
    assert notes[0].final_order == notes[1].final_order
