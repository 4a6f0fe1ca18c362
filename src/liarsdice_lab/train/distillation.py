"""Teaches a network to play balanced rounds: blueprints teach the rounds they know, and a network everything else.

The rows of a round are drawn by two weights: how likely a hand is dealt and its own bids lead to the decision, and how
often it decides while best responses play against the network as it is. So the network learns most where it is
exploited.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Sequence
from io import BytesIO
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import msgspec
import numpy as np
import torch
from numpy.typing import NDArray

from liarsdice.bots.neural.batch_observation import sample_actions
from liarsdice.bots.neural.features import (
    ACTION_COUNT,
    BID_ACTIONS,
    BID_COUNT_FEATURE,
    BID_COUNT_SCALE,
    CHALLENGE,
    EXACT,
    FEATURE_COUNT,
    QUANTITY_STEPS,
    SILENT,
    BoolArray,
    FloatArray,
    IntArray,
    NetworkInput,
    dice_held,
    encode,
    observe,
    require_supported,
    seat_apart,
    with_hands,
)
from liarsdice.bots.neural.network import Network
from liarsdice.core.engine.state import State
from liarsdice.core.errors import LiarsDiceError, MalformedError, UnavailableError
from liarsdice.core.rules.bids import Bid
from liarsdice.core.rules.ruleset import Ruleset
from liarsdice.core.rules.ruleset_io import find_rules
from liarsdice.runtime.atomic_files import error_reason
from liarsdice.solve.blueprint.blueprint import Blueprint
from liarsdice.solve.blueprint.blueprint_trainer import BlueprintTrainer
from liarsdice.solve.blueprint.learned_arrays import make_node_groups, most_actions
from liarsdice.solve.blueprint.recall_graph import RecallGraph, bids_to_nodes, make_recall_graph
from liarsdice.solve.blueprint.worst_case_kernel import best_response
from liarsdice.solve.round_game import (
    PLAYERS,
    RoundGame,
    RoundStart,
    dice_lost_values,
    make_round_game,
    state_before_bids,
    view_after,
)
from liarsdice.values.features import slot_faces
from liarsdice_lab.best_response import match_values
from liarsdice_lab.train.config import CONFIG_FILE, Count, PositiveShare, Share, TrainingConfig
from liarsdice_lab.train.curriculum import make_table_setups
from liarsdice_lab.train.model import (
    PolicyNetwork,
    export_network,
    load_network,
    load_optimizer,
    load_weights,
    load_weights_widened,
    policy_state,
    read_checkpoint,
)
from liarsdice_lab.train.rollout import TrainingTable
from liarsdice_lab.train.run_folder import append_row, drop_rows, replace_file


class TaughtRound(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A round that a blueprint teaches. `rules`: the name of a preset or file. `dice`: of who opens, and the other."""

    rules: str
    dice: tuple[int, int]

    def __str__(self) -> str:
        """As in `perudo 2v2`."""
        return f"{self.rules} {self.dice[0]}v{self.dice[1]}"


class DistillationConfig(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What is taught, and how.

    `rounds`: a round that is named twice is taught twice as much. `teacher`: the network that teaches what no blueprint
    teaches. `initial_weights`: the network to start from. `width`: units in each layer, at least as many as that
    network has. `steps` of `minibatch` rows with Adam, whose rate falls from `learning_rate` along a cosine.
    `match_share`: the share of rows from matches, which the teacher plays at `tables` for `table_steps` decisions in
    each match. `iterations`: of each blueprint. `measure_every`: after so many steps best responses are computed.
    `min_prob_ratio`: as in `TrainingConfig`.
    """

    rounds: Annotated[tuple[TaughtRound, ...], msgspec.Meta(min_length=1)]
    teacher: str = "champion@7"
    initial_weights: str = "champion@7"
    width: Annotated[int, msgspec.Meta(ge=1, le=4096)] = 256
    steps: Count = 2500
    minibatch: Count = 2048
    learning_rate: PositiveShare = 1e-3
    match_share: Share = 0.4
    tables: Count = 128
    table_steps: Count = 20
    iterations: Count = 100
    measure_every: Count = 250
    min_prob_ratio: Share = 0.05
    seed: Annotated[int, msgspec.Meta(ge=0, le=2**32 - 1)] = 1

    @property
    def different_rounds(self) -> tuple[TaughtRound, ...]:
        """The rounds, each once, in the order in which they are named first."""
        return tuple(dict.fromkeys(self.rounds))

    @property
    def round_shares(self) -> list[float]:
        """How much each of `different_rounds` is taught, of 1 in all.

        >>> twice, once = TaughtRound("perudo", (2, 2)), TaughtRound("openspiel", (2, 2))
        >>> DistillationConfig((twice, once, twice, once, twice)).round_shares
        [0.6, 0.4]
        """
        return [self.rounds.count(taught) / len(self.rounds) for taught in self.different_rounds]


BOT_TABLE_SHARE = 0.42
"""The share of tables at which the network plays among simple bots; `champion@7` learned with as many."""
Rounds = Collection[tuple[Ruleset, tuple[int, int]]]
"""Rounds of two players: the rules, and the dice of both."""


class MatchLessons(NamedTuple):
    """Decisions in matches, one a row.

    `features`: float16 [row, feature]. `action_mask`: bool [row, action]. `probs`: float16 [row, action].
    """

    features: NDArray[np.float16]
    action_mask: BoolArray
    probs: NDArray[np.float16]


EXPLORATION_RATE, OUT_OF_TURN_EXPLORATION_RATE = 0.15, 0.02
"""How often a random legal action is taken. Out of turn every seat is asked, and few calls are good, so less often."""


def explored_probs(network: Network, inputs: NetworkInput) -> FloatArray:
    """Return the probabilities of a network that takes a random legal action now and then, float32 [row, action]."""
    network_probs = network.drop_unlikely(network.action_probs(inputs.features, inputs.action_mask))
    uniform_probs = inputs.action_mask / inputs.action_mask.sum(axis=1, keepdims=True)
    out_of_turn = inputs.action_mask[:, SILENT]
    rates = np.where(out_of_turn, OUT_OF_TURN_EXPLORATION_RATE, EXPLORATION_RATE)[:, np.newaxis]
    probs: FloatArray = ((1 - rates) * network_probs + rates * uniform_probs).astype(np.float32)
    return probs


class _Explorer:
    """Acts as a network does, and takes a random legal action now and then; an `ActFunction`."""

    def __init__(self, network: Network) -> None:
        self._network = network

    def __call__(
        self, inputs: NetworkInput, hidden_features: FloatArray, rng: np.random.Generator
    ) -> tuple[IntArray, FloatArray, FloatArray]:
        """Return sampled actions, int64 [row]; their probabilities and values are not used, float32 [row]."""
        unused = np.zeros(len(hidden_features), np.float32)
        return sample_actions(explored_probs(self._network, inputs), rng.random(len(unused))), unused, unused


def play_matches(name: str, seed: int, tables: int, steps: int, known_rounds: Rounds) -> MatchLessons:
    """Return the decisions of a network at tables of the default rules of a run, with every number of seats.

    `name`: of the network, see `load_network`. `steps`: the decisions in each match. `known_rounds`: decisions in these
    rounds are left out, as blueprints teach them.
    """
    network = load_network(name)
    config = TrainingConfig(
        seed=seed, tables=tables, bot_table_share=BOT_TABLE_SHARE, opponent_table_share=0.0, opponents=()
    )
    parts = []
    for number, setup in enumerate(make_table_setups(config)):
        played = TrainingTable(setup, seed * 100_003 + number).play(steps, _Explorer(network), gae_lambda=0.0)
        dice = {held for rules, held in known_rounds if rules == setup.rules}
        kept = ~_is_round(dice_held(played.features), dice)
        features, mask = played.features[kept], played.action_mask[kept]
        parts.append((features.astype(np.float16), mask, network.action_probs(features, mask).astype(np.float16)))
    return MatchLessons(*(np.concatenate(arrays) for arrays in zip(*parts, strict=True)))


def _is_round(held: IntArray, rounds: Collection[tuple[int, int]]) -> BoolArray:
    """Return whether two players hold the dice of one of these rounds, in either order, bool [row].

    `held`: int64 [row, seat slot].
    """
    own, other = held[:, 0], held[:, 1:].sum(axis=1)
    is_round = np.zeros(len(held), np.bool_)
    for first, second in rounds:
        is_round |= ((own == first) & (other == second)) | ((own == second) & (other == first))
    is_round &= (held > 0).sum(axis=1) == PLAYERS
    return is_round


RECALL = 3
"""How many bids of a round of two players a network sees with their faces and quantities."""
MAX_PLACE = 5
"""The other player sits up to so many seats away; the seats between them hold no dice."""
BESIDE_SHARE = 0.5
"""The share of drawn rows in which the players sit beside each other, as at a table of two; others are even."""
MIN_REACH = 0.001
"""The opponents that training looks for look ahead where the network's own bids lead at least so often."""
NO_ACTION = -1
"""In place of an action of the network: there is none for this bid."""


class Lessons(NamedTuple):
    """The decisions of a blueprint, one row for each node and each hand of its mover.

    `features`: float16 [row, feature], of players who sit beside each other. `action_mask`: bool [row, action].
    `probs`: float32 [row, action], how the blueprint plays. `unsaid`: float32 [row], the probability of bids that are
    no action of the network, by which `probs` were divided. `nodes`, `hands`: int64 [row]. `actions`: int8 [row, action
    of the node], as actions of the network, or `NO_ACTION`. `bid_counts`: bool [node, number], whether so many bids may
    lead to the node; `features` tell one of these numbers.
    """

    features: NDArray[np.float16]
    action_mask: BoolArray
    probs: FloatArray
    unsaid: FloatArray
    nodes: IntArray
    hands: IntArray
    actions: NDArray[np.int8]
    bid_counts: BoolArray


def make_lessons(blueprint: Blueprint) -> Lessons:
    """Return what a blueprint teaches."""
    graph = blueprint.graph
    counts = graph.arrays.hand_counts[graph.arrays.movers]
    nodes = np.repeat(np.arange(len(counts)), counts)
    first_rows = np.concatenate([np.zeros(1, np.int64), np.cumsum(counts)])
    features = np.zeros((len(nodes), FEATURE_COUNT), np.float16)
    mask = np.zeros((len(nodes), ACTION_COUNT), np.bool_)
    actions = np.full((len(nodes), most_actions(graph.arrays)), NO_ACTION, np.int8)
    shares = np.zeros(actions.shape)
    sequences, before_bids = bids_to_nodes(graph), state_before_bids(graph.game.rules, graph.game.start)
    for node in range(len(counts)):
        rows = slice(first_rows[node], first_rows[node + 1])
        inputs = _inputs(graph, node, before_bids, sequences[node])
        features[rows] = inputs.features
        mask[rows] = inputs.action_mask
        known = _network_actions(graph, node, inputs)
        actions[rows, : known.shape[1]] = known
        shares[rows, : known.shape[1]] = blueprint.node_probs(node).T
    probs = np.zeros(mask.shape, np.float32)
    for action in range(actions.shape[1]):
        rows_with = np.flatnonzero(actions[:, action] != NO_ACTION)
        probs[rows_with, actions[rows_with, action]] = shares[rows_with, action]
    said = probs.sum(axis=1, keepdims=True)
    even = mask / mask.sum(axis=1, keepdims=True)
    probs = np.where(said > 0, probs / np.where(said > 0, said, 1), even).astype(np.float32)
    hands = np.arange(len(nodes)) - first_rows[nodes]
    return Lessons(features, mask, probs, 1 - said[:, 0], nodes, hands, actions, _bid_counts(graph))


def draw_features(lessons: Lessons, rows: IntArray, rng: np.random.Generator) -> NDArray[np.float16]:
    """Return features of rows, float16 [row, feature], by chance as far as a blueprint does not tell them apart.

    These are where the other player sits, and any number of bids that may have led there.
    """
    features = lessons.features[rows]
    is_beside = rng.random(len(rows)) < BESIDE_SHARE
    seat_apart(features, np.where(is_beside, 1, rng.integers(1, MAX_PLACE + 1, len(rows))))
    allowed = lessons.bid_counts[lessons.nodes[rows]]
    features[:, BID_COUNT_FEATURE] = (rng.random(allowed.shape) * allowed).argmax(axis=1) / BID_COUNT_SCALE
    return features


def node_probs(graph: RecallGraph, lessons: Lessons, probs: FloatArray) -> Float64Array:
    """Return probabilities by row, float32 [row, action], as those of all nodes, float64 [node, action, hand]."""
    table = np.zeros((len(graph.nodes), lessons.actions.shape[1], graph.arrays.hand_probs.shape[1]))
    for action in range(lessons.actions.shape[1]):
        rows = np.flatnonzero(lessons.actions[:, action] != NO_ACTION)
        table[lessons.nodes[rows], action, lessons.hands[rows]] = probs[rows, lessons.actions[rows, action]]
    return table


def worst_case(
    graph: RecallGraph, lessons: Lessons, probs: FloatArray, min_reach: float = MIN_REACH
) -> tuple[float, Float64Array]:
    """Return a lower bound of the exploitability of probabilities, float32 [row, action], and where it comes from.

    The second result says how often a row decides while best responses play against it, float64 [row].
    """
    table = node_probs(graph, lessons, probs)
    visits = np.zeros((len(graph.nodes), graph.arrays.hand_probs.shape[1]))
    values = [best_response(graph.arrays, table, seat, min_reach, visits) for seat in (0, 1)]
    return float(np.mean(values)), visits[lessons.nodes, lessons.hands]


def own_reach(graph: RecallGraph, lessons: Lessons) -> Float64Array:
    """Return how likely each hand is dealt and its own bids lead to its node, float64 [row]."""
    table, arrays = node_probs(graph, lessons, lessons.probs), graph.arrays
    reach = np.zeros((2, len(graph.nodes), table.shape[2]))
    reach[:, 0] = arrays.hand_probs
    for node in make_node_groups(graph).members.tolist():
        mover, calls = arrays.movers[node], arrays.calls[node]
        for raised, child in enumerate(graph.children_of(node).tolist()):
            for seat in (0, 1):
                share = table[node, calls + raised] if seat == mover else 1.0
                reach[seat, child] = np.maximum(reach[seat, child], share * reach[seat, node])
    return np.asarray(reach[arrays.movers[lessons.nodes], lessons.nodes, lessons.hands])


def _bid_counts(graph: RecallGraph) -> BoolArray:
    """Return whether so many bids may lead to a node, bool [node, number]."""
    counts = np.zeros((len(graph.nodes), graph.depth), np.bool_)
    counts[0, 0] = True
    for node in make_node_groups(graph).members.tolist():
        counts[graph.children_of(node), 1:] |= counts[node, :-1]
    return counts


def _inputs(graph: RecallGraph, node: int, before_bids: State, bids: Sequence[Bid]) -> NetworkInput:
    """Return the network's input with each hand of the mover of a node, after the bids that lead there."""
    rules, mover = graph.game.rules, int(graph.arrays.movers[node])
    shown = observe(view_after(before_bids, bids, mover))
    return encode(with_hands(shown, rules, graph.game.hands[mover]))


def _network_actions(graph: RecallGraph, node: int, inputs: NetworkInput) -> IntArray:
    """Return the actions of a node as actions of the network with each hand, int64 [hand, action of the node]."""
    index = int(graph.arrays.situations[node])
    situation, slots = graph.game.situations[index], slot_faces(graph.game.rules)
    columns = [np.full(len(inputs.features), EXACT if call.exact else CHALLENGE) for call in situation.calls]
    for place in graph.menus[index]:
        bid = situation.raises[place][0]
        slot = slots.index(bid.face)
        step = bid.quantity - inputs.quantities[:, slot, 0]
        known = (step >= 0) & (step < QUANTITY_STEPS)
        columns.append(np.where(known, slot * QUANTITY_STEPS + step, NO_ACTION))
    assert all((column < BID_ACTIONS).all() for column in columns[len(situation.calls) :])
    return np.stack(columns, axis=1)


MENU = 1_000
"""More raises than any situation has: a network may make each of them."""


def taught_rules(taught: TaughtRound) -> Ruleset:
    """Return the rules of a round. Raises an error if a network or a blueprint cannot play them."""
    rules = find_rules(taught.rules)
    try:
        require_supported(rules)
    except LiarsDiceError as error:
        raise type(error)(f"{taught} cannot be taught: {error}") from error
    return rules


def taught_graph(rules: Ruleset, dice: tuple[int, int]) -> RecallGraph:
    """Return the recall graph of a round, played for the match as far as its value is known (`stakes`).

    Raises `UnavailableError` for rules whose rounds no blueprint plays.
    """
    game = make_round_game(rules, RoundStart(dice))
    return make_recall_graph(game, stakes(game), RECALL, MENU)


def stakes(game: RoundGame) -> Float64Array:
    """Return what each outcome of a round is worth to seat 0, float64 [outcome], from -1 to 1.

    That is its worth in the match, or the dice lost where the value of the match is not known (`match_values`).
    """
    try:
        return match_values(game)
    except UnavailableError:
        return dice_lost_values(game)


def learn_lessons(taught: TaughtRound, graph: RecallGraph, iterations: int) -> tuple[Lessons, str]:
    """Return what a blueprint of so many iterations teaches, and a line about it."""
    trainer = BlueprintTrainer(graph)
    trainer.run(iterations=iterations)
    lessons = make_lessons(trainer.blueprint())
    unsaid = np.average(lessons.unsaid, weights=own_reach(graph, lessons))
    differs = not np.allclose(graph.values, dice_lost_values(graph.game))
    line = (
        f"{taught}: a blueprint of {iterations} iterations, {trainer.cpu_s:.0f} s;"
        f" {unsaid:.1%} of its play are bids that the network has no action for"
    )
    return lessons, f"{line}; its values in the match differ from those in dice" if differs else line


CHECKPOINT_FILE, CURVE_FILE, NETWORK_FILE = "checkpoint.pt", "curve.csv", "network.npz"
MATCHES_FILE = "matches.npz"
CHUNK = 8192
"""The number of rows that the network plays at a time when it is measured."""
LATEST_VISITS = 0.3
"""The weight of the latest best responses in the mean of all so far."""
MIN_RATE_RATIO = 0.02
"""The last learning rate, as a fraction of the first."""
MAX_GRAD_NORM = 1.0

Float64Array = NDArray[np.float64]


class Measure(NamedTuple):
    """How well a network has learned: the lower bound of its exploitability in each round, and the divergence (nats).

    The rounds are `DistillationConfig.different_rounds`. `rounds`: the mean of KL(teacher, network) over their rows as
    they are drawn. `matches`: over those of matches; NaN if none teach.
    """

    exploitability: tuple[float, ...]
    rounds: float
    matches: float


class Distiller:
    """A run in a folder, new or resumed. The same configuration gives the same network.

    Raises `MalformedError` if the folder holds a run with another configuration or a damaged one, or if a round cannot
    be taught, and `UnavailableError` if a file cannot be read or written.
    """

    def __init__(self, folder: Path, config: DistillationConfig, say: Callable[[str], None]) -> None:
        self.folder = folder
        self.config = config
        self.steps_done = 0
        start = load_network(config.initial_weights)
        self.policy = PolicyNetwork(FEATURE_COUNT, config.width, len(start.weights) - 1)
        try:
            load_weights_widened(self.policy, policy_state(start))
        except ValueError as error:
            raise UnavailableError(f"cannot start from {config.initial_weights}: {error}") from error
        self._optimizer = torch.optim.Adam(self.policy.parameters(), lr=config.learning_rate)
        rules = [taught_rules(taught) for taught in config.rounds]
        self._keep_config(rules)
        ruleset_of = dict(zip(config.rounds, rules, strict=True))
        self._graphs = [taught_graph(ruleset, taught.dice) for taught, ruleset in ruleset_of.items()]
        self._lessons = [self._learn_round(place, say) for place in range(len(self._graphs))]
        self._reach = [
            _shares(own_reach(graph, lessons)) for graph, lessons in zip(self._graphs, self._lessons, strict=True)
        ]
        self._visits: list[Float64Array] = []
        self._matches = self._learn_matches(rules, say) if config.match_share else None
        if (folder / CHECKPOINT_FILE).exists():
            self._load()

    def run(self, report: Callable[[int, Measure], None], stop: Callable[[], bool] = lambda: False) -> Network:
        """Learn until all steps are done, or `stop` returns True after a measurement; returns the network so far.

        `report` is called with the number of steps done after each measurement.
        """
        config = self.config
        drop_rows(self.folder / CURVE_FILE, later_than=self.steps_done - 1)
        while True:
            measure = self._measure()
            columns = ["step", *map(str, config.different_rounds), "rounds", "matches"]
            figures = [round(value, 4) for value in (*measure.exploitability, measure.rounds, measure.matches)]
            append_row(self.folder / CURVE_FILE, columns, [self.steps_done, *figures])
            network = export_network(self.policy, config.min_prob_ratio)
            replace_file(self.folder / NETWORK_FILE, network.save)
            report(self.steps_done, measure)
            if self.steps_done == config.steps or stop():
                return network
            self._learn(min(config.measure_every, config.steps - self.steps_done))
            self._save()

    def _keep_config(self, rules: list[Ruleset]) -> None:
        """Write the configuration and the rules to the folder, or check that they are those of its run."""
        file = self.folder / CONFIG_FILE
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            content = msgspec.json.format(msgspec.json.encode({"config": self.config, "rules": rules}))
            stored = file.read_bytes() if file.exists() else content
        except OSError as error:
            raise UnavailableError(f"cannot use {self.folder}: {error_reason(error)}") from error
        if stored != content:
            raise MalformedError(f"{self.folder} contains a run with another configuration; choose another folder")
        replace_file(file, lambda temporary: temporary.write_bytes(content))

    def _learn_round(self, place: int, say: Callable[[str], None]) -> Lessons:
        """Return what the blueprint of a round teaches, from the folder if it is there."""

        def make() -> Lessons:
            taught = self.config.different_rounds[place]
            lessons, line = learn_lessons(taught, self._graphs[place], self.config.iterations)
            say(line)
            return lessons

        return Lessons(**self._stored(f"round-{place + 1}.npz", make))

    def _learn_matches(self, rules: list[Ruleset], say: Callable[[str], None]) -> MatchLessons:
        """Return the matches of the teacher, from the folder if they are there."""
        config = self.config

        def make() -> MatchLessons:
            known = [(ruleset, taught.dice) for ruleset, taught in zip(rules, config.rounds, strict=True)]
            matches = play_matches(config.teacher, config.seed, config.tables, config.table_steps, known)
            say(f"{len(matches.probs):,} decisions of {config.teacher}")
            return matches

        return MatchLessons(**self._stored(MATCHES_FILE, make))

    def _stored(self, name: str, make: Callable[[], Lessons | MatchLessons]) -> dict[str, Any]:
        """Return the arrays in a file of the folder by name, or make and store them."""
        file = self.folder / name
        try:
            if not file.exists():
                arrays = make()._asdict()
                replace_file(file, lambda temporary: _save_arrays(temporary, arrays))
            with np.load(file, allow_pickle=False) as stored:
                return {field: stored[field] for field in stored.files}
        except (OSError, ValueError) as error:
            raise UnavailableError(f"{file} cannot be read: {error_reason(error)}; delete it") from error

    def _measure(self) -> Measure:
        """Measure the network, and remember where best responses make it decide."""
        network = export_network(self.policy, self.config.min_prob_ratio)
        values, divergences = [], []
        for place, (graph, lessons) in enumerate(zip(self._graphs, self._lessons, strict=True)):
            probs = _probs(network, lessons.features, lessons.action_mask)
            value, visits = worst_case(graph, lessons, network.drop_unlikely(probs))
            values.append(value)
            divergences.append(float(_divergence(lessons.probs, probs) @ self._weights(place)))
            if len(self._visits) == place:
                self._visits.append(_shares(visits))
            else:
                self._visits[place] += LATEST_VISITS * (_shares(visits) - self._visits[place])
        matches = math.nan
        if self._matches is not None:
            shown = slice(0, None, max(1, len(self._matches.probs) // CHUNK))
            probs = _probs(network, self._matches.features[shown], self._matches.action_mask[shown])
            matches = float(_divergence(self._matches.probs[shown].astype(np.float32), probs).mean())
        return Measure(tuple(values), float(np.mean(divergences)), matches)

    def _weights(self, place: int) -> Float64Array:
        """Return how likely each row of a round is drawn, float64 [row]."""
        reach = self._reach[place]
        return reach if len(self._visits) <= place else (reach + self._visits[place]) / 2

    def _learn(self, steps: int) -> None:
        """Learn from minibatches of rows by chance; the seed and the steps done determine them."""
        config = self.config
        rng = np.random.default_rng((config.seed, self.steps_done))
        cumulated = [np.cumsum(self._weights(place)) for place in range(len(self._lessons))]
        match_rows = round(config.minibatch * config.match_share)
        for _ in range(steps):
            share = (1 + math.cos(math.pi * self.steps_done / config.steps)) / 2
            for group in self._optimizer.param_groups:
                group["lr"] = config.learning_rate * max(share, MIN_RATE_RATIO)
            batches: list[tuple[NDArray[np.float16], BoolArray, NDArray[Any]]] = []
            counts = rng.multinomial(config.minibatch - match_rows, config.round_shares)
            for lessons, sums, count in zip(self._lessons, cumulated, counts.tolist(), strict=True):
                rows = np.minimum(np.searchsorted(sums, rng.random(count) * sums[-1]), len(sums) - 1)
                batches.append((draw_features(lessons, rows, rng), lessons.action_mask[rows], lessons.probs[rows]))
            if self._matches is not None:
                features, action_mask, probs = self._matches
                rows = rng.integers(len(probs), size=match_rows)
                batches.append((features[rows], action_mask[rows], probs[rows]))
            self._step(*(np.concatenate(columns) for columns in zip(*batches, strict=True)))
            self.steps_done += 1

    def _step(self, features: NDArray[np.float16], action_mask: BoolArray, targets: NDArray[Any]) -> None:
        """Take a step down the cross entropy to the teachers."""
        mask = torch.from_numpy(action_mask)
        log_probs = torch.log_softmax(self.policy(torch.from_numpy(features.astype(np.float32)), mask), dim=1)
        wanted = torch.from_numpy(targets.astype(np.float32))
        loss = -(wanted * log_probs.masked_fill(~mask, 0)).sum(dim=1).mean()
        self._optimizer.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        torch.nn.utils.clip_grad_norm_(self.policy.parameters(), MAX_GRAD_NORM)
        self._optimizer.step()

    def _save(self) -> None:
        state = {
            "player": self.policy.state_dict(),
            "optimizer": self._optimizer.state_dict(),
            "done": self.steps_done,
            "visits": [torch.from_numpy(visits) for visits in self._visits],
        }
        buffer = BytesIO()  # so that a full disk gives a clear error
        torch.save(state, buffer)
        replace_file(self.folder / CHECKPOINT_FILE, lambda temporary: temporary.write_bytes(buffer.getbuffer()))

    def _load(self) -> None:
        """Resume from the checkpoint in the folder."""
        file = self.folder / CHECKPOINT_FILE
        try:
            state = read_checkpoint(file)
            load_weights(self.policy, state.get("player"))
            load_optimizer(self._optimizer, state.get("optimizer"))
            self.steps_done = int(state["done"])
            self._visits = [visits.numpy() for visits in state["visits"]]
        except (OSError, ValueError, KeyError) as error:
            raise MalformedError(f"{file} cannot be read; delete it to start again") from error


def _probs(network: Network, features: NDArray[np.float16], action_mask: BoolArray) -> FloatArray:
    """Return the probabilities of a network for many rows, float32 [row, action]."""
    starts = range(0, len(features), CHUNK)
    parts = [slice(start, start + CHUNK) for start in starts]
    return np.concatenate(
        [network.action_probs(features[part].astype(np.float32), action_mask[part]) for part in parts]
    )


def _divergence(teacher: FloatArray, probs: FloatArray) -> FloatArray:
    """Return KL(teacher, network) in nats, float32 [row]."""
    ratios = np.log(np.where(teacher > 0, teacher, 1)) - np.log(np.where(teacher > 0, np.maximum(probs, 1e-9), 1))
    divergence: FloatArray = (teacher * ratios).sum(axis=1)
    return divergence


def _shares(weights: Float64Array) -> Float64Array:
    shares: Float64Array = weights / weights.sum()
    return shares


def _save_arrays(path: Path, arrays: dict[str, NDArray[Any]]) -> None:
    with path.open("wb") as file:
        np.savez(file, allow_pickle=False, **arrays)
