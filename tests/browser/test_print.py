"""A rule sheet is one page of A4, whatever the rules and the language."""

import re

import pytest

from liarsdice.core.rules.presets import PRESETS
from tests.browser.people import Come

PAGE = re.compile(rb"/Type\s*/Page\b")


@pytest.mark.parametrize("language", ["en", "es"])
async def test_every_rule_sheet_prints_on_one_page(come: Come, language: str) -> None:
    reader = await come("Ann", language=language)
    pages: dict[str, int] = {}
    for name in PRESETS:
        await reader.goto(f"/rules/{name}")
        await reader.page.locator("article h2").first.wait_for()
        paper = await reader.page.pdf(format="A4", prefer_css_page_size=True, print_background=False)
        pages[name] = len(PAGE.findall(paper))
    assert {name: count for name, count in pages.items() if count != 1} == {}
