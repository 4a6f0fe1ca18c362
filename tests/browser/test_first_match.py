"""The first match: a newcomer who follows only what the page says learns to bid and to doubt."""

import re

import pytest
from playwright.async_api import expect

from tests.browser.newcomer import WORDS_A_SECOND, Newcomer
from tests.browser.users import PHONE, NewUser


@pytest.mark.parametrize("size", [(1280, 800), PHONE], ids=["desktop", "phone"])
async def test_a_newcomer_who_follows_the_page_bids_truly_and_doubts_rightly(
    new_user: NewUser, size: tuple[int, int]
) -> None:
    nia = await new_user("Nia", size, newcomer=True)
    newcomer = Newcomer(nia)
    await newcomer.begin()
    await newcomer.play()
    read_s = newcomer.words_read / WORDS_A_SECOND
    print(f"understood after {newcomer.understood_after_s} s, with {read_s:.0f} s of reading")  # noqa: T201  for people
    assert newcomer.understood_after_s is not None
    assert newcomer.hints[:2] == ["These three are yours", "A bid is about all six dice"]
    assert {"Beat it or doubt it", "Now everything is counted", "You know the game"} <= set(newcomer.hints)


async def test_the_hints_of_a_first_match_can_be_switched_off_and_stay_off(new_user: NewUser) -> None:
    ana = await new_user("Ana", PHONE, language="es", newcomer=True)
    await ana.goto("/")
    await ana.button(re.compile("Jugar ya")).click()
    await ana.button("Enséñame").click()
    await expect(ana.page.get_by_role("dialog", name="Estos tres son tuyos")).to_be_visible()
    await ana.button("Seguir").click()
    await expect(ana.page.get_by_role("dialog", name="Una apuesta habla de los seis dados")).to_be_visible()
    await ana.page.reload()
    await expect(ana.page.get_by_role("dialog", name="Una apuesta habla de los seis dados")).to_be_visible()
    await ana.button("Sin pistas").click()
    await expect(ana.page.get_by_role("dialog")).to_be_hidden()
    await ana.page.reload()
    await expect(ana.page.locator("ul.dice")).to_be_visible()
    await expect(ana.page.get_by_role("dialog")).to_be_hidden()
    await expect(ana.page.get_by_role("note")).to_be_hidden()
