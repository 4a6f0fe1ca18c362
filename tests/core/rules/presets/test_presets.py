"""The presets are the points of the schema that the rule sheets, and the games around them, stand for."""

from itertools import chain, combinations
from pathlib import Path
from typing import Any

import msgspec
import pytest

from liarsdice.core.errors import UnavailableError
from liarsdice.core.rules.overlay import nest, patched, with_changes
from liarsdice.core.rules.parts import Labels, Players
from liarsdice.core.rules.presets import PRESETS, preset, preset_names
from liarsdice.core.rules.presets.games import GAMES
from liarsdice.core.rules.presets.games import SHEETS as RULE_SHEETS
from liarsdice.core.rules.ruleset import Ruleset

Dotted = dict[str, Any]  # field path -> value; the value's type differs by field
GOLDEN = Path(__file__).parents[3] / "golden"
SHEETS: dict[str, Any] = msgspec.json.decode((GOLDEN / "presets.json").read_text())
OPTIONS: dict[str, Dotted] = SHEETS["presets"]["s001"]["options"]
CALLED = {"s000": "chart", "s001": "classic", "s002": "basic", "s003": "mustache", "s004": "official"}


def changed(rules: Ruleset, changes: Dotted) -> Ruleset:
    """Rules with dotted paths set to the values of a file."""
    return with_changes(rules, nest(changes))


def bare(rules: Ruleset) -> Ruleset:
    """Rules without the table's own words, which change no rule."""
    return patched(rules, labels=Labels())


def any_of(options: list[str]) -> list[tuple[str, ...]]:
    sizes = (combinations(options, size) for size in range(len(options) + 1))
    return list(chain.from_iterable(sizes))


def test_the_defaults_are_the_base_of_the_rule_sheets() -> None:
    assert with_changes(Ruleset(), SHEETS["base"]) == Ruleset()


@pytest.mark.parametrize("sheet", CALLED)
def test_a_preset_is_its_rule_sheet(sheet: str) -> None:
    assert bare(preset(sheet).ruleset) == changed(Ruleset(), SHEETS["presets"][sheet]["patch"])


@pytest.mark.parametrize("chosen", any_of(list(OPTIONS)), ids="+".join)
def test_the_options_of_rule_sheet_001_combine_freely(chosen: tuple[str, ...]) -> None:
    wanted = SHEETS["presets"]["s001"]["patch"] | {
        path: value for option in chosen for path, value in OPTIONS[option].items()
    }
    assert bare(preset("+".join(("s001", *chosen))).ruleset) == changed(Ruleset(), wanted)


@pytest.mark.parametrize("chosen", any_of(list(OPTIONS)), ids="+".join)
def test_the_order_in_which_options_are_named_does_not_matter(chosen: tuple[str, ...]) -> None:
    assert preset("+".join(("classic", *reversed(chosen)))) == preset("+".join(("classic", *chosen)))


def test_official_strict_is_rule_sheet_004_read_as_quantity_first() -> None:
    sheet = SHEETS["presets"]["s004"]
    wanted = changed(Ruleset(), sheet["patch"] | sheet["variants"]["strict"])
    assert bare(preset("official-strict").ruleset) == wanted


@pytest.mark.parametrize("sheet, name", CALLED.items())
def test_a_rule_sheet_is_found_by_its_number_and_by_its_name(sheet: str, name: str) -> None:
    assert preset(sheet) == preset(sheet[1:]) == preset(name) == preset(f" {name.upper()} ")
    assert preset(sheet).name == name


SHEDDING = {"loss.shed_by": "all_but_loser", "next_starter.if_eliminated": "next_in_turn"}  # losers are never out
JOKERS = {"wilds.special_is_wild": True, "bidding.special_rank": "not_biddable", "bidding.special_may_open": False}
NEIGHBOURS: dict[str, tuple[str, Dotted]] = {
    "perudo": (
        "s001+aces+palifico+calza",
        {
            "first_starter.method": "high_roll",
            "bidding.to_special": "ceil_half",
            "bidding.from_special": "double_plus_1",
            "bidding.special_may_open": "special_round_only",
            "wilds.suspended_by": ["special_round"],
            "special_round.lock_exempt": "had_special",
            "special_round.min_players": 3,
            "exact_call.in_special_round": False,
            "exact_call.min_players": 3,
            "next_starter.if_eliminated": "next_in_turn",
        },
    ),
    "cacho": (
        "perudo",
        {
            "wilds.suspended_by": ["special_round", "opening_challenge"],
            "loss.opening_factor": 2,
            "exact_call.min_dice": "half",
            "special_round.trigger": "starts_with_one",
            "special_round.repeat": "once_per_player",
            "special_round.lock_exempt": "none",
            "special_round.visibility": "closed",
        },
    ),
    "bluff": ("s000", {"loss.on_exact": "all_but_bidder", "next_starter.rule": "winner", "penalties": []}),
    "red-dead": (
        "s001",
        {
            "exact_call.success_gain": 0,
            "exact_call.others_loss": 1,
            "exact_call.failure_loss": 1,
            "exact_call.next_starter": "rotate",
            "next_starter.rule": "rotate",
            "next_starter.if_eliminated": "next_in_turn",  # rotation never names a player who is out
        },
    ),
    "snyd": ("s002", {}),
    "snyd-joker": ("s002", JOKERS | SHEDDING),
    "snyd-stairs": ("s002", JOKERS | SHEDDING | {"count.hand_bonus": "stairs"}),
    "pirates": ("base", JOKERS | {"bidding.raise": "no_decrease"}),
    "chui-niu": (
        "s002",
        {
            "bidding.special_rank": "top_face",
            "bidding.min_open": "players",
            "wilds.special_is_wild": True,
            "wilds.suspended_by": ["any_bid_on_special"],
        },
    ),
    "bar": (
        "bar-strict",
        {"count.hand_bonus": "alike", "count.all_different": "rolled_again"},
    ),
    "bar-strict": (
        "chui-niu",
        {
            "wilds.suspended_by": [],
            "bidding.to_pure": "same_quantity",
            "bidding.from_pure": "double",
            "bidding.min_open": "players_times_1_5",
            "bidding.min_open_pure": "players",
            "challenge.double": "anyone_but_bidder",
            "challenge.answers": "redouble",
            "loss.lives": "unlimited",
            "next_starter.if_eliminated": "next_in_turn",  # nobody is ever out
            "guards.max_rounds": 20,
        },
    ),
    "joker": ("s002", {"wilds.special_is_wild": True}),
    "openspiel": ("s002", {"dice.special_face": 6, "wilds.special_is_wild": True, "guards.max_rounds": 1}),
}


@pytest.mark.parametrize("name", NEIGHBOURS)
def test_a_well_known_game_is_the_point_that_the_rule_schema_names(name: str) -> None:
    """How many the box seats is no rule of the game, so `players` is left out of it."""
    near, changes = NEIGHBOURS[name]
    wanted = changed(Ruleset() if near == "base" else preset(near).ruleset, changes)
    assert patched(bare(preset(name).ruleset), players=Players()) == patched(bare(wanted), players=Players())


def test_every_preset_stands_for_a_rule_sheet_or_for_a_well_known_game() -> None:
    assert set(preset_names()) == {*CALLED.values(), "official-strict", *NEIGHBOURS}


def test_rule_sheets_are_listed_before_other_games() -> None:
    assert list(PRESETS.values()) == [*RULE_SHEETS, *GAMES]


def test_no_two_presets_share_a_name_or_an_alias() -> None:
    called = [word for name in preset_names() for word in (name, *preset(name).aliases)]
    assert len(called) == len(set(called))


@pytest.mark.parametrize("name", ["", "s005", "classic+", "classic+aces+bogus", "chart+aces", "+aces", "basic,chart"])
def test_an_unknown_name_or_option_is_answered_with_what_there_is(name: str) -> None:
    with pytest.raises(UnavailableError, match=r"there are|it has"):
        preset(name)
