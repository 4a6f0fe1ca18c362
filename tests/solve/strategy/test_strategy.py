"""Strategies: what they answer to hands, bids and views, and what they refuse."""

import zlib
from collections.abc import Iterator
from copy import deepcopy
from itertools import product
from pathlib import Path

import msgspec
import numpy as np
import pytest
from hypothesis import given

from liarsdice.core.actions import Challenge, Exact
from liarsdice.core.engine.view import view
from liarsdice.core.errors import IllegalActionError, MalformedError, UnavailableError
from liarsdice.core.rules.bids import Bid
from liarsdice.core.rules.overlay import patched
from liarsdice.core.rules.parts import Labels
from liarsdice.core.rules.presets import preset
from liarsdice.core.rules.ruleset import Ruleset
from liarsdice.core.rules.tally import Hand
from liarsdice.solve.cfr.method import Method
from liarsdice.solve.cfr.solver import Solver, solve
from liarsdice.solve.strategy.average_strategy import average_strategy, average_weights, pruned, quantized
from liarsdice.solve.strategy.strategy import (
    ActionProbs,
    Strategy,
    iter_information_sets,
    same_round_rules,
    two_player_rules,
)
from liarsdice.solve.strategy.strategy_file import (
    StrategySet,
    decode_decisions,
    encode_decisions,
    read_strategies,
    write_strategies,
)
from tests.laws.random_rulesets import rulesets
from tests.solve.solved_rounds import deal_hands, learn_strategy, make_tree, rules_of


def test_a_hand_acts_by_the_learned_probabilities_the_likeliest_first() -> None:
    strategy = learn_strategy("openspiel", (1, 1), 6)
    first = strategy.action_probs((3,))
    assert sum(first.values()) == pytest.approx(1)
    assert list(first.values()) == sorted(first.values(), reverse=True)
    assert all(isinstance(action, Bid) for action in first)
    assert strategy.action_probs((1,), [Bid(2, 6)]) == {Challenge(): 1.0}


def test_impossible_hands_and_bids_are_refused_with_the_reason() -> None:
    strategy = learn_strategy("openspiel", (2, 1), 3)
    with pytest.raises(MalformedError, match="the player on turn holds 2 dice with faces 1 to 3, not 1,2,3"):
        strategy.action_probs((1, 2, 3))
    with pytest.raises(MalformedError, match="holds 1 die with faces 1 to 3, not 4"):
        strategy.action_probs((4,), [Bid(1, 1)])
    with pytest.raises(IllegalActionError, match=r"1x1 after 1x2 is against the rules \(legal: one of 1x3, "):
        strategy.action_probs((1, 1), [Bid(1, 2), Bid(1, 1)])
    with pytest.raises(IllegalActionError, match="4x1 as the first bid is against the rules"):
        strategy.action_probs((1,), [Bid(4, 1)])
    with pytest.raises(UnavailableError, match="a hand of 2,2 calls earlier"):
        strategy.action_probs((2, 2), [Bid(1, 1), Bid(3, 1), Bid(3, 2), Bid(3, 3)])
    with pytest.raises(UnavailableError, match="after 2x2, every possible hand calls"):
        learn_strategy("snyd", (1, 1), 3).action_probs((3,), [Bid(2, 1), Bid(2, 2), Bid(2, 3)])


def test_a_view_is_answered_from_any_seat() -> None:
    strategy = learn_strategy("perudo", (2, 1), 6)
    renamed = patched(preset("perudo").ruleset, labels=Labels(game="Ours"))
    state = deal_hands(renamed, ((), (4,), (3, 3)), [(2, Bid(1, 4))])
    assert strategy.policy(view(state, 1)) == strategy.action_probs((4,), [Bid(1, 4)])
    with pytest.raises(IllegalActionError, match="only the view of the player on turn"):
        strategy.policy(view(state, 2))
    with pytest.raises(UnavailableError, match=r"plays 2v1 by the rules of Perudo, not 1v2 by Ours"):
        strategy.policy(view(deal_hands(renamed, ((), (3, 4), (3,)), []), 2))
    with pytest.raises(UnavailableError, match="only rounds of two players are solved, and 3 hold dice"):
        strategy.policy(view(deal_hands(renamed, ((2,), (4,), (3, 3)), []), 2))
    with pytest.raises(UnavailableError, match="not 2v1 by"):
        strategy.policy(view(deal_hands(preset("basic").ruleset, ((), (4,), (3, 3)), []), 2))


def test_a_strategy_has_a_short_repr_and_equals_its_copies() -> None:
    strategy = solved("basic", (1, 1))
    assert repr(strategy).startswith("<Strategy: Basic Liar's Dice, 1v1 dice with 4 faces, ")
    assert len(repr(strategy)) < 120
    assert deepcopy(strategy) == strategy
    assert strategy != solved("basic", (1, 2))
    assert strategy != strategy.bounds


def test_a_hand_without_weights_takes_every_action_equally() -> None:
    strategy = learn_strategy("openspiel", (1, 1), 3)
    empty = msgspec.structs.replace(strategy, action_weights=np.zeros_like(strategy.action_weights))
    assert list(empty.action_probs((1,)).values()) == pytest.approx([1 / 6] * 6)


@given(rulesets())
def test_what_makes_no_difference_to_a_round_is_left_out_of_any_rules(rules: Ruleset) -> None:
    canonical = two_player_rules(rules)
    assert two_player_rules(canonical) == canonical
    assert canonical.labels == Labels()


@pytest.mark.parametrize("rules", ["perudo+pass-alike", "perudo+face-off", "bar"])
def test_dice_at_the_start_tell_rounds_apart_where_rules_go_by_them(rules: str) -> None:
    five, six = (patched(preset(rules).ruleset, dice__per_player=count) for count in (5, 6))
    assert not same_round_rules(five, six)
    plain = preset("perudo").ruleset
    assert same_round_rules(patched(plain, dice__per_player=4), plain)


@pytest.mark.parametrize("dice", [(1, 1), (2, 1), (1, 2)])
@pytest.mark.parametrize("name", ["openspiel", "perudo"])
def test_each_information_set_has_what_the_strategy_answers_there(name: str, dice: tuple[int, int]) -> None:
    strategy = learn_strategy(name, dice, 3, 20)
    nodes = list(iter_information_sets(strategy))
    assert len({(node.hand, node.bids) for node in nodes}) == len(nodes)
    for node in nodes:
        assert node.probs == strategy.action_probs(node.hand, node.bids)
        assert list(node.probs) == list(strategy.action_probs(node.hand, node.bids))
        assert (node.seat, len(node.hand)) == (len(node.bids) % 2, dice[len(node.bids) % 2])
    counts = {(): len([hand for hand in nodes if not hand.bids])}
    assert counts[()] == {1: 3, 2: 6}[dice[0]]


def test_a_pruned_strategy_has_only_what_its_player_comes_to() -> None:
    whole = learn_strategy("openspiel", (1, 1), 4, 400)
    kept = list(iter_information_sets(pruned(whole, 1 / 4095)))
    everything = {(node.hand, node.bids) for node in iter_information_sets(whole)}
    assert {(node.hand, node.bids) for node in kept} < everything


ROUNDS = [("perudo", (2, 1), 4), ("openspiel", (1, 2), 3), ("snyd-stairs", (1, 1), 3), ("mustache", (2, 2), 3)]


def solved(name: str = "perudo", dice: tuple[int, int] = (2, 1), faces: int = 4) -> Strategy:
    return learn_strategy(name, dice, faces, 300)


@pytest.mark.parametrize("name, dice, faces", ROUNDS)
def test_a_pruned_strategy_guarantees_nearly_the_same(name: str, dice: tuple[int, int], faces: int) -> None:
    strategy = solved(name, dice, faces)
    small = pruned(strategy, 0.001)
    assert small.bounds.exploitability <= strategy.bounds.exploitability + 0.001
    assert np.count_nonzero(small.action_weights) < np.count_nonzero(strategy.action_weights) / 2


@pytest.mark.parametrize("name, dice, faces", ROUNDS)
def test_a_file_holds_every_decision_of_a_pruned_strategy(
    tmp_path: Path, name: str, dice: tuple[int, int], faces: int
) -> None:
    small, path = pruned(solved(name, dice, faces), 0.01), tmp_path / "pruned.lds"
    write_strategies(path, StrategySet(rules_of(name, faces), False, (small,)), "1")
    assert path.read_bytes().startswith(b"liarsdice strategy 1\n")
    (read,) = read_strategies(path).strategies
    assert read.pruned
    assert read.bounds == small.bounds
    assert np.array_equal(read.action_weights, small.action_weights)


def test_what_the_strategy_never_comes_to_has_no_answer() -> None:
    small = pruned(solved(), 0.02)
    hands = small.tree.game.hands[0]
    opening = {hand: small.action_probs(hand) for hand in hands}
    bid = next(bid for bid in opening[4, 4] if isinstance(bid, Bid))
    never = next(hand for hand in hands if bid not in opening[hand])
    after = [bid, next(raised for raised, _ in small.tree.game.situations[1].raises if raised.quantity > bid.quantity)]
    assert sum(small.action_probs((4, 4), after).values()) == pytest.approx(1)
    with pytest.raises(UnavailableError, match="never makes these bids with"):
        small.action_probs(never, after)


def test_weights_that_do_not_fit_the_tree_are_refused() -> None:
    small = pruned(solved(), 0.01)
    stream = zlib.decompress(encode_decisions(small.tree, small.action_weights.astype(np.uint16)))
    for damaged in (stream[2:], stream + bytes(2), stream[1:], bytes(len(stream))):
        with pytest.raises(MalformedError, match=r"action weight|any action"):
            decode_decisions(small.tree, zlib.compress(damaged))


def test_average_weights_do_not_depend_on_the_lanes() -> None:
    solved = make_tree(rules_of("perudo", 3), (2, 1))
    result = []
    for lanes in (1, 8, 64):
        solver = Solver(solved, lanes=lanes, double=True)
        solver.iterate(3)
        result.append(average_weights(solver))
    assert result[1] == pytest.approx(result[0], abs=1e-6)
    assert result[2] == pytest.approx(result[0], abs=1e-6)


def test_a_strategy_that_rounding_would_spoil_is_not_rounded(tmp_path: Path) -> None:
    solver = Solver(make_tree(rules_of("openspiel", 5), (1, 1)), Method.PCFR_PLUS)
    solve(solver, target=1e-6, iterations=3000)
    exact = average_strategy(solver)
    strategy = quantized(exact)
    assert strategy is exact
    file = tmp_path / "exact.lds"
    write_strategies(file, StrategySet(rules_of("openspiel", 5), False, (strategy,)), "0")
    assert np.array_equal(read_strategies(file).strategies[0].action_weights, exact.action_weights)


@pytest.mark.parametrize("name", ["openspiel", "perudo", "snyd-stairs", "chui-niu"])
@pytest.mark.parametrize("lanes", [1, 32])
@pytest.mark.parametrize("method", list(Method))
def test_bounds_by_plain_array_steps_are_those_of_the_compiled_kernel(name: str, lanes: int, method: Method) -> None:
    solver = Solver(make_tree(rules_of(name, 3), (2, 1)), method, lanes=lanes, double=True)
    for iterations in (1, 30):
        solver.iterate(iterations)
        compiled, plain = solver.bounds(), average_strategy(solver).bounds
        assert (plain.low, plain.high) == pytest.approx((compiled.low, compiled.high), abs=1e-6)


@pytest.mark.parametrize(
    "name, dice, faces",
    [("openspiel", (1, 1), 2), ("perudo", (1, 1), 2), ("snyd-joker", (1, 1), 3), ("chui-niu", (1, 1), 2)],
)
@pytest.mark.parametrize("iterations", [1, 40])
def test_no_pure_strategy_wins_more_than_the_best_response(
    name: str, dice: tuple[int, int], faces: int, iterations: int
) -> None:
    solver = Solver(make_tree(rules_of(name, faces), dice, sure_calls=False))
    solver.iterate(iterations)
    strategy = average_strategy(solver)
    assert best_pure_value(strategy, 0) == pytest.approx(strategy.bounds.high, abs=1e-9)
    assert best_pure_value(strategy, 1) == pytest.approx(-strategy.bounds.low, abs=1e-9)


Bids = tuple[Bid, ...]
Choice = Bid | Challenge | Exact
PureStrategy = dict[tuple[Hand, Bids], Choice]


def best_pure_value(strategy: Strategy, seat: int) -> float:
    """The most that any pure strategy of a seat wins against the other seat's play."""
    game = strategy.tree.game
    total = 0.0
    for hand, weight in zip(game.hands[seat], game.hand_probs[seat].tolist(), strict=True):
        total += weight * max(
            _value_of_hand(strategy, seat, hand, dict(pure_strategy))
            for pure_strategy in _pure_strategies(strategy, seat, hand, (), 0)
        )
    return total


def _options(strategy: Strategy, number: int) -> list[tuple[Choice, int]]:
    situation = strategy.tree.game.situations[number]
    calls: list[tuple[Choice, int]] = [(Exact() if call.exact else Challenge(), -1) for call in situation.calls]
    return [*calls, *situation.raises]


def _pure_strategies(strategy: Strategy, seat: int, hand: Hand, bids: Bids, number: int) -> Iterator[PureStrategy]:
    """Yield every pure strategy of a hand from here on."""
    options = _options(strategy, number)
    if strategy.tree.game.situations[number].mover == seat:
        for choice, child in options:
            if isinstance(choice, Bid):
                for rest in _pure_strategies(strategy, seat, hand, (*bids, choice), child):
                    yield {(hand, bids): choice, **rest}
            else:
                yield {(hand, bids): choice}
        return
    after = [
        list(_pure_strategies(strategy, seat, hand, (*bids, choice), child))
        for choice, child in options
        if isinstance(choice, Bid)
    ]
    for parts in product(*after):
        yield {known: choice for part in parts for known, choice in part.items()}


def _value_of_hand(strategy: Strategy, seat: int, hand: Hand, pure_strategy: PureStrategy) -> float:
    """What a pure strategy wins with a hand, on average over the other seat's hands and play."""
    game = strategy.tree.game
    other = 1 - seat
    total = 0.0
    for other_hand, weight in zip(game.hands[other], game.hand_probs[other].tolist(), strict=True):
        hands = (hand, other_hand) if seat == 0 else (other_hand, hand)
        total += weight * _value_below(strategy, seat, hands, pure_strategy, (), 0)
    return total


def _value_below(
    strategy: Strategy, seat: int, hands: tuple[Hand, Hand], pure_strategy: PureStrategy, bids: Bids, number: int
) -> float:
    game = strategy.tree.game
    mover = game.situations[number].mover
    probs: ActionProbs = (
        {pure_strategy[hands[seat], bids]: 1.0} if mover == seat else strategy.action_probs(hands[mover], bids)
    )
    total = 0.0
    for choice, chance in probs.items():
        if isinstance(choice, Bid):
            child = dict(game.situations[number].raises)[choice]
            total += chance * _value_below(strategy, seat, hands, pure_strategy, (*bids, choice), child)
        else:
            total += chance * _call_value(strategy, seat, hands, number, exact=isinstance(choice, Exact))
    return total


def _call_value(strategy: Strategy, seat: int, hands: tuple[Hand, Hand], number: int, *, exact: bool) -> float:
    game = strategy.tree.game
    situation = game.situations[number]
    mover = situation.mover
    call = next(option for option in situation.calls if option.exact == exact)
    buckets = [situation.hand_buckets[player][game.hands[player].index(hands[player])] for player in (mover, 1 - mover)]
    value = float(strategy.tree.outcome_values[call.outcomes[buckets[0], buckets[1]]])
    return value if seat == 0 else -value
