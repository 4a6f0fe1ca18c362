"""The exploitability of a bot in a round of two players: what a best response wins that knows its probabilities.

The bot's action probabilities are read at every public node for every hand, and two best responses are computed on the
solver's tree in double precision. A bot that reads only the latest bids plays alike at many nodes
(`PolicyBot.memory`), so its probabilities are asked for once for all of them. Rounds with too many dice for that get
bounds. Bots also become models of the opponent here, against whom blueprints are trained.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from functools import cache
from math import comb
from typing import NamedTuple

import msgspec
import numpy as np
from numpy.typing import NDArray

from liarsdice.bots.external.user_bots import load_bot
from liarsdice.bots.neural.champion import Champion
from liarsdice.bots.policy import MixturePolicy, PlaysSolvedRounds, PolicyBot, policy_of
from liarsdice.bots.protocol import Bot
from liarsdice.core.actions import PlayerAction
from liarsdice.core.engine.state import State
from liarsdice.core.engine.view import View
from liarsdice.core.errors import MalformedError, UnavailableError
from liarsdice.core.rules.bids import Bid
from liarsdice.core.rules.rule_costs import require_approximated
from liarsdice.core.rules.ruleset import Ruleset
from liarsdice.core.rules.ruleset_io import find_rules
from liarsdice.core.rules.tally import Hand
from liarsdice.solve.blueprint.blueprint import MAX_WEIGHT
from liarsdice.solve.blueprint.learned_arrays import Models
from liarsdice.solve.blueprint.recall_graph import RecallGraph, bids_to_nodes
from liarsdice.solve.cfr.method import Method
from liarsdice.solve.match_solver import MatchSolver, RoundValues, ValueInterval, make_match_plan, outcome_values
from liarsdice.solve.round_game import (
    PublicTree,
    RoundGame,
    RoundStart,
    Situation,
    dice_lost_values,
    make_public_tree,
    make_round_game,
    one_step_values,
    state_before_bids,
    view_after,
)
from liarsdice.solve.strategy.reach import BestResponse, FloatArray, Int64Array, NodeProbs
from liarsdice.solve.strategy.strategy import Strategy
from liarsdice.values.endgames import ENDGAME_DICE, solved_round

VALUE_TARGET = 1e-3
"""How near the values of rounds are solved that the package has not solved."""
TWO_WAYS = 2
"""A round that can end in so many ways is played alike for the match and for the dice that it costs."""


def match_values(game: RoundGame) -> FloatArray:
    """Return what each outcome of a round is worth to seat 0 in the match, float64 [outcome], from -1 to 1.

    The worst outcome is worth -1 and the best 1. Raises `UnavailableError` if the round can end in more than two ways
    and may lead to one of more than `ENDGAME_DICE` dice, whose value is not known.
    """
    values = dice_lost_values(game) if len(game.outcomes) <= TWO_WAYS else values_by_successors(game)
    low, high = values.min(), values.max()
    return 2 * (values - low) / (high - low) - 1 if low < high else values


def values_by_successors(game: RoundGame) -> FloatArray:
    """Return the share of the match that seat 0 wins after each outcome less that of seat 1, float64 [outcome].

    Raises `UnavailableError` as `match_values` does, also for a round that can end in two ways.
    """
    strategy = solved_round(game.rules, game.start)
    if strategy is not None:
        return strategy.tree.outcome_values
    starts = [outcome.next_start for outcome in game.outcomes if outcome.next_start is not None]
    known = round_values(game.rules, {start.with_seat_0_opening() for start in starts})
    low, high = outcome_values(game.outcomes, known)
    middle: FloatArray = (low + high) / 2
    return middle


def round_values(rules: Ruleset, starts: set[RoundStart]) -> RoundValues:
    """Return the values of rounds that seat 0 opens: as the package has solved them, or solved now.

    Raises `UnavailableError` for a round of more than `ENDGAME_DICE` dice.
    """
    values: RoundValues = {}
    for start in sorted(starts, key=str):
        if sum(start.dice) > ENDGAME_DICE:
            raise UnavailableError(
                f"the value of the match is known where at most {ENDGAME_DICE} dice are left, not for {start}"
            )
        strategy = solved_round(rules, start)
        if strategy is not None:
            values[start] = ValueInterval(strategy.bounds.low, strategy.bounds.high)
        else:
            solver = MatchSolver(make_match_plan(rules, start), Method.DCFR, VALUE_TARGET)
            solver.run()
            values |= solver.values
    return values


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
                for child, offset, (bid, _) in zip(subtree.children, subtree.child_offsets, raises, strict=False):
                    bids = (*context.bids, bid)
                    below = waiting[child].setdefault(latest_bids(bids, self._bot.memory), _Context(bids, []))
                    below.first_rows.append(first_rows + offset)
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
        views = [view_after(self._before_bids, context.bids, situation.mover) for context in contexts]
        return named_probs(self._bot, views, deciding, actions_of(situation))


def actions_of(situation: Situation) -> list[PlayerAction]:
    """Return the calls of a situation, then its raises."""
    return [*(call.action for call in situation.calls), *(bid for bid, _ in situation.raises)]


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
    """Return the `safe_answer` to bids that no solved player makes, at all nodes of a round."""
    answers: dict[int, Int64Array] = {}

    def node_probs(type_id: int, first_rows: Int64Array) -> FloatArray:
        subtree = tree.subtree_types[type_id]
        situation = strategy.tree.game.situations[subtree.situation]
        if type_id not in answers:
            game, values = strategy.tree.game, strategy.tree.outcome_values
            hand_probs = game.hand_probs[1 - situation.mover]
            answers[type_id] = one_step_values(game, situation, values, hand_probs).argmax(axis=0)
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
            subtree = tree.subtree_types[type_id]
            for slot, (child, offset) in enumerate(zip(subtree.children, subtree.child_offsets, strict=True)):
                waiting[child].append((first_rows + offset, self._solved_children(solved, slot)))

    def _solved_children(self, solved: Int64Array, slot: int) -> Int64Array:
        """Return the strategy's nodes after a raise, int64 [node, type and first row], from those before it."""
        types = self._strategy.tree.subtree_types
        after = np.full_like(solved, NOT_COVERED)
        for type_id in np.unique(solved[:, 0]).tolist():
            if type_id == NOT_COVERED or not types[type_id].children:
                continue
            rows = solved[:, 0] == type_id
            child, offset = types[type_id].children[slot], types[type_id].child_offsets[slot]
            after[rows] = np.stack([np.full(rows.sum(), child), solved[rows, 1] + offset], axis=1)
        return after


BotProbs = Callable[[int, tuple[Bid, ...]], FloatArray]
"""The probabilities of the bot's calls, then its raises, in a situation after some bids: float64 [action, hand]."""


class Memory(NamedTuple):
    """What the play of a bot depends on: so many of the latest bids and, if it `counts`, the number of all bids."""

    bids: int
    counts: bool

    def part_of(self, bids: tuple[Bid, ...]) -> tuple[Bid, ...]:
        """Return the same for all bids of a round that the bot cannot tell apart."""
        if self.counts:
            return latest_bids(bids, self.bids)
        return bids[max(len(bids) - self.bids, 0) :]

    def bytes_needed(self, game: RoundGame) -> int:
        """Return at most how many bytes the values of a `SeeingResponse` take."""
        # the number of bids tells at most as much as one more bid
        paths = sum(comb(len(game.situations), count) for count in range(self.bids + 1 + self.counts))
        return paths * len(game.hands[0]) * len(game.hands[1]) * np.dtype(np.float64).itemsize


class SeeingResponse:
    """The best play of a seat that sees the bot's hand.

    `memory`: what the bot's play depends on. `outcome_values`: float64 [outcome], what each is worth to seat 0.
    """

    def __init__(
        self, game: RoundGame, bot_probs: BotProbs, memory: Memory, seat: int, outcome_values: FloatArray
    ) -> None:
        self._game = game
        self._bot_probs = bot_probs
        self._memory = memory
        self._seat = seat
        self._values = outcome_values
        self._known: dict[tuple[int, tuple[Bid, ...]], FloatArray] = {}

    def values(self, index: int, bids: tuple[Bid, ...]) -> FloatArray:
        """Return what each own hand wins against each hand of the bot after some bids: float64 [own hand, bot's hand].

        `index`: the situation after `bids`.
        """
        key = index, self._memory.part_of(bids)
        if key not in self._known:
            situation = self._game.situations[index]
            by_hand = np.ix_(situation.hand_buckets[self._seat], situation.hand_buckets[1 - self._seat])
            calls = [payoff[by_hand] for payoff in seat_payoffs(situation, self._seat, self._values)]
            raises = [self.values(after, (*bids, bid)) for bid, after in situation.raises]
            if situation.mover == self._seat:
                self._known[key] = np.max([*calls, *raises], axis=0)
            else:
                probs = self._bot_probs(index, bids)
                parts = [prob * value for prob, value in zip(probs, [*calls, *raises], strict=True)]
                self._known[key] = np.sum(parts, axis=0)
        return self._known[key]


def seat_payoffs(situation: Situation, seat: int, values: FloatArray) -> list[FloatArray]:
    """Return what each call, of either player, is worth to a seat, float64 [bucket of its hand, of the other's hand].

    `values`: float64 [outcome], to seat 0.
    """
    payoffs = situation.payoffs(values)
    return payoffs if situation.mover == seat else [-payoff.T for payoff in payoffs]


LOW, HIGH = 0, 1
"""Rows of the bounds of each hand."""
MAX_BYTES = 2**30
"""Where the play of who sees the bot's hand takes more memory, that opponent is taken to win every round."""
ASKED_ROWS = 8192
"""The number of views and hands for which the bot is asked at a time, unless one view has more hands."""
NODES_AT_A_TIME = 4096
"""How many nodes are looked at before the bot is asked about them."""


class Interval(NamedTuple):
    """The bounds of a number."""

    low: float
    high: float


class _Node(NamedTuple):
    """A node to which an opponent looks ahead: its situation, the bids before it, and the bot's reach by hand."""

    situation: int
    bids: tuple[Bid, ...]
    reach: FloatArray


class CutBestResponse:
    """Bounds of the best play of a seat against a bot, which is followed where the bot's own bids often lead.

    `outcome_values`: float64 [outcome], what each is worth to seat 0. `min_reach` (0..1): how likely the bot, over all
    of its hands, makes its own bids so far; below that, the seat takes its best call, or sees the bot's hand. Its
    opening is always a bid. `with_upper`: whether the upper bound is computed; if not, it says nothing.
    """

    def __init__(
        self,
        game: RoundGame,
        bot: PolicyBot,
        seat: int,
        outcome_values: FloatArray,
        min_reach: float,
        *,
        with_upper: bool = True,
    ) -> None:
        self._game = game
        self._bot = bot
        self._seat = seat
        self._sign = 1 if seat == 0 else -1
        self._values = outcome_values
        self._min_reach = min_reach
        self._before_bids = state_before_bids(game.rules, game.start)
        self._probs: dict[tuple[int, tuple[Bid, ...]], FloatArray] = {}
        self._payoffs = cache(lambda index: seat_payoffs(game.situations[index], seat, outcome_values))
        self._seeing = None
        memory = self._memory() if with_upper else None
        if memory is not None and memory.bytes_needed(game) <= MAX_BYTES:
            self._seeing = SeeingResponse(game, self._bot_probs, memory, seat, outcome_values)

    def _memory(self) -> Memory | None:
        """Return what the bot's play depends on, or None if it depends on all bids."""
        opening = view_after(self._before_bids, (), 0)
        blueprint = self._bot.blueprint(opening) if isinstance(self._bot, Champion) else None
        if blueprint is not None:
            return Memory(blueprint.layout.recall, counts=False)
        return None if self._bot.memory is None else Memory(self._bot.memory, counts=True)

    def value(self) -> Interval:
        """Return bounds of what the seat wins. Raises `UnavailableError` if the bot cannot play the rules."""
        start = _Node(0, (), self._game.hand_probs[1 - self._seat])
        self._ask_ahead(start)
        low, high = self._value(*start) @ self._game.hand_probs[self._seat]
        return Interval(float(low), float(high))

    def _ask_ahead(self, start: _Node) -> None:
        """Ask the bot for its probabilities at all nodes to which the opponent looks ahead, many at a time."""
        waiting = [[start]]
        while waiting:
            nodes = waiting.pop()
            self._ask(nodes)
            after = [child for node in nodes for child in self._children(node)]
            waiting += [after[first : first + NODES_AT_A_TIME] for first in range(0, len(after), NODES_AT_A_TIME)]

    def _children(self, node: _Node) -> list[_Node]:
        """Return the nodes after all bids of the seat, where it looks ahead, or after those that the bot makes."""
        situation = self._game.situations[node.situation]
        if situation.mover == self._seat:
            looks_ahead = not situation.calls or node.reach.sum() >= self._min_reach
            parts = [node.reach] * len(situation.raises) if looks_ahead else []
        else:
            parts = list((node.reach * self._bot_probs(node.situation, node.bids))[len(situation.calls) :])
        return [
            _Node(after, (*node.bids, bid), part)
            for (bid, after), part in zip(situation.raises, parts, strict=False)
            if part.any()
        ]

    def _ask(self, nodes: list[_Node]) -> None:
        """Ask the bot for its probabilities at nodes where it is on turn."""
        unknown: dict[int, dict[tuple[Bid, ...], tuple[Bid, ...]]] = defaultdict(dict)
        for index, bids, _ in nodes:
            latest = latest_bids(bids, self._bot.memory)
            if self._game.situations[index].mover != self._seat and (index, latest) not in self._probs:
                unknown[index].setdefault(latest, bids)
        size = max(1, ASKED_ROWS // len(self._game.hands[1 - self._seat]))
        for index, sequences in unknown.items():
            known_by = list(sequences)
            for first in range(0, len(known_by), size):
                part = known_by[first : first + size]
                probs = self._probs_after(index, [sequences[latest] for latest in part])
                self._probs |= {(index, latest): matrix for latest, matrix in zip(part, probs, strict=True)}

    def _value(self, index: int, bids: tuple[Bid, ...], reach: FloatArray) -> FloatArray:
        """Return bounds of what each own hand wins after some bids, float64 [`LOW` or `HIGH`, hand].

        `reach`: float64 [hand of the bot], how likely the bot has each hand and makes its bids with it.
        """
        situation = self._game.situations[index]
        if situation.mover != self._seat:
            return self._value_of_bot(index, bids, reach)
        moves = [self._called(index, place, reach) for place in range(len(situation.calls))]
        if not moves or reach.sum() >= self._min_reach:
            moves = [np.stack([move, move]) for move in moves]
            moves += [self._value(after, (*bids, bid), reach) for bid, after in situation.raises]
            best: FloatArray = np.max(moves, axis=0)
            return best
        return np.stack([np.max(moves, axis=0), self._seen(index, bids) @ reach])

    def _seen(self, index: int, bids: tuple[Bid, ...]) -> FloatArray:
        """Return at least what each own hand wins against each hand of the bot, float64 [own hand, bot's hand]."""
        if self._seeing is not None:
            return self._seeing.values(index, bids)
        shape = len(self._game.hands[self._seat]), len(self._game.hands[1 - self._seat])
        return np.full(shape, np.max(self._sign * self._values))

    def _value_of_bot(self, index: int, bids: tuple[Bid, ...], reach: FloatArray) -> FloatArray:
        """Return bounds of what each own hand wins if the bot is on turn, float64 [`LOW` or `HIGH`, hand]."""
        situation, total = self._game.situations[index], np.zeros((2, len(self._game.hands[self._seat])))
        parts = reach * self._bot_probs(index, bids)
        for action in np.flatnonzero(parts.any(axis=1)).tolist():
            if action < len(situation.calls):
                total += self._called(index, action, parts[action])
            else:
                bid, after = situation.raises[action - len(situation.calls)]
                total += self._value(after, (*bids, bid), parts[action])
        return total

    def _bot_probs(self, index: int, bids: tuple[Bid, ...]) -> FloatArray:
        """Return the probability of each call, then of each raise, with each hand, float64 [action, hand]."""
        key = index, latest_bids(bids, self._bot.memory)
        if key not in self._probs:
            self._probs[key] = self._probs_after(index, [bids])[0]
        return self._probs[key]

    def _probs_after(self, index: int, sequences: Sequence[tuple[Bid, ...]]) -> FloatArray:
        """Return the bot's probabilities in a situation, float64 [sequence of bids, action, hand]."""
        situation, seat = self._game.situations[index], 1 - self._seat
        views = [view_after(self._before_bids, bids, seat) for bids in sequences]
        return named_probs(self._bot, views, self._game.hands[seat], actions_of(situation))

    def _called(self, index: int, call: int, reach: FloatArray) -> FloatArray:
        """Return what each own hand wins by a call, of either player, float64 [hand]."""
        payoffs = self._payoffs(index)[call]
        own, other = (self._game.situations[index].hand_buckets[seat] for seat in (self._seat, 1 - self._seat))
        by_bucket: FloatArray = payoffs @ np.bincount(other, reach, payoffs.shape[1])
        return by_bucket[own]


MAX_ROWS = 2_000_000_000
"""The most decisions (node, hand and action) of a round that are compared: a best response visits each of them."""


class Exploitability(msgspec.Struct, frozen=True):
    """How much a best response wins against a bot in a round, in rounds won less rounds lost (-1 to 1).

    `as_second`: what the best response wins on average when the bot opens. `as_first`: when the bot is second.
    `exploitability`: the mean of both; 0 for a bot that plays an equilibrium in both seats.
    """

    as_first: float
    as_second: float

    @property
    def exploitability(self) -> float:
        """The mean of what the best responses in both seats win (NashConv / 2)."""
        return (self.as_first + self.as_second) / 2


def exploitability(
    bot: Bot | str, rules: Ruleset | str, dice: tuple[int, int], *, min_prob: float = 0.0, match_stakes: bool = False
) -> Exploitability:
    """Return the exact exploitability of a bot in one round.

    `bot`: one that names its probabilities (`action_probs`), or its name as for a tournament. `rules`: a ruleset, or
    what `find_rules` accepts. `dice`: of the player who opens, and of the other. The outcome is worth 1 to who loses
    fewer dice; with `match_stakes`, it is worth what it is in the match (see `match_values`). `min_prob` (0..1): the
    best response makes only moves that the bot itself makes with the same hand at this probability or more, so that it
    finds what is wrong with the bot's frequencies and not its blunders.

    Raises `UnavailableError` if the bot does not name its probabilities, if bids do not only rise under these rules, if
    the round is too large, or if the value of the match is not known, `MalformedError` for another `min_prob`, and
    what the names of rules and bots raise.

    >>> round(exploitability("random", "basic", (1, 1)).exploitability, 3)
    0.88
    """
    if not 0 <= min_prob <= 1:
        raise MalformedError(f"min_prob is a probability of 0 to 1, not {min_prob:g}")
    ruleset = rules if isinstance(rules, Ruleset) else find_rules(rules)
    tree, values = measured_round(ruleset, dice, match_stakes=match_stakes)
    probs = round_probs(tree, policy_of(load_bot(bot, 0) if isinstance(bot, str) else bot))
    first, second = (BestResponse(tree, probs, seat, values, min_prob=min_prob).value() for seat in (0, 1))
    return Exploitability(first, second)


def measured_round(
    rules: Ruleset, dice: tuple[int, int], *, match_stakes: bool = False
) -> tuple[PublicTree, FloatArray]:
    """Return the tree of a round in which bots are measured, and the worth of its outcomes, float64 [outcome].

    Raises `UnavailableError` if bids do not only rise under these rules, if the round is too large, or if the value of
    the match is not known.
    """
    require_approximated(rules, "bots are measured in rounds")
    game = make_round_game(rules, RoundStart(dice))
    values = match_values(game) if match_stakes else dice_lost_values(game)
    tree = make_public_tree(game, values, sure_calls=False)
    if (rows := tree.subtree_types[tree.root].subtree_rows) > MAX_ROWS:
        raise UnavailableError(f"a round of {dice[0]}v{dice[1]} dice has {rows:,} decisions; take fewer dice or faces")
    return tree, values


class ExploitabilityBounds(msgspec.Struct, frozen=True):
    """Bounds of a bot's exploitability: at least `low`, at most `high`."""

    low: Exploitability
    high: Exploitability


def exploitability_bounds(
    bot: Bot, rules: Ruleset, dice: tuple[int, int], min_reach: float, *, match_stakes: bool = False
) -> ExploitabilityBounds:
    """Return bounds of a bot's exploitability in one round, which may have too many dice for `exploitability`.

    The lower bound is what an opponent wins who looks ahead only where the bot's own bids lead with probability
    `min_reach` (0..1) or more, and calls elsewhere. Who sees the bot's hand elsewhere wins the upper bound
    (`CutBestResponse`). Outcomes are worth what they are in `exploitability`.

    Raises `UnavailableError` if the bot does not name its probabilities, if bids do not only rise under these rules, or
    with `match_stakes` if the value of what follows the round is not known.
    """
    first, second = _cut_values(bot, rules, dice, min_reach, with_upper=True, match_stakes=match_stakes)
    return ExploitabilityBounds(Exploitability(first.low, second.low), Exploitability(first.high, second.high))


def exploitability_floor(bot: Bot, rules: Ruleset, dice: tuple[int, int], min_reach: float) -> Exploitability:
    """Return the lower bound of `exploitability_bounds`, which takes less time alone. Raises the same."""
    first, second = _cut_values(bot, rules, dice, min_reach, with_upper=False)
    return Exploitability(first.low, second.low)


def _cut_values(
    bot: Bot,
    rules: Ruleset,
    dice: tuple[int, int],
    min_reach: float,
    *,
    with_upper: bool,
    match_stakes: bool = False,
) -> tuple[Interval, Interval]:
    """Return bounds of what a best response wins as the first and as the second player."""
    require_approximated(rules, "bots are measured in rounds")
    game = make_round_game(rules, RoundStart(dice))
    values = match_values(game) if match_stakes else dice_lost_values(game)
    policy = policy_of(bot)
    first, second = (
        CutBestResponse(game, policy, seat, values, min_reach, with_upper=with_upper).value() for seat in (0, 1)
    )
    return first, second


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
                    weights[graph.rows_of(node)] = found.ravel()
    return weights


def _situation_probs(
    graph: RecallGraph, policy: PolicyBot, index: int, sequences: Sequence[tuple[Bid, ...]]
) -> NDArray[np.float64]:
    """Return how all hands of the mover act in a situation after bid sequences, float64 [sequence, action, hand]."""
    game, situation = graph.game, graph.game.situations[index]
    before_bids = state_before_bids(game.rules, game.start)
    views = [view_after(before_bids, bids, situation.mover) for bids in sequences]
    calls, offered = [call.action for call in situation.calls], [situation.raises[at][0] for at in graph.menus[index]]
    return named_probs(policy, views, game.hands[situation.mover], [*calls, *offered])
