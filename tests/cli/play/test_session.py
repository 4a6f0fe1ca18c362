"""The command `play`: its options, who sits at the table, and what comes next in a match."""

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from liarsdice.cli.arguments import PlayOptions
from liarsdice.cli.play.match_driver import MatchDriver, NextStep
from liarsdice.cli.play.saved_match import (
    BOT_NAMES,
    DEFAULT_BOTS,
    Seats,
    assign_seats,
    default_seats,
    make_bots,
    replace_bots,
)
from liarsdice.cli.play.session import MENU, Session, menu_line
from liarsdice.core.actions import Challenge
from liarsdice.core.errors import IllegalActionError, LiarsDiceError, MalformedError, UnavailableError
from liarsdice.core.events import BidMade
from liarsdice.core.records.record import read_record
from liarsdice.core.rules.bids import Bid
from liarsdice.core.rules.presets import preset, preset_names
from liarsdice.play.player_names import InvalidNameError
from tests.cli.play.line_mode_process import PATIENCE_S, LineModeProcess


def test_the_end_of_the_input_saves_the_match_and_says_how_to_resume(tmp_path: Path) -> None:
    with LineModeProcess("--seed", "1", home=tmp_path) as terminal:
        terminal.play(answers=2)
        assert terminal.close_input() == 0
        assert terminal.output.endswith("The match is saved. To continue it: liarsdice play --resume\n")


def test_a_closed_output_ends_the_program_without_a_traceback(tmp_path: Path) -> None:
    with LineModeProcess("--seed", "1", "--rules", "chart", "--seats", "2", home=tmp_path) as terminal:
        terminal.read_prompt()
        terminal.process.stdout.close()
        terminal.send("help")
        assert terminal.wait() == 1


def test_a_rematch_has_a_record_of_its_own(tmp_path: Path) -> None:
    record = tmp_path / "tonight.jsonl"
    options = ("--seed", "1", "--rules", "openspiel", "--seats", "2", "--record", str(record))
    with LineModeProcess(*options, home=tmp_path) as terminal:
        terminal.play()
        terminal.send("y")
        terminal.play()
        terminal.send("n")
        assert terminal.close_input() == 0
    assert record.exists()
    assert (tmp_path / "tonight-2.jsonl").exists()


def test_rematches_of_a_series_are_counted_to_its_end_and_into_the_next_one(tmp_path: Path) -> None:
    options = ("--seed", "1", "--rules", "openspiel", "--seats", "2", "--best-of", "3")
    with LineModeProcess(*options, home=tmp_path) as terminal:
        for _ in range(4):
            terminal.play()
            terminal.send("y")
        terminal.close_input()
    found = re.findall(r"^Best of 3: You (\d), .+ (\d)\.(.*)$", terminal.output, re.MULTILINE)
    scores = [(int(own), int(other)) for own, other, _ in found]
    last = next(number for number, score in enumerate(scores) if max(score) == 2)
    assert [sum(score) for score in scores[:4]] == [*range(1, last + 2), *range(1, 4 - last)]
    assert [text != "" for *_, text in found[: last + 1]] == [False] * last + [True]
    assert ("You win the series." if scores[last][0] == 2 else " wins the series.") in found[last][2]


def test_first_rolls_seat_the_players_and_their_wins_anew_for_every_match(tmp_path: Path) -> None:
    rules = tmp_path / "seats.toml"
    rules.write_text("first_starter = { method = 'seated_by_roll' }", encoding="utf-8")
    record = tmp_path / "match.jsonl"
    options = PlayOptions(rules=str(rules), seats=4, bots="random,regular,greedy", seed=1, name="Ann", record=record)
    driver = (session := Session(options)).start()
    orders = []
    for _ in range(4):
        names = driver.view.names
        bots = {name: spec for name, spec in zip(names, driver.seats.bots, strict=True) if spec}
        assert names[driver.you] == "Ann"
        assert sorted(bots.values()) == ["greedy", "random", "regular"]
        orders.append(names)
        session.wins = [len(name) for name in names]
        driver = session.rematch(driver)
        assert session.wins == [len(name) for name in driver.view.names]
        assert {name: spec for name, spec in zip(driver.view.names, driver.seats.bots, strict=True) if spec} == bots
    assert len(set(orders)) > 1


def test_the_same_seed_deals_the_same_dice(tmp_path: Path) -> None:
    heard = []
    for _ in range(2):
        with LineModeProcess("--seed", "4", "--rules", "chart", home=tmp_path) as terminal:
            terminal.play(answers=3)
            heard.append(terminal.output.partition("To see the match on one line")[0])
    assert heard[0] == heard[1]


@pytest.mark.parametrize(
    "arguments, message",
    [
        (["--rules", "nonsense"], "no ruleset is called 'nonsense'"),
        (["--rules", "house.toml", "--seats", "9"], "seats 3 to 7 players, not 9"),
        (["--best-of", "4"], "a series is the best of 3, 5 or 7 matches, or 1 for none, not of 4"),
        (["--seats", "40"], "a table has at most 20 seats, not 40"),
        (["--bots", "nobody"], "no bot is called 'nobody'"),
        (["some.jsonl"], "liarsdice play --resume some.jsonl"),
        (["--resume", "--seed", "1"], "--resume continues the match as it is; leave out --seed"),
        (["--resume"], "there is no unfinished match in"),
        (["--resume", "missing.jsonl"], "cannot open missing.jsonl"),
        (["--record", "/nowhere/at/all.jsonl"], "cannot open /nowhere/at/all.jsonl"),
        (["--name", "Ann\x07"], "printable characters"),
        (["--name", "you"], "a player cannot be called 'you'"),
    ],
)
def test_what_cannot_be_played_is_refused_in_one_line(arguments: list[str], message: str, tmp_path: Path) -> None:
    house = tmp_path / "house.toml"
    house.write_text("players = { min = 3, max = 7 }", encoding="utf-8")
    arguments = [str(house) if argument == "house.toml" else argument for argument in arguments]
    with LineModeProcess(*arguments, home=tmp_path) as terminal:
        assert terminal.close_input() == 2
    assert message in terminal.output
    assert terminal.output.count("\n") == 1


def test_help_is_shown_without_loading_a_screen() -> None:
    script = "import sys; from liarsdice.cli.app import app; sys.exit(bool({'textual', 'rich'} & sys.modules.keys()))"
    assert subprocess.run([sys.executable, "-c", script], check=False, timeout=PATIENCE_S).returncode == 0


PERUDO = preset("perudo").ruleset


def test_the_human_has_the_first_seat_and_bots_repeat_until_all_seats_are_taken() -> None:
    seats, names = assign_seats(PERUDO, "Tim", ["random", "greedy"], 4, "7")
    assert seats == Seats(0, ("", "random", "greedy", "random"), "7")
    assert names == ["Tim", *BOT_NAMES[:3]]


def test_the_number_of_seats_follows_from_the_bots_or_from_the_rules() -> None:
    assert len(assign_seats(PERUDO, "Tim", ["random", "greedy"], None, "7")[1]) == 3
    assert len(assign_seats(PERUDO, "Tim", [], None, "7")[1]) == 4
    assert assign_seats(PERUDO, "Tim", [], None, "7")[0].bots[1:] == DEFAULT_BOTS


def test_no_bot_has_the_name_of_the_human() -> None:
    assert assign_seats(PERUDO, "ann", [], 2, "7")[1] == ["ann", BOT_NAMES[1]]


def test_no_bot_has_a_name_that_looks_like_the_humans() -> None:
    assert assign_seats(PERUDO, "\u0410nn", [], 2, "7")[1] == ["\u0410nn", BOT_NAMES[1]]


@pytest.mark.parametrize("name", ["", "A\u200bnn", "A\u202enn"])
def test_a_human_has_a_name_that_everybody_can_see(name: str) -> None:
    with pytest.raises(InvalidNameError, match="all of them visible"):
        assign_seats(PERUDO, name, [], 2, "7")


def test_a_human_called_you_too_many_seats_and_an_unknown_bot_are_refused() -> None:
    with pytest.raises(MalformedError, match="cannot be called 'YOU'"):
        assign_seats(PERUDO, "YOU", [], 2, "7")
    with pytest.raises(UnavailableError, match="at most 20 seats, not 21"):
        assign_seats(PERUDO, "Tim", [], 21, "7")
    with pytest.raises(LiarsDiceError, match="no bot is called 'nobody'"):
        assign_seats(PERUDO, "Tim", ["nobody"], 2, "7")


def test_other_bots_take_over_the_seats_of_bots_only() -> None:
    seats = Seats(1, ("random", "", "random", "greedy"), "7")
    assert replace_bots(seats, ["threshold", "greedy"]) == Seats(1, ("threshold", "", "greedy", "threshold"), "7")


def test_a_record_without_seats_has_the_human_first_and_the_default_bots() -> None:
    assert default_seats(["Tim", "Ann", "Bo"], "7") == Seats(0, ("", DEFAULT_BOTS[1], DEFAULT_BOTS[2]), "7")


def test_every_seat_but_the_humans_gets_a_bot() -> None:
    assert set(make_bots(Seats(1, ("random", "", "greedy"), "7"), 0)) == {0, 2}


def test_the_menu_describes_every_preset() -> None:
    assert [rules for rules in MENU if "+" not in rules] == list(preset_names())
    assert all(len(menu_line(rules)) <= 67 for rules in MENU)  # a line of the menu, 80 columns wide


@pytest.fixture
def driver(tmp_path: Path) -> Iterator[MatchDriver]:
    """A match of the chart rules against a random bot, before the first roll."""
    options = PlayOptions(rules="chart", seats=2, bots="random", seed=1, record=tmp_path / "match.jsonl")
    driver = Session(options).start()
    yield driver
    driver.close()


def play_to_own_turn(driver: MatchDriver) -> None:
    while driver.next_step not in {NextStep.OWN_TURN, NextStep.OVER}:
        match driver.next_step:
            case NextStep.BOTS:
                driver.bots_act()
            case NextStep.CALL_OUT_OF_TURN:
                driver.let_bid_stand()
            case _:
                driver.deal()


def test_a_match_begins_with_the_dealer_and_comes_to_the_humans_turn(driver: MatchDriver) -> None:
    assert driver.next_step is NextStep.DEAL
    play_to_own_turn(driver)
    assert driver.view.on_turn


def test_each_step_is_saved_before_it_is_returned(driver: MatchDriver) -> None:
    play_to_own_turn(driver)
    bid = Bid(9, 6)
    events = driver.act(bid)
    assert events == [BidMade(0, bid)]
    assert driver.events[-1] == BidMade(0, bid)
    saved = read_record(driver.path.read_bytes())
    assert saved.events[-1] == BidMade(0, bid)
    assert len(saved.events) == len(driver.events)


def test_an_illegal_move_changes_nothing(driver: MatchDriver) -> None:
    play_to_own_turn(driver)
    events, record = list(driver.events), driver.path.read_bytes()
    with pytest.raises(IllegalActionError) as caught:
        driver.act(Bid(1, 9))
    assert "names face 9" in driver.error_text(caught.value)
    assert (driver.events, driver.path.read_bytes()) == (events, record)


def test_the_human_is_addressed_as_you_in_refusals(driver: MatchDriver) -> None:
    assert driver.error_text(IllegalActionError("Player may not bid: wait")) == "you may not bid: wait"
    assert driver.error_text(IllegalActionError("bid 1x2 is too low")) == "bid 1x2 is too low"


def test_a_match_driven_to_its_end_is_over(driver: MatchDriver) -> None:
    for _ in range(500):
        if driver.next_step is NextStep.OVER:
            break
        play_to_own_turn(driver)
        if driver.next_step is NextStep.OWN_TURN:
            driver.act(Challenge() if driver.view.may_challenge else driver.view.may_bid[0])
    assert driver.next_step is NextStep.OVER
    assert driver.view.winners
    assert read_record(driver.path.read_bytes()).state.winners == driver.view.winners
