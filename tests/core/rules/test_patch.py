"""Changes to rules come from anywhere: they are read with care, and bring along what they cannot do without."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from liarsdice.core.errors import LiarsDiceError, MalformedError, RulesetError, UnavailableError
from liarsdice.core.rules import choices as c
from liarsdice.core.rules.patch import KINDS, laid_over
from liarsdice.core.rules.presets import names, preset
from liarsdice.core.rules.ruleset import ExactCall, Penalty
from liarsdice.server.http.schemas import RulesForm
from liarsdice.server.rules.rules_api import rules_seen, ruleset_of


@pytest.mark.parametrize("name", names())
def test_a_preset_without_changes_is_itself(name: str) -> None:
    rules = preset(name).ruleset
    assert ruleset_of(name, {}) == rules
    assert ruleset_of(name, {"dice.per_player": rules.dice.per_player}) == rules
    assert ruleset_of("basic", msgspec.to_builtins(rules)) == rules


def test_changes_are_plain_values_by_path() -> None:
    rules = ruleset_of(
        "perudo",
        {
            "dice.per_player": 6,
            "exact_call": None,
            "wilds.suspended_by": ["any_bid_on_special"],
            "penalties": [{"trigger": "asks_dice_left", "dice": 2}],
            "players.max": "none",
            "bidding.raise": "no_decrease",
        },
    )
    assert rules.dice.per_player == 6
    assert rules.exact_call is None
    assert rules.wilds.suspended_by == (c.SuspendedBy.ANY_BID_ON_SPECIAL,)
    assert rules.penalties == (Penalty(trigger=c.PenaltyTrigger.ASKS_DICE_LEFT, dice=2),)
    assert rules.bidding.raise_ is c.Raise.NO_DECREASE


def test_a_change_inside_an_optional_part_brings_the_part() -> None:
    call = ruleset_of("classic", {"exact_call.who": "anyone_but_bidder"}).exact_call
    assert call == ExactCall(who=c.WhoCalls.ANYONE_BUT_BIDDER)


@pytest.mark.parametrize("off", [None, False, "none"])
def test_a_part_that_is_taken_away_takes_its_fields_along(off: object) -> None:
    changes = {"exact_call": off, "exact_call.budget": 3}
    assert ruleset_of("perudo", changes).exact_call is None
    assert ruleset_of("classic", changes).exact_call is None


def test_an_exact_call_comes_with_the_last_round_that_it_needs() -> None:
    rules = ruleset_of("classic", {"exact_call": True})
    assert rules == msgspec.structs.replace(ruleset_of("classic+calza", {}), labels=preset("classic").ruleset.labels)
    with pytest.raises(RulesetError, match="match need not end"):
        ruleset_of("classic", {"exact_call": True, "guards.max_rounds": None})


def test_what_means_nothing_beside_the_other_rules_is_dropped() -> None:
    plain = ruleset_of("perudo", {"wilds.special_is_wild": False, "bidding.special_rank": "plain"})
    assert plain.wilds.suspended_by == ()
    assert (plain.bidding.to_special, plain.bidding.from_special) == (None, None)
    assert ruleset_of("classic", {"bidding.to_special": "ceil_half"}) == preset("classic").ruleset


def test_choices_that_do_not_work_together_are_refused() -> None:
    with pytest.raises(RulesetError, match="loop"):
        ruleset_of("perudo", {"bidding.raise": "product"})


@pytest.mark.parametrize(
    "name", ["house.toml", "/etc/passwd", "../rules.json", "perudo.toml", "", "nope", "classic+nope", "x" * 10_000]
)
def test_a_name_is_never_a_file(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "house.toml").write_text('extends = "perudo"')
    monkeypatch.chdir(tmp_path)
    with pytest.raises(UnavailableError):
        ruleset_of(name, {})
    with pytest.raises(UnavailableError):
        rules_seen(RulesForm(rules=name))


def nested(depth: int) -> Any:  # noqa: ANN401  a list in a list, and so on
    value: Any = 1
    for _ in range(depth):
        value = [value]
    return value


@pytest.mark.parametrize(
    "changes",
    [
        {"dice.sides": 6},
        {"dice": 6},
        {"dice": {"sides": 6}},
        {"dice": None},
        {"exact_call": 3},
        {"exact_call": {"who": {"who": "next_player"}}},
        {"": 1},
        {"__class__": 1},
        {"dice.per_player.x": 1},
        {"x" * 100_000: 1},
        {"dice.per_player": "six"},
        {"dice.per_player": True},
        {"dice.per_player": 5.5},
        {"dice.per_player": float("nan")},
        {"dice.per_player": None},
        {"dice.per_player": 10**5000},
        {"dice.per_player": nested(100_000)},
        {"dice": nested(100_000)},
        {"penalties": nested(100_000)},
        {"penalties": [{"trigger": "asks_dice_left", "dice": 10**5000}]},
        {"penalties": [{"trigger": "asks_dice_left"}] * 1000},
        {"dice.faces": 100},
        {"bidding.raise": "sideways"},
        {"bidding.special_may_open": 3},
        {"labels.game": "x" * 1000},
        {"labels.game": "\ud800"},
        {"labels.game": 3},
        {f"dice.x{number}": number for number in range(101)},
    ],
)
def test_what_cannot_be_read_is_refused_in_a_short_line(changes: dict[str, object]) -> None:
    with pytest.raises(MalformedError) as refusal:
        ruleset_of("classic", changes)
    assert 0 < len(str(refusal.value)) < 400
    with pytest.raises(MalformedError):
        rules_seen(RulesForm(changes=changes))


def test_a_wrong_path_is_told_the_nearest() -> None:
    with pytest.raises(MalformedError, match=r"no rule is called 'dice.perplayer' \(did you mean dice.per_player\?\)"):
        ruleset_of("classic", {"dice.perplayer": 6})


@pytest.mark.parametrize("label", ["", " ", "x" * 41, "a\nb"])
def test_a_label_is_one_to_forty_printable_characters(label: str) -> None:
    with pytest.raises(RulesetError, match=r"labels\.game"):
        ruleset_of("classic", {"labels.game": label})


@given(st.dictionaries(st.sampled_from([*KINDS, "exact_call", "special_round"]), st.from_type(object) | st.text()))
def test_anything_is_rules_or_one_of_our_errors(changes: dict[str, object]) -> None:
    try:
        rules = ruleset_of("perudo", changes)
    except LiarsDiceError:
        return
    assert laid_over(rules, {}) is not None
