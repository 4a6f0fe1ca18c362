"""`liarsdice odds`."""

import json
from fractions import Fraction

import pytest
from typer.testing import CliRunner, Result

from liarsdice.cli.app import app
from liarsdice.core.errors import LiarsDiceError


def run(*arguments: str) -> Result:
    return CliRunner().invoke(app, arguments)


def printed(*arguments: str) -> str:
    result = run(*arguments)
    assert result.exit_code == 0, result.output
    return result.stdout


@pytest.mark.parametrize(
    "arguments, reason",
    [
        (("odds", "5"), "write 5x4 for five fours"),
        (("odds", "0x4"), "a bid has a quantity of at least 1"),
        (("odds", "5x9"), "face 9 may not be bid"),
        (("odds", "sum7"), "these rules have no bids on a sum"),
        (("odds", "5x0"), "no die has the face 0"),
        (("odds", "5x1", "--rules", "pirates"), "face 1 may not be bid"),
        (("odds", "5x4", "--hand", "1,7"), "holds a 7"),
        (("odds", "5x4", "--hand", "1,,2"), "numbers separated by commas"),
        (("odds", "5x4", "--hand", "1,-2"), "numbers separated by commas"),
        (("odds", "5x4", "--hand", "1,²"), "numbers separated by commas"),
        (("odds", "5x4", "--others", "5,x"), "--others"),
        (("odds", "5x4", "--hand", "1,2", "--dice-in-play", "1"), "has 2 dice, but --dice-in-play is 1"),
        (("odds", "5x4", "--hand", "1,2", "--others", "5", "--dice-in-play", "9"), "make 7 dice"),
        (("odds", "5x4", "--others", "9999"), "at most 200"),
        (("odds", "5x4", "--rules", "no.toml"), "cannot read no.toml"),
        (("odds", "1x5", "--rules", "basic+mixed-dice", "--hand", "5"), "a 5, but the dice have faces 1 to 4"),
    ],
)
def test_invalid_input_is_refused_with_the_reason(arguments: tuple[str, ...], reason: str) -> None:
    result = run(*arguments)
    assert isinstance(result.exception, LiarsDiceError), result.output
    assert reason in str(result.exception)


@pytest.mark.parametrize(
    "arguments",
    [
        ("odds",),
        ("odds", "5x4", "-x"),
    ],
)
def test_wrong_usage_has_status_2(arguments: tuple[str, ...]) -> None:
    assert run(*arguments).exit_code == 2


def test_odds_as_json_are_floats_and_exact_fractions() -> None:
    found = json.loads(printed("odds", "5x4", "--hand", "1,4,4,2,6", "--dice-in-play", "20", "--json"))
    # 15 unseen dice of which a third count; three of the five needed are in the hand
    expected = 1 - Fraction(2, 3) ** 15 - 15 * Fraction(1, 3) * Fraction(2, 3) ** 14
    assert Fraction(found["p_true_exact"]) == expected
    assert found["p_true"] == pytest.approx(float(expected))
    assert Fraction(found["expected_exact"]) == 8
    assert found["expected"] == 8.0
    assert Fraction(found["p_exact_exact"]) == 105 * Fraction(1, 9) * Fraction(2, 3) ** 13


def test_odds_in_words() -> None:
    output = printed("odds", "5x4", "--hand", "1,4,4,2,6", "--dice-in-play", "20")
    assert output.startswith("five fours with 20 dice in play, ones wild\n")
    assert "true            98.059%\n" in output
    assert "8.00 fours" in output


def test_wild_dice_can_be_switched_off_and_on() -> None:
    plain = json.loads(printed("odds", "1x4", "--dice-in-play", "1", "--no-wilds", "--json"))
    assert plain["p_true_exact"] == "1/6"
    wild = json.loads(printed("odds", "1x4", "--dice-in-play", "1", "--rules", "basic", "--wilds", "--json"))
    assert wild["p_true_exact"] == "1/3"


def test_a_bid_on_the_special_face_counts_that_face_alone() -> None:
    assert json.loads(printed("odds", "1x1", "--dice-in-play", "1", "--json"))["p_true_exact"] == "1/6"


def test_hand_sizes_matter_for_stairs() -> None:
    hands = [("--others", "4"), ("--others", "2,2")]
    found = {printed("odds", "3x3", "--hand", "3", "--rules", "snyd-stairs", *split, "--json") for split in hands}
    assert len(found) == 2
    assert printed("odds", "3x3", "--hand", "3", "--rules", "snyd-stairs", "--dice-in-play", "8") == printed(
        "odds", "3x3", "--hand", "3", "--rules", "snyd-stairs", "--others", "5,2"
    )


def test_a_bid_above_all_dice_has_no_chance() -> None:
    assert json.loads(printed("odds", "9x4", "--dice-in-play", "8", "--json"))["p_true_exact"] == "0/1"


def test_there_are_no_odds_of_bids_about_own_dice() -> None:
    result = run("odds", "5x4", "--hand", "4,4", "--rules", "basic+aetolia")
    assert result.exit_code != 0
    assert "only of bids about all dice" in str(result.exception) + result.output


def test_dice_that_differ_by_seat_are_known_by_the_seat() -> None:
    def p_true(*arguments: str) -> object:
        return json.loads(printed("odds", "1x5", "--rules", "basic+mixed-dice", "--json", *arguments))["p_true_exact"]

    assert p_true("--seat", "2", "--hand", "6", "--others", "1") == "0/1"  # the first seat has four faces
    assert p_true("--hand", "4", "--others", "1") == "1/6"
    assert p_true("--seat", "3", "--hand", "8", "--others", "1,1") == "1/6"
    assert p_true("--seat", "9", "--others", "0,0,1,0,0,0,0,0") == "1/8"


def test_odds_of_a_sum_go_by_both_dice() -> None:
    found = printed("odds", "sum7", "--hand", "4", "--others", "1", "--rules", "perudo+face-off")
    assert found.splitlines() == [
        "a sum of seven with 2 dice in play",
        "true            66.667%",
        "exactly right   16.667%",
        "expected count     7.50 in all",
    ]
