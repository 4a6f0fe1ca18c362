"""A two-player round as arrays: all that the solver knows of the rules.

Everything is computed by the engine itself: which bids may follow which, how hands count, and what a call costs.
"""

from __future__ import annotations

from math import comb

import msgspec
import numpy as np
from msgspec import UNSET
from numpy.typing import NDArray

from liarsdice.core.actions import AnswerDouble, Challenge, Exact
from liarsdice.core.bids.hands import enumerate_hands
from liarsdice.core.engine.engine import evolve, evolve_all, start
from liarsdice.core.engine.state import Phase, State
from liarsdice.core.errors import MalformedError, UnavailableError
from liarsdice.core.events import (
    Event,
    MatchEnded,
    RoundEnded,
    RoundStarted,
)
from liarsdice.core.rules.bids import Bid
from liarsdice.core.rules.meaning import has_lives, lives_are_limited
from liarsdice.core.rules.overlay import patched
from liarsdice.core.rules.parts import Players
from liarsdice.core.rules.rule_costs import require_solved
from liarsdice.core.rules.ruleset import Ruleset
from liarsdice.core.rules.tally import Hand, must_roll_again
from liarsdice.solve.game.hand_buckets import hand_buckets
from liarsdice.solve.game.round_start import RoundStart, remembered_history
from liarsdice.solve.game.situation_graph import (
    TOO_LARGE,
    Step,
    ending_actions,
    ending_events,
    situation_graph,
    topological_order,
)

NAMES = ("First", "Second")
SEATS = 0, 1
MAX_SETTLED = 100_000
MAX_HANDS = 2_000
MAX_BID_SEQUENCES = 2**40
"""Trees with more nodes than this are not built at all."""


class Outcome(msgspec.Struct, frozen=True):
    """How a round ends: the dice by seat, and the start of the next round.

    `next_start` is None if the match is over; `winners` are the seats that have won it then. `lives`: those left by
    seat, where losses cost lives.
    """

    dice: tuple[int, int]
    next_start: RoundStart | None
    winners: tuple[int, ...] = ()
    lives: tuple[int, int] | None = None

    @property
    def stakes(self) -> tuple[int, int]:
        """What each seat has left of what losses cost: lives, or else dice."""
        return self.lives or self.dice


class Call(msgspec.Struct, frozen=True):
    """A call of the mover that ends the round, or an answer to a call for twice the stake that ends it.

    `outcomes`: int32 [bucket of the mover's hand, bucket of the other hand], indices into `RoundGame.outcomes`.
    """

    action: Challenge | Exact | AnswerDouble
    outcomes: NDArray[np.int32]

    @property
    def exact(self) -> bool:
        """Whether it is the exact call."""
        return isinstance(self.action, Exact)


class Situation(msgspec.Struct, frozen=True):
    """A state of the bidding, as far as it decides what may follow: the node type of the rules alone.

    `bid`: the standing bid, None before the first. `mover`: the seat on turn. `raises`: the bids that it may make, each
    with the index of the situation after it. `hand_buckets`: by seat int32 [hand], the bucket of each hand; hands of
    one bucket count alike for the standing bid, so that every call ends alike for them. `doubling`: the call for twice
    the stake, or its redoubling, that the other player answers, with the index of the situation of the answer.
    """

    bid: Bid | None
    mover: int
    raises: tuple[tuple[Bid, int], ...]
    hand_buckets: tuple[NDArray[np.int32], NDArray[np.int32]]
    calls: tuple[Call, ...]
    doubling: tuple[Challenge | AnswerDouble, int] | None = None

    @property
    def steps(self) -> tuple[tuple[Step, int], ...]:
        """All after which the round goes on, each with the index of the situation after it: raises, then doubling."""
        return self.raises if self.doubling is None else (*self.raises, self.doubling)


class RoundGame(msgspec.Struct, frozen=True):
    """One round of two players.

    `hands`: by seat all hands as multisets, ascending. `hand_probs`: by seat float64 [hand], their probabilities.
    `situations`: in topological order, every raise leads to a later one; the first is the start of the round.
    """

    rules: Ruleset
    start: RoundStart
    hands: tuple[tuple[Hand, ...], tuple[Hand, ...]]
    hand_probs: tuple[NDArray[np.float64], NDArray[np.float64]]
    situations: tuple[Situation, ...]
    outcomes: tuple[Outcome, ...]


def hands_with_probs(dice: int, faces: int) -> tuple[tuple[Hand, ...], NDArray[np.float64]]:
    """Return all hands of `dice` dice as multisets, ascending, and their probabilities (float64 [hand]).

    Raises `UnavailableError` if there are more than `MAX_HANDS`.

    >>> hands, probs = hands_with_probs(2, 2)
    >>> hands, probs.tolist()
    (((1, 1), (1, 2), (2, 2)), [0.25, 0.5, 0.25])
    """
    count = comb(faces + dice - 1, dice)
    if count > MAX_HANDS:
        raise UnavailableError(f"{dice} dice with {faces} faces make {count:,} hands; at most {MAX_HANDS:,} are solved")
    hands, roll_counts = enumerate_hands(faces, dice)
    return hands, np.array([count / faces**dice for count in roll_counts])


def with_faces(rules: Ruleset, faces: int) -> Ruleset:
    """Return the same rules with dice of `faces` faces; if the highest face was the special one, it still is."""
    special = faces if rules.dice.special_face == rules.dice.faces else rules.dice.special_face
    return patched(rules, dice__faces=faces, dice__special_face=special)


def of_round(rules: Ruleset, dice: tuple[int, int], faces: int | None = None) -> Ruleset:
    """Return the rules of a round of so many dice, with `faces` faces unless that is None.

    In a game for lives everybody keeps all dice, so that players start with as many.
    """
    if has_lives(rules):
        special = faces if faces and rules.dice.special_face == rules.dice.faces else rules.dice.special_face
        shape = {"faces": faces or rules.dice.faces, "special_face": special, "per_player": max(dice)}
        return patched(rules, dice=shape)
    return rules if faces is None else with_faces(rules, faces)


def make_round_game(rules: Ruleset, round_start: RoundStart) -> RoundGame:
    """Return the arrays of one round.

    Raises `MalformedError` for a start without dice, lives or seats to open it, or with other dice than each player
    keeps in a game for lives, and `UnavailableError` if the bids have no end, may follow each other in a circle, or are
    too many to be solved.
    """
    state = state_before_bids(rules, round_start)
    dice = round_start.dice
    if lives_are_limited(rules):
        round_start = msgspec.structs.replace(round_start, lives=(state.lives[0], state.lives[1]))
    dealt = tuple(_dealt_hands(rules, count) for count in dice)
    hands = (dealt[0][0], dealt[1][0])
    graph = situation_graph(state)
    order = topological_order(graph)
    if len(order) * (dice[0] + 1) * (dice[1] + 1) > MAX_SETTLED:  # about as many pairs of buckets
        raise UnavailableError(f"{TOO_LARGE}; take fewer dice")
    index = {key: place for place, key in enumerate(order)}
    outcomes: dict[Outcome, int] = {}
    situations = []
    for key in order:
        state, successors = graph[key]
        buckets = hand_buckets(state, hands)
        steps = [(step, index[successor]) for step, successor in successors.items()]
        raises = tuple((step, after) for step, after in steps if isinstance(step, Bid))
        doubling = next(((step, after) for step, after in steps if not isinstance(step, Bid)), None)
        calls = _calls(state, hands, buckets, outcomes)
        situations.append(Situation(state.bid, state.turn, raises, buckets, calls, doubling))
    return RoundGame(rules, round_start, hands, (dealt[0][1], dealt[1][1]), tuple(situations), tuple(outcomes))


def state_before_bids(rules: Ruleset, round_start: RoundStart) -> State:
    """Return the state of the engine before the first bid of a round, with no hands.

    Raises `MalformedError` for a start without dice or an opener, and `UnavailableError` for rules that are not solved.
    """
    require_solved(rules, "rounds are solved")
    dice, starter, special = round_start.dice, round_start.starter, round_start.special
    if min(round_start.stakes + dice) < 1 or starter not in SEATS or special not in {None, *SEATS}:
        raise MalformedError(f"a round needs two players with dice, and seat 0 or 1 to open it, not {round_start!r}")
    held = rules.dice.per_player
    if has_lives(rules) and dice != (held, held):
        raise MalformedError(
            f"in a game for lives everybody keeps all dice, {held} each (dice.per_player), not {dice[0]}v{dice[1]}"
        )
    two_player_rules = patched(rules, players=Players())  # other players may have been eliminated
    before = msgspec.structs.replace(
        start(two_player_rules, NAMES),
        dice=dice,
        had_special=round_start.had_special,
        exact_calls=round_start.exact_calls,
    )
    if round_start.lives:
        before = msgspec.structs.replace(before, lives=round_start.lives)
    state = evolve(before, RoundStarted(1, starter, dice, rules.turn.direction, special))
    return msgspec.structs.replace(state, phase=Phase.BIDDING)


def _dealt_hands(rules: Ruleset, dice: int) -> tuple[tuple[Hand, ...], NDArray[np.float64]]:
    """Return the hands that players keep and their probabilities, as `hands_with_probs`: some are rolled again."""
    hands, probs = hands_with_probs(dice, rules.dice.faces)
    kept = [not must_roll_again(rules, hand) for hand in hands]
    return tuple(hand for hand, is_kept in zip(hands, kept, strict=True) if is_kept), probs[kept] / probs[kept].sum()


def _calls(
    state: State,
    hands: tuple[tuple[Hand, ...], tuple[Hand, ...]],
    buckets: tuple[NDArray[np.int32], NDArray[np.int32]],
    outcomes: dict[Outcome, int],
) -> tuple[Call, ...]:
    """Return the calls and answers of the mover that end the round, settled once for every pair of buckets."""
    if state.bid is None:
        return ()
    mover, other = state.turn, 1 - state.turn
    samples = [
        [held[int(np.argmax(numbers == bucket))] for bucket in range(int(numbers.max()) + 1)]
        for held, numbers in zip(hands, buckets, strict=True)
    ]
    calls = []
    for action in ending_actions(state):
        indices = np.zeros((len(samples[mover]), len(samples[other])), np.int32)
        for row, mover_hand in enumerate(samples[mover]):
            for column, other_hand in enumerate(samples[other]):
                dealt = (mover_hand, other_hand) if mover == 0 else (other_hand, mover_hand)
                outcome = _outcome(state, ending_events(msgspec.structs.replace(state, hands=dealt), action))
                indices[row, column] = outcomes.setdefault(outcome, len(outcomes))
        calls.append(Call(action, indices))
    return tuple(calls)


def _outcome(state: State, events: list[Event]) -> Outcome:
    after = evolve_all(state, events)
    dice, last = (after.dice[0], after.dice[1]), events[-1]
    lives = (after.lives[0], after.lives[1]) if after.lives else None
    if isinstance(last, MatchEnded):
        return Outcome(dice, None, last.winners, lives)
    assert isinstance(last, RoundEnded)
    history = remembered_history(after, after.had_special)
    left = lives if lives is not None and lives_are_limited(state.ruleset) else UNSET
    next_start = RoundStart(dice, last.next_starter, last.special_seat, *history, left)
    return Outcome(dice, next_start, lives=lives)


def count_bid_sequences(game: RoundGame) -> int:
    """Return the number of bid sequences of a round, the empty one included: the public nodes of its unreduced tree.

    Calls for twice the stake that are answered lead to nodes as bids do.
    """
    counts = [1] * len(game.situations)
    for index in reversed(range(len(counts))):
        counts[index] += sum(counts[successor] for _, successor in game.situations[index].steps)
    return counts[0]
