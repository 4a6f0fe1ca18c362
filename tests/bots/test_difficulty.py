"""The levels of difficulty: each beats the one below, and a mixture follows its seed."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise

import pytest

from liarsdice.analysis.arena import make_arena
from liarsdice.analysis.parallel import play_deals
from liarsdice.analysis.summary import summarize
from liarsdice.bots.difficulty import REGULAR_NOVICE_SHARE, MixtureBot
from liarsdice.bots.registry import make_bot
from liarsdice.bots.simple.novice import Novice
from liarsdice.bots.simple.threshold import Threshold
from liarsdice.core.engine.view import view
from liarsdice.core.rules.presets import preset
from tests.bots.positions import dealt_state

LADDER = ("novice", "regular", "sharp", "champion")
MIN_WIN_SHARE = 0.55
"""The least share of matches that these few deals have to show; far more show 60% (docs/bot-strength.md)."""


def test_a_regular_plays_as_the_novice_every_other_time() -> None:
    shown = view(dealt_state(preset("perudo").ruleset, ((1, 1, 1, 4, 4), (2, 2, 3, 6, 6))), 0)
    novice_move, threshold_move = Novice().act(shown), Threshold().act(shown)
    assert novice_move != threshold_move
    bot = make_bot("regular", 1)
    answers = Counter(bot.act(shown) for _ in range(1000))
    assert answers.keys() == {novice_move, threshold_move}
    assert answers[novice_move] / 1000 == pytest.approx(REGULAR_NOVICE_SHARE, abs=0.05)


def test_the_same_seed_gives_the_same_decisions() -> None:
    shown = view(dealt_state(preset("perudo").ruleset, ((1, 1, 1, 4, 4), (2, 2, 3, 6, 6))), 0)
    for spec in ("regular", "sharp", "sharp@1"):
        first, second = make_bot(spec, 5), make_bot(spec, 5)
        assert [first.act(shown) for _ in range(20)] == [second.act(shown) for _ in range(20)]


def test_without_a_seed_decisions_differ() -> None:
    shown = view(dealt_state(preset("perudo").ruleset, ((1, 1, 1, 4, 4), (2, 2, 3, 6, 6))), 0)
    for spec in ("regular", "sharp"):
        first, second = make_bot(spec), make_bot(spec)
        assert [first.act(shown) for _ in range(60)] != [second.act(shown) for _ in range(60)]


def test_a_share_of_0_or_1_is_one_of_the_two_bots_alone() -> None:
    shown = view(dealt_state(preset("perudo").ruleset, ((1, 1, 1, 4, 4), (2, 2, 3, 6, 6))), 0)
    assert MixtureBot(Threshold(), Novice(), 0.0, 1).act(shown) == Threshold().act(shown)
    assert MixtureBot(Threshold(), Novice(), 1.0, 1).act(shown) == Novice().act(shown)


@pytest.mark.parametrize("weaker, stronger", list(pairwise(LADDER)))
def test_each_level_beats_the_one_below(weaker: str, stronger: str) -> None:
    arena = make_arena(preset("perudo").ruleset, [stronger], opponents=[weaker], seats=2, seed=11, duplicate=True)
    summary = summarize(arena, list(play_deals(arena, range(100))))
    assert summary.standings[0].win_share > MIN_WIN_SHARE
