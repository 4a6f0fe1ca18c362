"""The answer to a player who asks for estimates: what it says, and that its length tells nothing about dice."""

import io
import random
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest
from msgspec.structs import replace

from liarsdice.bots.neural.explain import explain
from liarsdice.core.actions import Challenge
from liarsdice.core.engine.view import view
from liarsdice.core.errors import IllegalActionError, UnavailableError
from liarsdice.core.rules.bids import Bid
from liarsdice.core.rules.overlay import patched
from liarsdice.core.rules.presets import preset
from liarsdice.core.rules.ruleset import Ruleset
from liarsdice.core.rules.tally import Hand
from liarsdice.server.errors import ForbiddenError
from liarsdice.server.http import costly_work
from liarsdice.server.http.address_limits import RateLimits
from liarsdice.server.http.auth import COOKIE
from liarsdice.server.http.costly_work import TRAINING_COST
from liarsdice.server.http.training import (
    MAX_DICE_IN_TRAINING,
    TrainingResponse,
    training_body,
    training_view,
)
from liarsdice.server.protocol.encoding import ENCODER
from liarsdice.server.protocol.messages import CommandRequest
from liarsdice.server.table import commands as c
from liarsdice.server.table.table_config import TableConfig
from liarsdice.server.table.table_state import TableState
from liarsdice.values.judgement import DEALS, Source
from tests.bots.positions import dealt_state
from tests.server.live_tables import begin_match, make_config, make_table, open_registry, token_on_turn, turn_id
from tests.server.running_server import RunningServer, run_server
from tests.server.twin_tables import CODE, NAMES, SPECTATOR, STRANGER, TwinDiceSource, TwinTable

PERUDO = preset("perudo").ruleset
HANDS: tuple[Hand, ...] = ((1, 2, 3, 4, 5), (2, 2, 3, 6, 6), (1, 4, 4, 5, 6))
BIDS = (Bid(3, 6), Bid(4, 6))
RULES = {
    "perudo": PERUDO,
    "stairs": preset("snyd-stairs").ruleset,
    "calls out of turn": preset("official").ruleset,
    "eight faces": patched(PERUDO, dice__faces=8),
}
ODDS_ALONE = {
    "eight faces": RULES["eight faces"],
    "lives": preset("chui-niu+lives").ruleset,
    "own dice": preset("basic+aetolia").ruleset,
    "passes": preset("perudo+pass").ruleset,
}


def response(rules: Ruleset, seat: int, bids: tuple[Bid, ...] = BIDS) -> TrainingResponse:
    body = training_body(view(dealt_state(rules, HANDS, bids), seat), 1, 7, DEALS)
    return msgspec.json.decode(body, type=TrainingResponse)


def deals(dice: tuple[int, ...], faces: int) -> Iterator[tuple[Hand, ...]]:
    """All dice alike, stairs, and random dice."""
    rng = random.Random(1)
    yield tuple((6,) * held for held in dice)
    yield tuple(tuple(range(1, held + 1)) for held in dice)
    yield tuple(tuple(rng.randint(1, faces) for _ in range(held)) for held in dice)


def test_the_answer_says_what_the_champion_makes_of_the_seat() -> None:
    answer, explanation = response(PERUDO, 2), explain(view(dealt_state(PERUDO, HANDS, BIDS), 2))
    assert (answer.number, answer.turn_id, answer.source) == (1, 7, Source.PLAYOUTS)
    assert [worth.move for worth in answer.moves] == [estimate.move for estimate in explanation.moves]
    assert [worth.value for worth in answer.moves] == sorted((worth.value for worth in answer.moves), reverse=True)
    assert answer.reason == explanation.reason
    assert answer.reason is not None
    assert answer.moves[0].rank == 1 <= answer.moves[answer.reason.other].rank
    assert answer.reason.other > 0
    assert {count.seat for count in answer.counts} == {0, 1}
    for count in answer.counts:
        assert sum(count.before) == pytest.approx(100, abs=4)  # what is possible has at least 1
        assert sum(count.after) == pytest.approx(100, abs=4)
    for worth in answer.moves:
        assert (worth.tells is not None) == isinstance(worth.move, Bid)


@pytest.mark.parametrize("rules", RULES.values(), ids=RULES)
def test_what_the_own_dice_decide_is_certain_and_nothing_else_is(rules: Ruleset) -> None:
    for seat in range(3):
        for bid in (Bid(1, 2), Bid(2, 2), Bid(2, 6), Bid(12, 6), Bid(15, 3)):
            answer = response(rules, seat, (bid,))
            for certainty in (0, 100):
                assert (answer.likely == certainty) == (answer.likely_by_bids == certainty), (seat, bid)


def test_an_opening_and_a_seat_that_waits_are_answered_too() -> None:
    opening = response(PERUDO, 0, bids=())
    assert (opening.likely, opening.counts) == (None, ())
    assert opening.moves
    waiting = response(PERUDO, 0, BIDS[:1])
    assert waiting.likely is not None
    assert waiting.moves == ()


@pytest.mark.parametrize("rules", ODDS_ALONE.values(), ids=ODDS_ALONE)
def test_rules_that_the_champion_does_not_know_are_answered_by_the_odds(rules: Ruleset) -> None:
    answer = response(rules, 2)
    assert answer.source is Source.ODDS
    assert answer.likely == answer.likely_by_bids
    assert all(count.before == count.after for count in answer.counts)
    assert answer.moves == ()


@pytest.mark.parametrize("name", [*RULES, "lives", "passes"])
@pytest.mark.parametrize(
    "dice, bids", [((3, 2, 3), ()), ((3, 2, 3), (Bid(3, 2), Bid(3, 3))), ((1, 1, 0), (Bid(2, 3),))]
)
def test_the_length_of_an_answer_does_not_depend_on_any_dice(
    name: str, dice: tuple[int, ...], bids: tuple[Bid, ...]
) -> None:
    rules = (RULES | ODDS_ALONE)[name]
    for seat in (0, len(bids) % 3):
        if dice[seat]:
            bodies = [
                training_body(view(dealt_state(rules, hands, bids), seat), 1, 7, DEALS)
                for hands in deals(dice, rules.dice.faces)
            ]
            assert len({len(body) for body in bodies}) == 1
            assert all(body.endswith(b" ") for body in bodies), "no answer is as long as the longest"


def test_hidden_dice_change_no_byte_of_an_answer() -> None:
    other_hands = ((6, 6, 6, 6, 6), (1, 1, 3, 3, 3), HANDS[2])
    first, second = (
        training_body(view(dealt_state(PERUDO, hands, BIDS), 2), 1, 7, DEALS) for hands in (HANDS, other_hands)
    )
    assert first == second


PATH = f"/api/tables/{CODE}/training"
PEOPLE = NAMES[:3]
TRAINING_API_BIDS = (Bid(2, 4), Bid(3, 4), Bid(3, 5))


async def estimates(number: int, observer: int | None, *, training: bool = True) -> list[dict[str, bytes]]:
    """What everybody is answered in the opening and after each bid of a round, by name.

    `number`: which of two tables this is; their dice differ in all hands but the observer's.
    """
    table = TwinTable(TwinDiceSource(3, number, observer, 1), io.StringIO())
    await table.open(make_config(training=training), len(PEOPLE))
    await table.send(PEOPLE[0], ENCODER.encode(CommandRequest("begin", c.Begin())).decode())
    await table.end_step()
    answers = []
    for bid in (*TRAINING_API_BIDS, None):
        answers.append({name: await table.request("GET", PATH, name) for name in (*PEOPLE, SPECTATOR, STRANGER)})
        match = table.table().match
        assert match is not None
        if bid is not None:
            move = CommandRequest(f"bid{match.turn_id}", bid, match.turn_id)
            await table.send(PEOPLE[match.state.turn], ENCODER.encode(move).decode())
            await table.end_step()
    await table.close()
    return answers


async def test_estimates_of_a_seat_are_the_same_whatever_dice_the_others_hold() -> None:
    for observer in range(len(PEOPLE)):
        first, second = [await estimates(number, observer) for number in range(2)]
        name = PEOPLE[observer]
        assert [step[name] for step in first] == [step[name] for step in second]
        others = set(PEOPLE) - {name}
        assert any(step[other] != again[other] for step, again in zip(first, second, strict=True) for other in others)


async def test_the_lengths_of_all_answers_are_the_same_whatever_dice_anybody_holds() -> None:
    first, second = [await estimates(number, None) for number in range(2)]
    assert first != second
    for step, again in zip(first, second, strict=True):
        assert {name: len(body) for name, body in step.items()} == {name: len(body) for name, body in again.items()}


async def test_only_players_are_answered_and_only_at_a_training_table() -> None:
    for step in await estimates(0, None):
        assert all(f"{PATH} 200".encode() in step[name] for name in PEOPLE)
        assert all(f"{PATH} 403".encode() in step[name] for name in (SPECTATOR, STRANGER))
    for step in await estimates(0, None, training=False):
        assert all(f"{PATH} 403".encode() in step[name] for name in step)
        assert b"no training table" in step[PEOPLE[0]]


async def test_estimates_are_paid_from_the_budget_of_the_address_once_for_each_situation(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(costly_work, "PREPAID_S", 3600.0)  # however slow the machine is
    async with run_server(tmp_path / "db", RateLimits(work_per_minute=TRAINING_COST + 5, now_s=lambda: 0.0)) as server:
        live_table = await make_table(server.registry, "Ann", "Bo", config=make_config(training=True))
        await begin_match(server.registry, live_table)
        ann, bo = server.browser(), server.browser()
        ann.cookies.set(COOKIE, "Ann")
        bo.cookies.set(COOKIE, "Bo")
        path = f"/api/tables/{live_table.code}/training"
        first, again = await ann.get(path), await ann.get(path)
        assert (first.status_code, again.content) == (200, first.content)
        refused = await bo.get(path)
        assert refused.status_code == 429
        assert "no-store" in first.headers["cache-control"]


async def test_a_quick_answer_comes_before_one_that_is_more_certain(tmp_path: Path) -> None:
    async with run_server(tmp_path / "db") as server:
        live_table = await make_table(server.registry, "Ann", "Bo", "Cy", config=make_config(training=True))
        table = await begin_match(server.registry, live_table)
        client = server.browser()
        assert table.match is not None
        client.cookies.set(COOKIE, ("Ann", "Bo", "Cy")[table.match.state.turn])
        path = f"/api/tables/{live_table.code}/training"
        quick, settled = [
            msgspec.json.decode((await client.get(path, params=params)).content, type=TrainingResponse)
            for params in ({"quick": True}, {})
        ]
    assert settled.likely == quick.likely
    errors = {worth.move: worth.error for worth in settled.moves}
    assert all(errors[worth.move] <= worth.error for worth in quick.moves)
    assert len(quick.moves) < len(errors)


async def test_everybody_learns_that_a_table_is_for_training(server: RunningServer) -> None:
    client = server.browser()
    code = await server.open_table(client, training=True, listed=True)
    assert (await server.browser().get(f"/api/tables/{code}")).json()["training"] is True
    assert [table["training"] for table in (await server.browser().get("/api/lobby")).json()] == [True]
    plain = await server.open_table(client, name="Ann", listed=True)
    assert (await server.browser().get(f"/api/tables/{plain}")).json()["training"] is False


async def table_in_match(folder: Path, config: TableConfig, *, calls: bool = False) -> TableState:
    """A table of two in a match, after a bid; with `calls` after a challenge, too."""
    async with open_registry(folder / "db") as registry:
        live_table = await make_table(registry, "Ann", "Bo", config=config)
        table = await begin_match(registry, live_table)
        for number, move in enumerate((Bid(2, 4), Challenge())[: 1 + calls]):
            await registry.submit(live_table, token_on_turn(table), f"{number}", move, turn_id(table))
            table = await live_table.state()
        return table


async def test_a_player_is_shown_estimates_of_what_their_own_seat_sees(tmp_path: Path) -> None:
    table = await table_in_match(tmp_path, make_config(training=True))
    assert table.match is not None
    for seat, player in enumerate(table.players):
        shown = training_view(table, player.id)
        assert shown.seat == seat
        assert shown.hand == table.match.state.hands[seat]


async def test_other_tables_refuse(tmp_path: Path) -> None:
    table = await table_in_match(tmp_path, make_config(hints=True))
    with pytest.raises(ForbiddenError, match="no training table"):
        training_view(table, table.players[0].id)


async def test_who_does_not_play_is_refused(tmp_path: Path) -> None:
    table = await table_in_match(tmp_path, make_config(training=True))
    for stranger in (None, 99):
        with pytest.raises(ForbiddenError, match="only players"):
            training_view(table, stranger)
    assert table.match is not None
    out = replace(table, match=replace(table.match, state=replace(table.match.state, dice=(0, 5))))
    with pytest.raises(IllegalActionError, match="with dice"):
        training_view(out, table.players[0].id)


async def test_there_are_no_estimates_outside_the_bidding(tmp_path: Path) -> None:
    called = await table_in_match(tmp_path, make_config(training=True), calls=True)
    for table in (called, replace(called, match=None)):
        with pytest.raises(IllegalActionError, match="while players bid"):
            training_view(table, table.players[0].id)


async def test_too_many_dice_are_refused_before_anything_is_computed(tmp_path: Path) -> None:
    rules = patched(preset("perudo").ruleset, dice__per_player=20)
    table = await table_in_match(tmp_path, make_config(rules, training=True))
    assert table.match is not None
    many = replace(table, match=replace(table.match, state=replace(table.match.state, dice=(20, 41))))
    assert sum(many.match.state.dice if many.match else ()) > MAX_DICE_IN_TRAINING
    with pytest.raises(UnavailableError):
        training_view(many, table.players[0].id)
