"""Every bot plays every ruleset to its end, by the rules."""

from __future__ import annotations

import pytest
from hypothesis import given, settings

from liarsdice.bots.registry import make_bot, names
from liarsdice.core.records.record import rejudge
from liarsdice.core.rules.presets import names as preset_names
from liarsdice.core.rules.presets import preset
from liarsdice.core.rules.ruleset import Ruleset
from tests.bots.tables import played_out
from tests.laws.strategies import seeds, tables

OPTIONS = ("classic+aces+palifico+calza+reversa",)


@pytest.mark.parametrize("bot", names())
@pytest.mark.parametrize("seats", [2, 3, 5])
@pytest.mark.parametrize("name", [*preset_names(), *OPTIONS])
def test_a_match_in_every_preset_ends_without_a_fault(name: str, seats: int, bot: str) -> None:
    rules = preset(name).ruleset
    for seed in range(3):
        referee = played_out(rules, {seat: make_bot(bot, f"{seed}/{seat}") for seat in range(seats)}, seed)
        assert referee.faults == []
        assert referee.match.over
        assert rejudge(referee.match.events) == referee.match.state


@pytest.mark.parametrize("name", preset_names())
def test_different_bots_at_one_table_play_without_a_fault(name: str) -> None:
    rules = preset(name).ruleset
    for kinds in (names(), names()[::-1]):
        seated = kinds[: rules.players.max or len(kinds)]
        referee = played_out(rules, {seat: make_bot(bot, seat) for seat, bot in enumerate(seated)})
        assert referee.faults == []


@settings(max_examples=60)
@given(tables(), seeds)
def test_bots_play_any_valid_rules_to_their_end(table: tuple[Ruleset, int], seed: int) -> None:
    rules, seats = table
    kinds = names()
    bots = {seat: make_bot(kinds[(seat + seed) % len(kinds)], f"{seed}/{seat}") for seat in range(seats)}
    referee = played_out(rules, bots, seed)
    assert referee.faults == []
    assert referee.match.over
