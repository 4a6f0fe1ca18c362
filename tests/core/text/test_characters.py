"""Texts are cut between the characters that people see, and padded by the columns that they take."""

import pytest

from liarsdice.core.text.characters import characters, fit_text, text_width

FAMILY, SPAIN, MEXICO, WAVE = "👨‍👩‍👧‍👦", "🇪🇸", "🇲🇽", "👋🏽"


@pytest.mark.parametrize(
    "parts",
    [
        ("A", "n", "n"),
        (FAMILY, FAMILY),
        (SPAIN, MEXICO, SPAIN),
        (WAVE, "!"),
        ("e\u0301", "שׁ", "नि"),
        ("❤\ufe0f", "x"),
        (),
    ],
)
def test_a_text_has_the_characters_that_people_see(parts: tuple[str, ...]) -> None:
    assert characters("".join(parts)) == list(parts)


@pytest.mark.parametrize(
    "text, width, expected",
    [
        ("Annabelle", 5, "Anna…"),
        ("张伟张伟", 5, "张伟…"),
        ("张伟张伟", 6, "张伟… "),
        (FAMILY * 3, 5, FAMILY * 2 + "…"),
        ("e\u0301e\u0301e\u0301", 2, "e\u0301…"),
        ("张", 4, "张  "),
    ],
)
def test_a_text_takes_the_columns_that_it_is_given(text: str, width: int, expected: str) -> None:
    assert fit_text(text, width) == expected
    assert text_width(fit_text(text, width)) == width
