"""The catalogue of sentences: every language has the same keys, with the same placeholders."""

from __future__ import annotations

import re

import pytest

from liarsdice.core.text.narration import ADDRESSED, PLURAL_CATEGORIES, Text, load_texts
from liarsdice.core.text.rulebook import LANGUAGES


def placeholders(text: Text) -> set[str]:
    form = text if isinstance(text, str) else text["other"]
    return set(re.findall(r"\{(\w*)\}", form))


@pytest.mark.parametrize("code", LANGUAGES)
def test_every_language_has_the_keys_and_placeholders_of_english_in_its_order(code: str) -> None:
    shared = [(key, placeholders(text)) for key, text in load_texts(code).items()]
    assert shared == [(key, placeholders(text)) for key, text in load_texts("en").items()]


@pytest.mark.parametrize("code", LANGUAGES)
def test_a_sentence_to_the_listener_says_what_the_others_read(code: str) -> None:
    texts = load_texts(code)
    addressed = [key for key in texts if key.endswith(ADDRESSED) and key != "word.you"]
    for key in addressed:
        assert placeholders(texts[key.removesuffix(ADDRESSED)]) - placeholders(texts[key]) == {"name"}, key


@pytest.mark.parametrize("code", LANGUAGES)
def test_a_text_with_plural_forms_has_all_of_them(code: str) -> None:
    for key, text in load_texts(code).items():
        assert isinstance(text, str) or tuple(text) == PLURAL_CATEGORIES, key
