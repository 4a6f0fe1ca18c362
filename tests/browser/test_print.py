"""Every rule sheet prints on one page of A4, in both languages."""

import re

import pytest

from liarsdice.core.rules.presets import PRESETS
from tests.browser.screen_steps import open_page
from tests.browser.users import NewUser, User

PAGE = re.compile(rb"/Type\s*/Page\b")
KEEP_SHEET = """() => {
  const sheet = document.querySelector("article.sheet").cloneNode(true);
  sheet.classList.add("printed");
  (globalThis.sheets ??= []).push(sheet);
}"""
SHOW_SHEETS = """(index) => {
  const pages = sheets.filter((_, place) => index === null || place === index).map((sheet) => {
    const page = document.createElement("div");
    page.style.breakAfter = "page";
    page.append(sheet.cloneNode(true));
    return page;
  });
  document.body.replaceChildren(...pages);
}"""


async def count_pages(reader: User, index: int | None = None) -> int:
    """The number of pages on which all kept sheets print, or one of them, each from the top of a page."""
    await reader.page.evaluate(SHOW_SHEETS, index)
    pdf = await reader.page.pdf(format="A4", prefer_css_page_size=True, print_background=False)
    return len(PAGE.findall(pdf))


@pytest.mark.parametrize("language", ["en", "es"])
async def test_every_rule_sheet_prints_on_one_page(new_user: NewUser, language: str) -> None:
    reader = await new_user("Ann", language=language, drawn=True)
    for name in PRESETS:
        await open_page(f"{reader.server.address}/rules/{name}", shown="article h2")(reader.page)
        await reader.page.evaluate(KEEP_SHEET)
    if await count_pages(reader) != len(PRESETS):
        page_counts = {name: await count_pages(reader, index) for index, name in enumerate(PRESETS)}
        assert {name: count for name, count in page_counts.items() if count != 1} == {}
        raise AssertionError("the sheets do not print on one page each, but each alone does")
