"""The summary of an arena: intervals with the right coverage, faults, times, and even results for equal bots."""

from __future__ import annotations

import numpy as np
import pytest

from liarsdice.bots.registry import make_bot
from liarsdice.core.rules.presets import preset
from liarsdice_lab.arena.arena import Arena, DealResult, make_arena, play_deal
from liarsdice_lab.arena.summary import summarize, win_share_intervals

PERUDO = preset("perudo").ruleset


def play_deals_of(arena: Arena, count: int) -> list[DealResult]:
    """Play the first deals of an arena."""
    return [play_deal(arena, number) for number in range(count)]


def test_bots_that_play_alike_are_exactly_even_in_duplicate() -> None:
    arena = make_arena(PERUDO, ["inference", "inference:0.4"], seed=2, duplicate=True)
    summary = summarize(arena, play_deals_of(arena, 12))
    for standing in summary.standings:
        assert standing.win_share == 0.5
        assert standing.win_share_95 == (0.5, 0.5)
        assert standing.mean_place == 1.5


def test_intervals_contain_the_true_share_about_19_times_in_20() -> None:
    generator = np.random.default_rng(3)
    hits = 0
    for _ in range(100):
        is_lucky = generator.random((80, 1)) < 0.5  # half of the deals favour the first bot in every seat
        wins = generator.binomial(4, np.where(is_lucky, 0.9, 0.3)).astype(float)
        low, high = win_share_intervals(np.hstack([wins, 4 - wins]), np.full((80, 2), 4.0))[0]
        hits += low <= 0.6 <= high
    assert 88 <= hits <= 99


def test_the_interval_of_a_bot_that_won_all_or_nothing_is_wilsons() -> None:
    wins = np.array([[2.0, 0.0, 0.0]] * 20)
    first, second, third = win_share_intervals(wins, np.array([[2.0, 2.0, 0.0]] * 20))
    assert first[0] < 0.9
    assert first[1] == 1
    assert second[1] > 0.1
    assert third == (0, 1)


def test_faults_are_counted_for_their_bot_and_described(monkeypatch: pytest.MonkeyPatch) -> None:
    class Silent:
        def act(self, _: object) -> None:
            return None

    monkeypatch.setattr(
        "liarsdice_lab.arena.arena.load_bot",
        lambda spec, seed=None: Silent() if spec == "greedy" else make_bot(spec, seed),
    )
    arena = make_arena(PERUDO, ["inference", "greedy"], seed=1, duplicate=True)
    summary = summarize(arena, play_deals_of(arena, 3))
    assert summary.standings[0].faults == 0
    assert summary.standings[1].faults >= 3 * 2 * 5
    assert summary.standings[1].win_share == 0
    assert len(summary.warnings) == 9
    assert "deal 1, match 1: fault of greedy in round 1: it gave no answer on its turn" in summary.warnings[0]


def test_every_decision_is_timed() -> None:
    arena = make_arena(PERUDO, ["random", "threshold"], seed=1)
    summary = summarize(arena, play_deals_of(arena, 4))
    for standing in summary.standings:
        assert standing.decisions > 10
        assert standing.median_ms is not None
        assert standing.p99_ms is not None
        assert 0 < standing.median_ms <= standing.p99_ms
