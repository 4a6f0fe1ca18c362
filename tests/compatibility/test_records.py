"""Match records that version 0.1.0 wrote are read to the same matches, and their dice are verified."""

from __future__ import annotations

import json
from typing import get_args

import msgspec
import pytest
from typer.testing import CliRunner

from liarsdice.cli.app import app
from liarsdice.core.bids.match_notation import notate_match
from liarsdice.core.events import Event
from liarsdice.core.records.record import read_record
from liarsdice.play.provable_dice import verify_dice
from tests.compatibility.readings import FILES, expected, lost, plain_views

EXPECTED = expected("records")
RECORDS = FILES / "records"


def lines_of(name: str) -> list[str]:
    return (RECORDS / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()


LATER_EVENTS = {
    *("lives_lost", "lives_gained", "rolled_again", "special_declared", "kind_chosen", "passed", "pass_challenged"),
    *("doubled", "double_answered"),
}
"""The kinds of events that version 0.1.0 did not write."""


def test_the_records_hold_every_kind_of_event() -> None:
    stored = {json.loads(line).get("type") for name in EXPECTED for line in lines_of(name)}
    assert stored - {None} == {kind.__struct_config__.tag for kind in get_args(Event)} - LATER_EVENTS


@pytest.mark.parametrize("name", EXPECTED)
def test_a_record_is_read_to_the_same_match(name: str) -> None:
    record = read_record((RECORDS / f"{name}.jsonl").read_bytes())
    assert record.engine == EXPECTED[name]["engine"]
    assert len(record.events) == EXPECTED[name]["events"]
    assert notate_match(record.events) == EXPECTED[name]["one_line"]


@pytest.mark.parametrize("name, count", [(name, count) for name in EXPECTED for count in EXPECTED[name]["after"]])
def test_every_seat_sees_the_same_after_so_many_lines(name: str, count: str) -> None:
    record = read_record("\n".join(lines_of(name)[: int(count)]))
    assert plain_views(record.state) == EXPECTED[name]["after"][count]


@pytest.mark.parametrize("name", EXPECTED)
def test_no_field_of_an_event_is_lost(name: str) -> None:
    stored = [json.loads(line) for line in lines_of(name) if '"record"' not in line]
    events = read_record("\n".join(lines_of(name))).events
    rewritten = [json.loads(msgspec.json.encode(event)) for event in events]
    assert lost(stored, rewritten) == []


def test_the_line_about_provable_dice_is_read() -> None:
    fairness = read_record("\n".join(lines_of("fair"))).fairness
    assert fairness is not None
    assert EXPECTED["fair"]["fairness"] == {
        "protocol": fairness.protocol,
        "code": fairness.code,
        "match": fairness.number,
        "commitment": fairness.commitment,
        "server_seed": fairness.server_seed,
        "seeds": list(fairness.seeds),
    }


def test_provable_dice_are_verified() -> None:
    checked = verify_dice(read_record("\n".join(lines_of("fair"))))
    assert EXPECTED["fair"]["verified"] == {"dice": checked.dice, "rolls": checked.rolls, "rounds": checked.rounds}


@pytest.mark.parametrize(
    "command, name, told",
    [
        (["verify"], "fair", "31 dice in 7 rolls"),
        (["replay", "--line"], "perudo", EXPECTED["perudo"]["one_line"]),
        (["replay", "--plain", "--seat", "Bo"], "house", "Bo"),
    ],
)
def test_commands_read_a_record(command: list[str], name: str, told: str) -> None:
    ran = CliRunner().invoke(app, [*command, str(RECORDS / f"{name}.jsonl")], catch_exceptions=False)
    assert ran.exit_code == 0
    assert told in ran.stdout
