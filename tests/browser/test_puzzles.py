"""The page of puzzles: the one of the day by keyboard, the answer, and others by theme."""

from __future__ import annotations

import re

from playwright.async_api import expect

from tests.browser.test_accessibility import find_faults
from tests.browser.users import PHONE, NewUser


async def test_the_puzzle_of_the_day_is_answered_by_keyboard_and_remembered(new_user: NewUser) -> None:
    ann = await new_user("Ann", drawn=True)
    await ann.goto("/puzzles")
    await expect(ann.page.get_by_role("heading", name="What would you do?")).to_be_visible()
    assert await find_faults(ann.page) == []
    await ann.page.keyboard.press("1")
    await expect(
        ann.page.get_by_role("heading", name=re.compile("better than the next best|points behind"))
    ).to_be_focused()
    await expect(ann.page.get_by_role("heading", name="What each move wins")).to_be_visible()
    assert await find_faults(ann.page) == []
    await ann.page.reload()
    right = ann.page.get_by_role("listitem").filter(has_text=re.compile("✓|✕"))
    await expect(right).to_have_count(1)


async def test_puzzles_of_a_theme_are_asked_on_a_phone_in_spanish(new_user: NewUser) -> None:
    ana = await new_user("Ana", PHONE, language="es", drawn=True)
    await ana.goto("/puzzles")
    await ana.page.get_by_role("button", name="Abrir").click()
    await ana.page.get_by_role("group", name="Tu jugada").get_by_role("button").first.click()
    await expect(ana.page.get_by_role("heading", name="Lo que gana cada jugada")).to_be_visible()
    assert await find_faults(ana.page) == []
    await ana.page.get_by_role("button", name="El problema de hoy").click()
    await expect(ana.page.get_by_role("heading", name="¿Qué harías?")).to_be_visible()


async def test_the_puzzle_of_the_day_is_answered_without_a_network_by_a_page_that_never_showed_one(
    new_user: NewUser,
) -> None:
    ann = await new_user("Ann", everything=True)
    ann.expect_problem("ERR_INTERNET_DISCONNECTED|Failed to fetch")
    await ann.goto("/")
    await ann.page.evaluate("navigator.serviceWorker.ready.then(() => true)")
    await ann.context.set_offline(True)
    (worker,) = ann.context.service_workers
    assert await worker.evaluate("fetch('/icon.svg').then(() => 'online', () => 'offline')") == "offline"
    await ann.goto("/puzzles")
    await expect(ann.heading("What would you do?")).to_be_visible()
    await ann.page.keyboard.press("1")
    await expect(ann.heading("What each move wins")).to_be_visible()
    await ann.page.reload()
    await expect(ann.page.get_by_role("listitem").filter(has_text=re.compile("✓|✕"))).to_have_count(1)
