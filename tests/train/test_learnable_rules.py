"""Which rules a run may learn, and under which ones the newest champion may take part with its rounds."""

from __future__ import annotations

from pathlib import Path

import pytest

from liarsdice.core.errors import LiarsDiceError, UnavailableError
from liarsdice.train.config import check_learnable, check_rounds_known, input_digests, load_config
from liarsdice.train.model import WHOLE_CHAMPION


@pytest.mark.parametrize(
    "rules_text, complaint",
    [
        ("[dice]\nfaces = 8", "neural bots know dice of up to 6 faces, not 8"),
        ("[players]\nmin = 9\nmax = 12", "networks learn at tables of up to 8, not of 9"),
    ],
)
def test_rules_that_networks_cannot_play_are_refused(rules_text: str, complaint: str, tmp_path: Path) -> None:
    rules = tmp_path / "house.toml"
    rules.write_text(f'extends = "openspiel"\n{rules_text}\n')
    with pytest.raises(LiarsDiceError, match=complaint):
        check_learnable(str(rules))
    with pytest.raises(LiarsDiceError, match=complaint):
        load_config(tmp_path, None, {"rules": (str(rules),)})


@pytest.mark.parametrize("changes", [{"opponents": (WHOLE_CHAMPION,)}, {"ends_with_two": True}])
def test_the_newest_champion_takes_no_part_where_rounds_depend_on_earlier_ones(
    changes: dict[str, object], tmp_path: Path
) -> None:
    check_rounds_known("openspiel")
    config = load_config(tmp_path, None, {"rules": ("openspiel",), **changes})
    assert WHOLE_CHAMPION not in input_digests(config)
    complaint = "cannot be an opponent or end matches under mustache: rounds of two players depend on"
    with pytest.raises(UnavailableError, match=complaint):
        load_config(tmp_path, None, {"rules": ("openspiel", "mustache"), **changes})
