"""The interface of a bot: an object that answers a view with an action."""

from typing import Protocol, runtime_checkable

from liarsdice.core.actions import PlayerAction
from liarsdice.core.engine.view import View
from liarsdice.core.errors import MalformedError, described


class Bot(Protocol):
    """A program that plays one seat of a match."""

    def act(self, view: View) -> PlayerAction | None:
        """Return one of `view.moves`.

        Called on the bot's turn, and out of turn wherever the rules let it call the standing bid. None lets the bid
        stand; it is an answer out of turn only.
        """
        ...


@runtime_checkable
class MatchLifecycle(Protocol):
    """A bot that is notified when a match starts and ends, to open and close resources such as a process."""

    def on_start(self, view: View) -> None:
        """Prepare for a match, which may be in progress already. Errors should wait for the first call of `act`."""
        ...

    def on_end(self, view: View) -> None:
        """Release all resources; `act` is not called again. `view` shows how the match ended, if it did."""
        ...


@runtime_checkable
class Learns(Protocol):
    """A bot that learns about the others during a match.

    `notes`: all that it has learned, of a type that pickle knows. A new bot that is given the notes of another one of
    its name goes on from there.
    """

    notes: object


def require_bot(bot: object, made_by: str) -> None:
    """Raise `MalformedError` unless an object has the method `act`; `made_by` is what made it."""
    if isinstance(bot, type) or not callable(getattr(bot, "act", None)):
        raise MalformedError(f"{made_by} made {described(bot)}, which is no object with the method act(view)")


class BotError(Exception):
    """A bot cannot answer. The message is a clause that says why, such as `it gave no answer within 5 s`."""
