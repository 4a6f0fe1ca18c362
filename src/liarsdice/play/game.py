"""A match as one object with a dealer of its own: push a move, take it back, copy it, write it on one line."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from liarsdice.core.actions import MOVES, Penalise, PlayerAction
from liarsdice.core.bids.notation import HOW_TO_WRITE
from liarsdice.core.engine.engine import require_seat_count
from liarsdice.core.engine.legal import legal
from liarsdice.core.engine.state import State, require_seat
from liarsdice.core.engine.view import View
from liarsdice.core.errors import IllegalActionError, MalformedError, NotationError, described
from liarsdice.core.events import Event, Penalised
from liarsdice.core.records.position import read_position, write_position
from liarsdice.core.rules.ruleset import Ruleset
from liarsdice.core.rules.ruleset_io import find_rules
from liarsdice.core.text.move_reader import read_move
from liarsdice.play.match import Dealer, LabelledSource, Match, SeededSource
from liarsdice.runtime.public_api import checked


class Game:
    """A match that deals for itself, so that it always waits for a player or is over.

    `rules`: a ruleset, or what `find_rules` accepts. `players`: their names, or how many there are; where seats go by
    the first rolls, they sit in another order (`state.names`). `seed`: the dice of
    a round depend on the seed and the number of the round alone, so a move that is taken back and made again leads to
    the same dice; None is a new game each time. Raises `MalformedError` if the rules do not seat these players, and
    what `find_rules` raises.

    A game holds every hand: show a player only a `view`.

    >>> game = Game("perudo", ["Ann", "Bo"], seed=7)
    >>> game.push("3x4")
    >>> game.turn, len(game.legal_moves)
    (1, 47)
    >>> game.push("liar")
    >>> game.round, game.dice
    (2, (4, 5))
    >>> game.pop(), game.pop()
    (Challenge(), Bid(quantity=3, face=4))
    """

    @checked
    def __init__(
        self, rules: Ruleset | str | Path = "perudo", players: int | Sequence[str] = 2, *, seed: int | str | None = None
    ) -> None:
        ruleset = rules if isinstance(rules, Ruleset) else find_rules(rules)
        if isinstance(players, int):
            require_seat_count(ruleset, players)
        names = [f"Player {seat + 1}" for seat in range(players)] if isinstance(players, int) else players
        dealer = _dealer(seed)
        self._play(Match(ruleset, dealer.seat(ruleset, names), dealer))

    @classmethod
    @checked
    def from_position(cls, position: str | State, *, seed: int | str | None = None) -> Game:
        """Return a game that continues from a position, or from a state, without the moves that led to it.

        `seed` is that of the dice to come. Raises what `read_position` raises.

        >>> game = Game.from_position("bidding 11/34 1 0:2x1 4 perudo Ann,Bo")
        >>> game.push("liar")
        >>> game.dice
        (2, 1)
        """
        game = cls.__new__(cls)
        state = read_position(position) if isinstance(position, str) else position
        game._play(Match.from_state(state, _dealer(seed)))  # noqa: SLF001  a game of the same class
        return game

    def _play(self, match: Match) -> None:
        """Begin with a match, and let the dealer do what it waits for."""
        self._match = match
        self._stack: list[tuple[int, PlayerAction, State, int]] = []
        self._deal()

    def __repr__(self) -> str:
        return f"Game.from_position({self.position!r})"

    @property
    def state(self) -> State:
        """The whole state, with all hands."""
        return self._match.state

    @property
    def events(self) -> tuple[Event, ...]:
        """The log of the match, since its start or the position that it began with; `write_record` writes it."""
        return tuple(self._match.events)

    @property
    def position(self) -> str:
        """The state on one line, which `from_position` reads; it holds all hands."""
        return write_position(self.state)

    @property
    def moves(self) -> tuple[tuple[int, PlayerAction], ...]:
        """The moves that were pushed, each with its seat."""
        return tuple((seat, move) for seat, move, _, _ in self._stack)

    @property
    def is_over(self) -> bool:
        """Whether the match has ended."""
        return self._match.is_over

    @property
    def turn(self) -> int | None:
        """The seat that must move; None if the match is over."""
        return None if self.is_over else self.state.turn

    @property
    def round(self) -> int:
        """The number of the round, from 1."""
        return self.state.round_number

    @property
    def dice(self) -> tuple[int, ...]:
        """How many dice each seat has."""
        return self.state.dice

    @property
    def winners(self) -> tuple[int, ...]:
        """The seats that won; empty until the match is over."""
        return self.state.winners

    @property
    def legal_moves(self) -> tuple[PlayerAction, ...]:
        """The legal moves of the seat on turn: bids, then calls, then directions; empty if the match is over."""
        return () if self.is_over else legal(self.state).moves(self.state.turn)

    @checked
    def moves_of(self, seat: int) -> tuple[PlayerAction, ...]:
        """Return the legal moves of any seat: out of turn, calls where the rules allow them.

        Raises `MalformedError` for a seat that does not exist.
        """
        require_seat(seat, len(self.state.names))
        return legal(self.state).moves(seat)

    @checked
    def view(self, seat: int | None = None) -> View:
        """Return what a seat sees, by default the one on turn; once the match is over, what a spectator sees.

        Raises `MalformedError` for a seat that does not exist.
        """
        return self._match.view(self.turn if seat is None else seat)

    @checked
    def push(self, move: PlayerAction | str, seat: int | None = None) -> None:
        """Make a move, or a move as text such as `3x4`, `liar` or "five fours", and deal the next round after a call.

        `seat` is the seat on turn unless given. The dealer draws the dice that a penalty takes. A move that raises
        changes nothing: `IllegalActionError` if the rules forbid it now, `NotationError` if the text is no move, and
        `MalformedError` if it makes no sense in this match.
        """
        mover = self.state.turn if seat is None else seat
        action = self._read_move(move, mover) if isinstance(move, str) else move
        if not isinstance(action, PlayerAction):
            raise MalformedError(
                f"a move is one of {', '.join(kind.__name__ for kind in MOVES)}, not {described(action)}"
            )
        if self.is_over:
            raise IllegalActionError("the match is over")
        before, length = self.state, len(self._match.events)
        if isinstance(action, Penalise) and not action.taken:
            require_seat(mover, len(before.names))
            made = sum(isinstance(event, Penalised) for event in self._match.events)
            action = self._match.dealer.penalty(before, mover, action.trigger, made, action.offence)
        self._match.act(mover, action)
        self._stack.append((mover, action, before, length))
        self._deal()

    def _read_move(self, text: str, seat: int) -> PlayerAction:
        legal_moves = legal(self.state)
        move = read_move(text, self.state.ruleset, lambda move: move in legal_moves.moves(seat), ending=HOW_TO_WRITE)
        if move is None:
            raise NotationError("silence is no move of a game: let another seat act")
        return move

    def pop(self) -> PlayerAction:
        """Take back the last move that was pushed, and return it. Raises `IndexError` if there is none."""
        if not self._stack:
            raise IndexError("no move was pushed that could be taken back")
        _, move, self._match.state, length = self._stack.pop()
        del self._match.events[length:]
        return move

    def copy(self) -> Game:
        """Return a game of its own with the same state, moves and future dice."""
        match = Match.from_state(self.state, self._match.dealer)
        match.events = list(self._match.events)
        game = type(self).__new__(type(self))
        game._match, game._stack = match, list(self._stack)  # noqa: SLF001  a game of the same class
        return game

    def __copy__(self) -> Game:
        return self.copy()

    def _deal(self) -> None:
        while self._match.waits_for_dealer:
            self._match.deal()


def _dealer(seed: int | str | None) -> Dealer:
    """Return a dealer whose dice depend on the seed and the label of a draw alone; without a seed, a new one."""
    return Dealer(source=LabelledSource(SeededSource().draw_integers("seed", 2**63, 1)[0] if seed is None else seed))
