"""What a table's log is made of. The log is the table: everything else is worked out from it.

Entries are stored as they are and hold secrets: hands, seeds, and hashes of the tokens that hold seats. Nobody outside
is ever shown one; `news` says what may be told.
"""

from __future__ import annotations

import msgspec

from liarsdice.core.events import Event
from liarsdice.core.rules.choices import PenaltyTrigger
from liarsdice.server.table.table_config import Options


class _Entry(msgspec.Struct, frozen=True):
    """What all entries share."""


class Opened(_Entry, frozen=True, tag="opened"):
    """A table was opened."""

    code: str
    options: Options


class Joined(_Entry, frozen=True, tag="joined"):
    """Somebody sat down; `holder` is the hash of the token that holds the seat."""

    player: int
    name: str
    holder: str
    seed: str


class BotJoined(_Entry, frozen=True, tag="bot_joined"):
    """A bot sat down for good."""

    player: int
    name: str
    bot: str


class Left(_Entry, frozen=True, tag="left"):
    """Somebody left; in a match a bot goes on in the seat. `removed`: sent away by the host."""

    player: int
    removed: bool = False


class HolderAdded(_Entry, frozen=True, tag="holder_added"):
    """Another device holds the seat, too."""

    player: int
    holder: str


class HostMade(_Entry, frozen=True, tag="host_made"):
    """Somebody is the host now."""

    player: int


class Muted(_Entry, frozen=True, tag="muted"):
    """A player's voice was taken or given back."""

    player: int
    muted: bool


class Paused(_Entry, frozen=True, tag="paused"):
    """The match stands still; `left_ms` is what was left until something was due."""

    left_ms: int | None


class Resumed(_Entry, frozen=True, tag="resumed"):
    """The match goes on."""


class StoodIn(_Entry, frozen=True, tag="stood_in"):
    """A bot plays for a player from now on, or the player plays again."""

    player: int
    bot: bool


class Changed(_Entry, frozen=True, tag="changed"):
    """The table is set up differently."""

    options: Options


class SeedGiven(_Entry, frozen=True, tag="seed_given"):
    """A player's share in the chance of the next match."""

    player: int
    seed: str


class Sealed(_Entry, frozen=True, tag="sealed"):
    """The seed of the next match is fixed; its hash is told at once, the seed itself after that match."""

    server_seed: str


class Began(_Entry, frozen=True, tag="began"):
    """A match began; what the engine made of it is in the `Played` after it."""

    number: int


class Played(_Entry, frozen=True, tag="played"):
    """Something happened in the match. `seat` acted (None: the dealer), and has `bank_ms` left in its time bank.

    `time_up`: the id of the player who did not act in time, so that a bot did it.
    """

    events: tuple[Event, ...]
    seat: int | None = None
    bank_ms: int | None = None
    time_up: int | None = None


class Spoke(_Entry, frozen=True, tag="spoke"):
    """A player said something."""

    player: int
    text: str


class Accused(_Entry, frozen=True, tag="accused"):
    """A player is said to have done what costs dice here."""

    number: int
    player: int
    trigger: PenaltyTrigger


class Answered(_Entry, frozen=True, tag="answered"):
    """What a player was accused of is settled; where the penalty is `taken`, a `Played` comes with it."""

    number: int
    taken: bool
    player: int
    trigger: PenaltyTrigger


class Denied(_Entry, frozen=True, tag="denied"):
    """A player says that it was not so; the host decides."""

    number: int


class WasReady(_Entry, frozen=True, tag="was_ready"):
    """A player has seen enough of the reveal."""

    player: int


Entry = (
    Opened
    | Joined
    | BotJoined
    | Left
    | HolderAdded
    | HostMade
    | Muted
    | Paused
    | Resumed
    | StoodIn
    | Changed
    | SeedGiven
    | Sealed
    | Began
    | Played
    | Spoke
    | Accused
    | Answered
    | Denied
    | WasReady
)
ENTRY: msgspec.json.Decoder[Entry] = msgspec.json.Decoder(Entry)


class Row(msgspec.Struct, frozen=True):
    """An entry as it stands in the log. `wish` names the wish that it granted, "" where nobody asked."""

    seq: int
    at_ms: int
    wish: str
    entry: Entry
