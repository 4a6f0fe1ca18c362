"""The step interface beside the engine, on random rules and on every preset, through whole matches."""

import numpy as np
import pytest
from hypothesis import given, settings

from liarsdice.core.actions import Challenge
from liarsdice.core.engine.state import Phase
from liarsdice.core.errors import IllegalActionError, MalformedError
from liarsdice.core.rules.bids import Bid
from liarsdice.core.rules.presets import names, preset
from liarsdice.core.rules.ruleset import Ruleset
from liarsdice.sim import array_schema as f
from liarsdice.sim.compile import compiled
from liarsdice.sim.policies import Asked, Threshold, Uniform
from liarsdice.sim.vector_env import Batch
from tests.laws.strategies import seeds, tables
from tests.sim.beside import play_beside

PERUDO = compiled(preset("perudo").ruleset, 3)


@settings(max_examples=300)
@given(tables(), seeds)
def test_random_rules_go_the_same_way_in_the_engine_and_in_arrays(table: tuple[Ruleset, int], seed: int) -> None:
    play_beside(*table, seed)


@pytest.mark.parametrize("name", names())
@pytest.mark.parametrize("seats", [2, 5])
def test_every_preset_goes_the_same_way_to_its_end(name: str, seats: int) -> None:
    assert play_beside(preset(name).ruleset, seats, seed=seats).phase is Phase.OVER


def test_every_rule_sheet_with_all_its_options_goes_the_same_way() -> None:
    rules = preset("classic+aces+palifico+calza+reversa").ruleset
    assert play_beside(rules, 4, seed=1).phase is Phase.OVER


def test_nothing_is_done_where_one_action_of_many_is_illegal() -> None:
    batch = Batch(PERUDO, 3, seed=5)
    opening = PERUDO.number_of(Bid(1, 2))
    before = batch.table.now.copy()
    with pytest.raises(IllegalActionError, match=r"in match 1 seat . may not do 0 \(Challenge\(\)\)"):
        batch.step([opening, f.CHALLENGE, opening])
    assert (batch.table.now == before).all()
    batch.step([opening, f.SILENT, opening])
    assert batch.now(f.BIDS).tolist() == [1, 0, 1]


@pytest.mark.parametrize("number", [-2, PERUDO.actions, 10**6])
def test_a_number_that_no_action_has_is_illegal(number: int) -> None:
    with pytest.raises(IllegalActionError, match="no action"):
        Batch(PERUDO, 1).step([number])


@pytest.mark.parametrize("seat", [-1, 3, 99])
def test_a_seat_that_is_not_there_may_do_nothing(seat: int) -> None:
    batch = Batch(PERUDO, 1)
    assert not batch.legal(seat).any()
    with pytest.raises(IllegalActionError, match="may not do"):
        batch.step([PERUDO.number_of(Bid(1, 2))], [seat])


def test_a_call_out_of_turn_is_made_by_naming_the_seat() -> None:
    book = compiled(preset("official").ruleset, 4)
    batch = Batch(book, 1)
    batch.restart(np.array([True]), starters=0, deals=False)
    batch.deal([[[2, 2, 3, 3, 5]] * 4])
    batch.step([book.number_of(Bid(9, 2))])
    assert batch.legal(3)[0].nonzero()[0].tolist() == [book.number_of(Challenge())]
    batch.step([f.CHALLENGE], [3], deals=False)
    assert batch.dice[0].tolist() == [3, 5, 5, 5]  # twice the loss
    assert (batch.now(f.COUNTED)[0], batch.now(f.LATE)[0], batch.now(f.LOST_BY)[0]) == (8, 1, 0)
    assert batch.of_seats(f.CHANGE)[0].tolist() == [-2, 0, 0, 0]
    assert batch.turn.tolist() == [-1]


def test_matches_begin_with_the_dice_and_the_starter_that_are_asked_for() -> None:
    batch = Batch(PERUDO, 2)
    batch.restart(np.array([True, True]), starters=[2, 0], dice=[[0, 5, 1], [2, 2, 2]])
    assert batch.dice.tolist() == [[0, 5, 1], [2, 2, 2]]
    assert batch.turn.tolist() == [2, 0]
    assert batch.hands.sum(axis=2).tolist() == batch.dice.tolist()


@pytest.mark.parametrize(
    "starters, dice", [(-1, (6, 5, 5)), (-1, (5, 0, 0)), (-1, (5, -1, 5)), (0, (0, 5, 5)), (3, (5, 5, 5))]
)
def test_matches_that_cannot_begin_are_refused(starters: int, dice: tuple[int, int, int]) -> None:
    with pytest.raises(MalformedError):
        Batch(PERUDO, 1).restart(np.array([True]), starters=starters, dice=dice)


@pytest.mark.parametrize("hands", [((1, 2), (1, 2, 3, 4, 5)), ((1, 2, 3, 4, 7), (1, 2, 3, 4, 5))])
def test_dice_that_nobody_can_roll_are_refused(hands: tuple[tuple[int, ...], ...]) -> None:
    batch = Batch(compiled(preset("basic").ruleset, 2), 1)
    batch.restart(np.array([True]), deals=False)
    with pytest.raises(MalformedError, match="rolls 5 dice"):
        batch.deal([hands])


def test_a_match_is_the_same_whichever_others_are_beside_it() -> None:
    many, one = Batch(PERUDO, 8, seed=3), Batch(PERUDO, 1, seed=3, first=5)
    for _ in range(200):
        for batch in (many, one):
            seats, actions = batch.decided()
            batch.step(actions, seats)
        assert (many.table.now[5] == one.table.now[0]).all()
        assert (many.hands[5] == one.hands[0]).all()


def test_matches_that_are_over_rest_until_they_begin_anew() -> None:
    batch = Batch(compiled(preset("openspiel").ruleset, 2), 20, seed=1)
    while not batch.over.all():
        seats, actions = batch.decided()
        batch.step(actions, seats)
    assert (batch.won.sum(axis=1) == 1).all()
    assert not batch.legal().any()
    batch.step(np.full(20, f.SILENT))
    assert batch.restart().all()
    assert not batch.over.any()
    assert not batch.won.any()


@pytest.mark.parametrize("name", ["perudo", "official", "classic+reversa"])
def test_whoever_is_asked_plays_on_their_turn_and_the_others_play_on_without_them(name: str) -> None:
    batch = Batch(compiled(preset(name).ruleset, 4), 50, seed=2)
    minds = (Asked(), Threshold(0.4), Uniform(), Uniform())
    batch.advance(minds)
    while not batch.over.all():
        assert set(batch.turn.tolist()) <= {0, -1}
        batch.advance(minds, np.where(batch.over, f.SILENT, batch.legal().argmax(axis=1)))
    assert batch.won.sum() == 50


def test_an_answer_of_somebody_who_was_not_asked_is_illegal() -> None:
    batch = Batch(PERUDO, 1)
    with pytest.raises(IllegalActionError):
        batch.advance((Uniform(),), [int(batch.legal()[0].argmax())])


def test_play_goes_on_until_so_many_rounds_are_settled() -> None:
    batch = Batch(PERUDO, 10, seed=4)
    batch.advance(rounds=2)
    assert batch.now(f.ROUND).tolist() == [2] * 10
    assert batch.turn.tolist() == [-1] * 10
    batch.advance(rounds=3)
    assert batch.now(f.ROUND).tolist() == [3] * 10
