"""What a bot is: something that acts on a view."""

from __future__ import annotations

from typing import Protocol, runtime_checkable

from liarsdice.core.actions import PlayerAction
from liarsdice.core.engine.view import View


class Bot(Protocol):
    """A player that is a program."""

    def act(self, view: View) -> PlayerAction | None:
        """Choose one of `view.moves`.

        Asked on its turn, and out of turn wherever the rules let it call the standing bid. None lets the bid stand
        and is an answer out of turn only.
        """
        ...


@runtime_checkable
class Visitor(Protocol):
    """A bot that wants to know when a match begins and when it is left, since it holds something meanwhile."""

    def arrive(self, view: View) -> None:
        """Get ready for a match, which may be on already. What goes wrong is raised when the bot is asked."""
        ...

    def leave(self, view: View) -> None:
        """Let go of everything; nothing is asked any more. `view` tells how the match ended, if it did."""
        ...


class GaveUpError(Exception):
    """A bot that cannot answer; its message is a clause that says why, such as `it gave no answer within 5 s`."""
