"""Odds of bids on sums, compared with all rolls."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import pytest

from liarsdice.core.bids.odds import odds, p_sum_at_least, p_true, sum_distribution
from liarsdice.core.errors import MalformedError
from liarsdice.core.rules.bids import SUM_FACE, Bid
from liarsdice.core.rules.presets import preset

RULES = preset("perudo+face-off").ruleset


@pytest.mark.parametrize(
    "hand, unseen", [((), ()), ((4,), ((1, 6),)), ((), ((1, 4), (1, 6))), ((2, 5), ((2, 3), (1, 4)))]
)
def test_the_distribution_is_that_of_all_rolls(hand: tuple[int, ...], unseen: tuple[tuple[int, int], ...]) -> None:
    dice = [range(1, faces + 1) for count, faces in unseen for _ in range(count)]
    sums = [sum(hand) + sum(roll) for roll in product(*dice)]
    assert sum_distribution(hand, unseen) == tuple(sums.count(total) for total in range(max(sums) + 1))
    for total in range(max(sums) + 2):
        assert p_sum_at_least(total, hand, unseen) == pytest.approx(sum(s >= total for s in sums) / len(sums))


def test_odds_of_a_sum_go_by_the_own_die_and_the_faces_of_the_other() -> None:
    found = odds(RULES, Bid(7, SUM_FACE), (4,), (1,), wilds_count=False)
    assert (found.p_true, found.p_exact, found.expected) == (Fraction(4, 6), Fraction(1, 6), Fraction(15, 2))
    assert odds(RULES, Bid(7, SUM_FACE), (4,), (1,), wilds_count=False, faces=(4,)).p_true == Fraction(1, 2)
    assert p_true(RULES, Bid(5, SUM_FACE), (4,), (1,), wilds_count=True) == 1.0
    assert p_true(RULES, Bid(11, SUM_FACE), (4,), (1,), wilds_count=True) == 0.0


def test_there_are_none_by_rules_without_sums_or_of_impossible_dice() -> None:
    with pytest.raises(MalformedError):
        odds(preset("perudo").ruleset, Bid(7, SUM_FACE), (4,), (1,), wilds_count=False)
    with pytest.raises(MalformedError):
        p_true(RULES, Bid(7, SUM_FACE), (4,), (1,), wilds_count=False, faces=(0,))
    with pytest.raises(MalformedError):
        sum_distribution((), ((-1, 6),))
