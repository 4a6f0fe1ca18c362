"""Rules that the simulator does not know are refused with the field that is otherwise."""

import pytest

from liarsdice.core.errors import UnavailableError
from liarsdice.core.rules import choices as c
from liarsdice.core.rules.overlay import patched
from liarsdice.core.rules.presets import preset, preset_names, simulated_preset_names
from liarsdice.core.rules.presets.preset import Changes
from liarsdice.core.rules.rule_costs import (
    is_simulated,
    missing_condition,
    require_approximated,
    require_simulated,
    require_solved,
)


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
        ("perudo+face-off", "bidding.face_off"),
        ("basic+aetolia", "loss.out_below"),
        ("basic+mixed-dice", "dice.faces_by_seat"),
    ],
)
def test_the_solver_refuses_other_rules_by_the_name_of_a_field(name: str, field: str) -> None:
    with pytest.raises(UnavailableError, match=rf"^rounds are solved only where .* \({field} is "):
        require_solved(preset(name).ruleset, "rounds are solved")


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
