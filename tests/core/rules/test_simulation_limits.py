"""Rules that the simulator does not know are refused with the field that is otherwise."""

import pytest

from liarsdice.core.errors import UnavailableError
from liarsdice.core.rules.presets import preset, preset_names
from liarsdice.core.rules.simulation_limits import missing_condition, require_simulated


@pytest.mark.parametrize("name", preset_names())
def test_every_preset_is_simulated(name: str) -> None:
    assert missing_condition(preset(name).ruleset) is None
    require_simulated(preset(name).ruleset, "nothing is refused")


def test_a_refusal_names_what_is_possible_where_and_the_field() -> None:
    with pytest.raises(UnavailableError, match=r"^bids are weighed only where the last player with dice wins \(end is"):
        require_simulated(preset("chui-niu+first-out").ruleset, "bids are weighed")
