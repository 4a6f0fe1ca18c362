"""What somebody at a table can ask for, beside the moves of the game itself."""

from __future__ import annotations

import msgspec

from liarsdice.core.actions import Move
from liarsdice.core.rules.choices import PenaltyTrigger
from liarsdice.server.table.table_config import Options


class _Command(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What all commands share: one that says more than it holds is refused."""


class Say(_Command, frozen=True, tag="say"):
    """Talk at the table."""

    text: str


class Begin(_Command, frozen=True, tag="begin"):
    """Begin a match with those who sit here: the host's part, and for a rematch anybody's who played."""


class Ready(_Command, frozen=True, tag="ready"):
    """Be done with looking at the reveal."""


class Leave(_Command, frozen=True, tag="leave"):
    """Give up one's own seat."""


class TakeBack(_Command, frozen=True, tag="take_back"):
    """Play oneself again, where a bot has stood in."""


class GiveSeed(_Command, frozen=True, tag="give_seed"):
    """Mix one's own chance into the next match's dice."""

    seed: str


class Accuse(_Command, frozen=True, tag="accuse"):
    """Say that a player did what costs a die at this table."""

    player: int
    trigger: PenaltyTrigger


class AnswerPenalty(_Command, frozen=True, tag="answer_penalty"):
    """Settle what somebody was accused of: the host takes the penalty or lets it pass.

    The accused may own up, which takes it, or deny it, which the host is told.
    """

    number: int
    take: bool


class Change(_Command, frozen=True, tag="change"):
    """The host sets the table up differently, between matches."""

    options: Options


class AddBot(_Command, frozen=True, tag="add_bot"):
    """The host gives a free seat to a bot."""

    bot: str


class Remove(_Command, frozen=True, tag="remove"):
    """The host sends a player or a bot away; in a match a bot goes on in the seat."""

    player: int


class Mute(_Command, frozen=True, tag="mute"):
    """The host takes a player's voice, or gives it back."""

    player: int
    muted: bool


class Pause(_Command, frozen=True, tag="pause"):
    """The host stops the clock and the match, or lets them go on."""

    paused: bool


class StandIn(_Command, frozen=True, tag="stand_in"):
    """The host lets a bot play a seat, or gives it back to its player."""

    player: int
    bot: bool


class MakeHost(_Command, frozen=True, tag="make_host"):
    """The host makes somebody else the host."""

    player: int


Manner = (
    Say
    | Begin
    | Ready
    | Leave
    | TakeBack
    | GiveSeed
    | Accuse
    | AnswerPenalty
    | Change
    | AddBot
    | Remove
    | Mute
    | Pause
    | StandIn
    | MakeHost
)
Command = Move | Manner
