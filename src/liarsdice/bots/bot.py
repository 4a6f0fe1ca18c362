"""What a bot is: something that acts on a view."""

from __future__ import annotations

from typing import Protocol

from liarsdice.core.actions import PlayerAction
from liarsdice.core.view import View


class Bot(Protocol):
    """A player that is a program."""

    def act(self, view: View) -> PlayerAction | None:
        """Choose one of `view.moves`.

        Asked on its turn, and out of turn wherever the rules let it call the standing bid. None lets the bid stand
        and is an answer out of turn only.
        """
        ...
