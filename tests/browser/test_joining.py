"""Ways to a table: quick play, a code, a new table with changed rules; and the language of the page."""

import re

from playwright.async_api import expect

from tests.browser.users import PHONE, NewUser


async def test_quick_play_is_one_click_and_the_first_bid_comes_within_seconds(new_user: NewUser) -> None:
    ann = await new_user("Ann", everything=True)
    await ann.goto("/")
    await ann.page.evaluate("navigator.serviceWorker.ready.then(() => true)")
    await ann.button(re.compile("Play now")).click()
    await ann.page.wait_for_url("**/t/*")
    await expect(ann.dice).to_have_count(5)
    await expect(ann.heading("Your turn")).to_be_visible()
    await expect(ann.board.get_by_role("button", name=re.compile(": more"))).to_have_count(3)


async def test_quick_play_remembers_its_options(new_user: NewUser) -> None:
    ann = await new_user("Ann")
    await ann.goto("/")
    await ann.page.get_by_text("Change the game, the bots or your name").click()
    await ann.page.get_by_label("Game").select_option("Mustache house rules")
    await ann.page.get_by_label("Bots", exact=True).select_option("1 bot")
    await ann.page.get_by_label("Your name").fill("Ann")
    await ann.button(re.compile("Play now")).click()
    await ann.page.wait_for_url("**/t/*")
    await expect(ann.page.get_by_role("banner").get_by_role("link", name="Mustache house rules")).to_be_visible()
    await expect(ann.board.get_by_role("button", name=re.compile(": more"))).to_have_count(1)
    await ann.goto("/")
    await expect(ann.button(re.compile("Play now")).get_by_text("against one bot")).to_be_visible()


async def test_a_table_with_changed_rules_says_so_in_its_rulebook_and_plays_them(new_user: NewUser) -> None:
    ann = await new_user("Ann")
    await ann.goto("/new")
    await ann.page.get_by_role("radio", name=re.compile("Mustache house rules")).check()
    rulebook = ann.page.get_by_role("group", name="The rules at this table")
    await expect(rulebook).to_contain_text("five dice with faces 1 to 6")
    await expect(rulebook).to_contain_text("Mustache Round")
    await ann.button("Dice each at the start: less").click()
    await expect(rulebook).to_contain_text("four dice with faces 1 to 6")
    changed = ann.page.locator("main [aria-live]").get_by_text(re.compile("^Changed: .*four dice"))
    await expect(changed).to_be_attached()
    round_switch = ann.page.locator("[data-path='special_round']")
    await round_switch.get_by_role("switch").click()
    await expect(rulebook).not_to_contain_text("Mustache Round")
    await round_switch.get_by_role("button", name=re.compile("Undo")).click()
    await expect(rulebook).to_contain_text("Mustache Round")
    await ann.page.get_by_label("Your name").fill("Ann")
    await ann.page.get_by_label("Name of the table").fill("The Wet Boot")
    await ann.button("Open the table").click()
    await expect(ann.heading("The Wet Boot")).to_be_visible()
    await expect(ann.page.get_by_text("Ann (you)")).to_be_visible()
    await ann.action_panel.get_by_role("button", name="Add bot").click()
    await ann.button("Start the match").click()
    await expect(ann.dice).to_have_count(4)
    async with ann.context.expect_page() as opened:
        await ann.page.get_by_role("banner").get_by_role("link", name="Mustache house rules").click()
    sheet = await opened.value
    await expect(sheet.get_by_text("four dice with")).to_be_visible()


async def test_conflicting_rules_say_why(new_user: NewUser) -> None:
    ann = await new_user("Ann")
    await ann.goto("/new?rules=classic&bidding.raise=either_increases")
    alert = ann.page.get_by_role("region", name="The rules at this table").get_by_role("alert")
    await expect(alert).to_contain_text("These rules do not work together yet:")
    await expect(alert).to_contain_text("Bids could go round in a loop: 1×2 → 2×1 → 1×2.")
    await expect(ann.button("Open the table")).to_be_disabled()
    await ann.button("Undo all changes").click()
    await expect(alert).to_have_count(0)
    await expect(ann.button("Open the table")).to_be_enabled()
    raise_rule = ann.page.locator("[data-path='bidding.raise']")
    await raise_rule.locator("summary").click()
    option = raise_rule.get_by_role("radio", disabled=True)
    await expect(option).to_have_count(1)
    await expect(option).to_have_accessible_description(
        re.compile(r"Not possible with the other rules\. Bids could go round")
    )


async def test_a_typed_code_opens_the_table(new_user: NewUser) -> None:
    ann, ben = await new_user("Ann"), await new_user("Ben", PHONE)
    code = await ann.open_table("perudo", seats=2)
    await ben.goto("/")
    await ben.page.get_by_label("Have a code?").fill(f" {code[:2].lower()} {code[2:].lower()}")
    await ben.button("Join").tap()
    await ben.page.get_by_label("Your name").fill("Ben")
    await ben.button("Sit down").tap()
    await expect(ben.page.get_by_text("Ben (you)")).to_be_visible()
    await expect(ann.action_panel.get_by_text("Ben", exact=True)).to_be_visible()


async def test_an_unknown_code_says_what_to_do(new_user: NewUser) -> None:
    ann = await new_user("Ann")
    await ann.goto("/t/NOSUCH")
    await expect(ann.heading("There is no such table")).to_be_visible()
    ben = await new_user("Ben")
    code = await ben.open_table("perudo", seats=2)
    await ann.page.get_by_label("Have a code?").fill(code)
    await ann.button("Join").click()
    await expect(ann.button("Sit down")).to_be_visible()
    await ann.goto("/t/NOSUCH")
    await ann.page.get_by_role("link", name="Go to the start").click()
    await expect(ann.button(re.compile("Play now"))).to_be_visible()


async def test_the_page_has_the_language_of_the_browser_until_another_is_chosen(new_user: NewUser) -> None:
    ana = await new_user("Ana", language="es-MX")
    await ana.goto("/")
    await expect(ana.button(re.compile("Jugar ya"))).to_be_visible()
    await ana.page.get_by_label("Idioma").select_option("English")
    await expect(ana.button(re.compile("Play now"))).to_be_visible()
    await ana.page.reload()
    await expect(ana.button(re.compile("Play now"))).to_be_visible()
    await expect(ana.page.locator("html")).to_have_attribute("lang", "en")
    await ana.goto("/rules/mustache")
    await expect(ana.page.get_by_text(re.compile("two or more players", re.IGNORECASE))).to_be_visible()
    await ana.page.get_by_label("Language").select_option("Español")
    await expect(ana.page.get_by_text(re.compile("dos personas o más", re.IGNORECASE))).to_be_visible()
