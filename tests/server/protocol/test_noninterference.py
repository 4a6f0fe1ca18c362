"""Dice in a cup change no byte of what anybody who cannot see them is told, nor of what is logged, until it is lifted.

Two worlds with the same script differ in those dice alone. Updates and answers on the wire, refusals, answers over
HTTP, logs and metrics are compared byte for byte. `--hypothesis-profile=deep` plays thousands of matches.
"""

from __future__ import annotations

import asyncio

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from liarsdice.core.rules.choices import PenaltyTiming, PenaltyTrigger
from liarsdice.core.rules.presets import names, preset
from liarsdice.core.rules.ruleset import Penalty, Ruleset, patched
from liarsdice.server.table.table_config import Clock, Options
from tests.laws.strategies import seeds, tables
from tests.server.houses import options
from tests.server.script import Script
from tests.server.worlds import NAMES, SPECTATOR, STRANGER, World, WorldChances, differences, logs

UNSEATED = {SPECTATOR, STRANGER, "public"}
CLOCK = Clock(turn_s=600, bank_s=60)


async def both(set_up: Options, seats: int, seed: int, eyes: int | None, first_round: int) -> tuple[World, World]:
    """Two worlds that differ, from a round on, in all dice but those in the cup of the seat `eyes` (None: in all)."""
    worlds = []
    for number in range(2):
        with logs() as log:
            world = World(WorldChances(seed, number, eyes, first_round), log)
            await world.open(set_up, seats)
            await Script(seed, seats, first_round).play(world)
            await world.close()
        worlds.append(world)
    return worlds[0], worlds[1]


def told_apart(
    rules: Ruleset, seats: int, seed: int, *, eyes: int | None, first_round: int = 1, hints: bool = False
) -> set[str]:
    """The roles that could tell the two worlds apart."""
    clock = CLOCK if seed % 2 else None
    set_up = options(rules, seats=seats, hints=hints, spectators=bool(seed % 5), clock=clock)
    one, other = asyncio.run(both(msgspec.structs.replace(set_up, listed=True), seats, seed, eyes, first_round))
    return differences(one.told, other.told)


def blind(eyes: int | None) -> set[str]:
    """Those for whom two worlds must be the same."""
    return UNSEATED if eyes is None else {*UNSEATED, NAMES[eyes]}


def penalised(name: str, timing: PenaltyTiming) -> Ruleset:
    """A preset in which questions cost dice, of which most have none."""
    penalties = tuple(Penalty(trigger=trigger) for trigger in PenaltyTrigger)
    return patched(preset(name).ruleset, penalties=penalties, penalty_timing=timing)


@pytest.mark.parametrize("name", names())
def test_in_no_preset_does_a_hidden_die_show(name: str) -> None:
    rules = preset(name).ruleset
    seats = min(rules.players.max or 3, max(3, rules.players.min))
    for eyes in (None, *range(seats)):
        apart = told_apart(rules, seats, len(name), eyes=eyes, hints=eyes == 0)
        assert not apart & blind(eyes), f"{name}, eyes {eyes}"


@given(st.sampled_from(names()), st.sampled_from(PenaltyTiming), seeds, st.data())
def test_a_die_that_a_penalty_takes_from_a_cup_is_not_shown(
    name: str, timing: PenaltyTiming, seed: int, data: st.DataObject
) -> None:
    rules = penalised(name, timing)
    seats = max(rules.players.min, min(rules.players.max or 4, data.draw(st.integers(2, 4))))
    eyes = data.draw(st.none() | st.integers(0, seats - 1))
    apart = told_apart(rules, seats, seed, eyes=eyes, first_round=data.draw(st.integers(1, 2)))
    assert not apart & blind(eyes)


@given(tables(), seeds, st.booleans(), st.data())
def test_by_no_rules_does_a_hidden_die_show(
    table: tuple[Ruleset, int], seed: int, hints: bool, data: st.DataObject
) -> None:
    rules, seats = table
    eyes = data.draw(st.none() | st.integers(0, seats - 1))
    apart = told_apart(rules, seats, seed, eyes=eyes, first_round=data.draw(st.integers(1, 3)), hints=hints)
    assert not apart & blind(eyes)


def test_who_holds_other_dice_is_told_so_and_nobody_else() -> None:
    """That the worlds do differ: without this the others would prove nothing."""
    rules = preset("perudo").ruleset
    for eyes in range(3):
        assert told_apart(rules, 3, 4, eyes=eyes) == {*NAMES[:3]} - {NAMES[eyes]}
    assert told_apart(rules, 3, 4, eyes=None) == {*NAMES[:3]}
