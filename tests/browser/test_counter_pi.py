"""A challenge for double stakes is answered on a phone and on a desktop: redoubled, accepted and folded."""

import asyncio
import re

import pytest
from playwright.async_api import expect

from tests.browser.match_player import start_match
from tests.browser.users import NewUser, User

SIZES = [(360, 740), (1280, 800)]


async def bidder_of(*users: User) -> User:
    """The user who may bid now."""
    waits = [asyncio.create_task(user.action_panel.get_by_role("grid").wait_for()) for user in users]
    done, others = await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
    for wait in others:
        wait.cancel()
    await asyncio.gather(*waits, return_exceptions=True)
    return users[waits.index(done.pop())]


async def double_the_first_bid(new_user: NewUser, width: int, height: int) -> tuple[User, User]:
    """Two players, of whom the second has doubled a challenge of the first one's bid."""
    ann, ben = await new_user("Ann"), await new_user("Ben")
    for user in (ann, ben):
        await user.page.set_viewport_size({"width": width, "height": height})
    code = await ann.open_table("chui-niu+counter-pi", seats=2)
    await ben.join(code)
    await start_match(ann, ben)
    bidder = await bidder_of(ann, ben)
    challenger = ben if bidder is ann else ann
    await bidder.action_panel.locator("[data-bid]:not([disabled])").first.click()
    await bidder.button(re.compile("^Say ")).click()
    double = challenger.page.get_by_role("button", name="stakes doubled")
    await double.click()
    if await challenger.action_panel.get_by_text("Tap again").is_visible():  # the bid is nearly certain
        await double.click()
    return bidder, challenger


@pytest.mark.parametrize("width, height", SIZES)
async def test_a_doubled_call_is_redoubled_and_accepted(new_user: NewUser, width: int, height: int) -> None:
    bidder, challenger = await double_the_first_bid(new_user, width, height)
    await expect(bidder.action_panel.get_by_text("calls for double stakes")).to_be_visible()
    await expect(bidder.button("Fold")).to_be_visible()
    assert await bidder.page.evaluate("document.documentElement.scrollWidth") <= width
    await bidder.button("Double again").click()
    await expect(bidder.action_panel.get_by_text("You double the stakes again.")).to_be_visible()
    await expect(challenger.button("Double again")).to_have_count(0)
    await challenger.button("Accept").click()
    await expect(bidder.page.get_by_text("with the stakes four times as high").first).to_be_visible()


@pytest.mark.parametrize("width, height", SIZES)
async def test_a_fold_shows_no_dice_and_the_next_round_follows(new_user: NewUser, width: int, height: int) -> None:
    bidder, challenger = await double_the_first_bid(new_user, width, height)
    await bidder.button("Fold").click()
    for user, text in (
        (bidder, "You fold, so nobody shows any dice."),
        (challenger, "folds, so nobody shows any dice."),
    ):
        await expect(user.action_panel.get_by_text(text)).to_be_visible()
    await expect(bidder.page.get_by_text("You lose one die and have four left.").first).to_be_visible()
    assert await bidder_of(bidder, challenger) is bidder
