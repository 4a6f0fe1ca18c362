"""A record that ends early is read up to its last complete action."""

from itertools import pairwise

import pytest

from liarsdice.bots.registry import make_bot
from liarsdice.core.errors import RecordError
from liarsdice.core.records.record import read_record, starts_action, write_record
from liarsdice.core.rules.presets import preset
from liarsdice.play.incomplete_record import complete_actions
from tests.bots.positions import play_out

EVENTS = play_out(preset("mustache").ruleset, {seat: make_bot("inference") for seat in range(3)}, 4).match.events
FINISHED = write_record(EVENTS, "0.1.0").encode()
LINES = FINISHED.splitlines(keepends=True)
BROKEN_OFF = b"".join(LINES[:6])
"""The match, the first starter, the first round and its dice, and two bids."""


@pytest.mark.parametrize(
    "after, expected",
    [
        (b"", None),
        (b"\n \n", "blank lines"),
        (b'{"type', "an incomplete line of 6 bytes"),
        (b"\xff\x00", "an incomplete line of 2 bytes"),
        (b"\n\xff", "an incomplete line of 1 byte and blank lines"),
    ],
)
def test_an_incomplete_or_blank_end_is_cut_and_described(after: bytes, expected: str | None) -> None:
    record, kept, rest = complete_actions(BROKEN_OFF + after)
    assert kept == len(BROKEN_OFF)
    assert list(record.events) == EVENTS[:5]
    assert rest == expected


def test_an_incomplete_action_is_cut_and_described() -> None:
    for stop in range(3, len(LINES)):
        try:
            read_record(b"".join(LINES[:stop]))
        except RecordError:
            record, _, rest = complete_actions(b"".join(LINES[:stop]))
            assert rest == "an incomplete action"
            assert len(record.events) < stop - 1


def test_a_record_cut_anywhere_keeps_every_complete_action() -> None:
    events = read_record(FINISHED).events
    begins = [place for place, event in enumerate(events) if starts_action(event, events[place - 1] if place else None)]
    lines = FINISHED.splitlines(keepends=True)
    ends = [sum(map(len, lines[: place + 1])) for place in [*begins, len(events)]]
    for whole, following in pairwise(ends[:30]):
        for stop in {whole, whole + 1, (whole + following) // 2, following - 1}:
            record, kept, _ = complete_actions(FINISHED[:stop])
            assert kept == whole
            assert record.events == events[: len(record.events)]


def test_a_false_last_line_is_refused_with_its_end_and_without() -> None:
    lines = FINISHED.splitlines(keepends=True)
    for end in (b"\n", b""):
        with pytest.raises(RecordError):
            complete_actions(b"".join(lines[:-1]) + lines[0].rstrip(b"\n") + end)


def test_a_record_that_is_damaged_before_its_end_is_refused() -> None:
    lines = FINISHED.splitlines(keepends=True)
    with pytest.raises(RecordError, match="line 3"):
        complete_actions(b"".join([*lines[:2], b"{}\n", *lines[3:]]))
