"""Hidden dice change no byte of what people who cannot see them receive, nor of logs and metrics, until the reveal.

The same script is played at two tables that differ in hidden dice only. Updates, answers, errors, HTTP responses, logs
and metrics are compared byte for byte. `--hypothesis-profile=deep` plays thousands of matches.
"""

import asyncio
import itertools

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from liarsdice.core.events import Event, Passed, SpecialDeclared
from liarsdice.core.rules.choices import PassHand, PenaltyTiming, PenaltyTrigger, RoundVisibility, Visibility
from liarsdice.core.rules.meaning import sheds
from liarsdice.core.rules.overlay import patched
from liarsdice.core.rules.parts import Penalty
from liarsdice.core.rules.presets import preset, preset_names
from liarsdice.core.rules.ruleset import Ruleset
from liarsdice.server.table.table_config import Clock, TableConfig
from tests.laws.random_rulesets import seeds, tables
from tests.server.live_tables import make_config
from tests.server.random_script import RandomScript
from tests.server.twin_tables import (
    NAMES,
    OPTIONAL_RULES,
    SPECTATOR,
    STRANGER,
    TwinDiceSource,
    TwinTable,
    captured_logs,
    differences,
)

UNSEATED = {SPECTATOR, STRANGER, "public"}
CLOCK = Clock(turn_s=600, bank_s=60)


async def play_at_both(
    config: TableConfig, seats: int, seed: int, observer: int | None, first_round: int
) -> tuple[TwinTable, TwinTable]:
    """Two tables whose dice differ, from a round on, in all hands but the observer's (None: in all hands)."""
    twins = []
    for number in range(2):
        with captured_logs() as log:
            twin = TwinTable(TwinDiceSource(seed, number, observer, first_round), log)
            await twin.open(config, seats)
            await RandomScript(seed, seats, first_round).play(twin)
            await twin.close()
        twins.append(twin)
    return twins[0], twins[1]


def roles_that_differ(
    rules: Ruleset,
    seats: int,
    seed: int,
    *,
    observer: int | None,
    first_round: int = 1,
    hints: bool = False,
    open_cups: bool = False,
) -> set[str]:
    """The roles that could tell the two tables apart."""
    clock = CLOCK if seed % 2 else None
    config = make_config(rules, seats=seats, hints=hints, open_cups=open_cups, spectators=bool(seed % 5), clock=clock)
    listed = msgspec.structs.replace(config, listed=True)
    first, second = asyncio.run(play_at_both(listed, seats, seed, observer, first_round))
    return differences(first.received, second.received)


def must_not_differ(observer: int | None) -> set[str]:
    """The roles that must receive the same at both tables."""
    return UNSEATED if observer is None else {*UNSEATED, NAMES[observer]}


def penalised(name: str, timing: PenaltyTiming) -> Ruleset:
    """A preset with house penalties."""
    penalties = tuple(Penalty(trigger=trigger) for trigger in PenaltyTrigger)
    return patched(preset(name).ruleset, penalties=penalties, penalty_timing=timing)


@pytest.mark.parametrize("name", [*preset_names(), *OPTIONAL_RULES])
def test_hidden_dice_stay_secret_under_every_preset(name: str) -> None:
    rules = preset(name).ruleset
    seats = min(rules.players.max or 3, max(3, rules.players.min))
    for observer in (None, *range(seats)):
        apart = roles_that_differ(rules, seats, len(name), observer=observer, hints=observer == 0)
        assert not apart & must_not_differ(observer), f"{name}, observer {observer}"


@pytest.mark.parametrize("visibility", [*Visibility, *RoundVisibility])
def test_dice_that_players_may_not_look_at_stay_secret(visibility: Visibility | RoundVisibility) -> None:
    """With two dice each, every loss brings a special round at first."""
    group = "dice" if isinstance(visibility, RoundVisibility) else "special_round"
    changes = {"dice__per_player": 2, "special_round__min_players": 2, f"{group}__visibility": visibility}
    rules = patched(preset("perudo").ruleset, **changes)
    for observer, first_round in itertools.product((None, 0, 1, 2), (2, 3)):
        apart = roles_that_differ(rules, 3, 11, observer=observer, first_round=first_round, hints=True)
        assert not apart & must_not_differ(observer), f"observer {observer} from round {first_round}"


@pytest.mark.parametrize("kind", [Passed, SpecialDeclared])
def test_hidden_dice_stay_secret_when_players_pass_and_declare_rounds(kind: type[Event]) -> None:
    passes = patched(preset("perudo+pass").ruleset, bidding__pass_with=(PassHand.ALIKE,), bidding__pass_dice=2)
    declared = patched(preset("perudo+declared-palifico").ruleset, special_round__min_players=2)
    rules = patched(passes if kind is Passed else declared, dice__per_player=2)
    config = make_config(rules, seats=3, hints=True)
    happened = 0
    for observer, seed in itertools.product((None, 0, 1, 2), range(3)):
        first, second = asyncio.run(play_at_both(config, 3, seed, observer, 2))
        happened += sum(isinstance(event, kind) for event in first.events())
        assert not differences(first.received, second.received) & must_not_differ(observer)
    assert happened


LOSER_PAYS = [name for name in preset_names() if not sheds(preset(name).ruleset)]
"""The presets that can have penalties."""


@given(st.sampled_from(LOSER_PAYS), st.sampled_from(PenaltyTiming), seeds, st.data())
def test_dice_that_a_penalty_takes_stay_secret(
    name: str, timing: PenaltyTiming, seed: int, data: st.DataObject
) -> None:
    rules = penalised(name, timing)
    seats = max(rules.players.min, min(rules.players.max or 4, data.draw(st.integers(2, 4))))
    observer = data.draw(st.none() | st.integers(0, seats - 1))
    apart = roles_that_differ(rules, seats, seed, observer=observer, first_round=data.draw(st.integers(1, 2)))
    assert not apart & must_not_differ(observer)


@given(tables(), seeds, st.booleans(), st.data())
def test_hidden_dice_stay_secret_under_random_rules(
    table: tuple[Ruleset, int], seed: int, hints: bool, data: st.DataObject
) -> None:
    rules, seats = table
    observer = data.draw(st.none() | st.integers(0, seats - 1))
    apart = roles_that_differ(
        rules, seats, seed, observer=observer, first_round=data.draw(st.integers(1, 3)), hints=hints
    )
    assert not apart & must_not_differ(observer)


def test_open_cups_show_hidden_dice_to_players_who_are_out_only() -> None:
    """The script of seed 2 plays until somebody is out, before the dice differ."""
    rules = patched(preset("bluff").ruleset, dice__per_player=1)
    closed = {observer: roles_that_differ(rules, 4, 2, observer=observer, first_round=2) for observer in range(4)}
    opened = {
        observer: roles_that_differ(rules, 4, 2, observer=observer, first_round=2, open_cups=True)
        for observer in range(4)
    }
    assert not any(closed[observer] & must_not_differ(observer) for observer in range(4))
    told = {NAMES[observer] for observer in range(4) if NAMES[observer] in opened[observer]}
    assert len(told) == 1, "one player is out by then"
    assert not any(opened[observer] & (must_not_differ(observer) - told) for observer in range(4))


def test_only_the_owners_of_different_dice_can_tell_the_tables_apart() -> None:
    """The tables do differ: without this the other tests would prove nothing."""
    rules = preset("perudo").ruleset
    for observer in range(3):
        assert roles_that_differ(rules, 3, 4, observer=observer) == {*NAMES[:3]} - {NAMES[observer]}
    assert roles_that_differ(rules, 3, 4, observer=None) == {*NAMES[:3]}
