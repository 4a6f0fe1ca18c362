"""Dice that can be checked: the same seeds give the same match, and any change is found."""

import re

import pytest

from liarsdice import __version__
from liarsdice.core.errors import IllegalActionError, RecordError
from liarsdice.core.records.record import read_record, write_record
from liarsdice.core.rules.presets import preset
from liarsdice.play.dealer import Dealer
from liarsdice.play.match import Match
from liarsdice.play.provable_dice import Derived, verify
from tests.play.fair_matches import FAIRNESS, SEED, played


@pytest.mark.parametrize("rules", ["perudo", "mustache", "official", "basic", "snyd-stairs"])
def test_every_die_of_a_match_follows_from_its_seeds(rules: str) -> None:
    checked = verify(read_record(played(rules)))
    assert checked.rounds > 1
    assert checked.dice > 15


def test_dice_are_spread_evenly_over_faces_that_do_not_divide_256() -> None:
    drawn = Derived(FAIRNESS).draws("spread", 6, 60_000)
    assert set(drawn) == set(range(6))
    assert all(abs(drawn.count(side) - 10_000) < 500 for side in range(6))


def test_a_seed_other_than_the_promised_one_is_found() -> None:
    with pytest.raises(RecordError, match="not the one that it promised"):
        verify(read_record(played("perudo").replace(SEED, "beef" * 16)))


def test_a_players_seed_changes_the_dice_and_its_change_is_found() -> None:
    with pytest.raises(RecordError, match="the seeds give"):
        verify(read_record(played("perudo").replace('"a1"', '"a2"')))


def test_a_changed_die_is_found_and_named() -> None:
    lines = played("official").splitlines()
    place = next(number for number, line in enumerate(lines) if '"starter_rolled"' in line)
    rolled = re.search(r"\[\[(\d)", lines[place])
    assert rolled is not None
    other = int(rolled[1]) - 1 or 2
    lines[place] = lines[place].replace(f"[[{rolled[1]}", f"[[{other}", 1)
    with pytest.raises(RecordError):
        verify(read_record("\n".join(lines)))


def test_a_record_without_seeds_says_that_it_cannot_be_checked() -> None:
    text = "\n".join(line for line in played("basic").splitlines() if "liarsdice_fairness" not in line)
    with pytest.raises(RecordError, match="no seeds"):
        verify(read_record(text))


def test_a_player_may_be_called_like_a_line_of_the_record() -> None:
    match = Match(preset("basic").ruleset, ("liarsdice_fairness", "Bo"), Dealer(1))
    assert read_record(write_record(match.events, __version__)).fairness is None


@pytest.mark.parametrize("below", [0, 257])
def test_more_values_than_a_byte_has_are_refused_and_not_looked_for_without_end(below: int) -> None:
    with pytest.raises(IllegalActionError, match="not below"):
        Derived(FAIRNESS).draws("many", below, 1)
