"""A game deals for itself, and every move can be taken back."""

import random

import pytest
from hypothesis import given, settings

from liarsdice.core.actions import Challenge, Deal, Penalise
from liarsdice.core.engine.engine import replay
from liarsdice.core.engine.state import Phase
from liarsdice.core.errors import IllegalActionError, MalformedError, NotationError
from liarsdice.core.records.record import read_record, write_record
from liarsdice.core.rules.bids import Bid
from liarsdice.core.rules.choices import PenaltyTiming, PenaltyTrigger
from liarsdice.core.rules.overlay import patched
from liarsdice.core.rules.presets import preset
from liarsdice.core.rules.ruleset import Ruleset
from liarsdice.play.game import Game
from tests.laws.random_rulesets import seeds, tables

POSITION = "bidding 11/34 1 0:2x1 4 perudo Ann,Bo"


@settings(max_examples=40)
@given(tables(), seeds)
def test_moves_that_are_taken_back_and_made_again_lead_to_the_same_game(table: tuple[Ruleset, int], seed: int) -> None:
    game, rng = Game(table[0], table[1], seed=seed), random.Random(seed)
    positions = [game.position]
    while not game.is_over and len(game.moves) < 40:
        moves = game.legal_moves
        game.push(moves[-1] if rng.random() < 0.3 else rng.choice(moves[:6]))
        positions.append(game.position)
    events, moves_made = game.events, game.moves
    assert replay(events) == game.state
    for position in reversed(positions[:-1]):
        game.pop()
        assert game.position == position
    for seat, move in moves_made:
        game.push(move, seat)
    assert game.events == events


def test_a_game_is_played_to_its_end_and_makes_a_record() -> None:
    game = Game(patched(preset("basic").ruleset, dice__per_player=1), ["Ann", "Bo"], seed=1)
    assert game.turn == game.view().seat
    game.push("1x6")
    game.push("liar")
    assert (game.is_over, game.turn, game.legal_moves, len(game.winners)) == (True, None, (), 1)
    assert game.view().seat is None
    assert read_record(write_record(game.events, "1")).state == game.state
    with pytest.raises(IllegalActionError, match="the match is over"):
        game.push("liar")


def test_the_same_seed_deals_the_same_dice_and_none_deals_others() -> None:
    assert Game(seed=3).state == Game(seed=3).state
    assert Game().state.hands != Game().state.hands


def test_a_game_continues_from_a_position_without_the_moves_that_led_to_it() -> None:
    game = Game.from_position(POSITION, seed=1)
    assert (game.position, game.events, game.moves, game.round) == (POSITION, (), (), 4)
    game.push(Challenge())
    assert (game.dice, game.state.revealed is not None and game.state.revealed.bid_true) == ((2, 1), True)
    assert Game.from_position(game.state).state == game.state


def test_a_position_between_rounds_is_dealt() -> None:
    assert Game.from_position("deal 2/3 1 - 4 perudo Ann,Bo").state.phase is Phase.BIDDING


def test_its_repr_makes_the_same_game() -> None:
    game = Game(players=3, seed=5)
    assert eval(repr(game)).position == game.position  # noqa: S307  what is evaluated comes from the program


def test_a_copy_goes_its_own_way_with_the_same_dice() -> None:
    game = Game(seed=5)
    game.push("2x3")
    copy = game.copy()
    for one in game, copy:
        one.push("liar")
    assert copy.state == game.state
    copy.pop()
    copy.pop()
    assert (copy.moves, len(game.moves)) == ((), 2)


def test_a_call_out_of_turn_names_its_seat() -> None:
    game = Game("official", 3, seed=2)
    bidder = game.state.turn
    game.push("1x6")
    caller = (bidder + 2) % 3
    assert Challenge() in game.moves_of(caller)
    game.push("liar", caller)
    assert game.moves[-1] == (caller, Challenge())


def test_the_dealer_draws_the_dice_that_a_penalty_takes() -> None:
    game = Game(patched(preset("chart").ruleset, penalty_timing=PenaltyTiming.IMMEDIATE), seed=2)
    game.push(Penalise(PenaltyTrigger.ASKS_DICE_LEFT), seat=1)
    assert game.dice == (5, 4)
    game.pop()
    assert game.dice == (5, 5)


def test_a_move_that_is_refused_changes_nothing() -> None:
    game = Game(seed=2)
    with pytest.raises(IllegalActionError):
        game.push("liar")
    with pytest.raises(IllegalActionError, match="bid 3x0 names face 0, but the dice have faces 1 to 6"):
        game.push(Bid(3, 0))
    with pytest.raises(NotationError):
        game.push("hello")
    with pytest.raises(MalformedError):
        game.push(Deal(()))  # type: ignore[arg-type]
    assert game.moves == ()
    with pytest.raises(IndexError):
        game.pop()


def test_moves_may_be_structs_or_text() -> None:
    first, second = Game(seed=2), Game(seed=2)
    first.push("3x4")
    second.push(Bid(3, 4))
    assert first.state == second.state
