"""The documentation can't drift from the program."""

from docs.pages import DOCS, pages


def test_generated_pages_are_what_the_program_says_now() -> None:
    stale = [name for name, text in pages().items() if (DOCS / name).read_text(encoding="utf-8") != text]
    assert stale == [], "run `make pages`"


def test_no_generated_rulebook_is_left_from_a_preset_that_is_gone() -> None:
    kept = {str(page.relative_to(DOCS)) for page in (DOCS / "rulebooks").rglob("*.md")}
    assert kept == {name for name in pages() if name.startswith("rulebooks/")}
