"""Somebody can always act, and every round and every match ends."""

from functools import lru_cache
from graphlib import TopologicalSorter

from hypothesis import given

from liarsdice.core.engine.engine import decide, legal
from liarsdice.core.engine.state import Phase
from liarsdice.core.events import BidMade, DiceGained, LivesGained, RoundStarted
from liarsdice.core.rules.bid_space import max_quantity
from liarsdice.core.rules.bids import Bid, face_order
from liarsdice.core.rules.choices import Destination
from liarsdice.core.rules.ruleset import Ruleset
from liarsdice.play.match import Dealer
from tests.laws.random_matches import random_match
from tests.laws.random_rulesets import seeds, tables
from tests.laws.reference_bids import plain_bid, ranks_above
from tests.laws.reference_engine import plain_rules


@given(tables(), seeds)
def test_until_the_end_there_is_a_move(table: tuple[Ruleset, int], seed: int) -> None:
    for step in random_match(*table, seed).steps:
        state = step.before
        moves = legal(state)
        if state.phase is Phase.BIDDING:
            assert moves.turn is not None
            assert state.dice[moves.turn] > 0
            assert moves.moves(moves.turn), "a player who may only doubt a pass has a move as well"
        else:
            assert moves.turn is None
            assert decide(state, None, Dealer(seed).action(state))


@given(tables(), seeds)
def test_the_player_on_turn_may_challenge_the_standing_bid_or_the_pass_after_their_own(
    table: tuple[Ruleset, int], seed: int
) -> None:
    for step in random_match(*table, seed).steps:
        if step.before.phase is Phase.BIDDING and step.before.bids and step.before.doubled_by is None:
            moves, own = legal(step.before), step.before.turn == step.before.bids[-1][0]
            assert moves.may_challenge_pass if own else step.before.turn in moves.challengers


@lru_cache(maxsize=256)
def longest_chain(rules: Ruleset, top: int) -> int:
    """The most bids that one round can have, each beating the one before; all bids if none may be repeated."""
    words = plain_rules(rules)
    kinds = (False, True) if rules.bidding.to_pure else (False,)
    bids = [
        Bid(quantity, face, pure=pure)
        for quantity in range(1, top + 1)
        for face in face_order(rules)
        for pure in kinds
        if not (pure and face == rules.dice.special_face)
    ]
    if rules.bidding.no_repeat:
        return len(bids)
    beaten_by = {bid: [new for new in bids if ranks_above(words, plain_bid(bid), plain_bid(new))] for bid in bids}
    length: dict[Bid, int] = {}
    for bid in TopologicalSorter(beaten_by).static_order():
        length[bid] = 1 + max((length[new] for new in beaten_by[bid]), default=0)
    return max(length.values())


@given(tables(), seeds)
def test_a_round_has_no_more_bids_than_the_longest_chain_or_its_guard(table: tuple[Ruleset, int], seed: int) -> None:
    rules, seats = table
    made, top = 0, None
    for event in random_match(rules, seats, seed).events:
        if isinstance(event, RoundStarted):
            made, top = 0, max_quantity(rules, event.dice)
        if isinstance(event, BidMade):
            made += 1
            if top is not None:
                assert made <= longest_chain(rules, top)
            if rules.guards.max_bids_per_round is not None:
                assert made <= rules.guards.max_bids_per_round


@given(tables(), seeds)
def test_a_match_has_no_more_rounds_than_its_dice_lives_or_guard_allow(table: tuple[Ruleset, int], seed: int) -> None:
    rules, seats = table
    match = random_match(rules, seats, seed)
    assert match.state.phase is Phase.OVER
    rounds = sum(isinstance(event, RoundStarted) for event in match.events)
    if rules.guards.max_rounds is not None:
        assert rounds <= rules.guards.max_rounds
    stakes, exact = rules.starting_stakes * seats, rules.exact_call
    if rules.loss.destination is Destination.DISCARD and (exact is None or exact.budget is not None):
        calls = 0 if exact is None else seats * (exact.budget or 0) * (exact.success_gain + 1)
        assert rounds <= stakes - 1 + calls


@given(tables(), seeds)
def test_every_round_without_a_gain_costs_somebody_something_unless_it_goes_to_an_opponent(
    table: tuple[Ruleset, int], seed: int
) -> None:
    rules, seats = table
    if rules.exact_call is not None or rules.loss.destination is Destination.OPPONENT:
        return
    before = rules.starting_stakes * seats + 1
    for step in random_match(rules, seats, seed).steps:
        for event in step.events:
            assert not isinstance(event, DiceGained | LivesGained)
            if isinstance(event, RoundStarted):
                assert sum(step.before.stakes) < before
                before = sum(step.before.stakes)
