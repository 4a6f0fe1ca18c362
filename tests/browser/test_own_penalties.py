"""Penalties in the words of the table, with a cost each: from the form for a new table to the dice that are paid."""

import pytest
from playwright.async_api import expect

from tests.browser.match_player import start_match
from tests.browser.round_steps import bid, call, current_player, read_verdict
from tests.browser.users import DESKTOP, PHONE, NewUser


@pytest.mark.parametrize("size", [DESKTOP, PHONE], ids=["desktop", "phone"])
async def test_a_penalty_of_the_table_is_set_in_the_form_and_paid_at_the_table(
    new_user: NewUser, size: tuple[int, int]
) -> None:
    ann, ben, eve = await new_user("Ann", size), await new_user("Ben"), await new_user("Eve", size)
    await ann.goto("/new?rules=basic&first_starter.method=random&dice.per_player=4")
    await ann.page.get_by_label("Your name").fill("Ann")
    await ann.page.locator("summary", has_text="Penalties").click()
    await ann.page.get_by_label("A penalty of your own").fill("lifting a cup early")
    await ann.button("Add").click()
    await ann.button("Cost of “lifting a cup early”: more").click()
    rulebook = ann.page.get_by_role("group", name="The rules at this table")
    await expect(rulebook).to_contain_text("“lifting a cup early” costs two dice.")
    assert await ann.page.evaluate("document.documentElement.scrollWidth") <= size[0]
    await ann.button("Open the table").click()
    await expect(ann.board).to_be_visible()
    for guest in (ben, eve):
        await guest.join(ann.page.url.rsplit("/", 1)[-1])
    await start_match(ann, ben, eve)
    users = [ann, ben, eve]
    first = await current_player(users)
    second = users[(users.index(first) + 1) % 3]
    await ann.board.get_by_role("button", name="Ben").click()
    await ann.button("Penalty: “lifting a cup early”").click()
    await expect(ben.page.get_by_role("region", name="Penalty")).to_contain_text("lifting a cup early")
    await ben.button("I did not").click()
    if size == PHONE:  # the chat, where Eve decides, is closed there
        await eve.page.get_by_text("Does Ben owe a penalty?").locator("button").click()
    await eve.page.get_by_role("region", name="Penalty").get_by_role("button", name="Take the dice").click()
    await expect(ben.page.get_by_role("region", name="Penalty")).to_have_count(0)
    if size == PHONE:
        await eve.page.keyboard.press("Escape")
    await bid(first, 1, 2)
    await current_player(users, after=first)
    await call(second, "Liar!")
    assert "Ben pays a penalty of two dice." in await read_verdict(ann)


async def test_penalties_are_set_in_spanish(new_user: NewUser) -> None:
    ann = await new_user("Ana", PHONE, language="es")
    await ann.goto("/new?rules=chui-niu%2Blives")
    await ann.page.locator("summary", has_text="Multas").click()
    await ann.page.get_by_label("Una multa propia").fill("levantar antes")
    await ann.page.keyboard.press("Enter")
    await ann.button("Lo que cuesta «levantar antes»: más").click()
    rulebook = ann.page.get_by_role("group", name="Las reglas de esta mesa")
    await expect(rulebook).to_contain_text("«levantar antes» cuesta dos vidas.")
    await ann.button("Quitar «levantar antes»").click()
    await expect(rulebook).not_to_contain_text("levantar antes")
