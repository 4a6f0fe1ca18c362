"""The page about strategy: linked from the rules, with charts for the rules of the link."""

import re

from playwright.async_api import expect

from tests.browser.users import NewUser


async def test_the_rules_lead_to_measured_advice_and_to_charts_for_them(new_user: NewUser) -> None:
    ann = await new_user("Ann")
    await ann.goto("/rules/classic")
    await ann.page.get_by_role("link", name="Strategy, measured").click()
    await expect(ann.page.get_by_role("heading", name=re.compile("^“"))).to_have_count(6)
    await expect(ann.page.get_by_role("img", name=re.compile("^Without wild dice"))).to_be_visible()
    await ann.page.get_by_label("Rules").select_option("perudo")
    await expect(ann.page.get_by_role("img", name=re.compile("^With wild dice"))).to_be_visible()
