"""`liarsdice puzzles`, as it is run: the puzzle of the day, its answer, the streak, and new puzzles."""

import io
from collections.abc import Iterator
from datetime import date, timedelta
from pathlib import Path

import msgspec
import pytest

from liarsdice.analysis.puzzles.find import JUDGE, PuzzleFinder
from liarsdice.analysis.puzzles.puzzle import (
    Puzzle,
    PuzzleHeader,
    daily_number,
    packaged_puzzles,
    read_puzzles,
    write_puzzle_line,
)
from liarsdice.cli.puzzles import play
from liarsdice.cli.puzzles.commands import PuzzleOptions
from liarsdice.cli.puzzles.play import PuzzleScores, read_scores, write_scores
from tests.analysis.puzzles.test_puzzle import PUZZLE
from tests.cli.run_cli import error_line, output_of, run_captured

DAY = date(2026, 3, 1)
DAILY = PuzzleOptions()


@pytest.fixture(autouse=True)
def state_home(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    return tmp_path


def type_lines(monkeypatch: pytest.MonkeyPatch, *lines: str) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("".join(f"{line}\n" for line in lines)))


def numbers_of(puzzle: Puzzle) -> tuple[str, str]:
    """The numbers to type for the best move and for another one."""
    right = puzzle.choices.index(puzzle.moves[0]) + 1
    return str(right), str(1 if right > 1 else 2)


def test_the_daily_puzzle_is_asked_once_and_days_in_a_row_are_counted(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], state_home: Path
) -> None:
    puzzles = packaged_puzzles()
    for day, streak in ((DAY, "1 day in a row."), (DAY + timedelta(days=1), "2 days in a row.")):
        type_lines(monkeypatch, "0", "what", numbers_of(puzzles[daily_number(day, len(puzzles))])[0], "q")
        assert play.run(DAILY, day) == 0
        text = capsys.readouterr().out
        assert f"Puzzle of {day}" in text
        assert "Right. " in text
        assert streak in text
    type_lines(monkeypatch, "q")
    play.run(DAILY, DAY + timedelta(days=1))
    assert "You have played today's puzzle. 2 days in a row." in capsys.readouterr().out
    assert set(read_scores(state_home / "liarsdice" / "puzzles.json").days.values()) == {True}


def test_a_wrong_answer_ends_the_streak_and_names_the_best_move(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    puzzles = packaged_puzzles()
    type_lines(monkeypatch, numbers_of(puzzles[daily_number(DAY, len(puzzles))])[1], "q")
    play.run(DAILY, DAY)
    text = capsys.readouterr().out
    assert "points behind." in text
    assert "No days in a row." in text


def test_the_question_tells_nothing_of_the_answer(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    type_lines(monkeypatch, "q")
    play.run(DAILY, DAY)
    text = capsys.readouterr().out
    assert "What would you do?" in text
    assert "best" not in text
    assert "%" not in text


@pytest.mark.parametrize(
    "rules, name",
    [
        ("classic", "Classic Liar's Dice, 2 players"),
        ("classic+calza", "Classic Liar's Dice with one variation, 2 players"),
        ("classic+aces+palifico+calza", "Classic Liar's Dice with three variations, 2 players"),
    ],
)
def test_a_question_names_its_rule_sheet_in_words(rules: str, name: str) -> None:
    first = next(play.question_lines(msgspec.structs.replace(PUZZLE, rules=rules), "Puzzle"))
    assert first.startswith(f"Puzzle · {name}")


def test_puzzles_of_a_theme_and_rules_are_asked_one_after_the_other_and_none_twice(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    file = tmp_path / "own.jsonl"
    make_own_file(file)
    type_lines(monkeypatch, "", numbers_of(PUZZLE)[0])
    text = output_of("puzzles", "--theme", "challenge", "--rules", "perudo", "--file", str(file))
    assert "“Dudo!” is 10.0 points better than the next best." in text
    assert "Why “Dudo!” rather than three fours: Before the round ends, you lose dice 60 times in 100 after" in text
    assert "Difficulty: missed by 5 of 7 bots." in text
    assert "You have played all of these puzzles." in text
    type_lines(monkeypatch, "")
    assert run_captured("puzzles", "--rules", "perudo", "--file", str(file))[1].count("stands") == 0


def make_own_file(file: Path) -> None:
    file.write_bytes(write_puzzle_line(PuzzleHeader(1, JUDGE)) + write_puzzle_line(PUZZLE))


def test_new_puzzles_are_appended_to_the_file_and_a_file_of_another_seed_is_kept(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:

    def puzzles(_finder: PuzzleFinder, match: int) -> Iterator[Puzzle]:
        for die in (1, 2):
            yield msgspec.structs.replace(PUZZLE, match=match, hand=(4 + match, 5, die))

    monkeypatch.setattr(PuzzleFinder, "puzzles", puzzles)
    file = tmp_path / "new.jsonl"
    for count in (1, 3):
        options = ("--output", str(file), "--count", str(count), "--seed", "7", "--rules", "perudo")
        output_of("puzzles", "make", *options)
        assert [puzzle.match for puzzle in read_puzzles(file.read_bytes()).puzzles] == [0, 0, 1][:count]
    before = file.read_bytes()
    assert "of another seed or judge" in error_line("puzzles", "make", "-o", str(file))
    assert file.read_bytes() == before


def test_a_search_that_cannot_begin_leaves_no_file(tmp_path: Path) -> None:
    output, solved = tmp_path / "new.jsonl", tmp_path / "solved.lds"
    solved.write_bytes(b"no strategy")
    error_line("puzzles", "make", "-o", str(output), "--solved", str(solved))
    assert not output.exists()


def test_files_are_merged_whatever_their_order_and_each_puzzle_is_kept_once(tmp_path: Path) -> None:
    other = msgspec.structs.replace(PUZZLE, match=4, hand=(2, 2, 3))
    header = write_puzzle_line(PuzzleHeader(1, JUDGE))
    (tmp_path / "one.jsonl").write_bytes(header + write_puzzle_line(PUZZLE))
    (tmp_path / "two.jsonl").write_bytes(header + write_puzzle_line(other) + write_puzzle_line(PUZZLE))
    merged = []
    for names in (("one", "two"), ("two", "one")):
        output = tmp_path / "all.jsonl"
        files = (str(tmp_path / f"{name}.jsonl") for name in names)
        text = output_of("puzzles", "merge", *files, "-o", str(output))
        assert f"{output}: 2 puzzles" in text
        merged.append(output.read_bytes())
    assert merged[0] == merged[1]
    assert set(read_puzzles(merged[0]).puzzles) == {PUZZLE, other}


def test_unknown_themes_and_rules_are_refused() -> None:
    assert "no theme is called 'chess'" in error_line("puzzles", "--theme", "chess")
    assert "no ruleset is called" in error_line("puzzles", "--rules", "chess")
    assert "no such puzzle" in error_line("puzzles", "--rules", "openspiel")


def test_a_streak_is_not_broken_before_the_day_is_over(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "puzzles.json"
    write_scores(path, PuzzleScores().with_day(DAY, "a", right=True).with_try("b", right=False))
    scores = read_scores(path)
    assert scores.streak(DAY + timedelta(days=1)) == 1
    assert scores.streak(DAY + timedelta(days=2)) == 0
    assert scores.first_tries == {"a": True, "b": False}
    assert scores.with_try("b", right=True).first_tries["b"] is False
