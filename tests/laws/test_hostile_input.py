"""Hostile values for the parsers, which must accept them or refuse them with an error of the package."""

import random
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from liarsdice.core.actions import Deal
from liarsdice.core.bids.notation import notate, parse
from liarsdice.core.engine.engine import decide, evolve_all, legal, match_started, start
from liarsdice.core.errors import LiarsDiceError, MalformedError, NotationError, RecordError, RulesetError
from liarsdice.core.events import StarterFound
from liarsdice.core.records.record import Record, read_record, write_record
from liarsdice.core.rules import choices as c
from liarsdice.core.rules.bids import Bid
from liarsdice.core.rules.overlay import with_changes
from liarsdice.core.rules.parts import Bidding, Dice, ExactCall, FirstStarter, Guards, Labels, Loss, Players
from liarsdice.core.rules.presets import preset
from liarsdice.core.rules.ruleset import Ruleset
from liarsdice.core.rules.ruleset_io import find_rules, from_dict, from_json, from_toml, to_json, to_toml
from liarsdice.testing.scenarios import read_cases, run_case
from tests.laws.random_matches import random_match

any_json = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)
STRANGE_NUMBERS = [
    *("0", "-1", "1e999", "NaN", "1.5", "9" * 25, "9" * 5000),
    *('"1"', "null", "true", "[]", "{}", '"\\ud800"'),
]
"""JSON values that are no sensible number, or none at all."""


def is_accepted(read: Callable[[], object]) -> bool:
    """Whether `read` succeeds; any error other than `LiarsDiceError` fails the test."""
    try:
        read()
    except LiarsDiceError:
        return False
    return True


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


PARTS = tuple(field.encode_name for field in msgspec.structs.fields(Ruleset))
FIELDS = tuple(
    sorted(
        {
            field.encode_name
            for part in (Players, Dice, FirstStarter, Bidding, Loss, ExactCall, Guards, Labels)
            for field in msgspec.structs.fields(part)
        }
    )
)
almost_rules = st.dictionaries(
    st.sampled_from([*PARTS, "extends"]) | st.text(max_size=4),
    st.dictionaries(st.sampled_from(FIELDS), any_json | st.sampled_from(["none", "convert", 10**30, -1]), max_size=3)
    | any_json
    | st.sampled_from(["perudo", "none"]),
    max_size=4,
)


@given(st.text())
def test_any_text_is_rules_or_refused(text: str) -> None:
    is_accepted(lambda: from_toml(text))
    is_accepted(lambda: from_json(text))


@given(almost_rules)
def test_rules_with_anything_in_any_field_are_read_or_refused(plain: Mapping[str, Any]) -> None:
    if is_accepted(lambda: from_dict(plain)):
        rules = from_dict(plain)
        assert from_toml(to_toml(rules)) == from_json(to_json(rules)) == rules
    is_accepted(lambda: from_json(msgspec.json.encode(plain).decode()))


@given(st.data())
def test_rules_with_characters_changed_are_read_or_refused(data: st.DataObject) -> None:
    text = data.draw(st.sampled_from([to_toml(preset("perudo").ruleset), to_json(preset("perudo").ruleset)]))
    place = data.draw(st.integers(0, len(text)))
    cut = data.draw(st.integers(0, 5))
    changed = text[:place] + data.draw(st.text(max_size=3)) + text[place + cut :]
    is_accepted(lambda: from_toml(changed))
    is_accepted(lambda: from_json(changed))


@pytest.mark.parametrize("depth", [*range(10, 1000, 90), *range(900, 1000, 7), 50_000])
def test_rules_nested_deeply_are_refused(depth: int) -> None:
    for opening, closing in (("[", "]"), ('{"dice":', "}"), ('{"extends":[', "]}")):
        assert not is_accepted(lambda text=opening * depth + "1" + closing * depth: from_json(text))  # type: ignore[misc]
    assert not is_accepted(lambda: from_toml("extends = " + "[" * depth + "]" * depth))
    assert not is_accepted(lambda: from_toml("dice = " + "[" * depth + "]" * depth))
    assert not is_accepted(lambda: from_toml("dice" + ".a" * min(depth, 2_000) + " = 1"))


@pytest.mark.parametrize(
    "text",
    [
        '[labels]\ngame = "\ud800"',
        '"\ud800" = 1',
        'extends = "\ud800"',
        "[loss]\nfixed = 1979-05-27",
        "[loss]\nfixed = nan",
        "[loss]\nfixed = 1.0",
        "[loss]\nfixed = true",
        "[loss]\nfixed = " + "9" * 5000,
        '[labels]\ngame = "\\u001b[2J"',
        '[labels]\ngame = "two\\nlines"',
        '[labels]\ngame = ""',
        "[labels]\ngame = " + '"' + "long" * 100 + '"',
        "#" * 200_000,
    ],
)
def test_rules_in_toml_that_no_table_can_play_are_refused(text: str) -> None:
    assert not is_accepted(lambda: from_toml(text))


@pytest.mark.parametrize("number", STRANGE_NUMBERS)
def test_rules_with_a_strange_number_are_refused(number: str) -> None:
    assert not is_accepted(lambda: from_json(f'{{"loss": {{"fixed": {number}}}}}'))


@pytest.mark.parametrize(
    "name", ["\0.toml", "\ud800.toml", "a" * 10_000 + ".json", ".toml", "/", "", "no such file.toml"]
)
def test_a_file_name_that_names_no_rules_is_refused(name: str) -> None:
    assert not is_accepted(lambda: find_rules(name))


ENORMOUS: dict[str, Callable[[int], Ruleset]] = {
    "players.min": lambda size: Ruleset(players=Players(min=size)),
    "players.max": lambda size: Ruleset(players=Players(max=size)),
    "dice.per_player": lambda size: Ruleset(dice=Dice(per_player=size)),
    "dice.faces": lambda size: Ruleset(dice=Dice(faces=size)),
    "first_starter.dice": lambda size: Ruleset(first_starter=FirstStarter(dice=size)),
    "bidding.cap": lambda size: Ruleset(bidding=Bidding(cap=size)),
    "bidding.min_open": lambda size: Ruleset(bidding=Bidding(min_open=size)),
    "bidding.max_open": lambda size: Ruleset(bidding=Bidding(max_open=size)),
    "loss.fixed": lambda size: Ruleset(loss=Loss(fixed=size)),
    "exact_call.success_gain": lambda size: Ruleset(
        exact_call=ExactCall(success_gain=size, gain_cap=None), guards=Guards(max_rounds=9)
    ),
    "guards.max_rounds": lambda size: Ruleset(guards=Guards(max_rounds=size)),
}


@pytest.mark.parametrize("size", [10**7, 10**18, 10**30])
@pytest.mark.parametrize("field", ENORMOUS)
def test_an_enormous_number_in_the_rules_is_refused(field: str, size: int) -> None:
    with pytest.raises(RulesetError, match=field):
        ENORMOUS[field](size)


@pytest.mark.parametrize(
    "rules",
    [
        Ruleset(dice=Dice(per_player=100, faces=100)),
        Ruleset(dice=Dice(faces=100), bidding=Bidding(cap=1000)),
        Ruleset(bidding=Bidding(cap=None, min_open=1000), guards=Guards(max_bids_per_round=1000)),
        Ruleset(bidding=Bidding(cap=None, max_open=1000), guards=Guards(max_bids_per_round=1000)),
        Ruleset(
            dice=Dice(faces=50),
            bidding=Bidding(cap=None, raise_=c.Raise.PRODUCT),
            guards=Guards(max_bids_per_round=1000),
        ),
    ],
    ids=lambda rules: repr(rules)[8:60],
)
def test_the_largest_rules_still_list_their_moves_and_always_have_one(rules: Ruleset) -> None:
    seats = 4
    state = evolve_all(start(rules, tuple("ABCD")[:seats]), [StarterFound(0, c.StarterMethod.CHOSEN)])
    hands = ((1,) * rules.dice.per_player,) * seats
    state = evolve_all(state, decide(state, None, Deal(hands)))
    moves = legal(state)
    assert 0 < len(moves.bids) <= 100_000
    state = evolve_all(state, decide(state, 0, moves.bids[-1]))
    assert legal(state).challengers == (1,)
    assert len(legal(state).bids) <= 100_000


def test_without_a_cap_no_bid_is_so_high_that_listing_the_next_takes_for_ever() -> None:
    rules = Ruleset(bidding=Bidding(cap=None), guards=Guards(max_bids_per_round=100))
    state = evolve_all(start(rules, ("A", "B")), [StarterFound(0, c.StarterMethod.CHOSEN)])
    state = evolve_all(state, decide(state, None, Deal(((1,) * 5, (2,) * 5))))
    for quantity in (10**6, 10**18, 10**100):
        assert not is_accepted(lambda quantity=quantity: decide(state, 0, Bid(quantity, 2)))  # type: ignore[misc]
    while legal(state).bids:
        state = evolve_all(state, decide(state, state.turn, legal(state).bids[-1]))
    assert legal(state).challengers == (state.turn,)


def test_a_file_is_told_of_extends_and_a_change_is_not() -> None:
    with pytest.raises(
        MalformedError, match=r"field 'base', which it may not have \(choose: .*, exact_call, extends, "
    ):
        from_toml('base = "perudo"')
    with pytest.raises(
        MalformedError, match=r"'base', which it may not have \(choose: .*, exact_call, first_starter, "
    ):
        with_changes(find_rules("perudo"), {"base": "perudo"})


@given(st.text(max_size=20) | st.from_regex(r"\s*[0-9]{0,7}\s*[xX×*]?\s*[0-9]{0,7}", fullmatch=True))
def test_any_text_is_a_bid_or_a_call_or_refused(text: str) -> None:
    try:
        action = parse(text)
    except NotationError:
        return
    assert parse(notate(action)) == action


@pytest.mark.parametrize("text", ["", " ", "\0", "٣x٢", "5x", "x4", "5 4", "-1x4", "5x4x3", "9" * 10_000 + "x1", "½x2"])
def test_what_only_looks_like_a_bid_is_refused(text: str) -> None:
    with pytest.raises(NotationError):
        parse(text)


@given(st.lists(st.text(max_size=45), max_size=7))
def test_any_names_are_seated_or_refused(names: list[str]) -> None:
    rules = preset("basic").ruleset
    if is_accepted(lambda: match_started(rules, names)):
        assert 2 <= len(names) <= 5
        assert len(set(names)) == len(names)
        assert all(name.strip() and name.isprintable() and len(name) <= 40 for name in names)


@pytest.mark.parametrize(
    "name", ["", " ", "\t", "a\nb", "\0", "\ud800", "\u202eevil", "\u200b", "x" * 41, "\x1b[31mred"]
)
def test_a_name_that_would_garble_a_screen_is_refused(name: str) -> None:
    with pytest.raises(MalformedError):
        match_started(preset("basic").ruleset, ("Ann", name))


ROUND = {
    "id": "a",
    "kind": "round",
    "preset": "s000",
    "setup": {"players": ["A", "B"], "dice": {"A": [1, 2], "B": [3]}, "starter": "A"},
    "actions": [
        {"by": "A", "do": "bid", "q": 1, "f": 2, "expect": "legal"},
        {"by": "B", "do": "challenge", "expect": "legal"},
    ],
    "expect": {"count": 2},
}
CASES: tuple[dict[str, Any], ...] = (
    ROUND,
    {"id": "b", "kind": "raise", "preset": "s000", "cases": [[[1, 2], [2, 2], True]]},
    {"id": "c", "kind": "min_quantity", "preset": "s000", "cases": [[[10**12, 1], 2, None]]},
    {"id": "d", "kind": "order", "preset": "s000", "ascending": [[1, 2], [2, 2]]},
    {"id": "e", "kind": "first_starter", "preset": "s000", "rolls": [{"A": [1], "B": [2]}], "expect": {"starter": "B"}},
    {"id": "g", "kind": "first_starter", "preset": "s001", "players": ["A"], "chosen": "A", "expect": {"starter": "A"}},
    {"id": "f", "base": "s000", "patch": {"dice.faces": 4}, "expect": "valid"},
)


@given(st.data())
def test_a_scenario_with_anything_in_any_place_passes_or_fails_but_always_answers(data: st.DataObject) -> None:
    case: dict[str, Any] = msgspec.json.decode(msgspec.json.encode(data.draw(st.sampled_from(CASES))))
    inner: Any = case
    while isinstance(inner, (dict, list)) and inner:
        key = data.draw(st.sampled_from(sorted(inner) if isinstance(inner, dict) else list(range(len(inner)))))
        if data.draw(st.booleans()) or not isinstance(inner[key], (dict, list)):
            inner[key] = data.draw(any_json)
            break
        inner = inner[key]
    case["id"] = "x"
    assert isinstance(run_case(case), list)


@given(st.text())
def test_any_text_is_scenarios_or_refused(text: str) -> None:
    is_accepted(lambda: read_cases(text))


@pytest.mark.parametrize("case", CASES, ids=lambda case: str(case["id"]))
def test_the_scenarios_that_are_spoilt_above_can_be_run(case: dict[str, Any]) -> None:
    assert run_case(case) == []
