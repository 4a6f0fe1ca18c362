"""From a ruleset and the dice of two players to arrays: what a round's kernels read, and all that they know of rules.

Everything is asked of the engine itself: which bids may be made over which, how hands count, what a call costs.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations_with_replacement
from math import comb, factorial, prod

import msgspec
import numpy as np
from numpy.typing import NDArray

from liarsdice.core.engine.engine import evolve, evolve_all, legal, start
from liarsdice.core.engine.settle import settle
from liarsdice.core.engine.state import Phase, State
from liarsdice.core.errors import MalformedError, UnavailableError
from liarsdice.core.events import BidMade, Challenged, Event, ExactCalled, MatchEnded, RoundEnded, RoundStarted
from liarsdice.core.rules.bids import Bid
from liarsdice.core.rules.ruleset import Players, Ruleset, patched
from liarsdice.core.rules.tally import Hand, tally
from liarsdice.solve.game.round_start import Opening, remembered

NAMES = ("First", "Second")
SEATS = 0, 1
MOST_RAISES = 100_000
MOST_SETTLED = 100_000
MOST_HANDS = 2_000
MOST_WAYS = 2**40
"""More ways through the bids than this aren't even written out."""
TOO_LARGE = "a round of these rules is far too large to be solved"

Key = tuple[object, ...]


class Outcome(msgspec.Struct, frozen=True):
    """How a round ends: with what dice, and what the next one begins with.

    `after` is None when the match is over; `winners` are those who won it then.
    """

    dice: tuple[int, int]
    after: Opening | None
    winners: tuple[int, ...] = ()


class Call(msgspec.Struct, frozen=True):
    """A call that the mover may make.

    `outcomes[class of the mover's hand, class of the bidder's]` is the number of an outcome.
    """

    exact: bool
    outcomes: NDArray[np.int32]


class Situation(msgspec.Struct, frozen=True):
    """All that rules know of the bidding so far.

    `bid`: the standing one, None before the first. `mover`: the seat on turn. `raises`: bids that it may make, each
    with the number of the situation after it. `classes`: by seat and hand, the class of the hand as far as the standing
    bid is concerned; hands of one class fare alike.
    """

    bid: Bid | None
    mover: int
    raises: tuple[tuple[Bid, int], ...]
    classes: tuple[NDArray[np.int32], NDArray[np.int32]]
    calls: tuple[Call, ...]


class Round(msgspec.Struct, frozen=True):
    """One round of two players as arrays.

    `hands`: by seat all multisets of dice, ascending; `weights`: how likely each is (float64, sum 1).
    `situations` stand in such an order that every raise leads to a later one; the first is the start.
    """

    rules: Ruleset
    opening: Opening
    hands: tuple[tuple[Hand, ...], tuple[Hand, ...]]
    weights: tuple[NDArray[np.float64], NDArray[np.float64]]
    situations: tuple[Situation, ...]
    outcomes: tuple[Outcome, ...]


def hands_of(dice: int, faces: int) -> tuple[tuple[Hand, ...], NDArray[np.float64]]:
    """All hands of so many dice as multisets, ascending, and their chances.

    >>> hands, weights = hands_of(2, 2)
    >>> hands, weights.tolist()
    (((1, 1), (1, 2), (2, 2)), [0.25, 0.5, 0.25])
    """
    count = comb(faces + dice - 1, dice)
    if count > MOST_HANDS:
        raise UnavailableError(
            f"{dice} dice with {faces} faces make {count:,} hands; at most {MOST_HANDS:,} are solved"
        )
    hands = tuple(combinations_with_replacement(range(1, faces + 1), dice))
    ways = [factorial(dice) // prod(factorial(hand.count(face)) for face in set(hand)) for hand in hands]
    return hands, np.array([count / faces**dice for count in ways])


def with_faces(rules: Ruleset, faces: int) -> Ruleset:
    """The same rules with dice of so many faces; where the highest face was the special one, it still is."""
    special = faces if rules.dice.special_face == rules.dice.faces else rules.dice.special_face
    return patched(rules, dice__faces=faces, dice__special_face=special)


def round_of(rules: Ruleset, opening: Opening) -> Round:
    """The arrays of one round.

    Raises `UnavailableError` where bids have no end, so that nothing finite can be solved.
    """
    dice, starter, special = opening.dice, opening.starter, opening.special
    if min(dice) < 1 or starter not in SEATS or special not in {None, *SEATS}:
        raise MalformedError(f"a round needs two players with dice, and seat 0 or 1 to open it, not {opening!r}")
    dealt = tuple(hands_of(count, rules.dice.faces) for count in dice)
    hands = (dealt[0][0], dealt[1][0])
    seats_two = patched(rules, players=Players())  # others who sat down may be out by now
    before = msgspec.structs.replace(
        start(seats_two, NAMES), dice=dice, had_special=opening.had_special, exact_calls=opening.exact_calls
    )
    state = evolve(before, RoundStarted(1, starter, dice, rules.turn.direction, special))
    graph = _graph(msgspec.structs.replace(state, phase=Phase.BIDDING))
    order = _order(graph)
    if len(order) * (dice[0] + 1) * (dice[1] + 1) > MOST_SETTLED:  # about as many pairs of classes
        raise UnavailableError(f"{TOO_LARGE}; take fewer dice")
    number = {key: place for place, key in enumerate(order)}
    outcomes: dict[Outcome, int] = {}
    situations = []
    for key in order:
        state, after = graph[key]
        classes = _classes(state, hands)
        raises = tuple((bid, number[then]) for bid, then in after.items())
        situations.append(Situation(state.bid, state.turn, raises, classes, _calls(state, hands, classes, outcomes)))
    return Round(rules, opening, hands, (dealt[0][1], dealt[1][1]), tuple(situations), tuple(outcomes))


def _graph(state: State) -> dict[Key, tuple[State, Mapping[Bid, Key]]]:
    """Every situation that bids lead to, with the situations after it."""
    graph: dict[Key, tuple[State, Mapping[Bid, Key]]] = {}
    waiting, raises = [state], 0
    while waiting:
        state = waiting.pop()
        key = _key(state)
        if key in graph:
            continue
        may = legal(state)
        if may.unlimited:
            raise UnavailableError(
                "these rules set no cap on bids, so that a round has no end; choose a cap to solve it"
            )
        after: dict[Bid, Key] = {}
        for bid in may.bids:
            then = evolve(state, BidMade(state.turn, bid))
            if state.ruleset.guards.max_bids_per_round is None:
                then = msgspec.structs.replace(then, bids=then.bids[-1:])
            after[bid] = _key(then)
            waiting.append(then)
        graph[key] = (state, after)
        raises += len(after)
        if raises > MOST_RAISES:
            raise UnavailableError(f"{TOO_LARGE}; take fewer dice or faces")
    return graph


def _key(state: State) -> Key:
    """What decides how bidding may go on."""
    guarded = state.ruleset.guards.max_bids_per_round is not None
    made = frozenset(bid for _, bid in state.bids) if guarded and state.ruleset.bidding.no_repeat else None
    return state.bid, state.turn, state.wilds_count, len(state.bids) if guarded else min(len(state.bids), 1), made


def _order(graph: Mapping[Key, tuple[State, Mapping[Bid, Key]]]) -> list[Key]:
    """Situations, each before those that it leads to. Raises `UnavailableError` where bids go in a circle."""
    first = next(iter(graph))
    before = dict.fromkeys(graph, 0)
    for _, after in graph.values():
        for key in after.values():
            before[key] += 1
    order, ready = [], [first] if not before[first] else []
    while ready:
        ready.sort(key=lambda key: _height(graph[key][0]), reverse=True)
        key = ready.pop()
        order.append(key)
        for then in graph[key][1].values():
            before[then] -= 1
            if not before[then]:
                ready.append(then)
    if len(order) < len(graph):
        raise UnavailableError(
            "under these rules bids may follow each other in any order, each once, so that the tree of a round grows"
            " like a factorial; rules under which bids only rise can be solved, for example the preset perudo"
        )
    return order


def _height(state: State) -> tuple[int, int, int]:
    bid = state.bid
    return (0, 0, state.turn) if bid is None else (bid.quantity, state.menu.faces.index(bid.face), state.turn)


def _classes(
    state: State, hands: tuple[tuple[Hand, ...], tuple[Hand, ...]]
) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """By seat and hand its class, numbered from 0 in the order of what it counts."""
    if state.bid is None:
        return np.zeros(len(hands[0]), np.int32), np.zeros(len(hands[1]), np.int32)
    found = []
    for held in hands:
        counts = [_count(state, hand) for hand in held]
        numbers = {count: number for number, count in enumerate(sorted(set(counts)))}
        found.append(np.array([numbers[count] for count in counts], np.int32))
    return found[0], found[1]


def _count(state: State, hand: Hand) -> tuple[int, int]:
    """What a hand adds to the count, with wild ones and without; two numbers tell all, whatever the other hand is."""
    assert state.bid is not None
    face, rules = state.bid.face, state.ruleset
    plain = tally(rules, (hand,), face, wilds_count=False).count
    if not state.wilds_count:
        return plain, plain
    wild = tally(rules, (hand, (face,)), face, wilds_count=True).counted[0]  # a natural one lies there in any case
    return (wild, plain) if rules.wilds.needs_natural else (wild, wild)


def _calls(
    state: State,
    hands: tuple[tuple[Hand, ...], tuple[Hand, ...]],
    classes: tuple[NDArray[np.int32], NDArray[np.int32]],
    outcomes: dict[Outcome, int],
) -> tuple[Call, ...]:
    """The calls of the mover, each settled once for every pair of classes."""
    bid, mover = state.bid, state.turn
    if bid is None:
        return ()
    may, bidder = legal(state), 1 - mover
    samples = [
        [held[int(np.argmax(kinds == kind))] for kind in range(int(kinds.max()) + 1)]
        for held, kinds in zip(hands, classes, strict=True)
    ]
    calls = []
    for exact, callers in ((False, may.challengers), (True, may.exact_callers)):
        if mover not in callers:
            continue
        call = (ExactCalled if exact else Challenged)(mover, bidder, bid, out_of_turn=False)
        numbers = np.zeros((len(samples[mover]), len(samples[bidder])), np.int32)
        for mine, hand in enumerate(samples[mover]):
            for theirs, other in enumerate(samples[bidder]):
                lying = (hand, other) if mover == 0 else (other, hand)
                outcome = _outcome(state, [call, *settle(msgspec.structs.replace(state, hands=lying), call)])
                numbers[mine, theirs] = outcomes.setdefault(outcome, len(outcomes))
        calls.append(Call(exact, numbers))
    return tuple(calls)


def _outcome(state: State, events: list[Event]) -> Outcome:
    after = evolve_all(state, events)
    dice, last = (after.dice[0], after.dice[1]), events[-1]
    if isinstance(last, MatchEnded):
        return Outcome(dice, None, last.winners)
    assert isinstance(last, RoundEnded)
    return Outcome(dice, Opening(dice, last.next_starter, last.special_seat, *remembered(after, after.had_special)))


def ways_of(table: Round) -> int:
    """All ways through the bids of a round, the one without a bid included."""
    counts = [1] * len(table.situations)
    for number in reversed(range(len(counts))):
        counts[number] += sum(counts[then] for _, then in table.situations[number].raises)
    return counts[0]
