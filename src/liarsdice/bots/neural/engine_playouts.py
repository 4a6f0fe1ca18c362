"""Playouts of a round by the engine, under any rules: each move of a decision is played on by the champion.

Deals with the same public moves are played together, since the champion's network answers for many hands at once.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from msgspec.structs import replace

from liarsdice.bots.neural.belief import state_with_hands
from liarsdice.bots.neural.champion import Champion
from liarsdice.bots.neural.hand_moves import Situation, hand_moves
from liarsdice.core.actions import Challenge, Exact, PlayerAction, RollAgain
from liarsdice.core.engine.engine import decide
from liarsdice.core.engine.evolve import evolve_all
from liarsdice.core.engine.legal import callers_out_of_turn
from liarsdice.core.engine.settle import first_caller
from liarsdice.core.engine.state import Phase, State
from liarsdice.core.engine.view import View, view
from liarsdice.core.rules.tally import Hand
from liarsdice.values.playouts import Playouts
from liarsdice.values.round_ends import RoundEnd

DRAWS = 64
"""How many random numbers each deal has; longer playouts use them again."""
SeatMove = tuple[int, PlayerAction]
Hands = tuple[Hand, ...]
"""Hands by seat; dice in the open come first."""


class _Row:
    """A deal that is played on after one of the moves. `challenged`: whether the first bid from there on was."""

    __slots__ = ("challenged", "deal", "end", "hands", "used")

    def __init__(self, deal: int, hands: Hands) -> None:
        self.deal, self.hands = deal, hands
        self.used = 0
        self.challenged = False
        self.end: RoundEnd | None = None


class _Node(NamedTuple):
    """Rows with the same public moves so far, and their state, with the hands of one of them."""

    state: State
    rows: Sequence[_Row]


class _Playouts:
    """Plays rows to the end of the round, all those that are equally far together.

    `draws`: [deal][number], random numbers that are the same after every move.
    """

    def __init__(self, shown: View, champion: Champion, draws: Sequence[Sequence[float]]) -> None:
        self._bid_count = len(shown.bids)
        self._champion = champion
        self._draws = draws
        self._open: list[_Node] = []

    def play(self) -> None:
        """Play all rows to the end of the round."""
        while self._open:
            nodes, self._open = self._open, []
            self.step(nodes)

    def step(self, nodes: Sequence[_Node], silent: int | None = None) -> None:
        """Play one move in each row; a seat that keeps `silent` makes no call out of turn."""
        asked = [
            [*(seat for seat in callers_out_of_turn(node.state) if seat != silent), node.state.turn] for node in nodes
        ]
        askings = [(node, seat) for node, seats in zip(nodes, asked, strict=True) for seat in seats]
        moves = iter(self._moves(askings))
        for node, seats in zip(nodes, asked, strict=True):
            by_move: dict[SeatMove, list[_Row]] = defaultdict(list)
            answers = [next(moves) for _ in seats]
            for row, *made in zip(node.rows, *answers, strict=True):
                by_move[_first_move(node.state, dict(zip(seats, made, strict=True)))].append(row)
            for (seat, action), rows in by_move.items():
                self.make(node.state, seat, action, rows)

    def make(self, state: State, seat: int, action: PlayerAction, rows: Sequence[_Row]) -> None:
        """Make a move in all rows, which share a public state."""
        if isinstance(action, Challenge) and len(state.bids) == self._bid_count + 1:
            for row in rows:
                row.challenged = True
        after = _after(state, seat, action, rows[0].hands)
        if after.phase is Phase.BIDDING:
            self._open.append(_Node(after, rows))
        elif after.phase is Phase.ROLL_AGAIN:
            for row in rows:
                row.hands = self._rolled(_after(state, seat, action, row.hands), row)
            hidden = after.hidden_count(seat)
            self._open.append(_Node(evolve_all(after, decide(after, None, RollAgain((1,) * hidden))), rows))
        else:
            for row in rows:
                row.end = round_end_of(_after(state, seat, action, row.hands))

    def _moves(self, askings: Sequence[tuple[_Node, int]]) -> list[list[PlayerAction | None]]:
        """Return the move of a seat in each row of a node, for all pairs of a node and a seat; None is silence."""
        situations: list[Situation] = []
        places: list[list[tuple[int, Hand]]] = []
        for node, seat in askings:
            shown = view(replace(node.state, hands=node.rows[0].hands), seat)
            if shown.open_hands:  # everybody sees the dice of the others, so that each row is a view of its own
                views = [view(replace(node.state, hands=row.hands), seat) for row in node.rows]
                places.append([(len(situations) + number, ()) for number in range(len(views))])
                situations += [Situation(one, [()]) for one in views]
            else:
                hands = [() if shown.is_blind else row.hands[seat] for row in node.rows]
                places.append([(len(situations), hand) for hand in hands])
                situations.append(Situation(shown, hands))
        moves = hand_moves(self._champion, situations)
        return [
            [moves[place].draw(hand, self._draw(row)) for (place, hand), row in zip(found, node.rows, strict=True)]
            for (node, _), found in zip(askings, places, strict=True)
        ]

    def _draw(self, row: _Row) -> float:
        row.used += 1
        return self._draws[row.deal][row.used % DRAWS]

    def _rolled(self, state: State, row: _Row) -> Hands:
        """Return the hands after the bidder, who showed dice, rolled the others again."""
        bidder = state.bids[-1][0]
        faces, count = state.ruleset.dice.faces_at(bidder), state.hidden_count(bidder)
        roll = tuple(int(self._draw(row) * faces) + 1 for _ in range(count))
        return evolve_all(state, decide(state, None, RollAgain(roll))).hands


def play_on_by_engine(
    shown: View,
    moves: Sequence[PlayerAction | None],
    hands: Sequence[Hands],
    champion: Champion,
    rng: np.random.Generator,
) -> Playouts:
    """Play the round on after each move, once for each deal; all seats play as the champion does.

    `shown`: the view of the player who moves. `moves`: legal moves of the player; None lets the bid stand. `hands`: by
    deal and seat. The same deal has the same dice and the same random numbers after every move. The dice of round ends
    are what the players have left of what losses cost.
    """
    seat = shown.seat
    assert seat is not None
    playouts = _Playouts(shown, champion, rng.random((len(hands), DRAWS)).tolist())
    by_move: list[list[_Row]] = []
    for move in moves:
        rows = [_Row(deal, dealt) for deal, dealt in enumerate(hands)]
        state = state_with_hands(shown, hands[0])
        if move is None:
            playouts.step([_Node(state, rows)], silent=seat)
        else:
            playouts.make(state, seat, move, rows)
        by_move.append(rows)
    playouts.play()
    ends: dict[RoundEnd, int] = {}
    outcomes = [[ends.setdefault(row.end, len(ends)) for row in rows if row.end is not None] for rows in by_move]
    challenged = [[row.challenged for row in rows] for rows in by_move]
    return Playouts(np.array(outcomes), list(ends), np.array(challenged))


def _first_move(state: State, answers: Mapping[int, PlayerAction | None]) -> SeatMove:
    """Return which of the moves at the same moment is made, as at the table: a call before a bid."""
    calls = [seat for seat, move in answers.items() if move is not None and seat != state.turn]
    if isinstance(answers[state.turn], Challenge | Exact):
        calls.append(state.turn)
    seat = first_caller(state, tuple(calls)) if calls else state.turn
    move = answers[seat]
    assert move is not None
    return seat, move


def round_end_of(state: State) -> RoundEnd:
    """Return the end of a round from the state before the next deal, or after the match."""
    seats = len(state.names)
    if state.phase is Phase.OVER:
        winners = tuple(seat in state.winners for seat in range(seats))
        return RoundEnd((0,) * seats, -1, -1, 1, (0,) * seats, (False,) * seats, 0, winners)
    return RoundEnd(
        dice=state.stakes,
        starter=state.starter,
        special_seat=-1 if state.special_seat is None else state.special_seat,
        step=state.direction.step,
        exact_calls=state.exact_calls or (0,) * seats,
        had_special=tuple(seat in state.had_special for seat in range(seats)),
        round_number=state.round_number,
        winners=None,
    )


def _after(state: State, seat: int, action: PlayerAction, hands: Hands) -> State:
    dealt = replace(state, hands=hands)
    return evolve_all(dealt, decide(dealt, seat, action))
