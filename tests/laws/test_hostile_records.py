"""Records from outside are read, or refused with the line that is wrong; nothing hangs or crashes."""

from __future__ import annotations

import random
from functools import cache

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from liarsdice.core.errors import RecordError
from liarsdice.core.records.record import Record, read_record, write_record
from liarsdice.core.rules.ruleset_io import find_rules
from tests.laws.hostile_input import STRANGE_NUMBERS, any_json
from tests.laws.random_matches import random_match


@cache
def a_record() -> str:
    """The record of a short match by rules with exact calls, special rounds, penalties and directions."""
    rules = find_rules("classic+aces+palifico+calza+reversa")
    return write_record(random_match(rules, 3, 7, 60).events, "1")


def reread(text: str | bytes) -> Record | None:
    try:
        return read_record(text)
    except RecordError:
        return None


def test_a_record_cut_at_any_line_is_a_shorter_match_or_refused() -> None:
    lines = a_record().splitlines(keepends=True)
    whole = read_record(a_record()).events
    for count in range(len(lines) + 1):
        record = reread("".join(lines[:count]))
        assert record is None or record.events == whole[: count - 1]


def test_a_record_cut_at_any_byte_is_a_shorter_match_or_refused() -> None:
    raw = a_record().encode()
    whole = read_record(raw).events
    ends = {place for place, byte in enumerate(raw) if byte == 0x0A}
    for place in sorted({*range(0, len(raw), 23), *(end + shift for end in ends for shift in (-1, 0, 1))}):
        record = reread(raw[:place])
        assert record is None or record.events == whole[: len(record.events)]


def test_a_record_with_lines_swapped_doubled_or_left_out_is_refused_or_replays() -> None:
    lines = a_record().splitlines(keepends=True)
    rng = random.Random(1)
    for _ in range(120):
        shuffled = list(lines)
        one, other = rng.randrange(len(lines)), rng.randrange(len(lines))
        change = rng.choice(("swap", "double", "drop"))
        if change == "swap":
            shuffled[one], shuffled[other] = shuffled[other], shuffled[one]
        elif change == "double":
            shuffled.insert(other, shuffled[one])
        else:
            del shuffled[one]
        record = reread("".join(shuffled))
        if record is not None:
            assert write_record(record.events, record.engine) == "".join(shuffled)


@given(st.data())
def test_a_record_with_a_field_changed_is_refused_or_replays(data: st.DataObject) -> None:
    lines = a_record().splitlines()
    place = data.draw(st.integers(0, len(lines) - 1))
    event = msgspec.json.decode(lines[place])
    field = data.draw(st.sampled_from(sorted(event)))
    event[field] = data.draw(any_json | st.sampled_from([-1, 99, 10**30, [[1]], [[7] * 5] * 3]))
    try:
        lines[place] = msgspec.json.encode(event).decode()
    except (OverflowError, UnicodeEncodeError):
        return
    record = reread("\n".join(lines) + "\n")
    if record is not None:
        assert reread(write_record(record.events, record.engine)) == record


@pytest.mark.parametrize("number", STRANGE_NUMBERS)
@pytest.mark.parametrize("field", ["seat", "quantity", "face", "format"])
def test_a_record_with_a_strange_number_is_refused(field: str, number: str) -> None:
    lines = a_record().splitlines()
    place = next(place for place, line in enumerate(lines) if f'"{field}":' in line)
    start_of, _, rest = lines[place].partition(f'"{field}":')
    kept = rest.lstrip("0123456789")
    lines[place] = f'{start_of}"{field}":{number}{kept}'
    with pytest.raises(RecordError, match=r"line \d+|format"):
        read_record("\n".join(lines))


@pytest.mark.parametrize(
    "text",
    [
        "",
        "\n",
        "\0",
        "{}",
        "[]",
        "null",
        "\ud800",
        "{" * 5000,
        '{"a":' * 5000,
        '{"record":"liarsdice_record"}',
        "\r" * 99,
    ],
)
def test_what_is_no_record_is_refused(text: str) -> None:
    with pytest.raises(RecordError):
        read_record(text)


def test_a_record_of_rules_that_cannot_be_played_is_refused_by_its_line() -> None:
    lines = a_record().splitlines()
    lines[1] = lines[1].replace('"per_player":5', '"per_player":0')
    with pytest.raises(RecordError, match="line 2: "):
        read_record("\n".join(lines))


@given(st.binary() | st.text().map(lambda text: text.encode(errors="replace")))
def test_any_bytes_are_a_record_or_refused(raw: bytes) -> None:
    assert reread(raw) is None
    assert reread(a_record().encode() + raw + b"x") is None
