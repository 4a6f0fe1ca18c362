"""What a seat observes and what it may do, for every environment: named fields of one row of whole numbers.

A row holds all that the seat may know of the current round and the public state of the match. Other seats are numbered
by *slot*: the observing seat is slot 0, and slots count in the direction of play. Faces are numbered as on the dice.
The kernels of `envs.kernels` write rows from the simulator's arrays, `observe_view` writes the same row from a view.
"""

from pathlib import Path

import msgspec
import numpy as np
from numpy.typing import NDArray

from liarsdice.core.actions import PlayerAction
from liarsdice.core.engine.legal import bid_is_legal, legal
from liarsdice.core.engine.state import State
from liarsdice.core.engine.view import View
from liarsdice.core.errors import MalformedError, UnavailableError
from liarsdice.core.rules.choices import Direction
from liarsdice.core.rules.ruleset import Ruleset
from liarsdice.core.rules.ruleset_io import find_rules
from liarsdice.core.rules.tally import is_stairs, wilds_after_bid
from liarsdice.core.text.turn_text import move_text
from liarsdice.sim import array_schema as schema
from liarsdice.sim.compile import CompiledRules, compile_rules

MAX_VALUE = 2**15 - 1
"""The highest number in an observation, which is int16."""

ObservationRow = NDArray[np.int16]


class Field(msgspec.Struct, frozen=True):
    """A field of an observation: its place in the row, its highest value (the lowest is 0) and its meaning."""

    name: str
    start: int
    shape: tuple[int, ...]
    high: int
    meaning: str

    @property
    def stop(self) -> int:
        """The end of the field in the row."""
        return self.start + int(np.prod(self.shape))


class Game(msgspec.Struct, frozen=True):
    """A ruleset for a number of seats as an environment plays it: compiled rules, fields of a row, action ids.

    >>> game = make_game("perudo", seats=3)
    >>> game.row_size, game.action_count, game.fields[-1].name
    (139, 95, 'bids')
    """

    rules: CompiledRules
    fields: tuple[Field, ...]

    @property
    def row_size(self) -> int:
        """How many numbers an observation has."""
        return self.fields[-1].stop

    @property
    def action_count(self) -> int:
        """How many action ids there are: two calls, two directions, the bids, and silence."""
        return self.rules.action_count + 1

    @property
    def silence(self) -> int:
        """The last action id: to let the bid stand when asked out of turn."""
        return self.rules.action_count

    def field(self, name: str, rows: ObservationRow) -> ObservationRow:
        """Return one field of observations, int16 [..., *shape of the field], as a view of rows, int16 [..., row size].

        Raises `MalformedError` for a field that does not exist.
        """
        for field in self.fields:
            if field.name == name:
                return rows[..., field.start : field.stop].reshape(*rows.shape[:-1], *field.shape)
        raise MalformedError(f"an observation has the fields {[field.name for field in self.fields]}, not {name!r}")

    def action_id(self, action: PlayerAction | None) -> int:
        """Return the id of an action; None is silence. Raises `MalformedError` for an action that these rules lack."""
        return self.silence if action is None else self.rules.action_id(action)  # type: ignore[arg-type]

    def action_from_id(self, action_id: int) -> PlayerAction | None:
        """Return the action with an id, None for silence. Raises `MalformedError` if there is none."""
        return None if action_id == self.silence else self.rules.action_from_id(int(action_id))

    def action_text(self, action_id: int) -> str:
        """Return an action as text, such as `5x4`, `liar` or `silent`. Raises as `action_from_id`."""
        return move_text(self.action_from_id(action_id))


def make_game(rules: str | Path | Ruleset = "perudo", seats: int = 2, dice: tuple[int, ...] | None = None) -> Game:
    """Return rules (a name, a file or a `Ruleset`) for a number of seats. `dice`: by seat, the dice at the start.

    Raises `MalformedError` for a number of seats that the rules do not allow, and `UnavailableError` if the rules have
    too many bids or dice, if losses cost lives, or if a number of an observation could exceed `MAX_VALUE`.
    """
    ruleset = rules if isinstance(rules, Ruleset) else find_rules(rules)
    compiled = compile_rules(ruleset, seats, dice)
    fields: list[Field] = []
    for name, shape, high, meaning in _field_rows(compiled):
        fields.append(Field(name, fields[-1].stop if fields else 0, shape, high, meaning))
        if high > MAX_VALUE:
            raise UnavailableError(f"the field {name} of an observation could be {high}; at most {MAX_VALUE} fits")
    return Game(compiled, tuple(fields))


def _field_rows(compiled: CompiledRules) -> tuple[tuple[str, tuple[int, ...], int, str], ...]:
    """The name, shape, highest value and meaning of each field, in the order of a row."""
    rules, seats, faces = compiled.ruleset, compiled.seat_count, compiled.ruleset.dice.faces
    max_dice, quantity = len(compiled.arrays.cap_per_dice) - 1, compiled.bids[-1].quantity
    rounds = rules.guards.max_rounds
    return (
        ("seat", (1,), seats - 1, "number of the observing seat"),
        ("on_turn", (1,), 1, "1 on turn; 0 when asked whether to call out of turn"),
        ("round", (1,), MAX_VALUE if rounds is None else rounds, "number of the round, from 1"),
        ("clockwise", (1,), 1, "1 if play goes clockwise"),
        ("direction_chosen", (1,), 1, "1 if the starter has chosen the direction in this round"),
        ("starter", (1,), seats - 1, "slot that opens the round"),
        ("special", (1,), seats, "1 + slot whose special round this is; 0 if it is an ordinary one"),
        ("wilds_count", (1,), 1, "1 if the special face is wild now"),
        ("stairs", (1,), 1, "1 if the own hand is stairs and the rules give a bonus for it"),
        ("bid_count", (1,), compiled.max_round_bids, "bids made in this round"),
        ("standing_bid", (2,), max(quantity, faces), "quantity and face of the standing bid; 0, 0 if there is none"),
        ("bidder", (1,), seats, "1 + slot that made the standing bid; 0 if there is none"),
        ("hand", (faces,), max_dice, "own dice that show each face"),
        ("wilds_after", (faces,), 1, "1 if the special face is wild after a bid on this face"),
        ("dice", (seats,), max_dice, "by slot: dice held"),
        ("exact_calls", (seats,), MAX_VALUE, "by slot: exact calls made in this match"),
        ("had_special", (seats,), 1, "by slot: 1 if the seat had a special round, this one included"),
        ("exempt", (seats,), 1, "by slot: 1 if the seat may change a locked face in this round"),
        ("latest_bid", (seats, 2), max(quantity, faces), "by slot: quantity and face of the latest bid of this round"),
        ("previous_bid", (seats, 2), max(quantity, faces), "by slot: the same of the bid before that"),
        (
            "bids",
            (len(compiled.bids),),
            compiled.max_round_bids,
            "by bid id: 1 for the standing bid, 2 for the one before, and so on; 0 if not made",
        ),
    )


def observe_view(game: Game, view: View) -> ObservationRow:
    """Return the observation of a view of a match in play, int16 [row size]. Raises `MalformedError` for a spectator.

    Penalties are left out.
    """
    if view.seat is None:
        raise MalformedError("a spectator has no observation")
    row = np.zeros(game.row_size, np.int16)
    seat, count, step, rules = view.seat, len(view.dice), view.direction.step, view.ruleset
    slots = [(other - seat) * step % count for other in range(count)]
    numbers: dict[str, int] = {
        "seat": seat,
        "on_turn": view.on_turn,
        "round": view.round_number,
        "clockwise": view.direction is Direction.CLOCKWISE,
        "direction_chosen": view.direction_chosen,
        "starter": slots[view.starter],
        "special": 0 if view.special_seat is None else 1 + slots[view.special_seat],
        "wilds_count": view.wilds_count,
        "stairs": is_stairs(rules.count.hand_bonus, view.hand),
        "bid_count": len(view.bids),
        "bidder": 0 if view.bidder is None else 1 + slots[view.bidder],
    }
    for name, number in numbers.items():
        game.field(name, row)[0] = number
    if view.bid is not None:
        game.field("standing_bid", row)[:] = view.bid.quantity, view.bid.face
    for face in view.hand:
        game.field("hand", row)[face - 1] += 1
    for bid in game.rules.bids[: len(game.rules.arrays.faces)]:
        game.field("wilds_after", row)[bid.face - 1] = wilds_after_bid(
            rules, bid.face, wilds_count=view.wilds_count, opening=not view.bids
        )
    for other, slot in enumerate(slots):
        game.field("dice", row)[slot] = view.dice[other]
        game.field("exact_calls", row)[slot] = view.exact_calls[other] if view.exact_calls else 0
        game.field("had_special", row)[slot] = other in view.had_special
        game.field("exempt", row)[slot] = other in view.exempt
    for number, (bidder, bid) in enumerate(view.bids):
        latest, previous = game.field("latest_bid", row)[slots[bidder]], game.field("previous_bid", row)[slots[bidder]]
        previous[:], latest[:] = latest.copy(), (bid.quantity, bid.face)
        game.field("bids", row)[game.rules.action_id(bid) - schema.FIRST_BID] = len(view.bids) - number
    return row


def legal_ids(game: Game, state: State, seat: int) -> list[int]:
    """Return the ids of the legal actions of a seat, ascending; out of turn, silence is one of them if it may call.

    Bids of rules without a cap end with the highest bid that has an id.
    """
    legal_moves = legal(state)
    moves = legal_moves.moves(seat)
    if legal_moves.unlimited and seat == legal_moves.turn:
        bids = tuple(bid for bid in game.rules.bids if bid_is_legal(state, bid))
        moves = (*bids, *moves[len(legal_moves.bids) :])
    silence = [game.silence] if moves and seat != legal_moves.turn else []
    return sorted(game.action_id(move) for move in moves) + silence
