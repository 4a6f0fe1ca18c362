"""Networks that blueprints teach: what the rows of a round say, and runs that are stopped and continued."""

import csv
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import msgspec
import numpy as np
import pytest
import torch
from numpy.typing import NDArray

from liarsdice.bots.neural.champion import champion_network
from liarsdice.bots.neural.features import (
    BID_COUNT_FEATURE,
    BID_COUNT_SCALE,
    FloatArray,
    Observation,
    dice_held,
    encode,
    observe,
    with_hands,
)
from liarsdice.core.engine.view import view
from liarsdice.core.errors import MalformedError, UnavailableError
from liarsdice.core.rules.bids import Bid
from liarsdice.core.rules.presets import preset
from liarsdice.core.rules.ruleset_io import find_rules
from liarsdice.solve.blueprint.blueprint import Blueprint
from liarsdice.solve.blueprint.recall_graph import RecallGraph, child_path
from liarsdice.solve.blueprint.worst_case_kernel import best_response
from liarsdice.solve.round_game import (
    RoundStart,
    dice_lost_values,
    make_round_game,
    state_before_bids,
    view_after,
    with_faces,
)
from liarsdice_lab.best_response import match_values
from liarsdice_lab.train.distillation import (
    BESIDE_SHARE,
    CHECKPOINT_FILE,
    CURVE_FILE,
    EXPLORATION_RATE,
    MAX_PLACE,
    NETWORK_FILE,
    OUT_OF_TURN_EXPLORATION_RATE,
    RECALL,
    DistillationConfig,
    Distiller,
    Lessons,
    Measure,
    TaughtRound,
    draw_features,
    explored_probs,
    learn_lessons,
    make_lessons,
    node_probs,
    own_reach,
    play_matches,
    stakes,
    taught_graph,
    taught_rules,
    worst_case,
)
from liarsdice_lab.train.model import load_network
from tests.bots.positions import dealt_state
from tests.solve.blueprint.trained_rounds import make_graph, trained

THREE_FACES = """
[dice]
faces = 3
"""


@pytest.fixture
def config(tmp_path: Path) -> DistillationConfig:
    rules = tmp_path / "three.toml"
    rules.write_text(THREE_FACES)
    return DistillationConfig(
        rounds=(TaughtRound(str(rules), (2, 1)),),
        steps=60,
        minibatch=256,
        learning_rate=3e-3,
        match_share=0.0,
        iterations=40,
        measure_every=20,
    )


def measures_of(folder: Path, config: DistillationConfig, stop: Callable[[], bool] = lambda: False) -> list[Measure]:
    torch.manual_seed(config.seed)
    found: list[Measure] = []
    Distiller(folder, config, lambda _line: None).run(lambda _done, measure: found.append(measure), stop)
    return found


def test_a_network_learns_what_a_blueprint_plays(tmp_path: Path, config: DistillationConfig) -> None:
    measures = measures_of(tmp_path / "run", config)
    assert len(measures) == 4
    assert measures[-1].exploitability[0] < 0.5 * measures[0].exploitability[0]
    assert measures[-1].rounds < 0.5 * measures[0].rounds
    with (tmp_path / "run" / CURVE_FILE).open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert [row["step"] for row in rows] == ["0", "20", "40", "60"]
    assert float(rows[-1]["rounds"]) == round(measures[-1].rounds, 4)
    assert load_network(str(tmp_path / "run" / NETWORK_FILE)).min_prob_ratio == pytest.approx(0.05)


def test_a_run_that_was_stopped_continues_to_the_same_network(tmp_path: Path, config: DistillationConfig) -> None:
    whole, parts = tmp_path / "whole", tmp_path / "parts"
    measures = measures_of(whole, config)
    calls: list[None] = []

    def at_the_second_measure() -> bool:
        calls.append(None)
        return len(calls) == 2

    assert len(measures_of(parts, config, at_the_second_measure)) == 2
    assert measures_of(parts, config)[-1] == measures[-1]
    assert (parts / CURVE_FILE).read_text() == (whole / CURVE_FILE).read_text()
    assert measures_of(parts, config)[-1] == measures[-1]  # it is finished


def test_another_configuration_or_a_damaged_checkpoint_is_refused(tmp_path: Path, config: DistillationConfig) -> None:
    folder = tmp_path / "run"
    measures_of(folder, config)
    with pytest.raises(MalformedError, match="another configuration"):
        Distiller(folder, msgspec.structs.replace(config, seed=2), print)
    (folder / CHECKPOINT_FILE).write_bytes(b"no checkpoint")
    with pytest.raises(MalformedError, match="delete it to start again"):
        Distiller(folder, config, print)


def test_rules_without_solvable_rounds_and_networks_that_do_not_fit_are_refused(
    tmp_path: Path, config: DistillationConfig
) -> None:
    pure = msgspec.structs.replace(config, rounds=(TaughtRound("bar", (2, 1)),))
    with pytest.raises(UnavailableError):
        Distiller(tmp_path / "pure", pure, print)
    with pytest.raises(UnavailableError, match="cannot start from champion@7"):
        Distiller(tmp_path / "narrow", msgspec.structs.replace(config, width=8), print)


def test_matches_leave_out_the_rounds_that_blueprints_teach() -> None:
    known = [(find_rules("perudo"), (2, 2))]
    rows = {}
    for name, rounds in {"all": [], "others": known}.items():
        rows[name] = play_matches("champion@7", 1, 12, 12, rounds)
    held = dice_held(rows["all"].features.astype(np.float32))
    two_each = (held[:, 0] == 2) & (held[:, 1:].sum(axis=1) == 2) & ((held > 0).sum(axis=1) == 2)
    assert 0 < len(rows["all"].probs) - len(rows["others"].probs) <= two_each.sum()
    assert not rows["others"].probs[~rows["others"].action_mask].any()
    np.testing.assert_allclose(rows["others"].probs.sum(axis=1, dtype=np.float64), 1, atol=0.01)


def test_a_round_names_its_rules_and_dice() -> None:
    assert str(TaughtRound("perudo", RoundStart((2, 1)).dice)) == "perudo 2v1"


class Taught(NamedTuple):
    """A blueprint and what it teaches."""

    blueprint: Blueprint
    lessons: Lessons


@pytest.fixture(scope="module", params=["perudo", "openspiel"])
def taught(request: pytest.FixtureRequest) -> Taught:
    blueprint = trained(make_graph(request.param, (2, 1), 3, recall=RECALL, menu=100), 60).blueprint()
    return Taught(blueprint, make_lessons(blueprint))


def test_rows_say_what_the_blueprint_plays_with_each_hand(taught: Taught) -> None:
    graph, lessons = taught.blueprint.graph, taught.lessons
    table = node_probs(graph, lessons, lessons.probs)
    for node in range(len(graph.nodes)):
        known = taught.blueprint.node_probs(node)
        np.testing.assert_allclose(table[node, : len(known), : known.shape[1]], known, atol=1e-6)
    assert lessons.unsaid.max() < 1e-6  # with so few dice every bid is an action
    assert not lessons.probs[~lessons.action_mask].any()


def test_features_tell_whose_dice_they_are_and_where_the_other_player_sits(taught: Taught) -> None:
    graph, lessons = taught.blueprint.graph, taught.lessons
    own = np.array([2, 1])[graph.arrays.movers[lessons.nodes]]
    drawn = draw_features(lessons, np.arange(len(own)), np.random.default_rng(1))
    places = {}
    for name, features in {"stored": lessons.features, "drawn": drawn}.items():
        held = dice_held(features.astype(np.float32))
        assert np.array_equal(held[:, 0], own)
        assert np.array_equal(held[:, 1:].sum(axis=1), 3 - own)
        places[name] = held[:, 1:].argmax(axis=1) + 1
    assert set(places["stored"].tolist()) == {1}
    assert set(places["drawn"].tolist()) == set(range(1, MAX_PLACE + 1))
    beside = BESIDE_SHARE + (1 - BESIDE_SHARE) / MAX_PLACE
    assert (places["drawn"] == 1).mean() == pytest.approx(beside, abs=0.05)


def bid_sequences(graph: RecallGraph) -> Iterator[tuple[int, list[Bid]]]:
    """Yield all bid sequences of a round, each with the node that it leads to."""
    waiting: list[tuple[tuple[int, ...], list[Bid]]] = [((0,), [])]
    while waiting:
        path, bids = waiting.pop()
        yield graph.nodes[path], bids
        for bid, situation in graph.game.situations[path[-1]].raises:
            waiting.append((child_path(path, situation, graph.recall), [*bids, bid]))


def seated_apart(observation: Observation, place: int) -> Observation:
    """Return an observation of two players in which the other one sits `place` seats away."""
    moved = {}
    for name in ("dice", "latest_bid", "previous_bid"):
        array = getattr(observation, name).copy()
        array[:, [1, place]] = array[:, [place, 1]]
        moved[name] = array
    bidder = np.where(observation.bidder == 1, place, observation.bidder)
    return observation._replace(bidder=bidder, **moved)


def features_after(graph: RecallGraph, node: int, bids: list[Bid]) -> list[FloatArray]:
    """Return what a network sees after bids, by the place of the other player, each float32 [hand, feature].

    One row for each hand of who decides there.
    """
    rules, mover = graph.game.rules, int(graph.arrays.movers[node])
    shown = observe(view_after(state_before_bids(rules, graph.game.start), bids, mover))
    hands = graph.game.hands[mover]
    return [encode(with_hands(seated_apart(shown, place), rules, hands)).features for place in range(1, MAX_PLACE + 1)]


def test_drawn_features_are_those_after_all_sequences_that_the_blueprint_merges(taught: Taught) -> None:
    graph, lessons = taught.blueprint.graph, taught.lessons
    after: dict[tuple[int, int], list[NDArray[np.float16]]] = {}
    for node, bids in bid_sequences(graph):
        after.setdefault((node, len(bids)), []).append(np.stack(features_after(graph, node, bids)).astype(np.float16))
    assert set(after) == set(zip(*(places.tolist() for places in np.nonzero(lessons.bid_counts)), strict=True))
    assert max(len(sequences) for sequences in after.values()) > 1
    rows, drawn_counts = np.arange(len(lessons.nodes)), set()
    for seed in range(40):
        drawn = draw_features(lessons, rows, np.random.default_rng(seed))
        counts = np.rint(drawn[:, BID_COUNT_FEATURE].astype(float) * BID_COUNT_SCALE).astype(int)
        places = dice_held(drawn.astype(np.float32))[:, 1:].argmax(axis=1)
        for row, (node, count, hand) in enumerate(zip(lessons.nodes, counts, lessons.hands, strict=True)):
            drawn_counts.add((int(node), int(count)))
            for features in after[node, count]:
                np.testing.assert_array_equal(drawn[row], features[places[row], hand])
    assert drawn_counts == set(after)


def test_the_worst_case_of_the_teacher_is_a_best_response_to_it(taught: Taught) -> None:
    graph, lessons = taught.blueprint.graph, taught.lessons
    value, decides = worst_case(graph, lessons, lessons.probs, 0.0)
    visits = np.zeros((len(graph.nodes), graph.arrays.hand_probs.shape[1]))
    table = node_probs(graph, lessons, lessons.probs)
    wins = [best_response(graph.arrays, table, seat, 0.0, visits) for seat in (0, 1)]
    assert value == pytest.approx(np.mean(wins))
    even = lessons.action_mask / lessons.action_mask.sum(axis=1, keepdims=True)
    assert value < 0.2 < worst_case(graph, lessons, even.astype(np.float32), 0.0)[0]
    assert decides[lessons.nodes == 0].sum() == pytest.approx(1)


def test_the_other_player_can_make_a_hand_come_to_its_decision_as_often_as_its_own_bids_allow(taught: Taught) -> None:
    graph, lessons = taught.blueprint.graph, taught.lessons
    reach = own_reach(graph, lessons)
    movers = graph.arrays.movers[lessons.nodes]
    dealt = graph.arrays.hand_probs[movers, lessons.hands]
    assert (reach <= dealt + 1e-9).all()
    after_one_bid = np.isin(lessons.nodes, graph.arrays.children[: graph.arrays.first_child[1]])
    np.testing.assert_allclose(reach[after_one_bid], dealt[after_one_bid])  # the second player has not bid yet
    assert (reach < 0.5 * dealt).any()


def test_rounds_are_played_for_the_match_where_its_value_is_known() -> None:
    chart = preset("chart").ruleset
    few, many = (make_round_game(chart, RoundStart(dice)) for dice in ((2, 2), (3, 2)))
    np.testing.assert_array_equal(stakes(few), match_values(few))
    np.testing.assert_array_equal(stakes(many), dice_lost_values(many))
    assert not np.allclose(stakes(few), dice_lost_values(few))


def test_a_blueprint_teaches_play_for_the_match() -> None:
    """Whoever plays for the dice alone gives away some of the match."""
    rules = with_faces(preset("chart").ruleset, 3)
    graph = taught_graph(rules, (2, 1))
    lessons, line = learn_lessons(TaughtRound("chart", (2, 1)), graph, 100)
    assert line.startswith("chart 2v1: a blueprint of 100 iterations")
    assert "differ from those in dice" in line
    assert own_reach(graph, lessons).any()
    assert worst_case(graph, lessons, lessons.probs, 0.0)[0] < 0.05
    perudo = taught_graph(find_rules("perudo"), (1, 1))
    assert "differ from those in dice" not in learn_lessons(TaughtRound("perudo", (1, 1)), perudo, 2)[1]


def test_rules_that_networks_do_not_know_are_refused_by_the_round() -> None:
    with pytest.raises(UnavailableError, match="bar 2v1 cannot be taught"):
        taught_rules(TaughtRound("bar", (2, 1)))


@pytest.mark.parametrize("seat, rate", [(1, EXPLORATION_RATE), (2, OUT_OF_TURN_EXPLORATION_RATE)])
def test_any_legal_action_is_explored_at_the_exploration_rate(seat: int, rate: float) -> None:
    hands = ((2, 2, 2, 2, 1), (6, 6, 6, 1, 2), (6, 6, 3, 4, 5))
    inputs = encode(observe(view(dealt_state(preset("official").ruleset, hands, (Bid(2, 6),)), seat)))
    (probs,) = explored_probs(champion_network(), inputs)
    legal = inputs.action_mask[0]
    assert (probs[~legal] == 0).all()
    assert probs.sum() == pytest.approx(1)
    assert probs[legal].min() == pytest.approx(rate / legal.sum())
