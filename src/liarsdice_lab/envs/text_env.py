"""A match in text, with the interface of TextArena: a language model reads observations and writes moves."""

import random
from pathlib import Path

from liarsdice.core.engine.view import event_view
from liarsdice.core.errors import LiarsDiceError, MalformedError
from liarsdice.core.rules.ruleset import Ruleset
from liarsdice.core.text.move_reader import read_answer
from liarsdice.core.text.narration import Narrator, narrate
from liarsdice.core.text.turn_text import moves_text, rules_text, turn_text
from liarsdice.runtime.public_api import checked
from liarsdice_lab.envs.in_place import require_started
from liarsdice_lab.envs.layout import make_game
from liarsdice_lab.envs.match_tree import MatchNode, first_node

ERROR_ALLOWANCE = 2
"""How many unusable answers in a row are only refused; the next one loses the match."""


class TextEnv:
    """One match at a time in text: `reset`, then `get_observation` and `step` until it is done, then `close`.

    An answer is the last move in brackets, such as `[4x2]`, `[liar]`, `[exact]` or `[silent]`, or else a text that is a
    move in words (`core.text.move_reader`); the forms `[Bid: 4, 2]` and `[Call]` of TextArena's own game are
    understood, too. The rewards of `close` are those of `"match"`.

    >>> env = TextEnv("basic", seats=2)
    >>> env.reset(seed=1)
    >>> seat, observation = env.get_observation()
    >>> env.step("My hand is strong. [1x6]")
    (False, {'seat': 0, 'legal': True})
    """

    @checked
    def __init__(self, rules: str | Path | Ruleset = "perudo", seats: int = 2) -> None:
        self.rules = rules
        self.seats = seats
        self.game = make_game(rules, seats)
        self._started = False

    @checked
    def reset(self, num_players: int | None = None, seed: int | None = None) -> None:
        """Begin a match, of another number of players if one is given. Raises as `make_game`."""
        if num_players is not None and num_players != self.seats:
            self.seats, self.game = num_players, make_game(self.rules, num_players)
        self._started = True
        self._random = random.Random(seed)
        self._unread = [[rules_text(self.game.rules.ruleset)] for _ in range(self.seats)]
        self._errors, self.illegal_moves = 0, [0] * self.seats
        self._loser: int | None = None
        self.node: MatchNode = first_node(self.game, self._random.randrange(self.seats))
        self._roll()

    @property
    def done(self) -> bool:
        """Whether the match has ended."""
        return self.node.is_over or self._loser is not None

    def get_observation(self) -> tuple[int, str]:
        """Return the seat that acts next and what it reads: news, its dice, and its legal moves.

        After the end, it is what the last seat reads. Raises `MalformedError` before `reset`.
        """
        require_started(self._started)
        seat, unread = self.node.seat, self._unread[self.node.seat]
        news, self._unread[seat] = "\n".join(unread), []
        return seat, news if self.done else f"{news}\n{self._table(seat)}".lstrip()

    @checked
    def step(self, action: str) -> tuple[bool, dict[str, int | bool | str]]:
        """Apply the move in a text; returns whether the match is over, and who acted.

        A text that is no legal move changes nothing: the same seat is asked again and reads why. Too many of them in a
        row lose the match. Raises `MalformedError` after the end, and before `reset`.
        """
        require_started(self._started)
        if self.done:
            raise MalformedError("the match is over; `reset` begins another one")
        seat = self.node.seat
        try:
            self.node = self.node.child(self._action_id(action))
        except LiarsDiceError as error:
            self._errors += 1
            self.illegal_moves[seat] += 1
            self._loser = seat if self._errors > ERROR_ALLOWANCE else None
            self._unread[seat].append(f"That is no legal move: {error}.")
            return self.done, {"seat": seat, "legal": False, "error": str(error)}
        self._errors = 0
        self._tell()
        self._roll()
        return self.done, {"seat": seat, "legal": True}

    def close(self) -> tuple[dict[int, float], dict[int, dict[str, int | bool]]]:
        """Return by seat the reward, and how many answers were no legal moves.

        Raises `MalformedError` before `reset`.
        """
        require_started(self._started)
        rewards = self.node.returns()
        if self._loser is not None:
            rewards = [-1.0 if seat == self._loser else 1 / (self.seats - 1) for seat in range(self.seats)]
        info: dict[int, dict[str, int | bool]] = {
            seat: {"illegal_moves": count, "invalid_move": seat == self._loser}
            for seat, count in enumerate(self.illegal_moves)
        }
        return dict(enumerate(rewards)), info

    def _action_id(self, text: str) -> int:
        """Return the id of the move in a text. Raises as `read_answer`, and for a bid that has no id."""
        return self.game.action_id(read_answer(text, self.node.view(self.node.seat)))

    def _roll(self) -> None:
        """Roll dice until a seat has to act."""
        while self.node.is_rolling:
            self.node = self.node.child(self._random.randrange(self.node.state.ruleset.dice.faces))
        self._tell()

    def _tell(self) -> None:
        """Let every seat read the events of the latest action."""
        events, self.node = self.node.events, self.node.without_events()
        for seat in range(self.seats):
            narrator = Narrator(self.game.rules.ruleset, self.node.state.names, seat)
            self._unread[seat] += filter(None, (narrate(event_view(event, seat), narrator) for event in events))

    def _table(self, seat: int) -> str:
        moves = moves_text(map(self.game.action_from_id, self.node.legal_ids()))
        return turn_text(self.node.view(seat), legal_moves=moves)
