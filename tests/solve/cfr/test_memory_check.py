"""Rounds that need more memory than there is are refused before anything is allocated."""

from __future__ import annotations

import pytest

from liarsdice.core.errors import UnavailableError
from liarsdice.core.rules.presets import preset
from liarsdice.solve.cfr.solver import Method, make_tree_that_fits
from liarsdice.solve.game.round_game import RoundStart, count_bid_sequences, make_round_game


def test_a_round_that_does_not_fit_into_memory_is_refused_with_one_that_does() -> None:
    table = make_round_game(preset("openspiel").ruleset, RoundStart((2, 2)))
    assert count_bid_sequences(table) == 2**24
    with pytest.raises(UnavailableError, match=r"2v2 needs 0\.6 GiB of memory and 0\.0 are free; 1v2 fits"):
        make_tree_that_fits(table, Method.DCFR, free=20_000_000)
    with pytest.raises(UnavailableError, match=r"5v5 has 1\.2e\+18 public nodes, more than any memory holds; 1v2 fits"):
        make_tree_that_fits(
            make_round_game(preset("openspiel").ruleset, RoundStart((5, 5))), Method.DCFR, free=20_000_000
        )
