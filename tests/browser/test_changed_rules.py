"""Guests read and accept rules that the host changes, and every page and tab leads back to the table of a held seat."""

import re

from playwright.async_api import expect

from tests.browser.round_steps import QUICK_START, lose_die, start_table
from tests.browser.users import DESKTOP, NewUser

PHONES = ((390, 844), (844, 390), (360, 640))
TOO_HIGH = "document.documentElement.scrollHeight - innerHeight"


async def test_guests_accept_another_game_after_a_match_and_every_tab_leads_back_to_their_table(
    new_user: NewUser,
) -> None:
    users, _ = await start_table(new_user, ("Ann", "Ben"), "basic", {"dice.per_player": 1} | QUICK_START)
    ann, ben = users
    await lose_die(ben, users)
    for user in users:
        await user.button("The final order").click()
    await ann.button("Change the table").click()
    await ann.page.get_by_text("Rules: Basic").click()
    await ann.page.get_by_role("radio", name=re.compile("^Perudo")).check()
    await ann.button("Dice each at the start: less").click()
    await expect(ann.page.get_by_text("4 dice each")).to_be_visible()
    await ann.button("Save changes").click()

    await expect(ben.heading("The rules have changed")).to_be_visible()
    await expect(ben.action_panel.locator("del").first).to_contain_text("Basic")
    await expect(ben.action_panel.locator("ins").first).to_contain_text("Perudo")
    await expect(ann.page.get_by_text("The match can begin when Ben has accepted them.")).to_be_visible()
    await expect(ann.button("Rematch")).to_be_disabled()
    for width, height in (*PHONES, DESKTOP):
        await ben.page.set_viewport_size({"width": width, "height": height})
        await expect(ben.button("Play by these rules")).to_be_in_viewport(ratio=1)
    await ben.button("Play by these rules").click()
    await ann.button("Rematch").click()
    await expect(ben.dice).to_have_count(4)

    tab = await ben.context.new_page()
    for path in ("/", "/rules", "/new"):
        await tab.goto(ben.server.address + path)
        await expect(tab.get_by_role("link", name="Return to your table")).to_be_visible()
    other = await ann.post("/api/tables", {"name": "Ann", "rules": "basic", "changes": {}, "title": "Another"})
    await tab.goto(f"{ben.server.address}/t/{other['code']}")
    await expect(tab.get_by_role("link", name="Return to your table")).to_be_visible()
    await expect(tab.get_by_role("button", name="Sit down")).to_be_visible()
    assert await tab.evaluate(TOO_HIGH) == 0
    await tab.get_by_role("link", name="Return to your table").click()
    await expect(tab.get_by_role("list", name="Your dice").get_by_role("img")).to_have_count(4)
    await expect(tab.get_by_role("link", name="Return to your table")).to_have_count(0)
    await ben.page.go_back()
    await ben.goto("/lobby")
    await expect(ben.page.get_by_role("link", name="Return to your table")).to_be_visible()
