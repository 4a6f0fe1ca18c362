"""The parts of a result for each player, and turning points."""

from __future__ import annotations

import pytest

from liarsdice.analysis.luck import ChangeCause, MatchAccount, WinPoint, match_account
from liarsdice.analysis.review.parts import (
    JUDGE_ERRORS,
    MAX_TURNING_POINTS,
    USUAL_LUCK,
    DiceStep,
    dice_step,
    parts_of,
    result_account,
    turning_points,
)
from liarsdice.analysis.state_valuer import StateValuer
from liarsdice.core.errors import UnfinishedError
from liarsdice.core.rules.presets import preset
from liarsdice.play.match_runner import play_match


@pytest.fixture(scope="module")
def account() -> MatchAccount:
    match = play_match(preset("perudo").ruleset, ["threshold", "novice", "random"], seed=1)
    return match_account(match.events, StateValuer(1, deals=50))


def test_the_parts_of_each_player_are_the_result(account: MatchAccount) -> None:
    for parts in parts_of(account, preset("perudo").ruleset):
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


def test_turning_points_of_a_player_are_the_largest_changes_of_that_players_share(account: MatchAccount) -> None:
    for seat in range(3):
        sizes = [abs(point.shares[seat] - point.expected[seat]) for point in account.win_line]
        places = turning_points(account.win_line, seat)
        assert places == tuple(sorted(sorted(range(len(sizes)), key=lambda place: -sizes[place])[: len(places)]))


def test_the_account_of_a_record_has_the_parts_and_a_line_from_equal_shares_to_the_result() -> None:
    match = play_match(preset("basic").ruleset, ["threshold", "random"], seed=3)
    account = result_account(match.events)
    assert account.win_line[0].shares == (0.5, 0.5)
    assert account.win_line[-1].shares == tuple(parts.result for parts in account.parts)
    assert len(account.turning_points) == 2
    with pytest.raises(UnfinishedError, match="not over"):
        result_account(match.events[:5])


def _size(point: WinPoint) -> float:
    return max(abs(after - before) for after, before in zip(point.shares, point.expected, strict=True))
