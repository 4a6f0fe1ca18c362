"""Rules from outside are read, or refused with an error of the package; nothing hangs or crashes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from liarsdice.core.actions import Deal
from liarsdice.core.engine.engine import decide, evolve_all, legal, start
from liarsdice.core.errors import MalformedError, RulesetError
from liarsdice.core.events import StarterFound
from liarsdice.core.rules import choices as c
from liarsdice.core.rules.bids import Bid
from liarsdice.core.rules.overlay import with_changes
from liarsdice.core.rules.parts import Bidding, Dice, ExactCall, FirstStarter, Guards, Labels, Loss, Players
from liarsdice.core.rules.presets import preset
from liarsdice.core.rules.ruleset import Ruleset
from liarsdice.core.rules.ruleset_io import find_rules, from_dict, from_json, from_toml, to_json, to_toml
from tests.laws.hostile_input import STRANGE_NUMBERS, any_json, is_accepted

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
    with pytest.raises(MalformedError, match=r"unknown field `base` \(choose: .*, exact_call, extends, "):
        from_toml('base = "perudo"')
    with pytest.raises(MalformedError, match=r"unknown field `base` \(choose: .*, exact_call, first_starter, "):
        with_changes(find_rules("perudo"), {"base": "perudo"})
