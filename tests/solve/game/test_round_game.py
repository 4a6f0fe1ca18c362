"""Rounds as arrays: which situations are told apart, and which rules are refused."""

from __future__ import annotations

import pytest

from liarsdice.core.errors import MalformedError, UnavailableError
from liarsdice.core.rules.choices import FromSpecial, SpecialRank, ToSpecial
from liarsdice.core.rules.overlay import patched
from liarsdice.core.rules.parts import Bidding, Guards
from liarsdice.core.rules.presets import preset
from liarsdice.solve.cfr.solver import Solver, solve
from liarsdice.solve.game.round_game import RoundStart, make_round_game, with_faces
from tests.solve.sequence_form import SequenceForm
from tests.solve.solved_rounds import make_tree


def test_where_bids_may_not_be_repeated_situations_differ_by_all_bids_made() -> None:
    rules = patched(
        with_faces(preset("joker").ruleset, 3),
        bidding=Bidding(
            special_rank=SpecialRank.CONVERT,
            to_special=ToSpecial.CEIL_HALF,
            from_special=FromSpecial.DOUBLE,
            special_may_open=False,
            min_open=2,
            no_repeat=True,
        ),
        guards=Guards(max_bids_per_round=20),
    )
    result = solve(Solver(make_tree(rules, (1, 1))), target=1e-3, iterations=5_000)
    assert result.low - 1e-6 <= SequenceForm(rules, RoundStart((1, 1))).value() <= result.high + 1e-6


def test_rounds_without_an_end_or_dice_are_refused_with_the_reason() -> None:
    with pytest.raises(UnavailableError, match="grows like a factorial"):
        make_round_game(preset("official").ruleset, RoundStart((1, 1)))
    with pytest.raises(MalformedError, match="two players with dice"):
        make_round_game(preset("basic").ruleset, RoundStart((0, 1)))
