"""`liarsdice chart`."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from liarsdice.cli.app import app
from liarsdice.core.errors import LiarsDiceError

PRINTED = json.loads((Path(__file__).parents[2] / "golden" / "chart_000.json").read_text())


def run(*arguments: str) -> Result:
    return CliRunner().invoke(app, arguments)


def printed(*arguments: str) -> str:
    result = run(*arguments)
    assert result.exit_code == 0, result.output
    return result.stdout


def test_the_chart_of_15_dice_is_the_printed_one() -> None:
    for text in (printed("chart", "chart"), printed("chart", "000", "--dice-in-play", "15", "--format", "md")):
        assert [[int(quantity), int(face)] for quantity, face in re.findall(r"(\d+)x(\d+)", text)] == PRINTED


def test_ordered_bids_as_json_are_the_ascending_list() -> None:
    found = json.loads(printed("chart", "chart", "--dice-in-play", "15", "--format", "json"))
    assert found[: len(PRINTED)] == PRINTED
    assert found[len(PRINTED) :] == [[quantity, 1] for quantity in range(9, 16)]


def test_rules_without_a_total_order_as_json_are_lowest_quantities() -> None:
    over = json.loads(printed("chart", "mustache", "--dice-in-play", "15", "--beats", "5x4", "--format", "json"))
    assert over == {"4": 6, "5": 5, "6": 5, "1": 3}
    every = json.loads(printed("chart", "mustache", "--dice-in-play", "15", "--format", "json"))
    assert every["5x4"] == over


def test_the_lowest_bids_over_a_bid_are_in_words() -> None:
    assert (
        printed("chart", "pirates", "--beats", "5x4")
        == "to beat five fours: at least six fours, five fives or five sixes\n"
    )


def test_a_chart_in_spanish() -> None:
    assert printed("chart", "perudo", "--beats", "5x4", "--language", "es") == (
        "para superar cinco cuatros: "
        "al menos seis doses, seis treses, seis cuatros, cinco cincos, cinco seises o tres pacos\n"
    )
    assert "Después vienen de 9 a 15 unos" in printed("chart", "chart", "--language", "es", "--format", "md")
    assert "languages: en, es" in str(run("chart", "perudo", "--language", "tlh").exception)


@pytest.mark.parametrize("name", ["mustache", "official", "pirates", "snyd-stairs", "perudo"])
@pytest.mark.parametrize("dice", ["1", "100"])
def test_small_and_large_charts(name: str, dice: str) -> None:
    for form in ("text", "md", "json"):
        assert printed("chart", name, "--dice-in-play", dice, "--format", form)


@pytest.mark.parametrize(
    "arguments, reason",
    [
        (("chart", "nothing"), "no ruleset is called"),
        (("chart", "chart", "--beats", "five"), "write 5x4 for five fours"),
        (("chart", "chart", "--beats", "5x7"), "face 7 may not be bid"),
        (("chart", "pirates", "--beats", "5x1"), "face 1 may not be bid"),
        (("chart", "chart", "--beats", "0x2"), "a bid has a quantity of at least 1"),
        (("chart", "chart", "--beats", "16x2"), "1 to 15 of a face may be bid"),
    ],
)
def test_invalid_input_is_refused_with_the_reason(arguments: tuple[str, ...], reason: str) -> None:
    result = run(*arguments)
    assert isinstance(result.exception, LiarsDiceError), result.output
    assert reason in str(result.exception)


@pytest.mark.parametrize(
    "arguments",
    [
        ("chart",),
        ("chart", "chart", "--dice-in-play", "0"),
        ("chart", "chart", "--dice-in-play", "101"),
    ],
)
def test_wrong_usage_has_status_2(arguments: tuple[str, ...]) -> None:
    assert run(*arguments).exit_code == 2


def test_a_chart_too_long_to_print_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "many.toml"
    file.write_text("[dice]\nfaces = 100\n")
    result = run("chart", str(file), "--dice-in-play", "100")
    assert isinstance(result.exception, LiarsDiceError)
    assert "at most 1200" in str(result.exception)
