"""Bots as fixed opponents of a blueprint that is trained: how they play at all nodes of its recall graph."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from liarsdice.analysis.round_policies import CHUNK, latest_bids, named_probs
from liarsdice.bots.policy import PlaysSolvedRounds, PolicyBot
from liarsdice.core.actions import Challenge, Exact, PlayerAction
from liarsdice.core.errors import MalformedError
from liarsdice.core.rules.bids import Bid
from liarsdice.solve.blueprint.blueprint_play import MAX_WEIGHT
from liarsdice.solve.blueprint.learned_arrays import Models
from liarsdice.solve.blueprint.recall_graph import RecallGraph, bids_to_nodes
from liarsdice.solve.game.round_game import state_before_bids
from liarsdice.solve.game.round_views import view_after


def make_models(graph: RecallGraph, policies: Sequence[tuple[PolicyBot, float]]) -> Models:
    """Return bots as models of the opponent, each with the probability that it is met.

    Raises `MalformedError` unless the probabilities are positive and below 1 together, and `UnavailableError` if a bot
    cannot play the rules.
    """
    shares = np.array([share for _, share in policies], np.float32)
    if not (shares > 0).all() or not shares.sum() < 1:
        named = [share for _, share in policies]
        raise MalformedError(f"opponents are met with probabilities above 0, below 1 together; not {named}")
    weights = [model_weights(graph, policy) for policy, _ in policies]
    return Models(np.stack(weights), shares)


def model_weights(graph: RecallGraph, policy: PolicyBot) -> NDArray[np.uint8]:
    """Return the weights of a bot's actions at all nodes, uint8 [row], of `MAX_WEIGHT` together for each hand.

    Of the bid sequences that lead to a node, the bot is asked after a shortest one. Bids that the graph does not offer
    are left out. Raises `UnavailableError` if the bot cannot play the rules.
    """
    arrays = graph.arrays
    weights = np.zeros(graph.row_count, np.uint8)
    alike: dict[int, dict[tuple[Bid, ...], list[int]]] = defaultdict(lambda: defaultdict(list))
    sequences = bids_to_nodes(graph)
    is_solved = isinstance(policy, PlaysSolvedRounds) and policy.solved_play(graph.game.rules, graph.game.start)
    memory = None if is_solved else policy.memory
    for node, bids in enumerate(sequences):
        alike[int(arrays.situations[node])][latest_bids(bids, memory)].append(node)
    for index, nodes_by_bids in alike.items():
        groups = list(nodes_by_bids.values())
        for start in range(0, len(groups), CHUNK):
            chunk = groups[start : start + CHUNK]
            probs = _situation_probs(graph, policy, index, [sequences[nodes[0]] for nodes in chunk])
            for nodes, found in zip(chunk, np.rint(MAX_WEIGHT * probs).astype(np.uint8), strict=True):
                for node in nodes:
                    weights[arrays.first_row[node] : arrays.first_row[node + 1]] = found.ravel()
    return weights


def _situation_probs(
    graph: RecallGraph, policy: PolicyBot, index: int, sequences: Sequence[tuple[Bid, ...]]
) -> NDArray[np.float64]:
    """Return how all hands of the mover act in a situation after bid sequences, float64 [sequence, action, hand]."""
    game, situation = graph.game, graph.game.situations[index]
    before_bids = state_before_bids(game.rules, game.start)
    views = [view_after(before_bids, bids, situation.mover) for bids in sequences]
    calls: list[PlayerAction] = [Exact() if call.exact else Challenge() for call in situation.calls]
    offered = [situation.raises[place][0] for place in graph.menus[index]]
    return named_probs(policy, views, game.hands[situation.mover], [*calls, *offered])
