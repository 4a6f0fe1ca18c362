"""Line mode, played through a pipe."""

import re
import shlex
import subprocess
import sys
from pathlib import Path

import msgspec
import pytest

from liarsdice.cli.play.line_mode import (
    chart_lines,
    count_text,
    counts_text,
    format_ranges,
    late_call_message,
    legal_bids_text,
    make_grid,
    mustache_symbol,
    placings_text,
    row_label,
    show_help,
    wild_note,
    wilds_off_message,
    wrap_line,
)
from liarsdice.core.actions import Deal
from liarsdice.core.engine.engine import decide, evolve_all, start
from liarsdice.core.engine.view import View, view
from liarsdice.core.events import Challenged, Eliminated, Revealed, RoundStarted, StarterFound
from liarsdice.core.records.position import read_position
from liarsdice.core.rules.bids import SUM_FACE, Bid
from liarsdice.core.rules.choices import FromPure, StarterMethod, ToPure
from liarsdice.core.rules.overlay import patched
from liarsdice.core.rules.presets import preset, preset_names
from liarsdice.core.rules.ruleset import Ruleset
from liarsdice.core.rules.ruleset_io import find_rules
from liarsdice.core.text.narration import Narrator
from tests.cli.play.line_mode_process import LineModeProcess

ESCAPE = "\x1b"


@pytest.mark.parametrize("rules", [*preset_names(), "classic+aces+palifico+calza+reversa"])
def test_a_whole_match_can_be_played_by_every_preset(rules: str, tmp_path: Path) -> None:
    with LineModeProcess("--rules", rules, "--seed", "7", "--seats", "3", home=tmp_path) as terminal:
        assert terminal.play() == "A rematch? [y/N] "
        assert terminal.close_input() == 0
    assert "1. " in terminal.output
    assert "Traceback" not in terminal.output
    assert ESCAPE not in terminal.output
    assert len(list(tmp_path.rglob("*.jsonl"))) == 1


def test_an_illegal_move_is_explained_and_asked_for_again(tmp_path: Path) -> None:
    with LineModeProcess("--seed", "1", "--rules", "chart", "--seats", "2", home=tmp_path) as terminal:
        assert terminal.read_prompt() == "your move> "
        for wrong in ("9x9", "banana", "exact", "clockwise"):
            terminal.send(wrong)
            assert terminal.read_prompt() == "your move> "
    assert "names face 9, but the dice have faces 1 to 6" in terminal.output
    assert "cannot read a move in 'banana'" in terminal.output
    assert "these rules have no exact call" in terminal.output
    assert "these rules do not let a player choose the direction" in terminal.output


def test_bytes_that_are_no_text_are_refused_like_other_input(tmp_path: Path) -> None:
    with LineModeProcess("--seed", "1", "--rules", "chart", "--seats", "2", home=tmp_path) as terminal:
        terminal.read_prompt()
        terminal.process.stdin.write(b"\xff\xfe\x00\n")
        terminal.process.stdin.flush()
        assert terminal.read_prompt() == "your move> "
        terminal.send("\ufeff1x2")
        assert terminal.read_prompt() == "your move> "
    assert terminal.output.count("! cannot read") == 1
    assert "You bid one two" in terminal.output


def test_the_words_of_the_rules_are_calls(tmp_path: Path) -> None:
    with LineModeProcess("--seed", "3", "--rules", "perudo", "--seats", "2", home=tmp_path) as terminal:
        terminal.play(answers=1)
        for _ in range(20):
            if "dudo (liar)" in terminal.output[terminal.output.rindex("Your dice:") :]:
                break
            terminal.play(answers=1)
        terminal.send("dudo!")
        terminal.read_prompt()
    assert "You call: “Dudo!”" in terminal.output
    assert "dudo (liar)" in terminal.output


def test_input_that_cannot_be_read_is_answered_with_the_moves_of_these_rules(tmp_path: Path) -> None:
    for rules, known in (("perudo", "dudo (liar), calza (exact))"), ("chart", "5x4 for five fours, liar)")):
        with LineModeProcess("--seed", "3", "--rules", rules, "--seats", "2", home=tmp_path / rules) as terminal:
            terminal.play(answers=1)
            terminal.send("banana")
            terminal.read_prompt()
        assert "! cannot read a move in 'banana' (write 5x4 for five fours, " in terminal.output
        assert known in terminal.output


def test_each_round_starts_with_the_dice_of_all_players_and_the_match_ends_with_its_file(tmp_path: Path) -> None:
    with LineModeProcess("--seed", "7", "--rules", "openspiel", "--seats", "2", home=tmp_path) as terminal:
        terminal.play()
    assert terminal.output.count("1x3+ stands for one three") == 1
    assert terminal.output.count("\nRound ") == terminal.output.count("\nDice: You ")
    (record,) = tmp_path.rglob("*.jsonl")
    assert f"liarsdice replay --line {shlex.quote(str(record))}\n" in terminal.output


def test_a_refusal_addresses_the_player_as_you(tmp_path: Path) -> None:
    with LineModeProcess("--seed", "1", "--rules", "official", "--seats", "3", home=tmp_path) as terminal:
        while (prompt := terminal.read_prompt()) != "call?> ":
            terminal.send(terminal.choose_answer(prompt))
        terminal.send("20x6")
        terminal.read_prompt()
    assert "! you may not bid: it is the turn of " in terminal.output


def test_drinks_are_counted_from_none_upwards(tmp_path: Path) -> None:
    with LineModeProcess("--seed", "1", "--rules", "chui-niu+drinks", "--seats", "2", home=tmp_path) as terminal:
        terminal.play(answers=1)
    assert "Dice: You 5, Ann 5. Drinks: You 0, Ann 0." in terminal.output


def test_questions_are_answered_without_a_move(tmp_path: Path) -> None:
    with LineModeProcess("--seed", "1", "--rules", "chart", "--seats", "2", home=tmp_path) as terminal:
        terminal.read_prompt()
        for question in ("?", "help", "chart", "dice"):
            terminal.send(question)
            assert terminal.read_prompt() == "your move> "
    assert "report a penalty that you owe" in terminal.output
    assert "2 twos" in terminal.output
    assert "Dice: You 5, Ann 5. Play goes clockwise." in terminal.output


def test_a_question_is_never_a_move(tmp_path: Path) -> None:
    with LineModeProcess("--seed", "3", "--rules", "perudo", "--seats", "2", home=tmp_path) as terminal:
        terminal.play(answers=1)
        for question in ("?calza", "calza?", "dudo?", "2x3?", "?no such word", "??"):
            before = len(terminal.output)
            terminal.send(question)
            assert terminal.read_prompt() == "your move> "
            assert "Perudo" in terminal.output[before:]
        before = len(terminal.output)
        terminal.send("?wild")
        terminal.read_prompt()
        assert "Wild dice" in terminal.output[before:]
        assert "What you need" not in terminal.output[before:]
    assert "You call" not in terminal.output
    assert "You bid 2x3" not in terminal.output


def test_a_bid_that_ends_the_wildness_of_ones_is_announced(tmp_path: Path) -> None:
    with LineModeProcess("--seed", "2", "--rules", "chui-niu", "--seats", "2", home=tmp_path) as terminal:
        for line in ("you", "4x1"):
            terminal.read_prompt()
            terminal.send(line)
        terminal.read_prompt()
    assert "You bid four ones.\nOnes are not wild for the rest of this round.\n" in terminal.output


def test_a_player_whose_call_comes_too_late_reads_that_it_risks_nothing(tmp_path: Path) -> None:
    doubters = ("--bots", "threshold:0.999")
    with LineModeProcess("--seed", "1", "--rules", "official", "--seats", "5", *doubters, home=tmp_path) as terminal:
        for _ in range(40):
            prompt = terminal.read_prompt()
            terminal.send("liar" if prompt == "call?> " else terminal.choose_answer(prompt))
            if "counts and you risk nothing" in terminal.output:
                break
    assert re.search(r"call\?> liar\n(\w+) calls.*\n\1 called (first|in turn), so that call counts", terminal.output)


def test_long_lines_are_wrapped_between_words() -> None:
    line = "Your dice: 6 4 1 5 2. You may bid 1x1+ 1x2+ 1x3+ or liar."
    for width in (20, 40, 79):
        lines = wrap_line(line, width).split("\n")
        assert max(map(len, lines)) <= width
        assert " ".join(lines) == line


def test_the_player_can_report_a_penalty(tmp_path: Path) -> None:
    with LineModeProcess("--seed", "1", "--rules", "chart", "--seats", "2", home=tmp_path) as terminal:
        terminal.read_prompt()
        terminal.send("penalty")
        terminal.read_prompt()
        terminal.send("penalty turn")
        terminal.read_prompt()
    assert "which penalty? Write penalty turn for asking whose turn it is" in terminal.output
    assert "You pay one die at the end of the round for asking whose turn it is." in terminal.output


def test_a_penalty_is_named_by_the_offence_that_it_is_for(tmp_path: Path) -> None:
    rules = tmp_path / "house.toml"
    rules.write_text(
        'extends = "chart"\n[[penalties]]\ntrigger = "commits_offence"\n'
        '[[penalties]]\ntrigger = "commits_offence"\noffence = "Singing"\ndice = 2\n'
    )
    with LineModeProcess("--seed", "1", "--rules", str(rules), "--seats", "2", home=tmp_path) as terminal:
        terminal.read_prompt()
        terminal.send("penalty")
        terminal.read_prompt()
        terminal.send("penalty singing")
        terminal.read_prompt()
    assert "Write penalty offence for breaking a rule of the table or penalty Singing for “Singing”" in terminal.output
    assert "You pay two dice at the end of the round for “Singing”." in terminal.output


def test_the_mustache_round_is_announced_with_mustaches(tmp_path: Path) -> None:
    with LineModeProcess("--seed", "2", "--rules", "mustache", "--seats", "2", home=tmp_path) as terminal:
        terminal.play()
    assert "Mustache Round!" in terminal.output
    assert "Ann :{" in terminal.output


def view_after(rules: str | Ruleset, *bids: Bid, seat: int | None = None) -> View:
    """Return the view of the seat on turn, or of another one, after bids of Ann and Bo, who have five dice each."""
    state = evolve_all(
        start(find_rules(rules) if isinstance(rules, str) else rules, ["Ann", "Bo"]),
        [StarterFound(0, StarterMethod.CHOSEN)],
    )
    state = evolve_all(state, decide(state, None, Deal(((1, 2, 3, 4, 5), (2, 2, 3, 3, 6)))))
    for bid in bids:
        state = evolve_all(state, decide(state, state.turn, bid))
    return view(state, state.turn if seat is None else seat)


def test_the_grid_holds_the_legal_bids_and_the_standing_one() -> None:
    shown = view_after("chart", Bid(2, 4))
    grid = make_grid(shown)
    assert grid.legal == frozenset(shown.may_bid)
    assert grid.standing == Bid(2, 4)
    assert sorted(grid.kinds) == [(face, False) for face in range(1, 7)]
    assert grid.max_quantity == 10


def test_the_first_cell_is_the_lowest_legal_bid_or_else_the_standing_bid() -> None:
    assert make_grid(view_after("chart", Bid(2, 4))).first_cell() == Bid(2, 5)
    assert make_grid(view_after("chart", Bid(2, 4), seat=0)).first_cell() == Bid(2, 4)


def test_the_neighbour_of_a_cell_stays_in_the_grid() -> None:
    grid = make_grid(view_after("chart"))
    first, last = grid.kinds[0][0], grid.kinds[-1][0]
    assert grid.neighbour(Bid(1, first), right=2, down=1) == Bid(3, grid.kinds[1][0])
    assert grid.neighbour(Bid(1, first), right=-1, down=-1) == Bid(1, first)
    assert grid.neighbour(Bid(grid.max_quantity, last), right=1, down=1) == Bid(grid.max_quantity, last)


def test_a_face_is_labelled_by_number_and_name_and_noted_as_wild() -> None:
    shown = view_after("chart")
    assert row_label(shown, 4, pure=False) == "4 fours"
    assert row_label(shown, 4, pure=True) == "4! fours zhai"
    assert [wild_note(shown, face) for face in (1, 2)] == ["wild", ""]


@pytest.mark.parametrize("numbers, text", [([], ""), ([3], "3"), ([1, 2, 3], "1 to 3"), ([1, 3, 4, 6], "1, 3 to 4, 6")])
def test_numbers_in_a_row_are_a_range(numbers: list[int], text: str) -> None:
    assert format_ranges(numbers) == text


def test_the_text_names_the_standing_bid_and_the_legal_quantities_of_each_face() -> None:
    shown = view_after("chart", Bid(2, 4))
    first, *lines = chart_lines(shown, Narrator(shown.ruleset, shown.names, shown.seat))
    assert first == "The standing bid: two fours (2x4), by Ann."
    by_face = {line.split()[0]: line for line in lines}
    assert by_face["4"].endswith("3 to 10")
    assert by_face["5"].endswith("2 to 10")
    assert by_face["1"].endswith("(wild)")


def test_pure_bids_stand_beside_the_others_of_their_face() -> None:
    rules = patched(preset("joker").ruleset, bidding__to_pure=ToPure.SAME_QUANTITY, bidding__from_pure=FromPure.DOUBLE)
    shown = view_after(rules, Bid(5, 5))
    assert chart_lines(shown, Narrator(shown.ruleset, shown.names))[2:4] == [
        "  2 twos    6 to 10  zhai (2!): 5 to 10",
        "  3 threes  6 to 10  zhai (3!): 5 to 10",
    ]
    assert legal_bids_text(shown) == "5x1+ 5x6+ 5x2!+ 5x3!+ 5x4!+ 5x5!+ 5x6!+ 6x2+ 6x3+ 6x4+ 6x5+"
    assert make_grid(shown).first_cell() == Bid(5, 1)
    assert make_grid(shown).neighbour(Bid(5, 6), down=1) == Bid(5, 2, pure=True)
    assert make_grid(view_after(rules, Bid(6, 5, pure=True))).first_cell() == Bid(7, 1)
    assert make_grid(view_after(rules, Bid(10, 5, pure=True))).first_cell() == Bid(10, 6, pure=True)


def test_legal_bids_in_short_are_the_lowest_of_each_face() -> None:
    shown = view_after("chart", Bid(2, 4))
    words = legal_bids_text(shown).split()
    assert {"3x2+", "3x3+", "3x4+", "2x5+", "2x6+"} < set(words)
    assert legal_bids_text(view_after("chart", Bid(2, 4), seat=0)) == ""


def test_a_face_off_has_one_row_with_its_sums() -> None:
    shown = view(read_position("bidding 4/3 0 1:sum7 9 perudo+face-off Ann,Bo"), 0)
    assert chart_lines(shown, Narrator(shown.ruleset, shown.names, shown.seat)) == [
        "The standing bid: a sum of seven (sum7), by Bo.",
        "  sum of both dice  8 to 12",
    ]
    assert legal_bids_text(shown) == "sum8+"
    grid = make_grid(shown)
    assert (grid.first_cell(), grid.max_quantity) == (Bid(8, SUM_FACE), 12)
    assert grid.neighbour(Bid(8, SUM_FACE), right=1, down=1) == Bid(9, SUM_FACE)


def test_only_rules_that_name_their_special_round_after_a_mustache_have_one() -> None:
    assert mustache_symbol(preset("mustache").ruleset) == ":{"
    assert mustache_symbol(preset("perudo").ruleset) == ""


def test_the_placings_name_the_winner_first() -> None:
    view = msgspec.structs.replace(view_after("chart"), winners=(1,), dice=(0, 3))
    started = RoundStarted(number=1, starter=0, dice=(5, 5), direction=view.direction)
    narrator = Narrator(view.ruleset, view.names, 0)
    assert placings_text(view, [started, Eliminated(0)], narrator) == "1. Bo  2. You"


def test_a_late_caller_reads_that_they_risk_nothing() -> None:
    narrator = Narrator(preset("official").ruleset, ("Ann", "Bo", "Cy"), 0)
    first = Challenged(1, 2, Bid(2, 1), out_of_turn=True)
    assert late_call_message(first, narrator) == "Bo called first, so that call counts and you risk nothing."
    in_turn = Challenged(1, 2, Bid(2, 1))
    assert late_call_message(in_turn, narrator) == "Bo called in turn, so that call counts and you risk nothing."


def test_a_bid_that_ends_the_wilds_is_announced_with_their_label() -> None:
    assert wilds_off_message(preset("perudo").ruleset) == "Pacos are not wild for the rest of this round."


def test_the_line_mode_loads_no_terminal_library() -> None:
    script = "import sys, liarsdice.cli.play.line_mode; sys.exit(bool({'textual', 'rich'} & sys.modules.keys()))"
    assert subprocess.run([sys.executable, "-c", script], check=False, timeout=60).returncode == 0


def test_the_faces_of_the_dice_are_listed_where_they_differ() -> None:
    usual = view_after("basic")
    mixed = msgspec.structs.replace(usual, ruleset=preset("basic+mixed-dice").ruleset)
    narrator = Narrator(mixed.ruleset, mixed.names, 0)
    assert counts_text(mixed.dice, mixed, narrator).endswith("Faces: You 4, Bo 6.")
    assert "Faces" not in counts_text(usual.dice, usual, narrator)


def test_the_count_of_a_reveal_is_that_of_a_face_or_of_a_sum() -> None:
    rules = preset("perudo+face-off").ruleset
    sums = Revealed(Bid(8, SUM_FACE), ((4,), (3,)), ((0,), (0,)), (4, 3), 7, bid_true=False, wilds_counted=False)
    assert count_text(rules, sums, 4) == "sum of both dice: 8 bid, 4 counted"
    fours = Revealed(Bid(2, 4), ((4,), (1,)), ((0,), (0,)), (1, 1), 2, bid_true=True, wilds_counted=True)
    assert count_text(rules, fours, 2) == "fours: 2 bid, 2 counted [pacos count too]"
    not_wild = msgspec.structs.replace(fours, wilds_counted=False)
    assert count_text(rules, not_wild, 1) == "fours: 2 bid, 1 counted [pacos do not count]"


def test_the_help_names_bids_on_sums_only_where_there_are_some() -> None:
    assert [line.split()[0] for line in show_help(preset("perudo+face-off").ruleset)] == ["sum7"]
    assert show_help(preset("perudo").ruleset) == []
