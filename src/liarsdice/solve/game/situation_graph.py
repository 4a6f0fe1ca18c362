"""The situations of a round of two players as a graph: the engine says which bids and answers lead to which."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from heapq import heappop, heappush

import msgspec
from msgspec import UNSET

from liarsdice.core.actions import AnswerDouble, Challenge, Exact
from liarsdice.core.engine.engine import evolve, legal
from liarsdice.core.engine.legal import LegalMoves
from liarsdice.core.engine.player_actions import answer_double, is_of_opening
from liarsdice.core.engine.settle import settle
from liarsdice.core.engine.state import State
from liarsdice.core.errors import UnavailableError
from liarsdice.core.events import BidMade, Challenged, DoubleAnswered, Doubled, Event, ExactCalled
from liarsdice.core.rules.bids import Bid
from liarsdice.core.rules.choices import Answer, SuspendedBy
from liarsdice.core.rules.meaning import doubles_are_answered, may_fold
from liarsdice.core.rules.ruleset import Ruleset

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
    made_bids = frozenset(bid for _, bid in state.bids) if guarded and state.ruleset.bidding.no_repeat else None
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
