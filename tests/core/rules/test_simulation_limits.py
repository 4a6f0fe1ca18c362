"""Rules that the simulator does not know are refused with the field that is otherwise."""

import pytest

from liarsdice.core.errors import UnavailableError
from liarsdice.core.rules import choices as c
from liarsdice.core.rules import loss_choices as lc
from liarsdice.core.rules.overlay import patched
from liarsdice.core.rules.presets import preset, preset_names
from liarsdice.core.rules.presets.preset import Changes
from liarsdice.core.rules.simulation_limits import missing_condition, require_simulated


@pytest.mark.parametrize("name", preset_names())
def test_every_preset_is_simulated(name: str) -> None:
    assert missing_condition(preset(name).ruleset) is None
    require_simulated(preset(name).ruleset, "nothing is refused")


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
