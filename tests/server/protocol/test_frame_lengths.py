"""Hidden dice change neither the number nor the length of anybody's messages, not even of their owner's.

Somebody who watches the encrypted connections of others learns these lengths. The tests play the same script at two
tables that differ in hidden dice only, and deal other dice in the states of a match.
"""

import asyncio
import io
import random
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from liarsdice.core.rules.bids import Bid
from liarsdice.core.rules.choices import PenaltyTrigger, RoundVisibility, StarterMethod, Visibility
from liarsdice.core.rules.meaning import sheds
from liarsdice.core.rules.overlay import patched
from liarsdice.core.rules.parts import Penalty
from liarsdice.core.rules.presets import preset, preset_names
from liarsdice.core.rules.ruleset import Ruleset
from liarsdice.core.rules.tally import Hand
from liarsdice.server.http import api
from liarsdice.server.protocol.encoding import ENCODER, TableFrames
from liarsdice.server.protocol.messages import CommandRequest
from liarsdice.server.protocol.views import player_view
from liarsdice.server.table import commands as c
from liarsdice.server.table.reducer import apply_row
from liarsdice.server.table.table_config import TableConfig
from liarsdice.server.table.table_state import TableState
from tests.laws.random_rulesets import seeds, tables
from tests.server.live_tables import (
    begin_match,
    make_config,
    make_table,
    match_of,
    open_registry,
    token_on_turn,
    turn_id,
)
from tests.server.random_script import RandomScript
from tests.server.twin_tables import (
    CODE,
    NAMES,
    OPTIONAL_RULES,
    SPECTATOR,
    STRANGER,
    TwinDiceSource,
    TwinTable,
    differences,
    lengths,
)

DEALS = 241
WIDE, FEW = {"dice__per_player": 11, "dice__faces": 12}, {"dice__per_player": 2}
"""Dice whose faces and places have one or two digits; and few dice, with which special rounds come soon."""
TABLE_ROUTES = {
    "/api/tables/{code:str}": ("GET", b""),
    "/api/tables/{code:str}/seats": ("POST", b'{"name":"Zoe","id":"1"}'),
    "/api/tables/{code:str}/ticket": ("POST", b""),
    "/api/tables/{code:str}/redeem": ("POST", b'{"ticket":"none"}'),
    "/api/tables/{code:str}/qr.svg": ("GET", b""),
    "/api/tables/{code:str}/matches/{number:int}": ("GET", b""),
    "/api/tables/{code:str}/matches/{number:int}/summary": ("GET", b""),
    "/api/tables/{code:str}/training": ("GET", b""),
}
"""A request for every route of the HTTP API that is about one table."""


async def play(
    config: TableConfig, seats: int, seed: int, *, number: int = 0, first_round: int = 1, bots: int = 0
) -> TwinTable:
    """A table at which a random script was played until dice of this round or a later one were revealed.

    From this round on, tables with another `number` have other dice.
    """
    table = TwinTable(TwinDiceSource(seed, number, None, first_round), io.StringIO())
    await table.open(config, seats, bots)
    await RandomScript(seed, seats, first_round).play(table)
    await table.close()
    return table


def play_at_both(
    config: TableConfig, seats: int, seed: int, *, first_round: int = 1, bots: int = 0
) -> tuple[TwinTable, TwinTable]:
    """Two tables with the same script at which all dice differ from a round on."""
    first, second = (
        asyncio.run(play(config, seats, seed, number=number, first_round=first_round, bots=bots)) for number in (0, 1)
    )
    return first, second


def roles_with_other_lengths(first: TwinTable, second: TwinTable) -> set[str]:
    """The roles whose messages have other lengths at one table than at the other."""
    return differences(lengths(first.received), lengths(second.received))


def with_hands(table: TableState, hands: tuple[Hand, ...]) -> TableState:
    """The same table with other dice in the hands."""
    match = match_of(table)
    return replace(table, match=replace(match, state=replace(match.state, hands=hands)))


def seats_for(rules: Ruleset) -> int:
    """Three seats, or as near to that as the rules allow."""
    return min(rules.players.max or 3, max(3, rules.players.min))


def states_with_dice(played: TwinTable) -> list[TableState]:
    """All states of a table in which players held dice."""
    states, table = list[TableState](), None
    for row in played.rows():
        table = apply_row(table, row)
        if table.match is not None and table.match.state.hands:
            states.append(table)
    return states


def deals(table: TableState, rng: random.Random) -> Iterator[tuple[Hand, ...]]:
    """Hands that the players could hold: all dice alike, stairs, and random ones."""
    state, faces = match_of(table).state, table.config.ruleset.dice.faces
    for face in {1, faces, state.bids[-1][1].face if state.bids else 1}:
        yield tuple((face,) * dice for dice in state.dice)
    yield tuple(tuple(1 + place % faces for place in range(dice)) for dice in state.dice)
    for _ in range(4):
        yield tuple(tuple(rng.randint(1, faces) for _ in range(dice)) for dice in state.dice)


def frame_lengths(table: TableState) -> list[int]:
    """The lengths of everybody's messages about a state, for connections that are new, up to date, and behind."""
    frames = TableFrames(table, 1_500)
    receivers = (None, *(player.id for player in table.players))
    return [len(frames.setup)] + [
        len(frames.update(player_id, since)) for player_id in receivers for since in (0, table.seq - 1, table.seq)
    ]


async def bidding_table(folder: Path, config: TableConfig, bids: tuple[Bid, ...]) -> TableState:
    """A table of three in a match, after these bids."""
    async with open_registry(folder / "db", dice_source=TwinDiceSource(1, 0, None, 1)) as registry:
        live_table = await make_table(registry, *NAMES[:3], config=config)
        table = await begin_match(registry, live_table)
        for number, bid in enumerate(bids):
            await registry.submit(live_table, token_on_turn(table), f"bid{number}", bid, turn_id(table))
            table = await live_table.state()
        return table


# ---- the attack ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("hints", [False, True], ids=["without hints", "with hints"])
@pytest.mark.parametrize(
    "rules", [preset("perudo").ruleset, patched(preset("perudo").ruleset, **WIDE)], ids=["usual", "wide"]
)
async def test_the_length_of_an_update_does_not_tell_how_many_hidden_dice_match(
    tmp_path: Path, rules: Ruleset, hints: bool
) -> None:
    """An attacker subtracts the length of a spectator's update and knows how often each length goes with each number.

    Guessing with that must not succeed more often than always guessing the most frequent number.
    """
    table = await bidding_table(tmp_path, make_config(rules, hints=hints), (Bid(2, 4), Bid(3, 4)))
    on_turn = table.players[match_of(table).state.turn].id
    rng, faces = random.Random(1), rules.dice.faces
    matching_by_length: dict[int, Counter[int]] = defaultdict(Counter)
    for _ in range(DEALS):
        hands = tuple(tuple(rng.randint(1, faces) for _ in range(dice)) for dice in match_of(table).state.dice)
        dealt = with_hands(table, hands)
        frames = TableFrames(dealt, None)
        excess = len(frames.update(on_turn, table.seq)) - len(frames.update(None, table.seq))
        matching_by_length[excess][len(player_view(dealt, on_turn).counts)] += 1
    by_length = sum(max(numbers.values()) for numbers in matching_by_length.values())
    blindly = max(sum(matching_by_length.values(), Counter[int]()).values())
    assert by_length == blindly, f"right {by_length} times of {DEALS} by length, {blindly} times blindly"


# ---- the law -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", [*preset_names(), *OPTIONAL_RULES])
def test_lengths_of_messages_are_the_same_for_everybody_under_every_preset(name: str) -> None:
    rules = preset(name).ruleset
    for hints in (False, True):
        config = make_config(rules, seats=seats_for(rules), hints=hints)
        twins = play_at_both(config, seats_for(rules), len(name))
        assert roles_with_other_lengths(*twins) == set(), f"hints {hints}"


@given(tables(), seeds, st.booleans(), st.integers(1, 3))
def test_lengths_of_messages_are_the_same_for_everybody_under_random_rules(
    table: tuple[Ruleset, int], seed: int, hints: bool, first_round: int
) -> None:
    rules, seats = table
    config = make_config(rules, seats=seats, hints=hints, spectators=bool(seed % 5))
    twins = play_at_both(config, seats, seed, first_round=first_round)
    assert roles_with_other_lengths(*twins) == set()


@pytest.mark.parametrize("name", [*preset_names(), *OPTIONAL_RULES])
def test_no_deal_changes_the_length_of_any_message_about_any_state_of_a_match(name: str) -> None:
    usual, rng = preset(name).ruleset, random.Random(name)
    penalties = () if sheds(usual) else tuple(Penalty(trigger=trigger) for trigger in PenaltyTrigger)
    for dice in ({}, WIDE, FEW):
        rules = patched(usual, penalties=penalties, **dice)
        config = make_config(rules, seats=seats_for(rules))
        states = states_with_dice(asyncio.run(play(config, seats_for(rules), len(name), first_round=5)))
        for state in rng.sample(states, min(len(states), 4)):
            for hints in (False, True):
                shown = replace(state, config=replace(state.config, hints=hints))
                distinct = {tuple(frame_lengths(with_hands(shown, hands))) for hands in deals(shown, rng)}
                assert len(distinct) == 1, f"hints {hints}, {match_of(state).state.bids}"


@pytest.mark.parametrize("visibility", [*Visibility, *RoundVisibility])
def test_lengths_of_messages_are_the_same_where_players_may_not_look_at_their_dice(
    visibility: Visibility | RoundVisibility,
) -> None:
    group = "dice" if isinstance(visibility, RoundVisibility) else "special_round"
    changes = {"dice__per_player": 2, "special_round__min_players": 2, f"{group}__visibility": visibility}
    rules = patched(preset("perudo").ruleset, **changes)
    for first_round in (2, 3):
        twins = play_at_both(make_config(rules, seats=3, hints=True), 3, 11, first_round=first_round)
        assert match_of(twins[0].table()).state.had_special
        assert roles_with_other_lengths(*twins) == set()


@pytest.mark.parametrize("open_cups", [False, True])
def test_lengths_of_messages_are_the_same_for_players_who_are_out(open_cups: bool) -> None:
    rules = patched(preset("bluff").ruleset, dice__per_player=1)
    first, second = play_at_both(make_config(rules, seats=4, hints=True, open_cups=open_cups), 4, 2, first_round=2)
    assert match_of(first.table()).out
    assert differences(first.received, second.received), "the dice do not differ"
    assert roles_with_other_lengths(first, second) == set()


@pytest.mark.parametrize("seed", range(5))
def test_lengths_of_messages_are_the_same_beside_bots(seed: int) -> None:
    rules = patched(preset("perudo").ruleset, first_starter__method=StarterMethod.CHOSEN)  # by the script: a person
    twins = play_at_both(make_config(rules, seats=4, hints=True), 4, seed, bots=2)
    assert roles_with_other_lengths(*twins) == set()


async def test_hidden_dice_change_no_response_over_http_to_anybody(monkeypatch: pytest.MonkeyPatch) -> None:
    assert TABLE_ROUTES.keys() == {path for handler in api.HANDLERS for path in handler.paths if "{code" in path}
    monkeypatch.setattr(api, "new_token", lambda: "x" * 43)
    responses: list[list[bytes]] = []
    for number in range(2):
        twin = TwinTable(TwinDiceSource(3, number, None, 1), io.StringIO())
        await twin.open(make_config(seats=4, hints=True), 3)
        await twin.send(NAMES[0], ENCODER.encode(CommandRequest("begin", c.Begin())).decode())
        await twin.end_step()
        assert match_of(twin.table()).state.hands
        responses.append([])
        for route, (method, body) in TABLE_ROUTES.items():
            path = route.replace("{code:str}", CODE).replace("{number:int}", "1")
            responses[-1] += [
                await twin.request(method, path, name, body) for name in (*NAMES[:3], SPECTATOR, STRANGER)
            ]
        await twin.close()
    assert responses[0] == responses[1]
