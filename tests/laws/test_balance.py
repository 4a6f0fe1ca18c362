"""The events of a match account for every die: none appears or vanishes without an event."""

from hypothesis import given

from liarsdice.core.events import (
    Dealt,
    DiceGained,
    DiceLost,
    Eliminated,
    MatchEnded,
    Revealed,
    RoundStarted,
)
from liarsdice.core.rules.ruleset import Ruleset
from tests.laws.random_matches import random_match
from tests.laws.random_rulesets import seeds, tables


@given(tables(), seeds)
def test_dice_held_are_the_starting_dice_minus_losses_plus_gains(table: tuple[Ruleset, int], seed: int) -> None:
    rules, seats = table
    held, lost, gained = [rules.dice.per_player] * seats, 0, 0
    for step in random_match(rules, seats, seed).steps:
        for event in step.events:
            match event:
                case DiceLost():
                    assert 0 < event.dice <= held[event.seat]
                    held[event.seat] -= event.dice
                    assert held[event.seat] == event.left
                    if event.to is None:
                        lost += event.dice
                    else:
                        assert event.to != event.seat
                        held[event.to] += event.dice
                case DiceGained():
                    assert event.dice > 0
                    held[event.seat] += event.dice
                    assert held[event.seat] == event.left
                    gained += event.dice
                case RoundStarted():
                    assert event.dice == tuple(held)
                case Dealt():
                    assert [len(hand) for hand in event.hands] == held
                case _:
                    pass
        assert step.after.dice == tuple(held)
        assert sum(held) == rules.dice.per_player * seats - lost + gained


@given(tables(), seeds)
def test_hands_have_as_many_dice_as_their_players_hold_until_the_reveal(table: tuple[Ruleset, int], seed: int) -> None:
    for step in random_match(*table, seed).steps:
        if step.before.hands:
            assert tuple(map(len, step.before.hands)) == step.before.dice
        for event in step.events:
            if isinstance(event, Revealed):
                assert event.hands == step.before.hands
                assert event.count == sum(event.counted)
                assert event.bid_true is (event.count >= event.bid.quantity)


@given(tables(), seeds)
def test_a_player_who_has_lost_the_last_die_is_out_for_good(table: tuple[Ruleset, int], seed: int) -> None:
    out: set[int] = set()
    for step in random_match(*table, seed).steps:
        assert step.seat not in out
        for event in step.events:
            if isinstance(event, Eliminated):
                assert event.seat not in out
                out.add(event.seat)
        assert out == {seat for seat, held in enumerate(step.after.dice) if held == 0}


@given(tables(), seeds)
def test_a_gain_never_lifts_a_player_above_the_starting_dice_where_they_are_the_cap(
    table: tuple[Ruleset, int], seed: int
) -> None:
    rules, seats = table
    for event in random_match(rules, seats, seed).events:
        if isinstance(event, DiceGained) and rules.exact_call is not None and rules.exact_call.gain_cap is not None:
            assert event.left <= rules.dice.per_player


@given(tables(), seeds)
def test_a_match_ends_once_and_its_winners_hold_dice(table: tuple[Ruleset, int], seed: int) -> None:
    match = random_match(*table, seed)
    ended = [event for event in match.events if isinstance(event, MatchEnded)]
    assert len(ended) == 1
    assert match.events[-1] == ended[0]
    most = max(match.state.dice)
    assert ended[0].winners == tuple(seat for seat, held in enumerate(match.state.dice) if held == most)
