"""Blueprint files: what is written is read again, and damage is noticed."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from liarsdice.core.errors import MalformedError, UnavailableError
from liarsdice.core.rules.bids import Bid
from liarsdice.solve.blueprint.packed_blueprint import read_blueprints, write_blueprints
from liarsdice.solve.game.round_game import RoundStart
from tests.solve.blueprint.trained_rounds import make_graph, trained

BLUEPRINT = trained(make_graph("perudo", (2, 1), 3), 30).blueprint(0.02)


def test_a_file_gives_the_same_play_wherever_its_player_comes(tmp_path: Path) -> None:
    path = tmp_path / "small.ldb"
    write_blueprints(path, BLUEPRINT.graph.game.rules, [BLUEPRINT], "1.0")
    file = read_blueprints(path)
    assert file.ruleset() == BLUEPRINT.graph.game.rules
    again = file.blueprint(RoundStart((2, 1)))
    assert again is not None
    for bids in ([], [Bid(1, 2)], [Bid(2, 3)]):
        np.testing.assert_allclose(again.decision(bids).probs, BLUEPRINT.decision(bids).probs)
    assert file.blueprint(RoundStart((1, 2))) is None


@pytest.mark.parametrize(
    "content, message",
    [(b"something else entirely, of any length", "no blueprint file"), (b"liarsdice blueprint 1\nshort", "damaged")],
)
def test_other_and_damaged_files_are_refused(tmp_path: Path, content: bytes, message: str) -> None:
    path = tmp_path / "bad.ldb"
    path.write_bytes(content)
    with pytest.raises(MalformedError, match=message):
        read_blueprints(path)


def test_a_missing_file_is_reported(tmp_path: Path) -> None:
    with pytest.raises(UnavailableError, match="cannot read"):
        read_blueprints(tmp_path / "none.ldb")
