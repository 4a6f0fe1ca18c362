"""`liarsdice chart` and `liarsdice odds`."""

import json
import re
from fractions import Fraction
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
    for text in (printed("chart", "chart"), printed("chart", "000", "--dice", "15", "--format", "md")):
        assert [[int(quantity), int(face)] for quantity, face in re.findall(r"(\d+)x(\d+)", text)] == PRINTED


def test_a_ladder_as_json_is_the_ascending_list() -> None:
    found = json.loads(printed("chart", "chart", "--dice", "15", "--format", "json"))
    assert found[: len(PRINTED)] == PRINTED
    assert found[len(PRINTED) :] == [[quantity, 1] for quantity in range(9, 16)]


def test_rules_without_a_ladder_as_json_are_least_quantities() -> None:
    over = json.loads(printed("chart", "mustache", "--dice", "15", "--over", "5x4", "--format", "json"))
    assert over == {"4": 6, "5": 5, "6": 5, "1": 3}
    every = json.loads(printed("chart", "mustache", "--dice", "15", "--format", "json"))
    assert every["5x4"] == over


def test_over_a_bid_in_words() -> None:
    assert (
        printed("chart", "pirates", "--over", "5x4")
        == "to beat five fours: at least six fours, five fives or five sixes\n"
    )


def test_a_chart_in_spanish() -> None:
    assert printed("chart", "perudo", "--over", "5x4", "--language", "es") == (
        "para superar cinco cuatros: "
        "al menos seis doses, seis treses, seis cuatros, cinco cincos, cinco seises o tres pacos\n"
    )
    assert "Después vienen de 9 a 15 unos" in printed("chart", "chart", "--language", "es", "--format", "md")
    assert "languages: en, es" in str(run("chart", "perudo", "--language", "tlh").exception)


@pytest.mark.parametrize("name", ["mustache", "official", "pirates", "snyd-stairs", "perudo"])
@pytest.mark.parametrize("dice", ["1", "100"])
def test_small_and_large_charts(name: str, dice: str) -> None:
    for form in ("text", "md", "json"):
        assert printed("chart", name, "--dice", dice, "--format", form)


@pytest.mark.parametrize(
    "arguments, told",
    [
        (("chart", "nothing"), "no ruleset is called"),
        (("chart", "chart", "--over", "five"), "write 5x4 for five fours"),
        (("chart", "chart", "--over", "5x7"), "face 7 may not be bid"),
        (("chart", "pirates", "--over", "5x1"), "face 1 may not be bid"),
        (("chart", "chart", "--over", "0x2"), "1 to 15 of a face may be bid"),
        (("chart", "chart", "--over", "16x2"), "1 to 15 of a face may be bid"),
        (("odds", "5"), "write 5x4 for five fours"),
        (("odds", "0x4"), "at least one die"),
        (("odds", "5x9"), "face 9 may not be bid"),
        (("odds", "5x1", "--rules", "pirates"), "face 1 may not be bid"),
        (("odds", "5x4", "--hand", "1,7"), "holds a 7"),
        (("odds", "5x4", "--hand", "1,,2"), "numbers separated by commas"),
        (("odds", "5x4", "--hand", "1,-2"), "numbers separated by commas"),
        (("odds", "5x4", "--hand", "1,²"), "numbers separated by commas"),
        (("odds", "5x4", "--others", "5,x"), "--others"),
        (("odds", "5x4", "--hand", "1,2", "--dice", "1"), "only 1 are in play"),
        (("odds", "5x4", "--hand", "1,2", "--others", "5", "--dice", "9"), "make 7 dice"),
        (("odds", "5x4", "--others", "9999"), "at most 200"),
        (("odds", "5x4", "--rules", "no.toml"), "cannot read no.toml"),
    ],
)
def test_odd_input_gets_an_error_of_ours(arguments: tuple[str, ...], told: str) -> None:
    result = run(*arguments)
    assert isinstance(result.exception, LiarsDiceError), result.output
    assert told in str(result.exception)


@pytest.mark.parametrize(
    "arguments",
    [
        ("chart",),
        ("chart", "chart", "--dice", "0"),
        ("chart", "chart", "--dice", "101"),
        ("odds",),
        ("odds", "5x4", "-x"),
    ],
)
def test_wrong_usage_has_status_2(arguments: tuple[str, ...]) -> None:
    assert run(*arguments).exit_code == 2


def test_a_chart_too_long_to_print_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "many.toml"
    file.write_text("[dice]\nfaces = 100\n")
    result = run("chart", str(file), "--dice", "100")
    assert isinstance(result.exception, LiarsDiceError)
    assert "at most 1200" in str(result.exception)


def test_odds_as_json_are_floats_and_exact_fractions() -> None:
    found = json.loads(printed("odds", "5x4", "--hand", "1,4,4,2,6", "--dice", "20", "--json"))
    # 15 unseen dice of which a third count; three of the five needed are in the hand
    expected = 1 - Fraction(2, 3) ** 15 - 15 * Fraction(1, 3) * Fraction(2, 3) ** 14
    assert Fraction(found["p_true_exact"]) == expected
    assert found["p_true"] == pytest.approx(float(expected))
    assert Fraction(found["expected_exact"]) == 8
    assert found["expected"] == 8.0
    assert Fraction(found["p_exact_exact"]) == 105 * Fraction(1, 9) * Fraction(2, 3) ** 13


def test_odds_in_words() -> None:
    told = printed("odds", "5x4", "--hand", "1,4,4,2,6", "--dice", "20")
    assert told.startswith("five fours with 20 dice in play, ones wild\n")
    assert "true            98.059%\n" in told
    assert "8.00 fours" in told


def test_wild_dice_can_be_switched_off_and_on() -> None:
    plain = json.loads(printed("odds", "1x4", "--dice", "1", "--no-wilds", "--json"))
    assert plain["p_true_exact"] == "1/6"
    wild = json.loads(printed("odds", "1x4", "--dice", "1", "--rules", "basic", "--wilds", "--json"))
    assert wild["p_true_exact"] == "1/3"


def test_a_bid_on_the_special_face_counts_that_face_alone() -> None:
    assert json.loads(printed("odds", "1x1", "--dice", "1", "--json"))["p_true_exact"] == "1/6"


def test_hand_sizes_matter_for_stairs() -> None:
    hands = [("--others", "4"), ("--others", "2,2")]
    found = {printed("odds", "3x3", "--hand", "3", "--rules", "snyd-stairs", *split, "--json") for split in hands}
    assert len(found) == 2
    assert printed("odds", "3x3", "--hand", "3", "--rules", "snyd-stairs", "--dice", "8") == printed(
        "odds", "3x3", "--hand", "3", "--rules", "snyd-stairs", "--others", "5,2"
    )


def test_a_bid_above_all_dice_has_no_chance() -> None:
    assert json.loads(printed("odds", "9x4", "--dice", "8", "--json"))["p_true_exact"] == "0/1"
