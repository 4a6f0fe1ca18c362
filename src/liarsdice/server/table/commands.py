"""The commands that somebody at a table can give, in addition to the moves of the game.

A client sends them as JSON objects whose `type` is the tag. Unknown fields are refused.
"""

from __future__ import annotations

import msgspec

from liarsdice.core.actions import Move
from liarsdice.core.errors import MalformedError
from liarsdice.core.rules.choices import PenaltyTrigger
from liarsdice.server.table.table_config import BanScope, TableConfig
from liarsdice.wire import PlayoutSpeed

MAX_REQUEST_ID_LENGTH = 40


class _Command(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The base of all commands: a command with an unknown field is refused."""


class Say(_Command, frozen=True, tag="say"):
    """Send a line of table talk."""

    text: str


class Begin(_Command, frozen=True, tag="begin"):
    """Begin the first match, as its host, or say that one wants a rematch, which also accepts changed rules.

    The first match begins with all seated players. A rematch begins when everybody wants it, or else ten seconds after
    enough players do, with these; one of them is the host or has played in the last match. So does a first match whose
    rules not everybody has accepted. Who plays by post has as long as they like. Bots and programs are always ready.
    """


class NotYet(_Command, frozen=True, tag="not_yet"):
    """Take back that one wants a rematch, or as the host that the first match begins."""


class Ready(_Command, frozen=True, tag="ready"):
    """Finish looking at the reveal."""


class Leave(_Command, frozen=True, tag="leave"):
    """Give up one's own seat."""


class AcceptRules(_Command, frozen=True, tag="accept_rules"):
    """Accept the rules that the host has changed. Nobody plays by rules that they have not accepted."""


class PlayOut(_Command, frozen=True, tag="play_out"):
    """Choose how fast the bots play out a match in which nobody else has dice left. Somebody who played may."""

    speed: PlayoutSpeed


class GuessCall(_Command, frozen=True, tag="guess_call"):
    """Guess which seat makes the next call, and whether the caller is right.

    Only players who are out may guess, once a round. The right seat is worth one point. If the seat is right, the
    right outcome is worth another one.
    """

    caller: int
    right: bool


class ChooseFace(_Command, frozen=True, tag="choose_face"):
    """Choose the picture that stands for oneself, by its number from 0 to 99; 0: the one that follows from the name."""

    face: int


class SetPush(_Command, frozen=True, tag="set_push"):
    """Have one's turns at a slow table pushed to an endpoint of a push service, or no more."""

    endpoint: str
    wanted: bool


class Report(_Command, frozen=True, tag="report"):
    """Report a player, with the latest lines that they said, to whoever runs the server. The table is not told."""

    player: int


class CommitSeed(_Command, frozen=True, tag="commit_seed"):
    """Commit to a seed for the dice of the next match. `commitment`: the SHA-256 of the seed in lower-case hexadecimal.

    Refused if this or the previous match of the table uses the commitment already.
    """

    commitment: str


class RevealSeed(_Command, frozen=True, tag="reveal_seed"):
    """Reveal the seed for the dice of the match that has begun, before the first dice. 32 to 64 letters and digits."""

    seed: str


class Accuse(_Command, frozen=True, tag="accuse"):
    """Accuse a player of something that costs a die at this table.

    `offence`: the one that a `Penalty` of the rules names, "" if it names none.
    """

    player: int
    trigger: PenaltyTrigger
    offence: str = ""


class AnswerPenalty(_Command, frozen=True, tag="answer_penalty"):
    """Answer an accusation by its number.

    The accused can accept the penalty, which settles it, or deny the accusation; one that is left unanswered until the
    next round is dealt counts as denied. On a denied accusation, people vote who neither are accused nor accuse. The
    majority of those who are not away decides; such a host decides a tie, and alone after more than a whole round. It
    is dropped if there is nobody to vote, or no such host to decide. The accuser can withdraw it.
    """

    number: int
    take: bool


class Change(_Command, frozen=True, tag="change"):
    """Change the configuration of the table between matches. Only the host may."""

    config: TableConfig


class Arrange(_Command, frozen=True, tag="arrange"):
    """Choose in which order all players who are here sit in the next match, by their ids. Only the host may."""

    players: tuple[int, ...]


class AddBot(_Command, frozen=True, tag="add_bot"):
    """Give a free seat to a bot. Only the host may."""

    bot: str


class Remove(_Command, frozen=True, tag="remove"):
    """Remove a player or a bot; during a match a bot takes over the seat. Only the host may.

    `ban`: for how long a person may not sit down again. Whoever opened the table may always come back.
    """

    player: int
    ban: BanScope = BanScope.MATCH


class LiftBan(_Command, frozen=True, tag="lift_ban"):
    """Let a removed person sit down again, by the id that they had. Only the host may."""

    player: int


class AnswerSeat(_Command, frozen=True, tag="answer_seat"):
    """Give a seat to a person who asked for one, by the number of the request, or refuse. Only the host may."""

    number: int
    give: bool


class Lock(_Command, frozen=True, tag="lock"):
    """Lock the table, so that nobody new sits down, or unlock it. Only the host may."""

    locked: bool


class Mute(_Command, frozen=True, tag="mute"):
    """Forbid a player to talk, or allow it again. Only the host may."""

    player: int
    muted: bool


class Pause(_Command, frozen=True, tag="pause"):
    """Pause the match and its clock, or resume them. Only the host may, a few times in a match.

    A pause at a table that the lobby shows ends by itself after five minutes.
    """

    paused: bool


class StandIn(_Command, frozen=True, tag="stand_in"):
    """Let a bot play for a player who is away, or give the seat back to the player. Only the host may.

    For others, the host may do so three times in a match. Whoever opens the table again has the seat back at once.
    """

    player: int
    bot: bool


class MakeHost(_Command, frozen=True, tag="make_host"):
    """Make another player the host. Any player may name themselves while the host is away."""

    player: int


PlainTableCommand = (
    Say
    | Begin
    | NotYet
    | Ready
    | Leave
    | AcceptRules
    | PlayOut
    | GuessCall
    | ChooseFace
    | SetPush
    | Report
    | CommitSeed
    | RevealSeed
    | Accuse
    | AnswerPenalty
    | Arrange
    | AddBot
    | Remove
    | LiftBan
    | AnswerSeat
    | Lock
    | Mute
    | Pause
    | StandIn
    | MakeHost
)
PlainCommand = Move | PlainTableCommand
"""All commands but `Change`, whose configuration is costly to decode: it is checked as it is built."""

TableCommand = PlainTableCommand | Change
Command = Move | TableCommand


def request_key(token_hash: str, request_id: str) -> str:
    """Return the id of a request as the log stores it: unique for the token. Raises `MalformedError`."""
    if not 1 <= len(request_id) <= MAX_REQUEST_ID_LENGTH or not request_id.isascii() or not request_id.isprintable():
        raise MalformedError(f"the id of a request has 1 to {MAX_REQUEST_ID_LENGTH} letters, digits or signs")
    return f"{token_hash[:16]}:{request_id}"
