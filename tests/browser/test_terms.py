"""The players' words explain themselves: in the rules, in the log and on the buttons."""

from playwright.async_api import Locator, expect

from tests.browser.match_player import make_bid
from tests.browser.round_steps import QUICK_START, call, read_verdict
from tests.browser.test_accessibility import find_faults
from tests.browser.users import PHONE, NewUser, User

HEIGHT_IN_LINES = "line => line.getBoundingClientRect().height / parseFloat(getComputedStyle(line).lineHeight)"


async def expect_note(user: User, word: Locator, sentence: str) -> None:
    """Opens the explanation of a word by the keyboard, and closes it again."""
    await word.focus()
    await user.page.keyboard.press("Enter")
    note = user.page.locator("[popover]")
    await expect(note).to_have_text(sentence)
    await expect(note).to_be_focused()
    await expect(note).to_be_in_viewport(ratio=1)
    await expect(word).to_have_attribute("aria-expanded", "true")
    await user.page.keyboard.press("Escape")
    await expect(note).to_have_count(0)
    await expect(word).to_be_focused()


async def test_the_words_of_the_rules_are_explained_by_keyboard_in_each_language(new_user: NewUser) -> None:
    for language, palifico, paco in (
        (
            "en",
            "Palifico is played by rules of its own, because a player is down to one die.",
            "Pacos: the dice that show 1, which count as any face while they are wild.",
        ),
        (
            "es",
            "Palifico se juega con reglas propias, porque a alguien solo le queda un dado.",
            "Pacos: los dados que muestran 1, que cuentan como cualquier cara mientras son comodines.",
        ),
    ):
        user = await new_user("Ann", language=language)
        await user.goto("/rules/perudo")
        await expect_note(user, user.page.locator("article button", has_text="Palifico").first, palifico)
        await expect_note(user, user.page.locator("article button", has_text="pacos").first, paco)


async def test_the_words_on_buttons_and_in_the_log_are_explained_on_a_phone(new_user: NewUser) -> None:
    ann = await new_user("Ann", PHONE, drawn=True)
    rules = {"dice.per_player": 2} | QUICK_START
    await ann.open_table("perudo", rules, seats=2, bots=["random"], begin=True)
    next_button = ann.action_panel.locator(".next .btn")
    chart, dudo = ann.action_panel.get_by_role("grid"), ann.action_panel.get_by_role("button", name="Dudo!")
    await chart.wait_for()
    await ann.button("What do the words mean?").tap()
    note = ann.page.get_by_role("dialog", name="What do the words mean?")
    await expect(note).to_contain_text("Dudo! claims that the bid is too high")
    await expect(note).to_contain_text("Calza! claims that the bid is exactly right")
    assert await find_faults(ann.page) == []
    await ann.page.keyboard.press("Escape")
    while not await next_button.is_visible():
        await chart.or_(next_button).first.wait_for()
        if await dudo.is_visible():
            await call(ann, "Dudo!")
            await next_button.first.wait_for()
        elif await chart.is_visible():
            handle = await chart.element_handle()
            await make_bid(ann, "1,2")
            await handle.wait_for_element_state("hidden")
    await read_verdict(ann)
    await ann.button("Table talk").tap()
    log = ann.page.get_by_role("list", name="What was said and done")
    word = log.get_by_role("button", name="Dudo!")
    call_line = log.get_by_role("listitem").filter(has=ann.button("Dudo!")).first
    assert await call_line.evaluate(HEIGHT_IN_LINES) < 1.5, "a word breaks no line"
    await word.first.tap()
    await expect(ann.page.locator("dialog [popover]")).to_contain_text("Dudo! claims that the bid is too high")
    assert await find_faults(ann.page) == []
