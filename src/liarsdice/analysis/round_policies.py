"""A bot's action probabilities at all nodes of a round of two players."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from liarsdice.bots.house_policies import MixturePolicy
from liarsdice.bots.policy import PlaysSolvedRounds, PolicyBot
from liarsdice.core.actions import Challenge, Exact, PlayerAction
from liarsdice.core.engine.state import State
from liarsdice.core.engine.view import View
from liarsdice.core.rules.bids import Bid
from liarsdice.core.rules.tally import Hand
from liarsdice.solve.game.public_tree import PublicTree
from liarsdice.solve.game.round_game import state_before_bids
from liarsdice.solve.game.round_views import view_after
from liarsdice.solve.strategy.reach import FloatArray, Int64Array, NodeProbs
from liarsdice.solve.strategy.safe_answers import one_step_values
from liarsdice.solve.strategy.strategy import Strategy

CHUNK = 500
"""The number of views for which a bot is asked at a time."""
NOT_COVERED = -1
"""In place of a subtree type: the strategy's tree has no such node."""


def round_probs(tree: PublicTree, policy: PolicyBot) -> NodeProbs:
    """Return a bot's action probabilities at all nodes of a round, for both seats. `tree`: without certain calls.

    Raises `UnavailableError` if the bot cannot play the rules.
    """
    if isinstance(policy, MixturePolicy):
        parts = [(share, round_probs(tree, part)) for share, part in policy.parts]
        return lambda type_id, first_rows: sum(
            (share * probs(type_id, first_rows) for share, probs in parts), start=np.zeros(())
        )
    solved = policy.solved_play(tree.game.rules, tree.game.start) if isinstance(policy, PlaysSolvedRounds) else None
    if solved is not None:
        return SolvedRoundPolicy(tree, solved, safe_probs(solved, tree)).node_probs
    return RoundPolicy(tree, policy).node_probs


class RoundPolicy:
    """The probabilities of a bot that reads the latest bids."""

    def __init__(self, tree: PublicTree, bot: PolicyBot) -> None:
        self._tree = tree
        self._bot = bot
        self._before_bids: State = state_before_bids(tree.game.rules, tree.game.start)
        self._first_rows: dict[int, Int64Array] = {}
        self._contexts: dict[int, Int64Array] = {}
        self._probs: dict[int, FloatArray] = {}
        self._ask()

    def node_probs(self, type_id: int, first_rows: Int64Array) -> FloatArray:
        """Return the probabilities at nodes of a type: float64 [node, action, deciding hand] (`reach.NodeProbs`)."""
        places = np.searchsorted(self._first_rows[type_id], first_rows)
        return self._probs[type_id][self._contexts[type_id][places]]

    def _ask(self) -> None:
        """Ask the bot for its probabilities, once for all nodes of a type after the same latest bids."""
        tree = self._tree
        waiting: dict[int, dict[tuple[Bid, ...], _Context]] = defaultdict(dict)
        waiting[tree.root][()] = _Context((), [np.zeros(1, np.int64)])
        for type_id in range(tree.root, -1, -1):  # children have lower indices
            contexts = list(waiting.pop(type_id, {}).values())
            if not contexts:
                continue
            subtree = tree.subtree_types[type_id]
            raises = tree.game.situations[subtree.situation].raises
            parts = [np.concatenate(context.first_rows) for context in contexts]
            for context, first_rows in zip(contexts, parts, strict=True):
                offset = subtree.row_count
                for child, (bid, _) in zip(subtree.children, raises, strict=False):
                    bids = (*context.bids, bid)
                    below = waiting[child].setdefault(latest_bids(bids, self._bot.memory), _Context(bids, []))
                    below.first_rows.append(first_rows + offset)
                    offset += tree.subtree_types[child].subtree_rows
            rows = np.concatenate(parts)
            order = np.argsort(rows)
            self._first_rows[type_id] = rows[order]
            self._contexts[type_id] = np.repeat(np.arange(len(parts)), [len(part) for part in parts])[order]
            chunks = [contexts[start : start + CHUNK] for start in range(0, len(contexts), CHUNK)]
            self._probs[type_id] = np.concatenate([self._probs_of(type_id, chunk) for chunk in chunks])

    def _probs_of(self, type_id: int, contexts: Sequence[_Context]) -> FloatArray:
        """The probabilities of the deciding hands in each context: float64 [context, action, deciding hand]."""
        subtree = self._tree.subtree_types[type_id]
        situation = self._tree.game.situations[subtree.situation]
        if not subtree.deciding:
            return np.zeros((len(contexts), subtree.action_count, 0))
        hands = self._tree.game.hands[situation.mover]
        deciding = [hands[subtree.mover_hands[place]] for place in subtree.deciding]
        calls = [Exact() if call.exact else Challenge() for call in situation.calls]
        views = [view_after(self._before_bids, context.bids, situation.mover) for context in contexts]
        return named_probs(self._bot, views, deciding, [*calls, *(bid for bid, _ in situation.raises)])


def named_probs(
    bot: PolicyBot, views: Sequence[View], hands: Sequence[Hand], actions: Sequence[PlayerAction]
) -> FloatArray:
    """Return `PolicyBot.probs_by_hand` of calls and bids alone, float64 [view, action, hand]; each hand has a sum of 1.

    Turning the direction of play changes nothing between two players, so its probability is shared out.
    """
    probs = bot.probs_by_hand(views, hands, actions)
    total = probs.sum(axis=1, keepdims=True)
    named: FloatArray = np.where(total > 0, probs / np.where(total > 0, total, 1), 1 / len(actions))
    return named


def latest_bids(bids: tuple[Bid, ...], memory: int | None) -> tuple[Bid, ...]:
    """Return the bids that the play of a bot depends on, with their number in place of the others."""
    if memory is None or len(bids) <= memory:
        return bids
    return (Bid(len(bids), 0), *bids[len(bids) - memory :])


class _Context(NamedTuple):
    """Nodes at which a bot plays alike: the bids to one of them, and where the rows of each node begin."""

    bids: tuple[Bid, ...]
    first_rows: list[Int64Array]


def safe_probs(strategy: Strategy, tree: PublicTree) -> NodeProbs:
    """Return `safe_answers` to bids that no solved player makes, at all nodes of a round."""
    answers: dict[int, Int64Array] = {}

    def node_probs(type_id: int, first_rows: Int64Array) -> FloatArray:
        subtree = tree.subtree_types[type_id]
        situation = strategy.tree.game.situations[subtree.situation]
        if type_id not in answers:
            hand_probs = strategy.tree.game.hand_probs[1 - situation.mover]
            answers[type_id] = one_step_values(strategy.tree, situation, hand_probs).argmax(axis=0)
        best = answers[type_id][[subtree.mover_hands[place] for place in subtree.deciding]]
        probs = (np.arange(subtree.action_count)[:, np.newaxis] == best).astype(np.float64)
        return np.repeat(probs[np.newaxis], len(first_rows), axis=0)

    return node_probs


class SolvedRoundPolicy:
    """The probabilities of a solved strategy, at the nodes of a tree without certain calls.

    `otherwise`: the probabilities where the strategy has no answer.
    """

    def __init__(self, tree: PublicTree, strategy: Strategy, otherwise: NodeProbs) -> None:
        self._tree = tree
        self._strategy = strategy
        self._otherwise = otherwise
        self._first_rows: dict[int, Int64Array] = {}
        self._solved_nodes: dict[int, Int64Array] = {}
        self._match_nodes()

    def node_probs(self, type_id: int, first_rows: Int64Array) -> FloatArray:
        """Return the probabilities at nodes of a type: float64 [node, action, deciding hand] (`reach.NodeProbs`)."""
        subtree = self._tree.subtree_types[type_id]
        hands = [subtree.mover_hands[place] for place in subtree.deciding]
        probs = self._otherwise(type_id, first_rows).copy()
        solved = self._solved_nodes[type_id][np.searchsorted(self._first_rows[type_id], first_rows)]
        for solved_type in np.unique(solved[:, 0]).tolist():
            if solved_type == NOT_COVERED:
                continue
            rows = np.flatnonzero(solved[:, 0] == solved_type)
            covered = self._strategy.tree.subtree_types[solved_type]
            deciding = [covered.mover_hands[place] for place in covered.deciding]
            weights = self._strategy.node_weights(solved_type, solved[rows, 1])
            total = weights.sum(axis=1, keepdims=True)
            known = np.zeros((len(rows), subtree.action_count, len(hands)))
            known[:, 0, [hands.index(hand) for hand in covered.mover_hands if hand not in deciding]] = 1
            columns = [hands.index(hand) for hand in deciding]
            known[:, : covered.action_count, columns] = weights / np.where(total > 0, total, 1)
            has_answer = known.any(axis=1, keepdims=True)
            probs[rows] = np.where(has_answer, known, probs[rows])
        return probs

    def _match_nodes(self) -> None:
        """Find the node of the strategy's tree, type and first row, for each node of the tree."""
        tree = self._tree
        start = (np.zeros(1, np.int64), np.array([[self._strategy.tree.root, 0]]))
        waiting: dict[int, list[tuple[Int64Array, Int64Array]]] = defaultdict(list, {tree.root: [start]})
        for type_id in range(tree.root, -1, -1):  # children have lower indices
            parts = waiting.pop(type_id, [])
            if not parts:
                continue
            first_rows = np.concatenate([rows for rows, _ in parts])
            order = np.argsort(first_rows)
            self._first_rows[type_id] = first_rows = first_rows[order]
            self._solved_nodes[type_id] = solved = np.concatenate([nodes for _, nodes in parts])[order]
            offset = tree.subtree_types[type_id].row_count
            for slot, child in enumerate(tree.subtree_types[type_id].children):
                waiting[child].append((first_rows + offset, self._solved_children(solved, slot)))
                offset += tree.subtree_types[child].subtree_rows

    def _solved_children(self, solved: Int64Array, slot: int) -> Int64Array:
        """Return the strategy's nodes after a raise, int64 [node, type and first row], from those before it."""
        types = self._strategy.tree.subtree_types
        after = np.full_like(solved, NOT_COVERED)
        for type_id in np.unique(solved[:, 0]).tolist():
            if type_id == NOT_COVERED or not types[type_id].children:
                continue
            rows = solved[:, 0] == type_id
            children = types[type_id].children
            offset = types[type_id].row_count + sum(types[child].subtree_rows for child in children[:slot])
            after[rows] = np.stack([np.full(rows.sum(), children[slot]), solved[rows, 1] + offset], axis=1)
        return after
