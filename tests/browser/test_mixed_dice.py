"""Dice that differ by seat: everybody reads what dice each player has, on a phone and on a desktop."""

import asyncio

from playwright.async_api import expect

from tests.browser.match_player import Player, start_match
from tests.browser.users import NewUser

PHONE_WIDTH = 360


async def test_a_match_with_dice_that_differ_by_seat_is_played_to_its_end(new_user: NewUser) -> None:
    ann, ben = await new_user("Ann"), await new_user("Ben")
    await ann.page.set_viewport_size({"width": PHONE_WIDTH, "height": 740})
    await ben.page.set_viewport_size({"width": 1280, "height": 800})
    code = await ann.open_table("basic+mixed-dice", seats=2)
    await ben.join(code)
    await start_match(ann, ben)
    for user, own, other in ((ann, 4, 6), (ben, 6, 4)):
        await expect(user.page.get_by_text(f"Your dice have {own} faces.")).to_be_visible()
        await expect(user.page.get_by_text(f"d{other}", exact=True)).to_be_visible()
        await expect(user.page.get_by_text(f"dice with {other} faces")).to_be_attached()
    assert await ann.page.evaluate("document.documentElement.scrollWidth") <= PHONE_WIDTH
    notes = await asyncio.gather(*(Player(user, 1).play() for user in (ann, ben)))
    assert notes[0].final_order == notes[1].final_order
