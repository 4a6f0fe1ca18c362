"""The options that the `solve` commands share."""

from __future__ import annotations

import math

import pytest

from liarsdice.cli.solve.solve_options import (
    SolveOptions,
    read_dice,
    read_method,
    read_rules,
    require_positive,
    with_starting_dice,
)
from liarsdice.core.errors import MalformedError
from liarsdice.solve.cfr.solver import Method
from liarsdice.solve.game.round_game import RoundStart


def test_options_are_read_as_rules_dice_and_method() -> None:
    options = SolveOptions(rules="perudo", dice="2v1", faces=3, method="CFR+", threads=1)
    assert options.start() == RoundStart((2, 1))
    assert options.read_rules() == read_rules("perudo", 3)
    assert options.read_rules().dice.faces == 3
    assert options.read_method() is Method("cfr+")


@pytest.mark.parametrize("dice", ["", "2", "2v", "0v1", "2x1", "1v1000", "2v1v1"])
def test_dice_are_two_numbers_from_1_to_999(dice: str) -> None:
    with pytest.raises(MalformedError, match="such as 2v1, not"):
        read_dice(dice)


def test_an_unknown_method_is_refused_with_the_known_ones() -> None:
    with pytest.raises(MalformedError, match=r"--method is one of dcfr, cfr\+, pcfr\+, not 'cfr'"):
        read_method("cfr")


def test_a_match_starts_with_the_larger_hand_and_with_two_dice_before_a_special_round() -> None:
    assert with_starting_dice(read_rules("basic", None), RoundStart((1, 3))).dice.per_player == 3
    assert with_starting_dice(read_rules("basic", None), RoundStart((1, 1))).dice.per_player == 1
    assert with_starting_dice(read_rules("mustache", None), RoundStart((1, 1))).dice.per_player == 2


@pytest.mark.parametrize("number", [0, -1.0, math.inf, math.nan])
def test_limits_are_positive_and_finite(number: float) -> None:
    require_positive(target=None, seconds=0.5)
    with pytest.raises(MalformedError, match="--target is a number above 0"):
        require_positive(target=number)
