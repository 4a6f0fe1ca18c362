"""Provable dice: the same seeds give the same match, and verification finds any change."""

import re

import pytest

from liarsdice.core.errors import IllegalActionError, RecordError
from liarsdice.core.records.record import read_record, write_record
from liarsdice.core.rules.presets import preset
from liarsdice.play.match import Dealer, Match
from liarsdice.play.provable_dice import HmacSource, commitment_to, verify_dice
from liarsdice.version import __version__
from tests.play.provable_matches import ANNS_SEED, FAIRNESS, SEED, provable_record


@pytest.mark.parametrize(
    "rules",
    [
        "perudo",
        "mustache",
        "official",
        "basic",
        "snyd-stairs",
        "chui-niu+reroll-different",
        "bluff+show-dice",
        "basic+mixed-dice",
        "chui-niu+counter-pi",
    ],
)
def test_every_die_of_a_match_follows_from_its_seeds(rules: str) -> None:
    check = verify_dice(read_record(provable_record(rules)))
    assert check.rounds > 1
    assert check.dice > 15


def test_numbers_are_uniform_where_their_count_does_not_divide_256() -> None:
    numbers = HmacSource(FAIRNESS, "").draw_integers("spread", 6, 60_000)
    assert set(numbers) == set(range(6))
    assert all(abs(numbers.count(number) - 10_000) < 500 for number in range(6))


def test_a_server_seed_that_does_not_match_the_commitment_is_found() -> None:
    with pytest.raises(RecordError, match="not the one that it promised"):
        verify_dice(read_record(provable_record("perudo").replace(SEED, "beef" * 16)))


def test_a_players_seed_changes_the_dice_and_its_change_is_found() -> None:
    other_seed = provable_record("perudo").replace(ANNS_SEED, "a2" * 32)
    other_promise = other_seed.replace(commitment_to(ANNS_SEED), commitment_to("a2" * 32))
    with pytest.raises(RecordError, match="the seeds give"):
        verify_dice(read_record(other_promise))
    with pytest.raises(RecordError, match="seat 1 is not the one that its player promised"):
        verify_dice(read_record(other_seed))


def test_dice_of_an_unknown_protocol_are_not_verified() -> None:
    with pytest.raises(RecordError, match="protocol 2; this program checks 1"):
        verify_dice(read_record(provable_record("perudo").replace('"protocol":1', '"protocol":2')))


def test_a_changed_die_is_found() -> None:
    lines = provable_record("official").splitlines()
    place = next(number for number, line in enumerate(lines) if '"starter_rolled"' in line)
    rolled = re.search(r"\[\[(\d)", lines[place])
    assert rolled is not None
    other = int(rolled[1]) - 1 or 2
    lines[place] = lines[place].replace(f"[[{rolled[1]}", f"[[{other}", 1)
    with pytest.raises(RecordError):
        verify_dice(read_record("\n".join(lines)))


def test_a_record_without_seeds_cannot_be_verified() -> None:
    text = "\n".join(line for line in provable_record("basic").splitlines() if "liarsdice_fairness" not in line)
    with pytest.raises(RecordError, match="no seeds"):
        verify_dice(read_record(text))


def test_a_player_may_have_the_name_of_a_line_of_the_record() -> None:
    match = Match(preset("basic").ruleset, ("liarsdice_fairness", "Bo"), Dealer(1))
    assert read_record(write_record(match.events, __version__)).fairness is None


@pytest.mark.parametrize("below", [0, 257])
def test_a_range_larger_than_a_byte_is_refused(below: int) -> None:
    with pytest.raises(IllegalActionError, match="not below"):
        HmacSource(FAIRNESS, "").draw_integers("many", below, 1)
