"""Rounds as arrays: which situations are told apart, and which rules are refused."""

import numpy as np
import pytest

from liarsdice.core.actions import AnswerDouble, Challenge
from liarsdice.core.engine.state import State
from liarsdice.core.errors import MalformedError, UnavailableError
from liarsdice.core.rules.bids import Bid
from liarsdice.core.rules.choices import Answer, FromSpecial, SpecialRank, ToSpecial
from liarsdice.core.rules.overlay import patched
from liarsdice.core.rules.parts import Bidding, Guards
from liarsdice.core.rules.presets import preset
from liarsdice.core.rules.tally import Hand
from liarsdice.solve.cfr.method import Bounds
from liarsdice.solve.cfr.solver import Solver, solve
from liarsdice.solve.round_game import (
    PublicTree,
    RoundStart,
    ending_actions,
    hand_buckets,
    hands_with_probs,
    make_round_game,
    situation_graph,
    state_before_bids,
    topological_order,
    view_after,
    with_faces,
)
from liarsdice.solve.strategy.average_strategy import average_strategy, certify
from liarsdice.solve.strategy.strategy import Strategy
from tests.bots.positions import dealt_state
from tests.solve.sequence_form import SequenceForm
from tests.solve.solved_rounds import make_tree, rules_of


def test_where_bids_may_not_be_repeated_situations_differ_by_all_bids_made() -> None:
    rules = patched(
        with_faces(preset("joker").ruleset, 3),
        bidding=Bidding(
            special_rank=SpecialRank.CONVERT,
            to_special=ToSpecial.CEIL_HALF,
            from_special=FromSpecial.DOUBLE,
            special_may_open=False,
            min_open=2,
            no_repeat=True,
        ),
        guards=Guards(max_bids_per_round=20),
    )
    result = solve(Solver(make_tree(rules, (1, 1))), target=1e-3, iterations=5_000)
    assert result.low - 1e-6 <= SequenceForm(rules, RoundStart((1, 1))).value() <= result.high + 1e-6


def test_rounds_without_an_end_or_dice_are_refused_with_the_reason() -> None:
    with pytest.raises(UnavailableError, match="grows like a factorial"):
        make_round_game(preset("official").ruleset, RoundStart((1, 1)))
    with pytest.raises(MalformedError, match="two players with dice"):
        make_round_game(preset("basic").ruleset, RoundStart((0, 1)))


HANDS: tuple[Hand, ...] = ((1, 1), (1, 3), (2, 3), (3, 3), (4, 4))


def after_opening(name: str, **rules: object) -> State:
    return dealt_state(patched(preset(name).ruleset, **rules), ((2, 2), (5, 5)), (Bid(2, 3),))


@pytest.mark.parametrize(
    "state, buckets",
    [
        (after_opening("perudo"), [2, 2, 1, 2, 0]),  # ones and threes count alike
        (after_opening("cacho"), [2, 3, 1, 4, 0]),  # a challenge of the opening bid counts no ones
        (after_opening("chui-niu+five-alike", dice__per_player=2, bidding__min_open=1), [2, 2, 1, 3, 0]),
        (after_opening("chui-niu+worthless-different", dice__per_player=2, bidding__min_open=1), [1, 0, 0, 1, 0]),
    ],
    ids=["perudo", "siciliana", "five alike", "worthless"],
)
def test_hands_are_told_apart_by_what_they_add(state: State, buckets: list[int]) -> None:
    first, second = hand_buckets(state, (HANDS, HANDS[:2]))
    assert first.tolist() == buckets
    assert (second[0] == second[1]) == (buckets[0] == buckets[1])


def test_before_the_first_bid_all_hands_are_alike() -> None:
    state = dealt_state(preset("perudo").ruleset, ((2, 2), (5, 5)))
    assert hand_buckets(state, (HANDS, HANDS))[0].tolist() == [0] * len(HANDS)


DOUBLE, REDOUBLE = Challenge(double=True), AnswerDouble(Answer.REDOUBLE)
ACCEPT, FOLD = AnswerDouble(Answer.ACCEPT), AnswerDouble(Answer.FOLD)


def test_answers_follow_a_call_for_twice_the_stake_and_each_situation_precedes_its_successors() -> None:
    rules = with_faces(preset("chui-niu+counter-pi").ruleset, 2)
    graph = situation_graph(state_before_bids(rules, RoundStart((1, 1))))
    order = topological_order(graph)
    assert set(order) == set(graph)
    assert all(order.index(key) < order.index(after) for key, (_, steps) in graph.items() for after in steps.values())
    bid_made = next(key for key, (_, steps) in graph.items() if DOUBLE in steps)
    doubled = graph[bid_made][1][DOUBLE]
    assert list(graph[doubled][1]) == [REDOUBLE]
    redoubled = graph[doubled][1][REDOUBLE]
    assert graph[redoubled][1] == {}
    ends = [ending_actions(graph[key][0]) for key in (bid_made, doubled, redoubled)]
    assert ends == [[Challenge()], [ACCEPT, FOLD], [ACCEPT, FOLD]]


def test_a_view_has_the_bids_of_both_and_the_dice_of_the_seat() -> None:
    before = state_before_bids(preset("perudo").ruleset, RoundStart((2, 1)))
    opening = view_after(before, [], 0)
    assert (opening.bid, opening.on_turn, len(opening.hand), opening.dice) == (None, True, 2, (2, 1))
    bids = [Bid(1, 3), Bid(2, 3)]
    answer = view_after(before, bids[:1], 1)
    assert (answer.bid, answer.on_turn, len(answer.hand)) == (bids[0], True, 1)
    assert view_after(before, bids, 0).bids == ((0, bids[0]), (1, bids[1]))


@pytest.mark.parametrize("name", ["openspiel", "perudo", "snyd", "snyd-joker", "mustache"])
@pytest.mark.parametrize("dice, faces", [((1, 1), 4), ((2, 1), 3)])
def test_leaving_out_hands_that_surely_call_loses_nothing(name: str, dice: tuple[int, int], faces: int) -> None:
    rules = rules_of(name, faces)
    reduced, whole = make_tree(rules, dice), make_tree(rules, dice, sure_calls=False)
    assert reduced.subtree_types[reduced.root].subtree_rows < whole.subtree_types[whole.root].subtree_rows
    solver = Solver(reduced)
    solver.iterate(200)
    strategy = average_strategy(solver)
    spread = certify(whole, _spread(strategy, whole), 200, "dcfr")
    assert spread.bounds.low == pytest.approx(strategy.bounds.low, abs=1e-6)
    assert spread.bounds.high == pytest.approx(strategy.bounds.high, abs=1e-6)
    other = solve(Solver(whole), target=1e-3)
    assert strategy.bounds.low <= other.high + 1e-6
    assert other.low <= strategy.bounds.high + 1e-6


def _spread(strategy: Strategy, whole: PublicTree) -> np.ndarray[tuple[int], np.dtype[np.float32]]:
    """A reduced strategy on the unreduced tree: who is sure calls, and where nobody comes, too."""
    plain = Strategy(whole, np.zeros(0, np.float32), Bounds(0, 0, 0, 0), "")
    rows: list[float] = []

    def add(number: int, bids: tuple[Bid, ...]) -> None:
        kind = whole.subtree_types[number]
        actions = plain.actions(kind)
        situation = whole.game.situations[kind.situation]
        hands = [whole.game.hands[situation.mover][kind.mover_hands[place]] for place in kind.deciding]
        plays = []
        for hand in hands:
            try:
                plays.append(strategy.action_probs(hand, bids))
            except UnavailableError:
                plays.append({actions[0]: 1.0})
        rows.extend(play.get(action, 0.0) for action in actions for play in plays)
        for child, (bid, _) in zip(kind.children, situation.raises, strict=False):
            add(child, (*bids, bid))

    add(whole.root, ())
    return np.array(rows, np.float32)


def test_hands_that_differ_in_their_double_dice_are_counted_apart() -> None:
    rules = patched(preset("basic").ruleset, dice__per_player=8, dice__double=4)
    with pytest.raises(UnavailableError, match="8 dice with 6 faces make 15,876 hands"):
        hands_with_probs(rules, 8)
