"""The levels between a beginner and the champion."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise

import pytest

from liarsdice.analysis.arena import arena
from liarsdice.analysis.parallel import play_deals
from liarsdice.analysis.summary import summary
from liarsdice.bots.difficulty import ODDS_FORGOTTEN, Slipping
from liarsdice.bots.registry import make_bot
from liarsdice.bots.simple.novice import Novice
from liarsdice.bots.simple.threshold import Threshold
from liarsdice.core.engine.view import view
from liarsdice.core.rules.presets import preset
from tests.bots.tables import dealt

LADDER = ("novice", "regular", "sharp", "champion")
STEP = 0.55
"""The least share of matches that these few deals have to show; far more show 60% (docs/strength.md)."""


def test_a_regular_guesses_every_other_time() -> None:
    shown = view(dealt(preset("perudo").ruleset, ((1, 1, 1, 4, 4), (2, 2, 3, 6, 6))), 0)
    guess, odds = Novice().act(shown), Threshold().act(shown)
    assert guess != odds
    bot = make_bot("regular", 1)
    answers = Counter(bot.act(shown) for _ in range(1000))
    assert answers.keys() == {guess, odds}
    assert answers[guess] / 1000 == pytest.approx(ODDS_FORGOTTEN, abs=0.05)


def test_the_same_seed_slips_alike() -> None:
    shown = view(dealt(preset("perudo").ruleset, ((1, 1, 1, 4, 4), (2, 2, 3, 6, 6))), 0)
    for spec in ("regular", "sharp", "sharp@1"):
        left, right = make_bot(spec, 5), make_bot(spec, 5)
        assert [left.act(shown) for _ in range(20)] == [right.act(shown) for _ in range(20)]


def test_without_a_seed_no_two_slip_alike() -> None:
    shown = view(dealt(preset("perudo").ruleset, ((1, 1, 1, 4, 4), (2, 2, 3, 6, 6))), 0)
    for spec in ("regular", "sharp"):
        left, right = make_bot(spec), make_bot(spec)
        assert [left.act(shown) for _ in range(60)] != [right.act(shown) for _ in range(60)]


def test_a_slip_is_all_or_nothing_at_the_ends() -> None:
    shown = view(dealt(preset("perudo").ruleset, ((1, 1, 1, 4, 4), (2, 2, 3, 6, 6))), 0)
    assert Slipping(Threshold(), Novice(), 0.0, 1).act(shown) == Threshold().act(shown)
    assert Slipping(Threshold(), Novice(), 1.0, 1).act(shown) == Novice().act(shown)


@pytest.mark.parametrize("weaker, stronger", list(pairwise(LADDER)))
def test_each_level_beats_the_one_below(weaker: str, stronger: str) -> None:
    contest = arena(preset("perudo").ruleset, [stronger], field=[weaker], seats=2, seed=11, duplicate=True)
    found = summary(contest, list(play_deals(contest, range(100))))
    assert found.standings[0].win_share > STEP
