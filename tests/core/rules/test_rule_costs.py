"""What a table may cost is bounded by its bids and dice, and the error says how to get below the limit."""

from typing import Any

import pytest

from liarsdice.core.errors import CostlyRulesError, UnavailableError
from liarsdice.core.rules import choices as c
from liarsdice.core.rules.overlay import apply_patch, patched, read_patch
from liarsdice.core.rules.presets import preset, preset_names, simulated_preset_names
from liarsdice.core.rules.presets.games import Changes
from liarsdice.core.rules.rule_costs import (
    check_costs,
    is_learned,
    is_simulated,
    missing_condition,
    require_approximated,
    require_learned,
    require_simulated,
    require_solved,
)
from liarsdice.core.rules.ruleset import Ruleset, checked


def rules_with(changes: dict[str, Any]) -> Ruleset:
    return checked(apply_patch(preset("perudo").ruleset, read_patch(changes)))


ZHAI = {"bidding.to_pure": "one_less", "bidding.special_rank": "top_face", "wilds.suspended_by": []}
ANY_GAIN = {"exact_call.gain_cap": None, "exact_call.success_gain": 100}


@pytest.mark.parametrize(
    "rules, remedy",
    [
        (rules_with({"dice.per_player": 21}), "dice.per_player is 21, but may be at most 20"),
        (patched(preset("perudo").ruleset, dice__faces=21), "dice.faces is 21, but may be at most 20"),
        (rules_with({"bidding.cap": 1_000, "dice.faces": 20, **ZHAI}), "set bidding.cap to 307 or less"),
        (rules_with({"bidding.cap": None, "dice.faces": 20}), "set bidding.cap to 600 or less"),
        (rules_with({"bidding.cap": 1_000}), "set guards.max_bids_per_round to 2000 or less"),
        (rules_with({**ANY_GAIN, "guards.max_rounds": 1_000}), "set exact_call.gain_cap to starting_dice"),
        (rules_with({**ANY_GAIN, "exact_call.budget": 1}), "lower exact_call.success_gain"),
    ],
)
def test_rules_that_cost_more_than_a_table_may_are_refused_with_the_limit_and_what_lowers_the_cost(
    rules: Ruleset, remedy: str
) -> None:
    with pytest.raises(CostlyRulesError, match=remedy):
        check_costs(rules, 6)


@pytest.mark.parametrize("name", preset_names())
def test_every_preset_is_within_the_limits_with_as_many_players_as_there_can_be(name: str) -> None:
    rules = preset(name).ruleset
    check_costs(rules, min(rules.players.max or 10, 10))


def test_house_rules_without_a_limit_on_quantities_or_on_gains_find_a_table() -> None:
    for changes in ({"bidding.cap": None, **ZHAI}, {"exact_call.gain_cap": None}):
        check_costs(rules_with(changes), 6)


def test_all_presets_are_simulated_but_those_of_chile_and_of_bars() -> None:
    assert set(preset_names()) - set(simulated_preset_names()) == {"cacho", "bar", "bar-strict"}


@pytest.mark.parametrize("name", preset_names())
def test_presets_are_refused_by_name_of_a_field_where_they_are_not_simulated(name: str) -> None:
    rules = preset(name).ruleset
    if name in simulated_preset_names():
        assert is_simulated(rules)
        assert missing_condition(rules) is None
        require_simulated(rules, "nothing is refused")
    else:
        assert not is_simulated(rules)
        with pytest.raises(UnavailableError, match=r"^bids are weighed only where .* \(\w+\.\w+ (is|has) "):
            require_simulated(rules, "bids are weighed")


@pytest.mark.parametrize(
    "changes, field",
    [
        ({"loss__opening_factor": 2}, "loss.opening_factor is 2"),
        ({"wilds__suspended_by": (c.SuspendedBy.OPENING_CHALLENGE,)}, "wilds.suspended_by has opening_challenge"),
        ({"exact_call__min_dice": c.MinDice.HALF}, "exact_call.min_dice is half"),
    ],
)
def test_rules_of_cacho_are_not_simulated(changes: Changes, field: str) -> None:
    condition = missing_condition(patched(preset("perudo").ruleset, **changes))
    assert condition is not None
    assert field in condition


def test_a_refusal_names_what_is_possible_where_and_the_field() -> None:
    with pytest.raises(UnavailableError, match=r"^bids are weighed only where the last player with dice wins \(end is"):
        require_simulated(preset("chui-niu+first-out").ruleset, "bids are weighed")


def test_dice_that_differ_by_seat_are_not_simulated() -> None:
    with pytest.raises(UnavailableError, match=r"all dice have as many faces \(dice.faces_by_seat is \(4, 6, 8, 10\)"):
        require_simulated(preset("basic+mixed-dice").ruleset, "matches are simulated")


@pytest.mark.parametrize(
    "name",
    [
        "cacho",
        "perudo+siciliana",
        "chui-niu+fei",
        "chui-niu+four-five-six",
        "chui-niu+five-alike",
        "chui-niu+worthless-different",
        "chui-niu+lives",
        "chui-niu+points",
        "chui-niu+counter-pi",
        "chui-niu+reroll-different",
        "bar",
        "bar-strict",
    ],
)
def test_rules_whose_rounds_of_two_players_the_engine_alone_settles_are_solved(name: str) -> None:
    require_solved(preset(name).ruleset, "rounds are solved")
    assert not is_simulated(preset(name).ruleset)


@pytest.mark.parametrize(
    "name, field",
    [
        ("bluff+show-dice", "bidding.show_dice"),
        ("perudo+pass", "bidding.pass_with"),
        ("chui-niu+reroll-straights", "count.all_different"),
        ("perudo+face-off", "bidding.face_off"),
        ("basic+aetolia", "loss.out_below"),
        ("basic+mixed-dice", "dice.faces_by_seat"),
    ],
)
def test_the_solver_refuses_other_rules_by_the_name_of_a_field(name: str, field: str) -> None:
    with pytest.raises(UnavailableError, match=rf"^rounds are solved only where .* \({field} is "):
        require_solved(preset(name).ruleset, "rounds are solved")


def test_the_solver_refuses_rounds_with_a_pot_by_name() -> None:
    with pytest.raises(UnavailableError, match=r"^rounds are solved only where rounds have no pot \(loss.ante is 1\)"):
        require_solved(patched(preset("basic").ruleset, loss__lives=5, loss__ante=1), "rounds are solved")


@pytest.mark.parametrize("visibility", c.RoundVisibility)
def test_rules_by_which_nobody_sees_their_own_dice_are_refused_by_name(visibility: c.RoundVisibility) -> None:
    rules = patched(preset("basic").ruleset, dice__visibility=visibility)
    for require in (require_simulated, require_solved, require_approximated):
        with pytest.raises(UnavailableError, match=rf"only where players see .* \(dice.visibility is {visibility}\)"):
            require(rules, "rounds are known")


@pytest.mark.parametrize(
    "name, field",
    [
        ("chui-niu+lives", "loss.lives"),
        ("chui-niu+reroll-different", "count.all_different"),
        ("chui-niu+pi", "challenge.double"),
        ("perudo+pass", "bidding.pass_with"),
    ],
)
def test_blueprints_refuse_what_only_the_exact_solver_knows(name: str, field: str) -> None:
    with pytest.raises(UnavailableError, match=rf"^blueprints are computed only where .* \({field} is "):
        require_approximated(preset(name).ruleset, "blueprints are computed")


def test_what_only_three_players_can_meet_keeps_no_round_of_two_from_being_solved() -> None:
    cacho = preset("cacho").ruleset
    with pytest.raises(UnavailableError, match=r"special_round\.trigger is starts_with_one"):
        require_solved(patched(cacho, special_round__min_players=2), "rounds are solved")
    with pytest.raises(UnavailableError, match=r"exact_call\.min_dice is half"):
        require_solved(patched(cacho, exact_call__min_players=2), "rounds are solved")


def test_the_solver_alone_knows_dice_that_count_double() -> None:
    rules = preset("bluff+double").ruleset
    require_solved(rules, "rounds are solved")
    assert missing_condition(rules) == "each die counts once (dice.double is 1)"


def test_the_solver_alone_knows_the_order_of_the_dice_of_a_hand() -> None:
    rules = patched(preset("snyd-stairs+loser-pays").ruleset, count__hand_bonus=c.HandBonus.STAIRS_IN_ORDER)
    require_solved(rules, "rounds are solved")
    condition = "the order of the dice of a hand does not matter (count.hand_bonus is stairs_in_order)"
    assert missing_condition(rules) == condition
    with pytest.raises(UnavailableError, match=r"count\.hand_bonus is stairs_in_order"):
        require_approximated(rules, "blueprints are computed")


def test_rules_by_which_winners_put_dice_away_are_simulated_and_solved_but_not_learned() -> None:
    rules = patched(preset("basic").ruleset, loss__shed_by=c.ShedBy.WINNER)
    require_simulated(rules, "matches are simulated")
    require_solved(rules, "rounds are solved")
    assert not is_learned(rules)
    condition = r"only where the loser of a round loses dice \(loss\.shed_by is winner\)$"
    with pytest.raises(UnavailableError, match=f"^states are judged {condition}"):
        require_learned(rules, "states are judged")
    with pytest.raises(UnavailableError, match=f"^blueprints are computed {condition}"):
        require_approximated(rules, "blueprints are computed")
