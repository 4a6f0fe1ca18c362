"""The parts of a result for each player, and turning points."""

from __future__ import annotations

import pytest

from liarsdice.analysis.luck import ChangeCause, MatchAccount, StateValuer, WinPoint, match_account
from liarsdice.analysis.review.parts import (
    JUDGE_ERRORS,
    MAX_TURNING_POINTS,
    USUAL_LUCK,
    DiceStep,
    dice_step,
    parts_of,
    turning_points,
)
from liarsdice.core.rules.presets import preset
from liarsdice.play.match_runner import play_match


@pytest.fixture(scope="module")
def account() -> MatchAccount:
    match = play_match(preset("perudo").ruleset, ["threshold", "novice", "random"], seed=1)
    return match_account(match.events, StateValuer(1, deals=50))


def test_the_parts_of_each_player_are_the_result(account: MatchAccount) -> None:
    for parts in parts_of(account):
        total = parts.start + parts.luck + parts.own_play + parts.others_play
        assert total == pytest.approx(parts.result, abs=1e-9)
        assert parts.luck_error >= JUDGE_ERRORS[3]
        assert parts.dice is dice_step(parts.luck / USUAL_LUCK[3])


def test_luck_is_told_in_coarse_steps() -> None:
    assert [dice_step(luck) for luck in (-2, -1, 0.4, 1, 2)] == [
        DiceStep.MUCH_HARSHER,
        DiceStep.HARSHER,
        DiceStep.EVEN,
        DiceStep.KINDER,
        DiceStep.MUCH_KINDER,
    ]


def test_turning_points_are_the_largest_changes_in_their_order(account: MatchAccount) -> None:
    places = turning_points(account.win_line)
    assert list(places) == sorted(places)
    assert 0 < len(places) <= MAX_TURNING_POINTS
    sizes = [_size(point) for point in account.win_line]
    assert min(sizes[place] for place in places) >= max(size for place, size in enumerate(sizes) if place not in places)


def test_a_line_without_large_changes_has_no_turning_points() -> None:
    point = WinPoint(ChangeCause.ROLL, 1, None, None, (0.51, 0.49), (0.5, 0.5), (0.0, 0.0))
    assert turning_points([point]) == ()


def _size(point: WinPoint) -> float:
    return max(abs(after - before) for after, before in zip(point.shares, point.expected, strict=True))
