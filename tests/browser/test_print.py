"""Every rule sheet prints on one page of A4, in both languages."""

import re

import pytest

from liarsdice.core.rules.presets import PRESETS
from tests.browser.users import NewUser

PAGE = re.compile(rb"/Type\s*/Page\b")


@pytest.mark.parametrize("language", ["en", "es"])
async def test_every_rule_sheet_prints_on_one_page(new_user: NewUser, language: str) -> None:
    reader = await new_user("Ann", language=language, drawn=True)
    page_counts: dict[str, int] = {}
    for name in PRESETS:
        await reader.goto(f"/rules/{name}")
        await reader.page.locator("article h2").first.wait_for()
        pdf = await reader.page.pdf(format="A4", prefer_css_page_size=True, print_background=False)
        page_counts[name] = len(PAGE.findall(pdf))
    assert {name: count for name, count in page_counts.items() if count != 1} == {}
