"""Table talk by taps: quick phrases, and emotes by a long press on the own dice."""

from playwright.async_api import expect

from tests.browser.round_steps import QUICK_START, players_in_turn_order, start_table
from tests.browser.users import NewUser


async def test_phrases_and_emotes_are_seen_at_the_seat_of_who_said_them(new_user: NewUser) -> None:
    users, _ = await start_table(new_user, ("Ann", "Ben"), "basic", QUICK_START)
    ann, ben = await players_in_turn_order(users)
    await ann.button("I don't believe you").click()
    await expect(ben.board.locator(".seats .speech")).to_have_text("I don't believe you")
    await expect(ann.board.locator(".own-dice .talk")).to_have_text("I don't believe you")

    await expect(ben.board.locator(".seats .speech")).to_have_count(0)  # a seat may say one thing a second
    emotes = ann.board.get_by_role("group", name="Emotes")
    await ann.dice.first.hover()
    await ann.page.mouse.down()
    await expect(emotes).to_be_visible()  # the finger is still down
    await ann.page.mouse.up()
    await expect(emotes.get_by_role("button")).to_have_count(6)
    await emotes.get_by_role("button", name="Cheers").click()
    await expect(emotes).to_be_hidden()
    await expect(ben.board.locator(".seats .emote svg")).to_be_visible()
    await expect(ben.page.get_by_role("list", name="What was said and done")).to_contain_text("Cheers")
