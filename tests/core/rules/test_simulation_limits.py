"""Rules that the simulator does not know are refused with the field that is otherwise."""

import pytest

from liarsdice.core.errors import UnavailableError
from liarsdice.core.rules import choices as c
from liarsdice.core.rules import loss_choices as lc
from liarsdice.core.rules.overlay import patched
from liarsdice.core.rules.presets import preset, preset_names, simulated_preset_names
from liarsdice.core.rules.presets.preset import Changes
from liarsdice.core.rules.simulation_limits import is_simulated, missing_condition, require_simulated


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
        ({"exact_call__min_dice": lc.MinDice.HALF}, "exact_call.min_dice is half"),
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
