"""A strategy for one round: how each hand acts after every bid sequence, and how good that is."""

from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

import msgspec
import numpy as np
from numpy.typing import NDArray

from liarsdice.core.actions import AnswerDouble, Challenge, Exact
from liarsdice.core.bids.notation import notate, parse
from liarsdice.core.engine.view import View
from liarsdice.core.errors import IllegalActionError, MalformedError, NotationError, UnavailableError, counted
from liarsdice.core.rules.bids import Bid
from liarsdice.core.rules.choices import (
    AllDifferent,
    Answer,
    AtCap,
    GainCap,
    HandBonus,
    ShedBy,
    SpecialOpening,
    SuspendedBy,
    TableTalk,
)
from liarsdice.core.rules.meaning import has_face_off, least_dice, pass_hands
from liarsdice.core.rules.parts import Dice, FirstStarter, Labels, Players, Turn
from liarsdice.core.rules.ruleset import Ruleset
from liarsdice.core.rules.tally import Hand, listed_hand
from liarsdice.runtime.public_api import checked
from liarsdice.solve.cfr.method import Bounds
from liarsdice.solve.round_game import (
    PublicTree,
    RoundStart,
    Step,
    SubtreeType,
    round_start_of,
    two_player_exact_call,
    two_player_special_round,
)
from liarsdice.solve.strategy.reach import FloatArray, Int64Array

ActionWeights = NDArray[np.float32] | NDArray[np.uint16]
ActionProbs = dict[Bid | Challenge | Exact | AnswerDouble, float]
"""Probabilities of actions, sum 1; actions that are never taken are left out."""


DOUBLINGS: tuple[Challenge | AnswerDouble, ...] = (Challenge(double=True), AnswerDouble(Answer.REDOUBLE))
"""A call for twice the stake, and the answer to it that is answered in turn."""


class NodeLocation(NamedTuple):
    """A node of the public tree: the index of its subtree type, and its first row."""

    subtree_type: int
    first_row: int


class Strategy(msgspec.Struct, frozen=True):
    """A strategy for both players of a round, and the bounds that it puts on the value of the round.

    `action_weights`: float32 or uint16 [row], in the tree's row order: depth first, at each node [action, deciding
    hand]. A hand takes each action in proportion to its weight. `method`: how it was computed, a value of `Method`.
    `pruned`: whether decisions that a player who follows the strategy never makes have no weights.
    """

    tree: PublicTree
    action_weights: ActionWeights
    bounds: Bounds
    method: str
    pruned: bool = False

    def __repr__(self) -> str:
        first, second = self.start.dice
        rules = self.tree.game.rules
        return (
            f"<Strategy: {rules.labels.game}, {first}v{second} dice with {rules.dice.faces} faces,"
            f" {self.action_weights.size:,} weights, value {self.bounds.low:+.4f} to {self.bounds.high:+.4f}>"
        )

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Strategy):
            return NotImplemented
        ours, theirs = self.tree.game, other.tree.game
        return (
            (ours.rules, self.start, self.bounds, self.method, self.pruned)
            == (theirs.rules, other.start, other.bounds, other.method, other.pruned)
            and np.array_equal(self.tree.outcome_values, other.tree.outcome_values)
            and np.array_equal(self.action_weights, other.action_weights)
        )

    __hash__ = None  # type: ignore[assignment]  # as arrays have none

    @property
    def start(self) -> RoundStart:
        """The start of the round, relabelled so that seat 0 opens."""
        return self.tree.game.start.with_seat_0_opening()

    @property
    def value(self) -> float:
        """What the round is worth to the player who opens: the middle of its certified bounds."""
        return (self.bounds.low + self.bounds.high) / 2

    @checked
    def action_probs(self, hand: Hand, bids: Sequence[Step | str] = ()) -> ActionProbs:
        """Return how likely a hand takes each action after these bids, the likeliest first.

        Bids may be text such as `2x5`. A call for twice the stake that is answered is written `double`, and an answer
        that doubles the stake again is written `redouble`. Raises `NotationError` for other text, `MalformedError` for
        a hand that the player on turn cannot hold, `IllegalActionError` for bids that the rules do not allow, and
        `UnavailableError` if no player who plays to win comes here, so that nothing was learned, or if no player who
        follows a pruned strategy comes here with this hand.
        """
        node = self.locate([read_step(bid) if isinstance(bid, str) else bid for bid in bids])
        subtree, game = self.tree.subtree_types[node.subtree_type], self.tree.game
        hands = game.hands[game.situations[subtree.situation].mover]
        listed = listed_hand(game.rules, hand)
        if listed not in hands:
            count, faces = len(hands[0]), game.rules.dice.faces
            dice = counted(count, "die", "dice")
            raise MalformedError(f"the player on turn holds {dice} with faces 1 to {faces}, not {format_hand(hand)}")
        index = hands.index(listed)
        if index not in subtree.mover_hands:
            raise UnavailableError(f"a hand of {format_hand(hand)} calls earlier: one of these bids cannot be true")
        node_weights = self.node_weights(node.subtree_type, np.array([node.first_row]))[0]
        probs = self.hand_probs(subtree, node_weights, subtree.mover_hands.index(index))
        if probs is None:
            raise UnavailableError(f"who follows this strategy never makes these bids with {format_hand(hand)}")
        return probs

    def hand_probs(self, subtree: SubtreeType, node_weights: FloatArray, place: int) -> ActionProbs | None:
        """Return how likely one hand at a node takes each action, the likeliest first.

        `node_weights`: float64 [action, deciding hand] of the node. `place`: where the hand stands in
        `subtree.mover_hands`. None if no player who follows a pruned strategy comes here with this hand.
        """
        actions = self.actions(subtree)
        if place not in subtree.deciding:
            return {actions[0]: 1.0}
        weights = node_weights[:, subtree.deciding.index(place)]
        if self.pruned and not weights.any():
            return None
        weights = weights if weights.any() else np.ones(len(weights))
        probs = (weights / weights.sum()).tolist()
        taken = {action: p for action, p in zip(actions, probs, strict=True) if p > 0}
        return dict(sorted(taken.items(), key=lambda item: -item[1]))

    @checked
    def policy(self, view: View) -> ActionProbs:
        """Return how likely to take each action, for the player on turn with this view.

        Raises `IllegalActionError` out of turn, `UnavailableError` if the round is another one than this strategy's,
        and what `action_probs` raises.
        """
        if not view.on_turn:
            raise IllegalActionError("a strategy answers only the view of the player on turn")
        rules, viewed_start = self.tree.game.rules, round_start_of(view)
        if viewed_start != self.start or not same_round_rules(view.ruleset, rules):
            wanted = f"{self.start} by the rules of {rules.labels.game}"
            raise UnavailableError(f"this strategy plays {wanted}, not {viewed_start} by {view.ruleset.labels.game}")
        return self.action_probs(view.hand, steps_of(view))

    def locate(self, bids: Sequence[Step]) -> NodeLocation:
        """Return the node that bids lead to.

        Raises `IllegalActionError` for a bid that the rules do not allow. Raises `UnavailableError` for a bid at a node
        where every hand calls, because the tree has no nodes below it.
        """
        type_id, first_row = self.tree.root, 0
        for made, bid in enumerate(bids):
            subtree = self.tree.subtree_types[type_id]
            steps = [legal_step for legal_step, _ in self.tree.game.situations[subtree.situation].steps]
            if bid not in steps:
                legal = f"one of {_format_steps(steps)}" if steps else "no bid"
                after = f"after {notate(bids[made - 1])}" if made else "as the first bid"
                raise IllegalActionError(f"{notate(bid)} {after} is against the rules (legal: {legal})")
            if not subtree.children:
                last = notate(bids[made - 1])
                raise UnavailableError(f"after {last}, every possible hand calls, so there is no further bid")
            slot = steps.index(bid)
            first_row += subtree.child_offsets[slot]
            type_id = subtree.children[slot]
        return NodeLocation(type_id, first_row)

    def actions(self, subtree: SubtreeType) -> list[Bid | Challenge | Exact | AnswerDouble]:
        """Return the actions at nodes of a type: calls, then bids, then an answered call for twice the stake."""
        situation = self.tree.game.situations[subtree.situation]
        calls = [call.action for call in situation.calls]
        return [*calls, *(step for step, _ in situation.steps[: len(subtree.children)])]

    def node_probs(self, type_id: int, first_rows: Int64Array) -> FloatArray:
        """Return action probabilities at nodes of a type: float64 [node, action, deciding hand].

        `first_rows`: int64 [node], where the rows of each node begin. A hand whose weights are all zero takes every
        action with the same probability.
        """
        subtree, weights = self.tree.subtree_types[type_id], self.node_weights(type_id, first_rows)
        total = weights.sum(axis=1, keepdims=True)
        probs: FloatArray = weights / np.where(total > 0, total, 1)
        if not total.all():
            probs += (total == 0) / subtree.action_count
        return probs

    def node_weights(self, type_id: int, first_rows: Int64Array) -> FloatArray:
        """Return the action weights at nodes of a type: float64 [node, action, deciding hand].

        `first_rows`: int64 [node], where the rows of each node begin.
        """
        subtree = self.tree.subtree_types[type_id]
        rows = self.action_weights[first_rows[:, np.newaxis] + np.arange(subtree.row_count)]
        weights: FloatArray = rows.reshape(len(first_rows), subtree.action_count, len(subtree.deciding)).astype(
            np.float64
        )
        return weights


def same_round_rules(rules: Ruleset, others: Ruleset) -> bool:
    """Return whether a round of two players is the same game under both rulesets."""
    return two_player_rules(rules) == two_player_rules(others)


@lru_cache(maxsize=128)
def two_player_rules(rules: Ruleset) -> Ruleset:
    """Return the rules with defaults for all that makes no difference to a round of two players.

    That is what `canonical_rules` leaves out, who may turn the direction of play, special rounds and exact calls that
    need more players, and whether all but the loser shed or the winner alone.
    """
    if rules.loss.shed_by is ShedBy.ALL_BUT_LOSER:
        rules = msgspec.structs.replace(rules, loss=msgspec.structs.replace(rules.loss, shed_by=ShedBy.WINNER))
    rules = msgspec.structs.replace(rules, turn=Turn(), exact_call=two_player_exact_call(rules))
    is_special_needed = rules.bidding.special_may_open is SpecialOpening.SPECIAL_ROUND_ONLY
    if two_player_special_round(rules) is None and not is_special_needed:
        suspended_by = tuple(why for why in rules.wilds.suspended_by if why is not SuspendedBy.SPECIAL_ROUND)
        wilds = msgspec.structs.replace(rules.wilds, suspended_by=suspended_by)
        rules = msgspec.structs.replace(rules, special_round=None, wilds=wilds)
    return canonical_rules(rules)


@lru_cache(maxsize=128)
def canonical_rules(rules: Ruleset) -> Ruleset:
    """Return the rules with defaults for all that makes no difference to how rounds are played.

    That is names, seats, the direction of play, how the first starter is found, penalties and table talk; and the dice
    of a player at the start, unless other choices go by them.
    """
    default_dice = msgspec.structs.replace(rules.dice, per_player=Dice().per_player)
    return msgspec.structs.replace(
        rules,
        dice=rules.dice if _start_dice_matter(rules) else default_dice,
        labels=Labels(),
        players=Players(),
        turn=msgspec.structs.replace(rules.turn, direction=Turn().direction),
        first_starter=FirstStarter(),
        penalties=(),
        table_talk=TableTalk.ALLOWED,
    )


def _start_dice_matter(rules: Ruleset) -> bool:
    """Return whether a round or the validity of the rules depends on how many dice a player has at the start.

    A full hand has that many, an exact call may win back only as many, and lives in a face-off need a single die.
    """
    call = two_player_exact_call(rules)
    limits_gain = (
        call is not None
        and call.gain_cap is GainCap.STARTING_DICE
        and (call.success_gain > 0 or call.at_cap is AtCap.FORBIDDEN)
    )
    has_full_hands = rules.count.hand_bonus is HandBonus.ALIKE or isinstance(rules.count.all_different, AllDifferent)
    return limits_gain or has_full_hands or bool(pass_hands(rules)) or has_face_off(rules) or least_dice(rules) > 1


def format_hand(hand: Hand) -> str:
    """Return a hand as text.

    >>> format_hand((2, 5))
    '2,5'
    """
    return ",".join(map(str, hand)) or "nothing"


def read_step(text: str) -> Step:
    """Return what does not end a round from text such as `2x5` or `double`. Raises `NotationError` if it is none.

    >>> read_step("2x5"), read_step("double")
    (Bid(quantity=2, face=5), Challenge(double=True))
    """
    step = parse(text)
    if isinstance(step, Bid) or step in DOUBLINGS:
        return step
    raise NotationError(f"{text!r} ends a round, so that nothing follows it")


def steps_of(view: View) -> list[Step]:
    """Return what was done in the round of a view: its bids, and a call for twice the stake with its redoubling."""
    doublings = DOUBLINGS[: 0 if view.doubled_by is None else 1 + view.redoubled]
    return [*(bid for _, bid in view.bids), *doublings]


def _format_steps(steps: list[Step], limit: int = 8) -> str:
    return ", ".join(map(notate, steps[:limit])) + (" and higher ones" if len(steps) > limit else "")


class InformationSet(msgspec.Struct, frozen=True):
    """What the player on turn knows, and how a strategy acts then.

    `seat`: 0 is the player who opens. `hand`: the player's dice, ascending. `bids`: those of the round so far, and a
    call for twice the stake that waits for an answer. `probs`: the probability of each action that is taken, the
    likeliest first.
    """

    seat: int
    hand: Hand
    bids: tuple[Step, ...]
    probs: ActionProbs


def iter_information_sets(strategy: Strategy) -> Iterator[InformationSet]:
    """Yield the information sets of a strategy, depth first: all hands after some bids, then the next bids.

    Left out are those that no player comes to who plays to win, and, in a pruned strategy, those that no player comes
    to who follows it.

    >>> from liarsdice.solve.round_solver import solve_round
    >>> nodes = list(iter_information_sets(solve_round("openspiel", faces=2, iterations=10)))
    >>> len(nodes), nodes[-1]
    (32, InformationSet(seat=1, hand=(2,), bids=(Bid(quantity=2, face=2),), probs={Challenge(): 1.0}))
    """
    tree, start = strategy.tree, strategy.tree.game.start.starter
    waiting: list[tuple[int, int, tuple[Step, ...]]] = [(tree.root, 0, ())]
    while waiting:
        type_id, first_row, bids = waiting.pop()
        subtree = tree.subtree_types[type_id]
        situation = tree.game.situations[subtree.situation]
        weights = strategy.node_weights(type_id, np.array([first_row]))[0]
        for place, hand in enumerate(subtree.mover_hands):
            probs = strategy.hand_probs(subtree, weights, place)
            if probs is not None:
                seat = situation.mover ^ start
                yield InformationSet(seat, tree.game.hands[situation.mover][hand], bids, probs)
        children = zip(subtree.children, subtree.child_offsets, situation.steps, strict=False)
        below = [(child, first_row + offset, (*bids, step)) for child, offset, (step, _) in children]
        waiting += reversed(below)
