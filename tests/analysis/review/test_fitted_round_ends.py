"""The values of round ends under rules that are not simulated."""

from __future__ import annotations

import numpy as np
import pytest

from liarsdice.analysis.fitted_values import sampled_matches
from liarsdice.analysis.fitted_values.fitted import fitted_values
from liarsdice.analysis.review.fitted_round_ends import FITTED_ERROR, FittedRoundEndValues
from liarsdice.bots.round_end import RoundEnd
from liarsdice.core.rules.presets import preset

NONE, NEVER = (0, 0), (False, False)
GOES_ON = RoundEnd((3, 1), 1, -1, 1, NONE, NEVER, 2, None)
OVER = RoundEnd((0, 0), -1, -1, 1, NONE, NEVER, 0, (False, True))


@pytest.fixture
def values(monkeypatch: pytest.MonkeyPatch) -> FittedRoundEndValues:
    monkeypatch.setattr(sampled_matches, "MIN_MATCHES", 20)
    monkeypatch.setattr(sampled_matches, "MIN_STATES", 100)
    fitted_values.cache_clear()
    return FittedRoundEndValues(preset("chui-niu+lives").ruleset, 2)


def test_the_end_of_a_match_is_certain_and_the_rest_is_not(values: FittedRoundEndValues) -> None:
    shares, variances = values.shares([GOES_ON, OVER]), values.variances([GOES_ON, OVER])
    assert shares[1].tolist() == [0.0, 1.0]
    assert variances[1].tolist() == [0.0, 0.0]
    assert shares[0].sum() == pytest.approx(1)
    assert shares[0, 0] > 0.65
    assert np.allclose(variances[0], FITTED_ERROR**2)
    fitted_values.cache_clear()
