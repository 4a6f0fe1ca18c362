"""`liarsdice rules`, `chart` and `odds`."""

import json
import os
import re
import subprocess
import sys
from fractions import Fraction
from io import StringIO
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from liarsdice.cli.app import app
from liarsdice.cli.rules.rules import list_
from liarsdice.core.errors import LiarsDiceError, UnavailableError
from liarsdice.core.rules.presets import preset, preset_names, sheets
from liarsdice.core.rules.ruleset_io import from_json, from_toml, to_toml
from liarsdice.core.text.rulebook import LANGUAGES
from tests.cli.run_cli import error_line, output_of, run_captured


def run(*arguments: str) -> Result:
    return CliRunner().invoke(app, arguments)


def complaint(*arguments: str) -> str:
    """What the user is told: our own error, which `main` prints on one line with status 2."""
    result = run(*arguments)
    assert isinstance(result.exception, LiarsDiceError), result.output
    message = str(result.exception)
    assert "\n" not in message
    assert not message.endswith(".")
    return message


def test_list_prints_each_preset_on_one_line_of_a_pipe_with_no_word_broken() -> None:
    result = run("rules", "list")
    assert result.exit_code == 0
    heading, *lines = result.stdout.splitlines()
    assert heading.split() == ["name", "aliases", "options", "title", "source"]
    assert [line.split()[0] for line in lines] == [*preset_names(), *sheets()]
    for line in lines:
        entry = preset(line.split()[0])
        assert {*" ".join(entry.aliases).split(), *(f"+{option}" for option in entry.options)} <= set(line.split())
        assert entry.source in line
    assert "\x1b" not in result.stdout


def test_list_finds_games_by_words_and_says_what_to_do_if_there_are_none() -> None:
    lines = run("rules", "list", "dinamarca", "jokers").stdout.splitlines()
    assert [line.split()[0] for line in lines] == ["name", "snyd-joker", "snyd-stairs"]
    assert all("Denmark" in line and "Snyd" in line for line in lines[1:])
    assert "none to list all" in complaint("rules", "list", "denmark", "italy")


def test_a_terminal_of_80_columns_breaks_no_option_of_a_preset(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "dumb")
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setattr("sys.stdout", Terminal())
    list_()
    assert isinstance(sys.stdout, Terminal)
    lines = sys.stdout.getvalue().splitlines()
    assert max(map(len, lines)) <= 80
    words = {word for line in lines for word in line.split()}
    assert {f"+{option}" for name in preset_names() for option in preset(name).options} <= words


class Terminal(StringIO):
    """A stream that says it is a terminal."""

    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize("name", preset_names())
def test_show_prints_a_whole_rulebook(name: str) -> None:
    result = run("rules", "show", name)
    assert result.exit_code == 0
    assert result.stdout.startswith(preset(name).title)
    assert "The end of the match" in result.stdout


def test_show_in_every_format() -> None:
    assert run("rules", "show", "perudo", "--format", "md").stdout.startswith("# Perudo\n")
    assert run("rules", "show", "perudo", "--format", "html").stdout.startswith("<!DOCTYPE html>")
    rules = preset("perudo").ruleset
    assert from_toml(run("rules", "show", "perudo", "--format", "toml").stdout) == rules
    assert from_json(run("rules", "show", "s003", "--format", "json").stdout) == preset("mustache").ruleset


def test_show_in_spanish() -> None:
    assert "El final de la partida" in run("rules", "show", "perudo", "--language", "es").stdout
    page = run("rules", "show", "perudo", "--language", "es", "--format", "html").stdout
    assert '<html lang="es">' in page
    assert "<h1>Perudo</h1>" in page


@pytest.mark.parametrize("command", [("rules", "show"), ("chart",)])
def test_the_help_names_every_language(command: tuple[str, ...]) -> None:
    output = " ".join(run(*command, "--help").stdout.split())
    assert f": {' or '.join(sorted(LANGUAGES))}. [default: en]" in output


def test_show_reads_house_rules_and_options(tmp_path: Path) -> None:
    file = tmp_path / "house.toml"
    file.write_text('extends = "perudo"\n[labels]\ngame = "Ours <b>"\n')
    assert "<h1>Ours &lt;b&gt;</h1>" in run("rules", "show", str(file), "--format", "html").stdout
    assert "dice that show 1 are called aces" in run("rules", "show", "classic+aces").stdout


@pytest.mark.parametrize(
    "arguments, reason",
    [
        (("show", "perudoo"), "did you mean perudo"),
        (("show", "dude"), "did you mean dudo"),
        (("show", "perudo+calza"), "has no option"),
        (("show", "perudo", "--language", "tlh"), "not written in 'tlh' (languages: en, "),
        (("show", "perudo", "--language", "", "--format", "json"), "not written in ''"),
        (("show", "nowhere.toml"), "cannot read nowhere.toml"),
        (("diff", "perudo", ""), "no ruleset is called"),
        (("check", "nowhere.json"), "cannot read nowhere.json"),
        (("check", "no\0where.json"), "cannot read"),
        (("show", "."), "no ruleset is called"),
    ],
)
def test_unknown_names_are_refused_with_a_hint(arguments: tuple[str, ...], reason: str) -> None:
    assert reason in complaint("rules", *arguments)


def test_a_file_that_is_missing_is_not_ok() -> None:
    assert not run("rules", "check", "nope").stdout


def test_diff_lists_fields_and_sentences() -> None:
    result = run("rules", "diff", "official", "official-strict")
    assert result.exit_code == 0
    assert "bidding.raise: either_increases -> quantity_first" in result.stdout
    assert "bidding.no_repeat: true -> false" in result.stdout
    assert "- The same bid may not be made twice in a round." in result.stdout
    assert "+ The same bid cannot come up twice in a round" in result.stdout
    assert result.stdout.endswith("the bid chart changes\n")


def test_diff_of_equal_rules_says_so() -> None:
    assert run("rules", "diff", "dudo", "perudo").stdout == "no differences\n"


def test_diff_lists_added_field_groups() -> None:
    output = run("rules", "diff", "classic", "classic+calza").stdout
    assert "exact_call: none -> yes\n" in output
    assert "exact_call.success_gain: - -> 1\n" in output


def test_diff_shows_list_values() -> None:
    output = run("rules", "diff", "bluff", "chart").stdout
    assert "penalties: [] -> [asks_whose_turn 1, asks_dice_left 1]" in output


def test_check_prints_ok_for_valid_rules(tmp_path: Path) -> None:
    file = tmp_path / "whole.toml"
    file.write_text(to_toml(preset("mustache").ruleset))
    result = run("rules", "check", str(file))
    assert (result.exit_code, result.stdout) == (0, f"{file}: OK\n")
    assert run("rules", "check", "perudo").stdout == "perudo: OK\n"


def test_check_warns_of_choices_without_effect(tmp_path: Path) -> None:
    file = tmp_path / "odd.toml"
    file.write_text('extends = "classic+aces"\n[wilds]\nspecial_is_wild = false\n')
    result = run("rules", "check", str(file))
    assert result.exit_code == 0
    assert "warning: bidding.special_rank convert halves" in result.stdout


def test_check_lists_every_combination_that_does_not_work(tmp_path: Path) -> None:
    file = tmp_path / "bad.toml"
    file.write_text(
        '[bidding]\nraise = "either_increases"\nspecial_rank = "not_biddable"\n[loss]\nout_of_turn_factor = 2\n'
    )
    result = run("rules", "check", str(file))
    assert result.exit_code == 1
    lines = result.stdout.splitlines()
    assert len(lines) == 3
    assert all(line.startswith(f"{file}: ") for line in lines)


def test_check_lists_sizes_and_combinations_together(tmp_path: Path) -> None:
    file = tmp_path / "bad.toml"
    file.write_text('[dice]\nfaces = 1\n[bidding]\nspecial_rank = "not_biddable"\n[loss]\nout_of_turn_factor = 2\n')
    output = run("rules", "check", str(file)).stdout
    assert len(output.splitlines()) == 3


def test_check_lists_every_field_that_cannot_be_read(tmp_path: Path) -> None:
    file = tmp_path / "bad.json"
    file.write_text(json.dumps({"dice": {"faces": "six", "sides": 6}, "bidding": {"raise": "up"}, "dise": {}}))
    result = run("rules", "check", str(file))
    assert result.exit_code == 1
    output = result.stdout
    assert len(output.splitlines()) == 4
    assert "quantity_first" in output
    assert "sides" in output
    assert "dise" in output


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"[[[",
        b"\xff\xfe",
        b'extends = "nothing"',
        b"extends = 5",
        b"exact_call = 5",
        b"penalties = [5]",
        b"[bidding]\nraise = [1]",
        b"[dice]\nfaces = 99999999999999999999",
        b"a = " + b"[" * 5000,
        b"#" * 200_000,
        b"dice = 1979-05-27",
    ],
)
@pytest.mark.parametrize("ending", ["toml", "json"])
def test_check_never_ends_in_a_traceback(tmp_path: Path, content: bytes, ending: str) -> None:
    file = tmp_path / f"odd.{ending}"
    file.write_bytes(content)
    result = run("rules", "check", str(file))
    assert result.exit_code == (0 if content == b"" and ending == "toml" else 1)
    assert result.exception is None or isinstance(result.exception, SystemExit)


def test_an_ascii_terminal_still_shows_the_rules() -> None:
    environment = os.environ | {"PYTHONIOENCODING": "ascii"}
    command = [sys.executable, "-m", "liarsdice", "rules", "show", "perudo"]
    shown = subprocess.run(command, env=environment, capture_output=True, check=True, encoding="ascii")
    assert "?Dudo!?" in shown.stdout


GOLDEN = Path(__file__).parents[2] / "golden"
RIGHT = {"id": "right", "base": "perudo", "patch": {}, "expect": "valid"}
WRONG = {**RIGHT, "id": "wrong", "expect": "invalid"}


def output(*files: Path) -> tuple[int, list[str]]:
    """The exit status, and every line."""
    result = CliRunner().invoke(app, ["scenarios", *map(str, files)])
    assert result.exception is None or isinstance(result.exception, SystemExit)
    return result.exit_code, result.stdout.splitlines()


def written(path: Path, *lines: str | bytes) -> Path:
    path.write_bytes(b"".join((line.encode() if isinstance(line, str) else line) + b"\n" for line in lines))
    return path


def test_the_golden_files_pass() -> None:
    assert output(GOLDEN / "scenarios.jsonl", GOLDEN / "ruleset_cases.jsonl") == (0, ["143 passed, 0 failed"])


def test_a_failure_is_a_line_before_the_totals(tmp_path: Path) -> None:
    file = written(tmp_path / "cases.jsonl", json.dumps(RIGHT), "", json.dumps(WRONG))
    assert output(file) == (1, ["wrong: the ruleset: expected invalid, got valid", "1 passed, 1 failed"])


@pytest.mark.parametrize(
    "line, problem",
    [
        ("{", "Input data was truncated"),
        ("[]", "a case is an object with an id"),
        ('{"kind": "raise"}', "a case is an object with an id"),
        (b'{"id": "\xff"}', "no text in UTF-8: invalid start byte"),
        ("[" * 100_000, "maximum recursion depth exceeded"),
    ],
)
def test_a_line_that_cannot_be_read_is_a_failed_case_with_its_file_and_number(
    tmp_path: Path, line: str | bytes, problem: str
) -> None:
    first = written(tmp_path / "first.jsonl", "", line, json.dumps(RIGHT))
    second = written(tmp_path / "second.jsonl", json.dumps(RIGHT))
    status, (failure, totals) = output(first, second)
    assert status == 1
    assert failure.startswith(f"{first} line 2: the case can be read: expected the scenario format, got ")
    assert problem in failure
    assert totals == "2 passed, 1 failed"


def test_a_missing_file_is_refused_before_any_case_is_run(tmp_path: Path) -> None:
    result = CliRunner().invoke(app, ["scenarios", str(GOLDEN / "scenarios.jsonl"), str(tmp_path / "nothing.jsonl")])
    assert isinstance(result.exception, UnavailableError)
    assert f"cannot read {tmp_path / 'nothing.jsonl'}" in str(result.exception)
    assert result.stdout == ""


PRINTED = json.loads((Path(__file__).parents[2] / "golden" / "chart_000.json").read_text())


def test_the_chart_of_15_dice_is_the_printed_one() -> None:
    for text in (output_of("chart", "chart"), output_of("chart", "000", "--dice-in-play", "15", "--format", "md")):
        assert [[int(quantity), int(face)] for quantity, face in re.findall(r"(\d+)x(\d+)", text)] == PRINTED


def test_ordered_bids_as_json_are_the_ascending_list() -> None:
    found = json.loads(output_of("chart", "chart", "--dice-in-play", "15", "--format", "json"))
    assert found[: len(PRINTED)] == PRINTED
    assert found[len(PRINTED) :] == [[quantity, 1] for quantity in range(9, 16)]


def test_rules_without_a_total_order_as_json_are_lowest_quantities() -> None:
    over = json.loads(output_of("chart", "mustache", "--dice-in-play", "15", "--beats", "5x4", "--format", "json"))
    assert over == {"4": 6, "5": 5, "6": 5, "1": 3}
    every = json.loads(output_of("chart", "mustache", "--dice-in-play", "15", "--format", "json"))
    assert every["5x4"] == over


def test_the_lowest_bids_over_a_bid_are_in_words() -> None:
    assert (
        output_of("chart", "pirates", "--beats", "5x4")
        == "to beat five fours: at least six fours, five fives or five sixes\n"
    )


def test_a_chart_in_spanish() -> None:
    assert output_of("chart", "perudo", "--beats", "5x4", "--language", "es") == (
        "para superar cinco cuatros: "
        "al menos seis doses, seis treses, seis cuatros, cinco cincos, cinco seises o tres pacos\n"
    )
    assert "Después vienen de 9 a 15 unos" in output_of("chart", "chart", "--language", "es", "--format", "md")
    assert "languages: en, " in str(run("chart", "perudo", "--language", "tlh").exception)


@pytest.mark.parametrize("name", ["mustache", "official", "pirates", "snyd-stairs", "perudo"])
@pytest.mark.parametrize("dice", ["1", "100"])
def test_small_and_large_charts(name: str, dice: str) -> None:
    for form in ("text", "md", "json"):
        assert output_of("chart", name, "--dice-in-play", dice, "--format", form)


@pytest.mark.parametrize(
    "arguments, reason",
    [
        (("chart", "nothing"), "no ruleset is called"),
        (("chart", "chart", "--beats", "five"), "write 5x4 for five fours"),
        (("chart", "chart", "--beats", "5x7"), "face 7 may not be bid"),
        (("chart", "pirates", "--beats", "5x1"), "face 1 may not be bid"),
        (("chart", "chart", "--beats", "0x2"), "a bid has a quantity of at least 1"),
        (("chart", "chart", "--beats", "16x2"), "1 to 15 of a face may be bid"),
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
        ("chart",),
        ("chart", "chart", "--dice-in-play", "0"),
        ("chart", "chart", "--dice-in-play", "101"),
        ("odds",),
        ("odds", "5x4", "-x"),
        ("rules", "show"),
        ("rules", "show", "perudo", "--format", "pdf"),
        ("rules", "diff", "perudo"),
        ("rules", "nil"),
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


FEW = ("--seats", "2", "--matches", "50")


def test_rules_are_measured_beside_what_a_change_makes_of_them() -> None:
    change = ("--change", "dice.per_player=2", "--change", "exact_call=none")
    text = output_of("rules", "lab", "perudo", *FEW, *change)
    lines = text.splitlines()
    assert lines[0] == "Perudo, 2 players, champion@16 at every seat, 50 matches each, on the same seeds"
    assert "  dice.per_player: 5 -> 2" in lines
    rounds = next(line for line in lines if line.startswith("  rounds of a match"))
    assert rounds.endswith("less")
    assert rounds.count("±") == 2
    right = next(line for line in lines if "exact calls that are right" in line)
    assert right.split()[-1] == "-"


def test_without_a_change_the_rules_are_measured_alone() -> None:
    report = json.loads(run_captured("rules", "lab", "basic", *FEW, "--json")[1])
    assert report["matches"] == 50
    assert report["new"] == {}
    assert report["old"]["rounds"]["value"] > 5
    assert report["old"]["exact_right"]["value"] is None


def test_a_change_that_is_none_is_refused() -> None:
    for change, message in (
        ("exact_call", "a change is written as key=value"),
        ("exact_cal=none", "no rule is called 'exact_cal' (did you mean exact_call?)"),
        ("dice.per_player=5", "changes nothing in perudo"),
    ):
        assert message in error_line("rules", "lab", "perudo", "--change", change)


def test_odds_as_json_are_floats_and_exact_fractions() -> None:
    found = json.loads(output_of("odds", "5x4", "--hand", "1,4,4,2,6", "--dice-in-play", "20", "--json"))
    # 15 unseen dice of which a third count; three of the five needed are in the hand
    expected = 1 - Fraction(2, 3) ** 15 - 15 * Fraction(1, 3) * Fraction(2, 3) ** 14
    assert Fraction(found["p_true_exact"]) == expected
    assert found["p_true"] == pytest.approx(float(expected))
    assert Fraction(found["expected_exact"]) == 8
    assert found["expected"] == 8.0
    assert Fraction(found["p_exact_exact"]) == 105 * Fraction(1, 9) * Fraction(2, 3) ** 13


def test_odds_in_words() -> None:
    output = output_of("odds", "5x4", "--hand", "1,4,4,2,6", "--dice-in-play", "20")
    assert output.startswith("five fours with 20 dice in play, ones wild\n")
    assert "true            98.059%\n" in output
    assert "8.00 fours" in output


def test_wild_dice_can_be_switched_off_and_on() -> None:
    plain = json.loads(output_of("odds", "1x4", "--dice-in-play", "1", "--no-wilds", "--json"))
    assert plain["p_true_exact"] == "1/6"
    wild = json.loads(output_of("odds", "1x4", "--dice-in-play", "1", "--rules", "basic", "--wilds", "--json"))
    assert wild["p_true_exact"] == "1/3"


def test_a_bid_on_the_special_face_counts_that_face_alone() -> None:
    assert json.loads(output_of("odds", "1x1", "--dice-in-play", "1", "--json"))["p_true_exact"] == "1/6"


def test_hand_sizes_matter_for_stairs() -> None:
    hands = [("--others", "4"), ("--others", "2,2")]
    found = {output_of("odds", "3x3", "--hand", "3", "--rules", "snyd-stairs", *split, "--json") for split in hands}
    assert len(found) == 2
    assert output_of("odds", "3x3", "--hand", "3", "--rules", "snyd-stairs", "--dice-in-play", "8") == output_of(
        "odds", "3x3", "--hand", "3", "--rules", "snyd-stairs", "--others", "5,2"
    )


def test_a_bid_above_all_dice_has_no_chance() -> None:
    assert json.loads(output_of("odds", "9x4", "--dice-in-play", "8", "--json"))["p_true_exact"] == "0/1"


def test_there_are_no_odds_of_bids_about_own_dice() -> None:
    result = run("odds", "5x4", "--hand", "4,4", "--rules", "basic+aetolia")
    assert result.exit_code != 0
    assert "only of bids about all dice" in str(result.exception) + result.output


def test_dice_that_differ_by_seat_are_known_by_the_seat() -> None:
    def p_true(*arguments: str) -> object:
        return json.loads(output_of("odds", "1x5", "--rules", "basic+mixed-dice", "--json", *arguments))["p_true_exact"]

    assert p_true("--seat", "2", "--hand", "6", "--others", "1") == "0/1"  # the first seat has four faces
    assert p_true("--hand", "4", "--others", "1") == "1/6"
    assert p_true("--seat", "3", "--hand", "8", "--others", "1,1") == "1/6"
    assert p_true("--seat", "9", "--others", "0,0,1,0,0,0,0,0") == "1/8"


def test_odds_of_a_sum_go_by_both_dice() -> None:
    found = output_of("odds", "sum7", "--hand", "4", "--others", "1", "--rules", "perudo+face-off")
    assert found.splitlines() == [
        "a sum of seven with 2 dice in play",
        "true            66.667%",
        "exactly right   16.667%",
        "expected count     7.50 in all",
    ]
