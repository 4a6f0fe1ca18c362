"""A training table: estimates beside the own move, and what a bid would tell."""

import re

from playwright.async_api import Locator, expect

from tests.browser.users import NewUser, User


async def open_training(user: User) -> None:
    """Open a training table with two bots, and wait for the estimates of the user's own turn."""
    await user.open_table("perudo", seats=3, bots=["novice", "novice"], begin=True, training=True)
    await user.button("Training").click()
    await expect(estimates(user).get_by_text("What it would tell them")).to_be_visible()


def estimates(user: User) -> Locator:
    return user.page.get_by_role("region", name="Training", exact=True)


async def test_a_player_looks_at_a_move_and_makes_it(new_user: NewUser) -> None:
    ann = await new_user("Ann")
    await open_training(ann)
    panel = estimates(ann)
    moves = panel.get_by_role("button", name=re.compile(r"%"))
    await expect(moves.first).to_have_attribute("aria-pressed", "true")
    await moves.nth(1).click()
    await expect(moves.nth(1)).to_have_attribute("aria-pressed", "true")
    await expect(panel.get_by_text(re.compile("They would think|It tells them|You show nothing"))).to_be_visible()
    await ann.button("Your move").click()
    await expect(panel).to_have_count(0)


async def test_everybody_at_the_table_sees_that_it_is_for_training(new_user: NewUser) -> None:
    ann, ben = await new_user("Ann"), await new_user("Ben")
    code = await ann.open_table("perudo", seats=3, training=True)
    await ben.join(code)
    await expect(ben.page.get_by_role("banner").get_by_text("training")).to_be_visible()
