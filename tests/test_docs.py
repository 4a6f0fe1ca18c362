"""The documentation can't drift from the program."""

import json
from typing import get_args

import msgspec
import pytest

from docs import message_examples, page_words, protocol, strategy_advice
from docs.pages import DOCS, pages
from liarsdice.server.protocol import messages
from liarsdice.server.table import commands


@pytest.fixture(scope="module")
def generated() -> dict[str, str]:
    """The text of every generated page, by its path."""
    return pages()


def test_generated_pages_are_what_the_program_says_now(generated: dict[str, str]) -> None:
    stale = [name for name, text in generated.items() if (DOCS / name).read_text(encoding="utf-8") != text]
    assert stale == [], "run `make pages`"


def test_the_page_has_the_sentences_and_words_of_the_package() -> None:
    stale = [
        name
        for name, text in page_words.page_words().items()
        if (page_words.WORDS / name).read_text(encoding="utf-8") != text
    ]
    assert stale == [], "run `make pages`"


def test_the_page_about_strategy_has_the_figures_that_were_measured() -> None:
    assert strategy_advice.FILE.read_text(encoding="utf-8") == strategy_advice.advice_json(), "run `make pages`"


def test_no_generated_rulebook_is_left_from_a_preset_that_is_gone(generated: dict[str, str]) -> None:
    kept = {str(page.relative_to(DOCS)) for page in (DOCS / "rulebooks").rglob("*.md")}
    assert kept == {name for name in generated if name.startswith("rulebooks/")}


def test_the_page_knows_the_messages_as_the_server_has_them() -> None:
    kept = json.loads(protocol.SCHEMA.read_text(encoding="utf-8"))
    assert without_words(kept) == without_words(json.loads(protocol.schema())), "run `make pages`"


def without_words(part: object) -> object:
    """A schema without its bot_descriptions."""
    match part:
        case dict():
            return {key: without_words(value) for key, value in part.items() if key != "description"}
        case list():
            return [without_words(value) for value in part]
        case _:
            return part


def test_every_message_has_an_example_that_can_be_read() -> None:
    for union, examples in (
        (messages.ToTable, message_examples.request_examples()),
        (messages.FromTable, message_examples.answer_examples()),
        (commands.Command, message_examples.command_examples()),
    ):
        assert set(examples) == set(get_args(union))
        for struct, text in examples.items():
            assert isinstance(msgspec.json.decode(text, type=union), struct)
            assert set(json.loads(text)) - {"type"} <= {field.encode_name for field in msgspec.structs.fields(struct)}


def test_the_example_of_an_update_shows_the_dice_of_one_player() -> None:
    update = json.loads(message_examples.answer_examples()[messages.Update])
    assert update["own"]["hand"] == [1, 4]
    assert update["own"]["cups"] == []
    assert update["table"]["match"]["turn"] == update["own"]["seat"] == 1
