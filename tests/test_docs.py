"""The documentation can't drift from the program."""

import json
import re
from importlib.util import find_spec
from pathlib import Path
from typing import get_args

import msgspec

from benchmarks.figures import RESULTS
from docs import licences_page, message_examples, page_words
from docs.figures_page import BENCHMARKS, figures
from docs.strength_page import strength
from liarsdice import wire
from liarsdice.server.protocol import messages
from liarsdice.server.table import commands


def test_the_page_has_the_sentences_and_words_of_the_package() -> None:
    stale = [
        name
        for name, text in page_words.page_words().items()
        if (page_words.WORDS / name).read_text(encoding="utf-8") != text
    ]
    assert stale == [], "run `make pages`"


def test_a_page_shows_every_result_of_a_benchmark_and_names_the_one_that_measures_it_again() -> None:
    gates = {file.stem for file in RESULTS.glob("gate-*.json")}
    assert gates
    assert {file.stem for file in RESULTS.iterdir()} == {one.result for one in BENCHMARKS} | gates | {"exploitability"}
    named = set(re.findall(r"-m\s+((?:benchmarks|tests)[.\w]+)", figures() + strength()))
    assert {"benchmarks.engine", "benchmarks.exploitability"} <= named
    assert [name for name in named if find_spec(name) is None] == []


def test_the_page_of_licences_names_all_that_is_installed() -> None:
    assert licences_page.FILE.read_text(encoding="utf-8") == licences_page.licences(), "run `make pages`"


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
    update = json.loads(message_examples.answer_examples()[wire.Update])
    assert update["own"]["hand"] == [1, 4]
    assert update["own"]["cups"] == []
    assert update["table"]["match"]["turn"] == update["own"]["seat"] == 1


def test_the_page_for_programs_names_fields_of_their_view() -> None:
    text = (Path(__file__).parent.parent / "docs" / "programs.md").read_text(encoding="utf-8")
    rows = text.partition("| field of `own` | command |")[2].partition("\n\n")[0].splitlines()[2:]
    named = {field for row in rows for field in re.findall(r"`(\w+)`", row.split("|")[1])} - {"hand"}
    named |= set(re.findall(r"`(may_\w+)`", text))
    assert len(named) > 8
    assert named <= set(wire.PlayerView.__struct_fields__)
