"""Guests read and accept rules that the host changes, and every page and tab leads back to the table of a held seat."""

from playwright.async_api import expect

from tests.browser.users import NewUser


async def test_guests_accept_changed_rules_and_every_tab_leads_back_to_their_table(new_user: NewUser) -> None:
    ann, ben = await new_user("Ann"), await new_user("Ben")
    code = await ann.open_table("perudo", seats=2)
    await ben.join(code)
    await ann.button("Change the table").click()
    await ann.page.get_by_text("Rules: Perudo").click()
    await ann.button("Dice each at the start: less").click()
    await expect(ann.page.get_by_text("4 dice each")).to_be_visible()
    await ann.button("Save changes").click()

    await expect(ben.heading("The rules have changed")).to_be_visible()
    await expect(ben.action_panel.locator("del").first).to_contain_text("five")
    await expect(ben.action_panel.locator("ins").first).to_contain_text("four")
    await expect(ann.page.get_by_text("The match can begin when Ben has accepted them.")).to_be_visible()
    await expect(ann.button("Start the match")).to_be_disabled()
    await ben.button("Play by these rules").click()
    await ann.button("Start the match").click()
    await expect(ben.dice).to_have_count(4)

    tab = await ben.context.new_page()
    for path in ("/", "/rules", "/new"):
        await tab.goto(ben.server.address + path)
        await expect(tab.get_by_role("link", name="Return to your table")).to_be_visible()
    await tab.get_by_role("link", name="Return to your table").click()
    await expect(tab.get_by_role("list", name="Your dice").get_by_role("img")).to_have_count(4)
    await expect(tab.get_by_role("link", name="Return to your table")).to_have_count(0)
    await ben.page.go_back()
    await ben.goto("/lobby")
    await expect(ben.page.get_by_role("link", name="Return to your table")).to_be_visible()
