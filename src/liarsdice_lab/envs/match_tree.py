"""A match as a tree: one die at a time, one decision at a time, with the engine's states at its nodes."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from operator import itemgetter

import msgspec
import numpy as np

from liarsdice.core.actions import Deal
from liarsdice.core.bids.notation import notate
from liarsdice.core.engine.engine import decide, evolve, evolve_all, start
from liarsdice.core.engine.legal import legal
from liarsdice.core.engine.state import Phase, State
from liarsdice.core.engine.view import View, view
from liarsdice.core.errors import IllegalActionError
from liarsdice.core.events import Event, StarterFound
from liarsdice.core.rules.bid_space import max_quantity
from liarsdice.core.rules.bids import Bid
from liarsdice.core.rules.choices import Direction
from liarsdice.core.rules.meaning import sheds
from liarsdice.core.rules.ruleset import Ruleset
from liarsdice.core.rules.tally import Hand
from liarsdice.sim import array_schema as schema
from liarsdice.sim.vector_env import VectorEnv
from liarsdice_lab.envs.layout import Game, legal_ids


def hand_text(hand: Hand) -> str:
    """Return the faces of a hand in ascending order, joined by `,` if a die has more than nine.

    >>> hand_text((4, 1, 1)), hand_text((12, 3))
    ('114', '3,12')
    """
    separator = "," if any(face > 9 for face in hand) else ""
    return separator.join(str(face) for face in sorted(hand))


def information_state(view: View) -> str:
    """Return what the seat of a view knows of the current round, with all bids in their order.

    A spectator knows what is public. What has its usual value is left out.

    >>> from liarsdice.core.engine.view import view
    >>> from liarsdice_lab.envs.in_place import InPlaceEnv
    >>> from liarsdice_lab.envs.layout import make_game
    >>> from liarsdice_lab.envs.match_tree import state_of_match
    >>> env = InPlaceEnv(make_game("openspiel"), 1, seed=5)
    >>> env.step([env.game.rules.action_id(env.game.rules.bids[7])])
    >>> information_state(view(state_of_match(env.matches, 0), int(env.seats[0])))
    'seat 0 hand 22444 dice 5,5 round 1 starter 1 bids 2x2'
    """
    parts = [] if view.seat is None else [f"seat {view.seat} hand {hand_text(view.hand)}"]
    parts.append(f"dice {','.join(map(str, view.dice))} round {view.round_number}")
    if view.special_seat is not None:
        parts.append(f"special {view.special_seat}")
    if view.had_special:
        parts.append(f"had_special {','.join(map(str, sorted(view.had_special)))}")
    if any(view.exact_calls):
        parts.append(f"exact_calls {','.join(map(str, view.exact_calls))}")
    parts.append(f"starter {view.starter}")
    if view.direction is Direction.ANTICLOCKWISE:
        parts.append("anticlockwise")
    if view.direction_chosen:
        parts.append("direction_chosen")
    if view.seat is not None and not view.on_turn:
        parts.append("out_of_turn")
    parts.append(f"bids {' '.join(str(bid) for _, bid in view.bids)}".rstrip())
    return " ".join(parts)


def seat_names(seats: int) -> tuple[str, ...]:
    """Return names for the seats of a match, in clockwise order.

    >>> seat_names(2)
    ('Player 0', 'Player 1')
    """
    return tuple(f"Player {seat}" for seat in range(seats))


@lru_cache(maxsize=16)
def _first_state(rules: Ruleset, seats: int) -> State:
    return start(rules, seat_names(seats))


def state_of_match(env: VectorEnv, match: int) -> State:
    """Return the state of one match of an environment. It holds every hand: show players only a `view` of it.

    Hands are sorted. The state lacks what only earlier rounds show (`revealed`), and after the end also the winners.
    """
    compiled = env.rules
    rules, fields, seats = compiled.ruleset, env.state.matches[match].tolist(), env.state.seats[match]
    dice = tuple(seats[:, schema.DICE].tolist())
    history = env.state.bid_history[match, : fields[schema.BID_COUNT]].tolist()
    phase = {schema.DEAL: Phase.DEAL, schema.BIDDING: Phase.BIDDING, schema.OVER: Phase.OVER}[fields[schema.PHASE]]
    in_play, special = phase is Phase.BIDDING, fields[schema.SPECIAL_SEAT]
    hands = tuple(
        tuple(face + 1 for face, count in enumerate(hand) for _ in range(count)) for hand in env.hands[match].tolist()
    )
    return msgspec.structs.replace(
        _first_state(rules, compiled.seat_count),
        dice=dice,
        phase=phase,
        rolling=(),
        round_number=fields[schema.ROUND],
        direction=Direction.CLOCKWISE if fields[schema.STEP] > 0 else Direction.ANTICLOCKWISE,
        direction_chosen=fields[schema.DIRECTION_CHOSEN] == 1,
        starter=fields[schema.STARTER],
        turn=fields[schema.TURN],
        max_quantity=max_quantity(rules, dice),
        bids=tuple((seat, compiled.bids[bid]) for seat, bid in history) if in_play else (),
        wilds_count=fields[schema.WILDS_COUNT] == 1,
        special_seat=None if special < 0 else special,
        had_special=tuple(np.flatnonzero(seats[:, schema.HAD_SPECIAL]).tolist()),
        exempt=tuple(np.flatnonzero(seats[:, schema.EXEMPT]).tolist()),
        exact_calls=tuple(seats[:, schema.EXACT_CALLS].tolist()),
        hands=hands if in_play else (),
        safe=_safe_seats(rules, seats),
    )


def _safe_seats(rules: Ruleset, seats: schema.Int32Array) -> tuple[tuple[int, int], ...]:
    """Return the safe seats, the first ones first, and since which round each is; `seats`: int32 [seat, seat field]."""
    if not sheds(rules):
        return ()
    rounds = seats[:, schema.OUT_ROUND].tolist()
    return tuple(sorted(((seat, rounds[seat]) for seat in np.flatnonzero(rounds).tolist()), key=itemgetter(1)))


class MatchNode(msgspec.Struct, frozen=True):
    """A node of the tree; each action leads to another node. It holds every hand: show players only `view`.

    While dice are rolled, `rolled` has the faces so far, seat after seat. While a bid waits for the seats that may call
    out of turn, `pending` is that bid and `caller` the seat that is asked. `past` describes the rounds before this one,
    and `events` are those that the latest action has caused.
    """

    game: Game
    state: State
    rolled: tuple[int, ...] = ()
    pending: Bid | None = None
    caller: int | None = None
    past: tuple[str, ...] = ()
    events: tuple[Event, ...] = ()

    def __deepcopy__(self, memo: object) -> MatchNode:
        return self

    @property
    def is_over(self) -> bool:
        """Whether the match has ended."""
        return self.state.phase is Phase.OVER

    @property
    def is_rolling(self) -> bool:
        """Whether the next action is the face of a die, from 0."""
        return self.state.phase is Phase.DEAL

    @property
    def seat(self) -> int:
        """The seat that acts next in a round."""
        return self.state.turn if self.caller is None else self.caller

    def legal_ids(self) -> list[int]:
        """Return the ids of the legal actions, ascending; while dice are rolled, the faces from 0."""
        if self.is_rolling:
            return list(range(self.state.ruleset.dice.faces))
        return [] if self.is_over else legal_ids(self.game, self.state, self.seat)

    def child(self, action_id: int) -> MatchNode:
        """Return the node after an action. Raises `IllegalActionError` for one that is not legal."""
        if action_id not in self.legal_ids():
            raise IllegalActionError(f"{action_id} is none of the legal actions {self.legal_ids()}")
        if self.is_rolling:
            return self._with_die(action_id + 1)
        action = self.game.action_from_id(action_id)
        if self.caller is None and isinstance(action, Bid) and self.state.bids:
            return self._asking(self.state.turn, action)
        if action is None:
            assert self.pending is not None
            return self._asking(self.seat, self.pending)
        events = decide(self.state, self.seat, action)
        state = evolve_all(self.state, events)
        if state.phase is Phase.BIDDING:
            return MatchNode(self.game, state, past=self.past, events=tuple(events))
        bids = " ".join(f"{seat}:{bid}" for seat, bid in self.state.bids)
        hands = ",".join(map(hand_text, self.state.hands))
        past = f"hands {hands} starter {self.state.starter} bids {bids} {self.seat}:{notate(action)}"
        return MatchNode(self.game, state, past=(*self.past, past), events=tuple(events))

    def without_events(self) -> MatchNode:
        """Return the same node without the events that led to it."""
        return msgspec.structs.replace(self, events=())

    def returns(self) -> list[float]:
        """Return what each seat gets at the end: the winners share +1, the others share -1; zeros before the end."""
        count, winners = len(self.state.dice), self.state.winners
        if not self.is_over or len(winners) == count:
            return [0.0] * count
        return [1 / len(winners) if seat in winners else -1 / (count - len(winners)) for seat in range(count)]

    def view(self, seat: int | None) -> View:
        """Return what a seat sees, with its own dice as far as they are rolled; None is a spectator."""
        seen = view(self.state, seat)
        if self.is_rolling and seat is not None:
            return msgspec.structs.replace(seen, hand=_hands(self.rolled, self.state.dice)[seat])
        return seen

    def information_state(self, seat: int | None, *, with_past: bool = True) -> str:
        """Return what a seat knows, as text; with the rounds before this one, it remembers all that it ever knew."""
        seen, past = self.view(seat), self.past if with_past else ()
        if not self.is_rolling and not self.is_over:
            return "; ".join((*past, information_state(seen)))
        own = "public" if seat is None else f"seat {seat} hand {hand_text(seen.hand)}"
        return "; ".join((*past, own.rstrip()))

    def _with_die(self, face: int) -> MatchNode:
        node = msgspec.structs.replace(self, rolled=(*self.rolled, face), events=())
        if len(node.rolled) < sum(self.state.dice):
            return node
        events = decide(self.state, None, Deal(_hands(node.rolled, self.state.dice)))
        return MatchNode(self.game, evolve_all(self.state, events), past=self.past, events=tuple(events))

    def _asking(self, after: int, bid: Bid) -> MatchNode:
        """Return the node at which the next seat is asked before a bid counts, or the one after the bid."""
        for seat in self._callers(after):
            return msgspec.structs.replace(self, pending=bid, caller=seat, events=())
        events = decide(self.state, self.state.turn, bid)
        return MatchNode(self.game, evolve_all(self.state, events), past=self.past, events=tuple(events))

    def _callers(self, after: int) -> Iterator[int]:
        """Yield the seats after one, in the order of play, that may call before a bid of the seat on turn counts."""
        moves, count, step = legal(self.state), len(self.state.dice), self.state.direction.step
        seat = (after + step) % count
        while seat != self.state.turn:
            if seat in moves.challengers or seat in moves.exact_callers:
                yield seat
            seat = (seat + step) % count


def _hands(rolled: tuple[int, ...], dice: tuple[int, ...]) -> tuple[tuple[int, ...], ...]:
    """Return by seat the dice that are rolled so far."""
    return tuple(rolled[sum(dice[:seat]) : sum(dice[: seat + 1])] for seat in range(len(dice)))


def first_node(game: Game, starter: int = 0) -> MatchNode:
    """Return the start of a match that the seat `starter` opens, before its dice are rolled.

    >>> from liarsdice_lab.envs.layout import make_game
    >>> node = first_node(make_game("openspiel"))
    >>> for face in (0, 0, 2, 3, 4, 1, 1, 2, 5, 5):
    ...     node = node.child(face)
    >>> node.information_state(1)
    'seat 1 hand 22366 dice 5,5 round 1 starter 0 out_of_turn bids'
    """
    rules = game.rules.ruleset
    state = start(rules, seat_names(game.rules.seat_count))
    return MatchNode(game, evolve(state, StarterFound(starter, rules.first_starter.method)))
