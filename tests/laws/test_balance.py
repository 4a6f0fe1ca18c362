"""The events of a match account for every die and life: none appears or vanishes without an event."""

from hypothesis import given

from liarsdice.core.events import (
    Dealt,
    DiceGained,
    DiceLost,
    Eliminated,
    LivesGained,
    LivesLost,
    MatchEnded,
    Revealed,
    RoundStarted,
)
from liarsdice.core.rules.ruleset import Ruleset
from tests.laws.random_matches import random_match
from tests.laws.random_rulesets import seeds, tables


@given(tables(), seeds)
def test_dice_or_lives_left_are_those_at_the_start_minus_losses_plus_gains(
    table: tuple[Ruleset, int], seed: int
) -> None:
    rules, seats = table
    start, has_lives = rules.starting_stakes, bool(rules.loss.lives)
    left, lost, gained = [start] * seats, 0, 0

    def dice() -> tuple[int, ...]:
        return tuple(rules.dice.per_player if stakes and has_lives else stakes for stakes in left)

    for step in random_match(rules, seats, seed).steps:
        for event in step.events:
            match event:
                case DiceLost() | LivesLost():
                    assert isinstance(event, LivesLost) is has_lives
                    assert 0 < event.amount <= left[event.seat]
                    left[event.seat] -= event.amount
                    assert left[event.seat] == event.left
                    if event.to is None:
                        lost += event.amount
                    else:
                        assert event.to != event.seat
                        left[event.to] += event.amount
                case DiceGained() | LivesGained():
                    assert isinstance(event, LivesGained) is has_lives
                    assert event.amount > 0
                    left[event.seat] += event.amount
                    assert left[event.seat] == event.left
                    gained += event.amount
                case Eliminated(seat):
                    assert left[seat] < ((rules.loss.ante if has_lives else rules.loss.out_below) or 1)
                    lost += left[seat]
                    left[seat] = 0
                case RoundStarted():
                    assert event.dice == dice()
                case Dealt():
                    assert tuple(len(hand) for hand in event.hands) == dice()
                case _:
                    pass
        assert step.after.dice == dice()
        assert step.after.lives == (tuple(left) if has_lives else ())
        assert sum(left) == start * seats - lost + gained
        assert sum(step.after.lives_in_hand) + step.after.pot == (sum(left) if has_lives else 0)


@given(tables(), seeds)
def test_hands_have_as_many_dice_as_their_players_hold_until_the_reveal(table: tuple[Ruleset, int], seed: int) -> None:
    for step in random_match(*table, seed).steps:
        if step.before.hands:
            assert tuple(map(len, step.before.hands)) == step.before.dice
        for event in step.events:
            if isinstance(event, Revealed):
                assert event.hands == step.before.hands
                assert event.count == sum(event.counted)
                is_exact, is_enough = event.count == event.bid.quantity, event.count >= event.bid.quantity
                assert event.bid_true is (is_exact if event.claim is True else is_enough)


@given(tables(), seeds)
def test_a_player_who_has_lost_the_last_die_or_life_is_out_for_good(table: tuple[Ruleset, int], seed: int) -> None:
    out: set[int] = set()
    for step in random_match(*table, seed).steps:
        assert step.seat not in out
        for event in step.events:
            if isinstance(event, Eliminated):
                assert event.seat not in out
                out.add(event.seat)
        assert out == {seat for seat, held in enumerate(step.after.dice) if held == 0}
        assert out == {seat for seat, left in enumerate(step.after.stakes) if left == 0}


@given(tables(), seeds)
def test_a_gain_never_lifts_a_player_above_the_start_where_that_is_the_cap(
    table: tuple[Ruleset, int], seed: int
) -> None:
    rules, seats = table
    for event in random_match(rules, seats, seed).events:
        capped = rules.exact_call is not None and rules.exact_call.gain_cap is not None
        if isinstance(event, DiceGained | LivesGained) and capped:
            assert event.left <= rules.starting_stakes


@given(tables(), seeds)
def test_a_match_ends_once_and_its_winners_are_ahead(table: tuple[Ruleset, int], seed: int) -> None:
    match = random_match(*table, seed)
    ended = [event for event in match.events if isinstance(event, MatchEnded)]
    assert len(ended) == 1
    assert match.events[-1] == ended[0]
    stakes = match.state.stakes
    best = max(stakes) if not match.ruleset.loss.shed_by else 0 if match.state.safe else min(stakes)
    leaders = [seat for seat, left in enumerate(stakes) if left == best]
    if match.state.safe:
        first = match.state.safe[0][1]
        leaders = sorted(seat for seat, number in match.state.safe if number == first)
    assert ended[0].winners == tuple(leaders)
