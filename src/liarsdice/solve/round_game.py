"""A two-player round as arrays and as a public tree: all that the solver knows of the rules.

Everything is computed by the engine itself: which bids may follow which, how hands count, and what a call costs.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from functools import lru_cache
from heapq import heappop, heappush
from math import comb, prod

import msgspec
import numpy as np
from msgspec import UNSET, UnsetType
from numpy.typing import NDArray

from liarsdice.core.actions import AnswerDouble, Challenge, Exact
from liarsdice.core.arguments import check_fields
from liarsdice.core.bids.odds import hands_by_rules
from liarsdice.core.engine.engine import evolve, evolve_all, legal, start
from liarsdice.core.engine.legal import LegalMoves
from liarsdice.core.engine.player_actions import answer_double, is_of_opening
from liarsdice.core.engine.settle import settle
from liarsdice.core.engine.state import Phase, PublicState, State
from liarsdice.core.engine.view import View, view
from liarsdice.core.errors import MalformedError, UnavailableError
from liarsdice.core.events import (
    BidMade,
    Challenged,
    DoubleAnswered,
    Doubled,
    Event,
    ExactCalled,
    MatchEnded,
    RoundEnded,
    RoundStarted,
)
from liarsdice.core.rules.bids import Bid
from liarsdice.core.rules.choices import Answer, LockExempt, Repeat, SuspendedBy, WhoCalls
from liarsdice.core.rules.meaning import (
    doubles_are_answered,
    forbids_repeats,
    has_lives,
    lives_are_limited,
    may_fold,
    sheds,
)
from liarsdice.core.rules.overlay import patched
from liarsdice.core.rules.parts import ExactCall, Players, SpecialRound
from liarsdice.core.rules.rule_costs import require_solved
from liarsdice.core.rules.ruleset import Ruleset
from liarsdice.core.rules.tally import Hand, must_roll_again, tally


def hand_buckets(
    state: State, hands: tuple[tuple[Hand, ...], tuple[Hand, ...]]
) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Return by seat, int32 [hand], the bucket of each hand, numbered from 0 in the order of what hands add."""
    if state.bid is None:
        return np.zeros(len(hands[0]), np.int32), np.zeros(len(hands[1]), np.int32)
    first, second = (_buckets(state.ruleset, held, state.bid.face, wilds_count=state.wilds_count) for held in hands)
    return first, second


@lru_cache(maxsize=64)
def _buckets(rules: Ruleset, held: tuple[Hand, ...], face: int, *, wilds_count: bool) -> NDArray[np.int32]:
    """Return the bucket of each hand, int32 [hand]. It depends on the face of a bid, not on its quantity."""
    counts = [_matching_dice(rules, hand, face, wilds_count=wilds_count) for hand in held]
    numbers = {count: number for number, count in enumerate(sorted(set(counts)))}
    return np.array([numbers[count] for count in counts], np.int32)


def _matching_dice(rules: Ruleset, hand: Hand, face: int, *, wilds_count: bool) -> tuple[int, int]:
    """Return what a hand adds to the count with wild dice, and without; these two numbers decide every call.

    The second one counts where a natural die is needed, and where a challenge of the opening bid counts no wild dice.
    """
    natural = tally(rules, (hand,), face, wilds_count=False).count
    # the second hand makes sure that a natural die is there, where the rules ask for one
    matching = tally(rules, (hand, (face,)), face, wilds_count=True).counted[0] if wilds_count else natural
    both = rules.wilds.needs_natural or SuspendedBy.OPENING_CHALLENGE in rules.wilds.suspended_by
    return (matching, natural) if both else (matching, matching)


PLAYERS = 2
PLAYER_NAMES = "second", "first"


class RoundStart(msgspec.Struct, frozen=True):
    """The start of a two-player round: dice by seat, who opens, and whose special round it is (None for no one's).

    `had_special`: seats that had a special round before; `exact_calls`: exact calls made before, by seat; both only as
    far as the rules remember them. `lives`: those left, by seat, where losses cost lives that can run out.
    """

    dice: tuple[int, int]
    starter: int = 0
    special: int | None = None
    had_special: tuple[int, ...] = ()
    exact_calls: tuple[int, ...] = (0, 0)
    lives: tuple[int, int] | UnsetType = UNSET

    def __post_init__(self) -> None:
        check_fields(self)

    @property
    def stakes(self) -> tuple[int, int]:
        """What each seat has left of what losses cost: lives, or else dice."""
        return self.lives or self.dice

    def mirrored(self) -> RoundStart:
        """Return the same start with the seats exchanged."""
        return RoundStart(
            (self.dice[1], self.dice[0]),
            1 - self.starter,
            None if self.special is None else 1 - self.special,
            tuple(sorted(1 - seat for seat in self.had_special)),
            (self.exact_calls[1], self.exact_calls[0]),
            (self.lives[1], self.lives[0]) if self.lives else UNSET,
        )

    def with_seat_0_opening(self) -> RoundStart:
        """Return the same start, relabelled so that seat 0 opens."""
        return self if self.starter == 0 else self.mirrored()

    def __str__(self) -> str:
        """As in `2v1`, the starter first.

        >>> print(RoundStart((1, 2), starter=1, special=0, had_special=(1,), exact_calls=(0, 2)))
        2v1, a special round of the second, the first has had one, exact calls 2v0
        """
        first, second = self.starter, 1 - self.starter
        parts = [f"{self.dice[first]}v{self.dice[second]}"]
        if self.lives:
            parts.append(f"lives {self.lives[first]}v{self.lives[second]}")
        if self.special is not None:
            parts.append(f"a special round of the {PLAYER_NAMES[self.special == first]}")
        noun = "a special round" if self.special is None else "one"
        had = [seat for seat in (first, second) if seat in self.had_special]
        parts += [f"the {PLAYER_NAMES[seat == first]} has had {noun}" for seat in had]
        if any(self.exact_calls):
            parts.append(f"exact calls {self.exact_calls[first]}v{self.exact_calls[second]}")
        return ", ".join(parts)


def round_start_of(state: PublicState) -> RoundStart:
    """Return the start of the current two-player round, relabelled so that seat 0 opens.

    Raises `UnavailableError` if not exactly two players have dice.
    """
    seats = sorted(state.alive(), key=lambda seat: seat != state.starter)
    if len(seats) != PLAYERS or state.starter not in seats:
        raise UnavailableError(f"only rounds of two players are solved, and {len(seats)} hold dice")
    new_seat = {seat: place for place, seat in enumerate(seats)}
    special = None if state.special_seat is None else new_seat[state.special_seat]
    before = [seat for seat in state.had_special if seat != state.special_seat or seat in state.exempt]
    had_special, calls = remembered_history(state, [new_seat[seat] for seat in before if seat in new_seat])
    dice = (state.dice[seats[0]], state.dice[seats[1]])
    lives = (state.lives[seats[0]], state.lives[seats[1]]) if lives_are_limited(state.ruleset) else UNSET
    return RoundStart(dice, 0, special, had_special, (calls[seats[0]], calls[seats[1]]), lives)


def remembered_history(state: PublicState, had_special: Sequence[int]) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """`RoundStart.had_special` and `exact_calls`: what of earlier rounds still matters under these rules."""
    exact_call = two_player_exact_call(state.ruleset)
    calls_matter = exact_call is not None and exact_call.budget is not None
    had = tuple(sorted(had_special)) if remembers_special_rounds(state.ruleset) else ()
    return had, state.exact_calls if calls_matter else (0,) * len(state.names)


def remembers_special_rounds(rules: Ruleset) -> bool:
    """Return whether it matters in a round of two players who had a special round before."""
    special = two_player_special_round(rules)
    return special is not None and (
        special.repeat is Repeat.ONCE_PER_PLAYER or special.lock_exempt is LockExempt.HAD_SPECIAL
    )


def two_player_special_round(rules: Ruleset) -> SpecialRound | None:
    """Return the special round, or None if two players alone cannot have one."""
    special = rules.special_round
    return None if special is None or special.min_players > PLAYERS else special


def two_player_exact_call(rules: Ruleset) -> ExactCall | None:
    """Return the exact call, or None if two players alone cannot make one."""
    call = rules.exact_call
    return call if call is not None and call.min_players <= PLAYERS else None


MAX_RAISES = 100_000
TOO_LARGE = "a round of these rules is far too large to be solved"

Key = tuple[object, ...]
Step = Bid | Challenge | AnswerDouble
"""What does not end a round: a bid, and where they are answered, a call for twice the stake and its redoubling."""


def situation_graph(state: State) -> dict[Key, tuple[State, Mapping[Step, Key]]]:
    """Return every situation that bids and answered calls lead to, with its successors by what leads to them.

    Raises `UnavailableError` if the bids have no end or there are too many.
    """
    graph: dict[Key, tuple[State, Mapping[Step, Key]]] = {}
    waiting, raises = [(_situation_key(state), state)], 0
    while waiting:
        key, state = waiting.pop()
        if key in graph:
            continue
        moves = legal(state)
        if moves.unlimited:
            raise UnavailableError(
                "these rules set no cap on bids, so that a round has no end; choose a cap to solve it"
            )
        successors: dict[Step, Key] = {}
        steps: list[tuple[Step, State]] = [(bid, evolve(state, BidMade(state.turn, bid))) for bid in moves.bids]
        steps += _doubling(state, moves)
        for step, after in steps:
            successor = after
            if state.ruleset.guards.max_bids_per_round is None:
                successor = msgspec.structs.replace(after, bids=after.bids[-_bids_that_matter(state.ruleset) :])
            successors[step] = successor_key = _situation_key(successor)
            if successor_key not in graph:
                waiting.append((successor_key, successor))
        graph[key] = (state, successors)
        raises += len(successors)
        if raises > MAX_RAISES:
            raise UnavailableError(f"{TOO_LARGE}; take fewer dice or faces")
    return graph


def _doubling(state: State, moves: LegalMoves) -> list[tuple[Step, State]]:
    """Return the call for twice the stake, or its redoubling, if the other player answers it, and the state after."""
    rules, bid = state.ruleset, state.bid
    if bid is not None and state.turn in moves.doublers and doubles_are_answered(rules):
        return [(Challenge(double=True), evolve(state, Doubled(state.turn, 1 - state.turn, bid, out_of_turn=False)))]
    if Answer.REDOUBLE in moves.answers and may_fold(rules):
        return [
            (AnswerDouble(Answer.REDOUBLE), evolve(state, DoubleAnswered(state.turn, 1 - state.turn, Answer.REDOUBLE)))
        ]
    return []


def _situation_key(state: State) -> Key:
    """Return all that decides how the bidding may continue."""
    guarded = state.ruleset.guards.max_bids_per_round is not None
    made_bids = frozenset(bid for _, bid in state.bids) if guarded and forbids_repeats(state.ruleset) else None
    count = len(state.bids) if guarded else min(len(state.bids), _bids_that_matter(state.ruleset))
    return state.bid, state.turn, state.wilds_count, count, made_bids, state.doubled_by is not None, state.redoubled


def _bids_that_matter(rules: Ruleset) -> int:
    """Return how many bids tell how the round may go on: the latest, or one more where the opening is settled alone."""
    is_alone = isinstance(rules.loss.opening_factor, int) or SuspendedBy.OPENING_CHALLENGE in rules.wilds.suspended_by
    return 1 + is_alone


def topological_order(graph: Mapping[Key, tuple[State, Mapping[Step, Key]]]) -> list[Key]:
    """Return situations, each before its successors (Kahn 1962). Raises `UnavailableError` if bids lead in a circle."""
    first = next(iter(graph))
    predecessors = dict.fromkeys(graph, 0)
    for _, successors in graph.values():
        for key in successors.values():
            predecessors[key] += 1
    order: list[Key] = []
    ready: list[tuple[tuple[int, int, int], int, Key]] = []  # a heap: the lowest bid first, of equal ones the newest
    numbers = itertools.count(0, -1)  # also the reason why keys are never compared
    if not predecessors[first]:
        heappush(ready, (_bid_height(graph[first][0]), next(numbers), first))
    while ready:
        key = heappop(ready)[2]
        order.append(key)
        for successor in graph[key][1].values():
            predecessors[successor] -= 1
            if not predecessors[successor]:
                heappush(ready, (_bid_height(graph[successor][0]), next(numbers), successor))
    if len(order) < len(graph):
        raise UnavailableError(
            "under these rules bids may follow each other in any order, each once, so that the tree of a round grows"
            " like a factorial; rules under which bids only rise can be solved, for example the preset perudo"
        )
    return order


def _bid_height(state: State) -> tuple[int, int, int]:
    bid = state.bid
    return (0, 0, state.turn) if bid is None else (bid.quantity, state.bid_space.faces.index(bid.face), state.turn)


def ending_actions(state: State) -> list[Challenge | Exact | AnswerDouble]:
    """Return the calls and answers of the mover that end the round, the plainest first."""
    mover, rules, moves = state.turn, state.ruleset, legal(state)
    actions: list[Challenge | Exact | AnswerDouble] = []
    if mover in moves.challengers:
        actions.append(Challenge())
    if mover in moves.exact_callers:
        actions.append(Exact())
    if mover in moves.doublers and not doubles_are_answered(rules):
        actions.append(Challenge(double=True))
    ending = [answer for answer in moves.answers if answer is not Answer.REDOUBLE or not may_fold(rules)]
    return [*actions, *map(AnswerDouble, ending)]


def ending_events(state: State, action: Challenge | Exact | AnswerDouble) -> list[Event]:
    """Return the events of an action of the mover that ends the round. `state`: with the hands of both players."""
    mover, bid = state.turn, state.bid
    assert bid is not None
    if isinstance(action, AnswerDouble):
        return answer_double(state, mover, action)
    call: ExactCalled | Challenged = ExactCalled(mover, 1 - mover, bid, out_of_turn=False)
    if isinstance(action, Challenge):
        double = action.double or UNSET
        call = Challenged(mover, 1 - mover, bid, out_of_turn=False, opening=is_of_opening(state), double=double)
    return [call, *settle(state, call)]


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

    def payoffs(self, values: NDArray[np.float64]) -> list[NDArray[np.float64]]:
        """Return the value of each call to its caller: float64 [bucket of the caller, bucket of the bidder].

        `values`: float64 [outcome], to seat 0.
        """
        sign = 1 if self.mover == 0 else -1
        return [sign * values[call.outcomes] for call in self.calls]


class RoundGame(msgspec.Struct, frozen=True):
    """One round of two players.

    `hands`: by seat all hands, as `hands_by_rules`. `hand_probs`: by seat float64 [hand], their probabilities.
    `situations`: in topological order, every raise leads to a later one; the first is the start of the round.
    """

    rules: Ruleset
    start: RoundStart
    hands: tuple[tuple[Hand, ...], tuple[Hand, ...]]
    hand_probs: tuple[NDArray[np.float64], NDArray[np.float64]]
    situations: tuple[Situation, ...]
    outcomes: tuple[Outcome, ...]


def hands_with_probs(rules: Ruleset, dice: int) -> tuple[tuple[Hand, ...], NDArray[np.float64]]:
    """Return all hands of `dice` dice as `hands_by_rules`, and their probabilities (float64 [hand]).

    Raises `UnavailableError` if there are more than `MAX_HANDS`.

    >>> hands, probs = hands_with_probs(with_faces(Ruleset(), 2), 2)
    >>> hands, probs.tolist()
    (((1, 1), (1, 2), (2, 2)), [0.25, 0.5, 0.25])
    """
    faces = rules.dice.faces
    double = rules.dice.double_count(dice)
    count = prod(comb(faces + size - 1, size) for size in (double, dice - double))
    if count > MAX_HANDS:
        raise UnavailableError(f"{dice} dice with {faces} faces make {count:,} hands; at most {MAX_HANDS:,} are solved")
    hands, roll_counts = hands_by_rules(rules, faces, dice)
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
    hands, probs = hands_with_probs(rules, dice)
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


def view_after(before_bids: State, bids: Sequence[Bid], seat: int) -> View:
    """Return the view of a seat after some bids, with a hand that means nothing."""
    state = before_bids
    for bid in bids:
        state = evolve(state, BidMade(state.turn, bid))
    return view(msgspec.structs.replace(state, hands=tuple((1,) * count for count in state.dice)), seat)


MAX_SUBTREE_TYPES = 200_000
TOLERANCE = 1e-12


class SubtreeType(msgspec.Struct, frozen=True):
    """A situation together with the hands that its two players may still hold: all nodes of a type look alike.

    `situation`: index in `RoundGame.situations`. `mover_hands`, `bidder_hands`: indices of hands. `deciding`: positions
    in `mover_hands` of the hands that decide; the others have a certain call. `children`: indices of the types after
    each step (`Situation.steps`). `child_offsets`: how many rows after those of a node each child's begin.
    `action_count`: calls, then steps. `row_count`: rows of one node, one for each action and deciding hand.
    `subtree_rows`, `node_count`: rows and nodes of the whole subtree.
    """

    situation: int
    mover_hands: tuple[int, ...]
    bidder_hands: tuple[int, ...]
    deciding: tuple[int, ...]
    children: tuple[int, ...]
    child_offsets: tuple[int, ...]
    action_count: int
    row_count: int
    subtree_rows: int
    node_count: int


class PublicTree(msgspec.Struct, frozen=True):
    """The public tree of a round. `subtree_types`: children before parents; `root`: the index of the root's type.

    `low`, `high`: float64 [outcome], bounds of what each outcome is worth to seat 0; seat 1 gets the negative.
    """

    game: RoundGame
    low: NDArray[np.float64]
    high: NDArray[np.float64]
    subtree_types: tuple[SubtreeType, ...]
    root: int

    @property
    def outcome_values(self) -> NDArray[np.float64]:
        """What players take outcomes to be worth to seat 0, the middle of the bounds: float64 [outcome]."""
        return (self.low + self.high) / 2


def make_public_tree(
    game: RoundGame, low: NDArray[np.float64], high: NDArray[np.float64] | None = None, *, sure_calls: bool = True
) -> PublicTree:
    """Return the public tree of a round whose outcomes are worth between `low` and `high` to seat 0.

    `low`, `high`: float64 [outcome], about -1 to 1; without `high` exactly `low`. `sure_calls`: whether hands with a
    certain call are left out of learning. Raises `UnavailableError` for more than `MAX_SUBTREE_TYPES`.

    Proof that certain calls lose nothing. A call is certain if, against every hand that the bidder may hold here, its
    outcome is worth at least as much as any other outcome of the round. Every other action ends in some outcome of the
    round against each of those hands, so it wins no more against any of them. Therefore, against any strategy, there is
    a best response in which this hand calls. There is also an equilibrium in which it calls: take any equilibrium, and
    change the player's strategy only so that this hand calls. The changed strategy wins at least as much as before
    against every strategy of the other player. It therefore still guarantees the value of the round, and the two
    strategies are still in equilibrium. If every hand of a player has a certain call, no node is needed further down. A
    player who raised does not hold a hand with a certain call, so the reach of these hands is zero in the subtrees
    below.
    """
    high = low if high is None else high
    unbeaten = (_unbeaten_outcomes(low, high), _unbeaten_outcomes(-high, -low))
    subtree_types: list[SubtreeType] = []
    known: dict[tuple[int, tuple[int, ...], tuple[int, ...]], int] = {}

    def add(index: int, mover_hands: tuple[int, ...], bidder_hands: tuple[int, ...]) -> int:
        key = index, mover_hands, bidder_hands
        if key in known:
            return known[key]
        situation = game.situations[index]
        deciding = tuple(range(len(mover_hands)))
        if len(situation.calls) + len(situation.steps) == 1:
            deciding = () if situation.calls else deciding
        elif situation.calls and sure_calls:
            mover = situation.mover
            opposing = np.unique(situation.hand_buckets[1 - mover][list(bidder_hands)])
            is_sure = [bool(row.all()) for row in unbeaten[mover][situation.calls[0].outcomes[:, opposing]]]
            buckets = situation.hand_buckets[mover]
            deciding = tuple(place for place in deciding if not is_sure[buckets[mover_hands[place]]])
        still_held = tuple(mover_hands[place] for place in deciding)
        children = tuple(add(child, bidder_hands, still_held) for _, child in situation.steps) if deciding else ()
        action_count = len(situation.calls) + len(children)
        row_count = len(deciding) * action_count
        *offsets, subtree_rows = itertools.accumulate(
            (subtree_types[child].subtree_rows for child in children), initial=row_count
        )
        known[key] = len(subtree_types)
        subtree_types.append(
            SubtreeType(
                situation=index,
                mover_hands=mover_hands,
                bidder_hands=bidder_hands,
                deciding=deciding,
                children=children,
                child_offsets=tuple(offsets),
                action_count=action_count,
                row_count=row_count,
                subtree_rows=subtree_rows,
                node_count=1 + sum(subtree_types[child].node_count for child in children),
            )
        )
        if len(subtree_types) > MAX_SUBTREE_TYPES:
            raise UnavailableError("too many different hands are ruled out by bids; take fewer dice or faces")
        return known[key]

    starter = game.start.starter
    all_hands = tuple(tuple(range(len(hands))) for hands in game.hands)
    root = add(0, all_hands[starter], all_hands[1 - starter])
    return PublicTree(game, low, high, tuple(subtree_types), root)


def _unbeaten_outcomes(low: NDArray[np.float64], high: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Return whether each outcome is at least as good as every other, whatever they are worth within their bounds."""
    best_others = [np.delete(high, outcome).max(initial=-np.inf) for outcome in range(len(high))]
    return low >= np.array(best_others) - TOLERANCE


def dice_lost_values(game: RoundGame) -> NDArray[np.float64]:
    """Return outcome values of a round by itself, float64 [outcome]: 1 if seat 1 loses more dice, -1 if seat 0 does.

    A player who makes the other one lose a die or a life wins 1; a call after which both have lost as many is worth 0.
    Where calls can double the stake, a player wins as many points as the other one loses more dice or lives. Where
    players shed, it is the other way round: those win who put dice or lives away.
    """
    stakes = [outcome.stakes for outcome in game.outcomes]
    before = game.start.stakes[0] - game.start.stakes[1]  # unlimited lives are as many for both
    sign = -1 if sheds(game.rules) else 1
    lost = np.array([sign * (first - second - before) for first, second in stakes], np.float64)
    return lost if isinstance(game.rules.challenge.double, WhoCalls) else np.sign(lost)


def one_step_values(
    game: RoundGame,
    situation: Situation,
    values: NDArray[np.float64],
    opponent_probs: NDArray[np.float64],
    steps: Sequence[int] | None = None,
) -> NDArray[np.float64]:
    """Return what each action is worth to each hand of the mover, if a raise is answered by the better call.

    `values`: float64 [outcome], to seat 0. `opponent_probs`: float64 [hand of the opponent], sum 1. `steps`: positions
    in `situation.steps`, by default all. Returns float64 [action, hand]: calls, then these steps.
    """
    own, other = situation.hand_buckets[situation.mover], situation.hand_buckets[1 - situation.mover]
    rows = [payoff[np.ix_(own, other)] @ opponent_probs for payoff in situation.payoffs(values)]
    for place in range(len(situation.steps)) if steps is None else steps:
        after = game.situations[situation.steps[place][1]]
        caller, bidder = after.hand_buckets[after.mover], after.hand_buckets[1 - after.mover]
        replies = [payoff[np.ix_(caller, bidder)] for payoff in after.payoffs(values)]
        rows.append(-(opponent_probs @ np.max(replies, axis=0)))
    return np.stack(rows)
