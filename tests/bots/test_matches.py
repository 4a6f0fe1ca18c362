"""Every built-in bot plays every ruleset to its end without a fault."""

from __future__ import annotations

import pytest
from hypothesis import given, settings

from liarsdice.bots.registry import bot_names, make_bot
from liarsdice.core.records.record import verify_events
from liarsdice.core.rules.presets import preset, preset_names
from liarsdice.core.rules.ruleset import Ruleset
from tests.bots.positions import play_out
from tests.laws.random_rulesets import seeds, tables

WITH_OPTIONS = (
    "classic+aces+palifico+calza+reversa",
    "perudo+obligo-closed+siciliana+half-calza",
    "perudo+obligo-open",
    "perudo+declared-palifico",
    "perudo+obligo-chosen",
    "perudo+face-off",
)


@pytest.mark.parametrize("bot", bot_names())
@pytest.mark.parametrize("seats", [2, 3, 5])
@pytest.mark.parametrize("name", [*preset_names(), *WITH_OPTIONS])
def test_a_match_in_every_preset_ends_without_a_fault(name: str, seats: int, bot: str) -> None:
    rules = preset(name).ruleset
    for seed in range(3):
        referee = play_out(rules, {seat: make_bot(bot, f"{seed}/{seat}") for seat in range(seats)}, seed)
        assert referee.faults == []
        assert referee.match.is_over
        assert verify_events(referee.match.events) == referee.match.state


@pytest.mark.parametrize("name", preset_names())
def test_different_bots_in_one_match_play_without_a_fault(name: str) -> None:
    rules = preset(name).ruleset
    for specs in (bot_names(), bot_names()[::-1]):
        table = specs[: rules.players.max or len(specs)]
        referee = play_out(rules, {seat: make_bot(bot, seat) for seat, bot in enumerate(table)})
        assert referee.faults == []


@settings(max_examples=60)
@given(tables(), seeds)
def test_bots_play_any_valid_rules_to_their_end(table: tuple[Ruleset, int], seed: int) -> None:
    rules, seats = table
    specs = bot_names()
    bots = {seat: make_bot(specs[(seat + seed) % len(specs)], f"{seed}/{seat}") for seat in range(seats)}
    referee = play_out(rules, bots, seed)
    assert referee.faults == []
    assert referee.match.is_over
