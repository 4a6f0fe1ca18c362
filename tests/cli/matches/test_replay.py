"""`liarsdice replay`, as it is run."""

import re
import sys
from pathlib import Path

import pytest

from liarsdice.bots.registry import make_bot
from liarsdice.core.engine.engine import match_started
from liarsdice.core.events import Dealt, Event
from liarsdice.core.records.record import write_record
from liarsdice.core.rules.presets import preset
from tests.bots.positions import play_out
from tests.cli.play.line_mode_process import LineModeProcess
from tests.cli.run_cli import error_line, output_of, run_captured, run_cli


def events_of(name: str, seats: int = 3) -> list[Event]:
    referee = play_out(preset(name).ruleset, {seat: make_bot("inference") for seat in range(seats)}, 4)
    return referee.match.events


@pytest.fixture
def record(tmp_path: Path) -> Path:
    """A match of Perudo between Ann, Bo and Cy."""
    path = tmp_path / "match.jsonl"
    path.write_text(write_record(events_of("perudo"), "0.1.0"), encoding="utf-8")
    return path


def test_without_a_terminal_the_whole_match_is_printed_in_sentences(record: Path) -> None:
    lines = output_of("replay", record).splitlines()
    assert lines[0] == "Ann, Bo and Cy play Perudo."
    assert any(re.fullmatch(r"(Ann|Bo|Cy) bids \w+ \w+\.", line) for line in lines)
    assert any(re.fullmatch(r"(Ann|Bo|Cy) bid .+ there w.+, so (Ann|Bo|Cy) loses one die\.", line) for line in lines)
    assert any(re.fullmatch(r"  Ann( [ \[]\d[ \]]?)+", line) for line in lines)
    assert re.fullmatch(r"(Ann|Bo|Cy) wins the match\.", lines[-1])


@pytest.mark.parametrize(
    "name", ["chart", "official", "red-dead", "snyd-stairs", "classic+aces+palifico+calza+reversa"]
)
def test_matches_of_other_games_are_printed_to_the_end(tmp_path: Path, name: str) -> None:
    path = tmp_path / "match.jsonl"
    path.write_text(write_record(events_of(name), "0.1.0"), encoding="utf-8")
    last = output_of("replay", path, "--plain").splitlines()[-1]
    assert re.fullmatch(r"(Ann|Bo|Cy) wins the match\.( Only one player is left, and comes last\.)?", last)


@pytest.mark.parametrize("asked", ["Bo", "2"])
def test_with_a_seat_only_what_it_saw_is_printed(record: Path, asked: str) -> None:
    events = events_of("perudo")
    dealt = next(event for event in events if isinstance(event, Dealt))
    shown = output_of("replay", record, "--seat", asked)
    before_the_reveal = shown[: shown.index("Counted: ")]
    assert f"You roll {' '.join(map(str, dealt.hands[1]))}." in before_the_reveal
    assert not re.search(r"^  (Ann|Bo|Cy)", before_the_reveal, re.MULTILINE)
    assert "Bo " not in "".join(line for line in shown.splitlines() if not line.startswith("  "))


def test_a_match_is_printed_in_another_language(record: Path) -> None:
    lines = output_of("replay", record, "--language", "es", "--seat", "Bo").splitlines()
    assert lines[0] == "Ann, Cy y tú juegan a Perudo."
    assert any(re.fullmatch(r"(Ann|Cy) dice: «¡Dudo!»", line) for line in lines)
    assert not any(re.search(r"\b(bids?|loses?|opens?|Counted)\b", line) for line in lines)


def test_an_unknown_language_is_refused(record: Path) -> None:
    assert "not written in 'tlh' (languages: en, " in error_line("replay", record, "--language", "tlh")


def test_a_match_of_the_program_reads_well_for_every_listener(tmp_path: Path) -> None:
    path = tmp_path / "match.jsonl"
    with LineModeProcess(
        "--rules", "perudo", "--seed", "3", "--seats", "3", "--record", str(path), home=tmp_path
    ) as terminal:
        terminal.play()
    assert "You call: “Dudo!”" in terminal.output
    assert "Player" not in terminal.output
    output = output_of("replay", path)
    assert output.startswith("Player, Ann and Bo play Perudo.")
    assert "Player calls: “Dudo!”" in output
    assert not re.search(r"\b[Yy]ou\b", output)
    assert output_of("replay", path, "--seat", "2").startswith("Player, Bo and you play Perudo.")


def test_hidden_dice_change_nothing_that_is_printed_for_a_seat_before_the_reveal(tmp_path: Path) -> None:
    events = events_of("perudo")
    place = next(at for at, event in enumerate(events) if isinstance(event, Dealt))
    dealt = events[place]
    assert isinstance(dealt, Dealt)
    outputs = []
    for hidden in (dealt.hands[0], (6, 6, 6, 6, 6)):
        path = tmp_path / "round.jsonl"
        broken_off = [*events[:place], Dealt((hidden, *dealt.hands[1:])), *events[place + 1 : place + 4]]
        path.write_text(write_record(broken_off, "0.1.0"), encoding="utf-8")
        outputs.append(output_of("replay", path, "--seat", "Bo"))
    assert outputs[0] == outputs[1]


def test_the_whole_match_on_one_line(record: Path) -> None:
    shown = output_of("replay", record, "--line")
    assert shown.startswith("Ann, Bo, Cy | 1: ")
    assert shown.count("\n") == 1


def test_a_line_is_the_whole_match_and_not_what_one_seat_saw(record: Path) -> None:
    refused = error_line("replay", record, "--line", "--seat", "2")
    assert "--line prints the whole match, so it cannot be combined with --seat" in refused


def at_a_terminal(monkeypatch: pytest.MonkeyPatch, keys: list[str]) -> list[str]:
    """Pretend that somebody sits there and types; the list empties as it is read."""
    monkeypatch.setattr(sys.stdin, "isatty", lambda: True, raising=False)
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True, raising=False)

    def typed(prompt: str) -> str:
        assert prompt.startswith("Enter")
        if not keys:
            raise EOFError
        return keys.pop(0)

    monkeypatch.setattr("builtins.input", typed)
    return keys


def test_at_a_terminal_each_step_waits_for_a_key(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], record: Path
) -> None:
    at_a_terminal(monkeypatch, ["", "q"])
    assert run_cli("replay", record) == 0
    assert len(capsys.readouterr().out.splitlines()) == 2


def test_at_a_terminal_one_can_go_to_the_end_of_the_round_and_of_the_match(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], record: Path
) -> None:
    at_a_terminal(monkeypatch, ["r", "q"])
    assert run_cli("replay", record) == 0
    first = capsys.readouterr().out
    assert first.count("Counted: ") == 1
    assert first.endswith("the next round.\n")
    keys = at_a_terminal(monkeypatch, ["a", "q"])
    assert run_cli("replay", record) == 0
    assert capsys.readouterr().out.endswith("wins the match.\n")
    assert keys == ["q"]


def test_at_a_terminal_the_end_of_the_input_ends_the_replay(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], record: Path
) -> None:
    at_a_terminal(monkeypatch, [])
    assert run_cli("replay", record) == 0
    assert capsys.readouterr().out.startswith("Ann, Bo and Cy play Perudo.\n")


def test_a_broken_record_is_one_line_that_names_the_line(tmp_path: Path) -> None:
    lines = write_record(events_of("perudo"), "0.1.0").splitlines()
    path = tmp_path / "broken.jsonl"
    path.write_text("\n".join([*lines[:6], lines[9], *lines[7:]]), encoding="utf-8")
    assert re.match(r"liarsdice: .*broken\.jsonl: line \d+: ", error_line("replay", path))


@pytest.mark.parametrize("cut", [3, 200])
def test_a_record_that_ends_early_is_told_up_to_its_last_action(record: Path, cut: int) -> None:
    whole = output_of("replay", record)
    record.write_bytes(record.read_bytes()[:-cut])
    status, told, notice = run_captured("replay", record)
    assert (status, whole.startswith(told), told.count("\n") > 10) == (0, True, True)
    assert re.match(r"liarsdice: .*match\.jsonl ends early; left out from its end: an incomplete ", notice)


@pytest.mark.parametrize("asked", ["0", "4", "Zed", "-1"])
def test_a_seat_that_is_not_there_is_refused(record: Path, asked: str) -> None:
    assert "--seat is a player's name (Ann, Bo, Cy) or 1 to 3" in error_line("replay", record, f"--seat={asked}")


def test_a_file_that_is_not_there_is_one_line(tmp_path: Path) -> None:
    assert "cannot read" in error_line("replay", tmp_path / "nothing.jsonl")


def test_a_record_that_could_steer_the_terminal_is_refused(record: Path) -> None:
    text = record.read_text(encoding="utf-8")
    assert "Dudo!" in text
    record.write_text(text.replace("Dudo!", r"\u001b[2J"), encoding="utf-8")
    assert "\x1b" not in error_line("replay", record)


def test_a_seat_number_of_thousands_of_digits_is_refused(tmp_path: Path) -> None:
    record = tmp_path / "match.jsonl"
    record.write_text(write_record([match_started(preset("perudo").ruleset, ("Ann", "Bo"))], "0.1.0"), encoding="utf-8")
    output = error_line("replay", str(record), "--seat", "9" * 5_000)
    assert "--seat is a player's name (Ann, Bo) or 1 to 2, not '999" in output
