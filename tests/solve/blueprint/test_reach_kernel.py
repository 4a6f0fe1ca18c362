"""CFR on a recall graph finds what the exact solver finds, and knows how likely pairs of hands come to a node."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import msgspec
import numpy as np
import pytest
from numpy.typing import NDArray

from liarsdice.bots.policy import PolicyBot, policy_of
from liarsdice.bots.registry import make_bot
from liarsdice.core.actions import PlayerAction
from liarsdice.core.engine.view import View
from liarsdice.core.rules.bids import Bid
from liarsdice.core.rules.tally import Hand
from liarsdice.solve.blueprint.blueprint import Blueprint
from liarsdice.solve.blueprint.learned_arrays import (
    NO_MODELS,
    TILE,
    make_learned,
    make_node_groups,
    make_pass,
    transpose,
    transpose_back,
)
from liarsdice.solve.blueprint.reach_kernel import compute_reach
from liarsdice.solve.blueprint.recall_graph import RecallGraph
from liarsdice.solve.blueprint.worst_case_kernel import best_response
from liarsdice.solve.cfr.solver import Solver, solve
from liarsdice.solve.round_game import RoundStart, state_before_bids, view_after
from liarsdice.values.blueprints import blueprint_probs
from liarsdice_lab.best_response import CutBestResponse, make_models
from tests.solve.blueprint.trained_rounds import even_models, make_graph, node_probs, trained
from tests.solve.sequence_form import SequenceForm
from tests.solve.solved_rounds import make_tree, rules_of


@pytest.mark.parametrize("name, dice, faces", [("openspiel", (1, 1), 4), ("perudo", (2, 1), 3), ("bluff", (1, 2), 3)])
def test_the_value_of_a_round_is_that_of_the_solver(name: str, dice: tuple[int, int], faces: int) -> None:
    solver = Solver(make_tree(rules_of(name, faces), dice))
    bounds = solve(solver, target=1e-3)
    trainer = trained(make_graph(name, dice, faces, recall=4), 300)
    assert trainer.value == pytest.approx((bounds.low + bounds.high) / 2, abs=0.01)


def test_the_reach_of_a_node_is_that_of_all_sequences_that_end_alike() -> None:
    """A graph that remembers every bid tells them apart; both seats make each action equally often."""
    reaches = {}
    for recall in (2, 7):
        graph = make_graph("openspiel", (1, 1), 3, recall=recall)
        groups, run = make_node_groups(graph), make_pass(graph.arrays)
        compute_reach(graph.arrays, groups, make_learned(graph.arrays), run, NO_MODELS, 0, 1.0)
        reaches[recall] = {path: run.reach[node] for path, node in graph.nodes.items()}
    for path, reach in reaches[2].items():
        ways = [other for longer, other in reaches[7].items() if longer[-len(path) :] == path and len(path) == 2]
        np.testing.assert_allclose(reach, np.sum(ways, axis=0) if ways else 1 / 9, rtol=1e-4)


def test_a_hand_that_comes_to_a_node_more_often_weighs_more_in_its_average() -> None:
    graph = make_graph("openspiel", (1, 1), 3, recall=7)
    groups, run, learned = make_node_groups(graph), make_pass(graph.arrays), make_learned(graph.arrays)
    learned.regrets[:3] = [8, 1, 0]  # the first bid of the opener, by its hands
    learned.regrets[3:6] = [0, 7, 8]
    compute_reach(graph.arrays, groups, learned, run, NO_MODELS, 1, 1.0)
    first_bid = int(graph.arrays.children[0])
    own_next = int(graph.arrays.children[graph.arrays.first_child[first_bid]])
    start, end = graph.arrays.first_row[own_next : own_next + 2]
    totals = learned.sums[start:end].reshape(-1, 3).sum(axis=0)
    np.testing.assert_allclose(totals, [8 / 9, 1 / 9, 0], rtol=1e-4)


def test_regrets_too_small_to_divide_by_give_an_even_strategy() -> None:
    graph = make_graph("perudo", (1, 1), 3, recall=2)
    learned = make_learned(graph.arrays)
    learned.regrets[0] = 1e-40  # its inverse is no float32
    compute_reach(graph.arrays, make_node_groups(graph), learned, make_pass(graph.arrays), NO_MODELS, 1, 1.0)
    assert np.isfinite(learned.sums).all()
    hands = graph.arrays.hand_counts[0]
    first, second = learned.sums[0 : 2 * hands : hands]
    assert first == pytest.approx(second)


def test_a_node_with_a_reach_too_small_to_divide_by_adds_nothing_to_its_average() -> None:
    graph = make_graph("perudo", (1, 1), 3, recall=2)
    learned, run = make_learned(graph.arrays), make_pass(graph.arrays)
    seldom = graph.arrays._replace(hand_probs=graph.arrays.hand_probs * np.float32(1e-19))
    compute_reach(seldom, make_node_groups(graph), learned, run, NO_MODELS, 1, 1e6)
    assert not learned.sums.any()


@pytest.mark.parametrize("name, dice", [("openspiel", (2, 1)), ("perudo", (1, 2)), ("perudo", (2, 2))])
def test_who_nearly_always_meets_a_model_wins_what_a_best_response_wins_from_it(
    name: str, dice: tuple[int, int]
) -> None:
    graph = make_graph(name, dice, 3, recall=7)
    model = Blueprint(graph, even_models(graph, 0.0).weights[0])
    response = trained(graph, 150, even_models(graph, 0.98)).blueprint(0.05)
    decides = np.zeros((len(graph.nodes), graph.arrays.hand_probs.shape[1]))
    for seat in (0, 1):
        players = (response, model) if seat == 0 else (model, response)
        won = (1 if seat == 0 else -1) * value_between(*players)
        assert won == pytest.approx(best_response(graph.arrays, node_probs(model), seat, 0.0, decides), abs=0.01)


def test_who_may_meet_a_model_wins_more_from_it_and_gives_hardly_more_away() -> None:
    graph = make_graph("perudo", (2, 2), 3, recall=4)
    model = Blueprint(graph, even_models(graph, 0.0).weights[0])
    balanced = trained(graph, 100).blueprint(0.02)
    leaning = trained(graph, 100, even_models(graph, 0.05)).blueprint(0.02)
    response = trained(graph, 100, even_models(graph, 0.98)).blueprint(0.02)
    won = [value_between(player, model) for player in (balanced, leaning, response)]
    given_away = [exploitability(player) for player in (balanced, leaning, response)]
    assert won == sorted(won)
    assert won[1] > won[0] + 0.02
    assert given_away[1] < given_away[0] + 0.005 < given_away[2]


def exploitability(blueprint: Blueprint) -> float:
    """Return what best responses to both seats win, on average."""
    arrays, probs = blueprint.graph.arrays, node_probs(blueprint)
    decides = np.zeros((len(arrays.movers), arrays.hand_probs.shape[1]))
    return float(np.mean([best_response(arrays, probs, seat, 0.0, decides) for seat in (0, 1)]))


def value_between(first: Blueprint, second: Blueprint) -> float:
    """Return what seat 0 wins if it plays the first blueprint and seat 1 the second, of the same graph."""
    graph = first.graph
    arrays, probs = graph.arrays, (node_probs(first), node_probs(second))
    counts = arrays.hand_counts.tolist()
    reach = np.zeros((len(graph.nodes), *counts))
    reach[0] = np.outer(arrays.hand_probs[0, : counts[0]], arrays.hand_probs[1, : counts[1]])
    won = 0.0
    for node in make_node_groups(graph).members.tolist():
        mover, calls, index = int(arrays.movers[node]), int(arrays.calls[node]), arrays.situations[node]
        both = reach[node] if mover == 0 else reach[node].T
        shares = probs[mover][node, :, : counts[mover], np.newaxis]
        own = arrays.buckets[mover, index, : counts[mover]]
        other = arrays.buckets[1 - mover, index, : counts[1 - mover]]
        for call in range(calls):
            paid = (both * shares[call] * arrays.payoffs[index, call][np.ix_(own, other)]).sum()
            won += float(paid) if mover == 0 else -float(paid)
        for place, child in enumerate(arrays.children[arrays.first_child[node] : arrays.first_child[node + 1]]):
            taken = both * shares[calls + place]
            reach[child] += taken if mover == 0 else taken.T
    return won


@pytest.mark.parametrize("rows, columns", [(1, 1), (3, 2), (TILE, TILE + 1), (2 * TILE + 5, 7)])
def test_matrices_are_transposed_to_flat_ones_and_back(rows: int, columns: int) -> None:
    matrix = np.random.default_rng(1).random((rows, columns), np.float32)
    flat = np.zeros(rows * columns + 3, np.float32)
    transpose(matrix, flat, rows, columns)
    np.testing.assert_array_equal(flat[:-3].reshape(columns, rows), matrix.T)
    assert not flat[-3:].any()
    back = np.zeros_like(matrix)
    transpose_back(flat, back, columns, rows)
    np.testing.assert_array_equal(back, -matrix)


@pytest.mark.parametrize("name, recall", [("openspiel", 2), ("perudo", 3)])
def test_nodes_stand_before_their_children_and_share_them_with_their_group_alone(name: str, recall: int) -> None:
    graph = make_graph(name, (2, 1), 4, recall=recall)
    arrays, groups = graph.arrays, make_node_groups(graph)
    assert sorted(groups.members) == list(range(len(graph.nodes)))
    assert groups.members[0] == 0
    place = {int(node): place for place, node in enumerate(groups.members)}
    owner: dict[int, int] = {}
    for group in range(len(groups.first_member) - 1):
        members = groups.members[groups.first_member[group] : groups.first_member[group + 1]]
        children = {
            tuple(arrays.children[arrays.first_child[node] : arrays.first_child[node + 1]].tolist()) for node in members
        }
        assert len(children) == 1
        for child in children.pop():
            assert owner.setdefault(child, group) == group
            assert place[child] >= groups.first_member[group + 1]


ActionProbs = Callable[[Hand, tuple[Bid, ...]], Mapping[Any, float]]
"""How a player acts with a hand after bids."""
Plan = NDArray[np.float64]
"""How likely a player's own choices lead to each of their sequences, float64 [sequence]."""
Payoffs = NDArray[np.float64]
"""What seat 0 wins where two sequences meet, times the probability of the dice, float64 [sequence, sequence]."""


@pytest.mark.parametrize(
    "name, dice, faces", [("openspiel", (1, 1), 3), ("perudo", (1, 1), 3), ("perudo", (2, 1), 2), ("bluff", (1, 1), 3)]
)
@pytest.mark.parametrize("bots", [{"threshold:0.4": 0.2}, {"threshold:0.4": 0.1, "inference": 0.3}])
def test_each_seat_answers_the_bots_and_an_opponent_who_knows_it(
    name: str, dice: tuple[int, int], faces: int, bots: dict[str, float]
) -> None:
    graph = make_graph(name, dice, faces, recall=20, menu=50)
    policies = [(policy_of(make_bot(bot)), share) for bot, share in bots.items()]
    trainer = trained(graph, 400, make_models(graph, policies))
    form = SequenceForm(rules_of(name, faces), RoundStart(dice))
    payoffs = payoffs_of(form)
    played = [plan_of(form, seat, trainer.blueprint().action_probs) for seat in (0, 1)]
    others = 1 - sum(bots.values())
    mixed = [others * payoffs, others * payoffs]
    for policy, share in policies:
        bot = [plan_of(form, seat, probs_of(graph, policy)) for seat in (0, 1)]
        mixed[0][:, 0] += share * payoffs @ bot[1]
        mixed[1][0] += share * bot[0] @ payoffs
    lowest, highest = -most_won(form, 1, -played[0] @ mixed[0]), most_won(form, 0, mixed[1] @ played[1])
    assert lowest == pytest.approx(value_of(form, mixed[0]), abs=0.004)
    assert highest == pytest.approx(value_of(form, mixed[1]), abs=0.004)


def payoffs_of(form: SequenceForm) -> Payoffs:
    payoffs = np.zeros([len(sequences) for sequences in form.sequences])
    for pair, payoff in form.ends.items():
        payoffs[pair] = payoff
    return payoffs


def probs_of(graph: RecallGraph, policy: PolicyBot) -> ActionProbs:
    before_bids = state_before_bids(graph.game.rules, graph.game.start)

    def probs(hand: Hand, bids: tuple[Bid, ...]) -> Mapping[PlayerAction | None, float]:
        shown = view_after(before_bids, bids, len(bids) % 2)
        return policy.action_probs(msgspec.structs.replace(shown, hand=hand))

    return probs


def plan_of(form: SequenceForm, seat: int, probs: ActionProbs) -> Plan:
    plan, sequences = np.zeros(len(form.sequences[seat])), list(form.sequences[seat])
    plan[0] = 1
    for (hand, *bids), (parent, children) in form.choices[seat].items():
        named: Mapping[object, float] = probs(hand, tuple(bids))  # type: ignore[arg-type]
        for child in children:
            plan[child] = plan[parent] * named.get(sequences[child][-1], 0.0)
    return plan


def value_of(form: SequenceForm, payoffs: Payoffs) -> float:
    """Return what is won by seat 0 at equilibrium."""
    game = SequenceForm.__new__(SequenceForm)
    game.sequences, game.choices = form.sequences, form.choices
    game.ends = {(first, second): payoffs[first, second] for first, second in np.argwhere(payoffs).tolist()}
    return game.value()


def most_won(form: SequenceForm, seat: int, gains: Plan) -> float:
    """Return the most that a seat can win. `gains`: what its sequences win against the opponent's plan."""
    values = gains.copy()
    for parent, children in reversed(form.choices[seat].values()):
        values[parent] += max(values[child] for child in children)
    return float(values[0])


class BlueprintPlayer:
    """A bot that plays a blueprint and nothing else."""

    def __init__(self, blueprint: Blueprint) -> None:
        self._blueprint = blueprint
        self.memory: int | None = blueprint.layout.recall

    def action_probs(self, view: View) -> dict[PlayerAction | None, float]:
        """Return the probability of each move."""
        return dict(self._blueprint.action_probs(view.hand, [bid for _, bid in view.bids]).items())

    def probs_by_hand(
        self, views: Sequence[View], hands: Sequence[Hand], actions: Sequence[PlayerAction]
    ) -> NDArray[np.float64]:
        """Return the probability of each action with each hand."""
        return blueprint_probs(self._blueprint, views, hands, actions)


@pytest.mark.parametrize("min_reach", [0.0, 0.02, 0.3])
@pytest.mark.parametrize("name, dice", [("perudo", (2, 1)), ("openspiel", (1, 2)), ("openspiel", (2, 2))])
def test_it_wins_what_the_plain_best_response_wins(name: str, dice: tuple[int, int], min_reach: float) -> None:
    graph = make_graph(name, dice, 3, recall=2)
    blueprint = trained(graph, 20).blueprint()
    probs, decides = node_probs(blueprint), np.zeros((len(graph.nodes), graph.arrays.hand_probs.shape[1]))
    for seat in (0, 1):
        plain = CutBestResponse(graph.game, BlueprintPlayer(blueprint), seat, graph.values, min_reach).value()
        assert best_response(graph.arrays, probs, seat, min_reach, decides) == pytest.approx(plain.low, abs=1e-6)


def test_the_player_opens_with_every_hand_and_comes_to_no_node_more_often() -> None:
    graph = make_graph("perudo", (2, 2), 3, recall=2)
    blueprint = trained(graph, 20).blueprint()
    decides = np.zeros((len(graph.nodes), graph.arrays.hand_probs.shape[1]))
    best_response(graph.arrays, node_probs(blueprint), 1, 0.0, decides)
    np.testing.assert_allclose(decides[0], graph.game.hand_probs[0], rtol=1e-6)
    assert not decides[graph.arrays.movers == 1].any()
    assert (decides.sum(axis=1) <= 1 + 1e-6).all()
    assert np.count_nonzero(decides.sum(axis=1)) > 1
