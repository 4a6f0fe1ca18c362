"""The entries of a table's log. The log is the source of truth: the state of a table is computed from it.

Entries are stored as JSON and contain secrets: hands, seeds, and hashes of the tokens that hold seats. The server sends
no entry to a client; `public_news` selects what everybody may know. Stored tags and field names never change, so that
old databases can be read: a renamed class or field keeps its stored spelling.
"""

from __future__ import annotations

import msgspec
from msgspec import UNSET, UnsetType

from liarsdice.core.events import Event
from liarsdice.core.records.record import PROTOCOL
from liarsdice.core.rules.choices import PenaltyTrigger
from liarsdice.server.table.table_config import BanScope, TableConfig
from liarsdice.wire import PlayoutSpeed


class Accused(msgspec.Struct, frozen=True, tag="accused"):
    """A player was accused of something that costs dice at this table. `number` identifies the accusation.

    `accuser`: the id of the player who said so. Where a line of talk shows it, that is the only other person at the
    table, who gains by it and does not vote, or None.
    """

    number: int
    player: int
    trigger: PenaltyTrigger
    offence: str | UnsetType = UNSET
    accuser: int | None = None


class AccusationSettled(msgspec.Struct, frozen=True, tag="answered"):
    """An accusation was settled. If the penalty is `taken`, a `Played` with its events follows."""

    number: int
    taken: bool
    player: int
    trigger: PenaltyTrigger
    offence: str | UnsetType = UNSET


class AccusationDenied(msgspec.Struct, frozen=True, tag="denied"):
    """The accused player denied an accusation, so that the players who are not part of it vote."""

    number: int


class AccusationVoted(msgspec.Struct, frozen=True, tag="accusation_voted"):
    """A player who neither accuses nor is accused voted on a denied accusation. `take`: for the penalty."""

    number: int
    player: int
    take: bool


AccusationEntry = Accused | AccusationSettled | AccusationDenied | AccusationVoted


class Opened(msgspec.Struct, frozen=True, tag="opened"):
    """The table was opened. `network`: a keyed hash of the opener's network, the same at all tables, "" if unknown."""

    code: str
    config: TableConfig
    network: str = ""


class Joined(msgspec.Struct, frozen=True, tag="joined"):
    """A person or a program of theirs took a seat. `token_hash` is the hash of the token that holds it.

    `address_hash`: a keyed hash of the person's address, "" if unknown. The log contains no address. `seed_commitment`:
    the SHA-256 of the player's seed for the dice of the next match, "" if the player sends it later. `program`: the
    token was a bearer token, which only programs send.
    """

    player: int
    name: str
    token_hash: str
    address_hash: str = ""
    seed_commitment: str = ""
    program: bool = False


class SeatRequested(msgspec.Struct, frozen=True, tag="seat_requested"):
    """A person asked for a seat, which the host gives or refuses. `number` identifies the request.

    `program`: as in `Joined`.
    """

    number: int
    name: str
    token_hash: str
    address_hash: str = ""
    program: bool = False


class SeatRefused(msgspec.Struct, frozen=True, tag="seat_refused"):
    """The host refused a request for a seat. If the host grants one, a `Joined` with the same token follows instead."""

    number: int


class BotJoined(msgspec.Struct, frozen=True, tag="bot_joined"):
    """A bot took a seat of its own."""

    player: int
    name: str
    bot: str


class Left(msgspec.Struct, frozen=True, tag="left"):
    """A player left; during a match a bot takes over the seat. `removed`: the host removed the player.

    `ban`: for how long the player may not sit down again, None for no such time.
    """

    player: int
    removed: bool = False
    ban: BanScope | None = None


class BanLifted(msgspec.Struct, frozen=True, tag="ban_lifted"):
    """The host let a removed person sit down again. `player`: the id that the person had."""

    player: int


class Locked(msgspec.Struct, frozen=True, tag="locked"):
    """The host locked the table, so that nobody new sits down, or unlocked it."""

    locked: bool


class DeviceAdded(msgspec.Struct, frozen=True, tag="holder_added"):
    """Another device holds a player's seat, too; `token_hash` is the hash of its token. `program`: as in `Joined`."""

    player: int
    token_hash: str
    program: bool = False


class HostChanged(msgspec.Struct, frozen=True, tag="host_made"):
    """A player became the host. `given`: the host before made the player host of their own accord."""

    player: int
    given: bool = False


class Muted(msgspec.Struct, frozen=True, tag="muted"):
    """A player was forbidden to talk, or allowed again."""

    player: int
    muted: bool


class Paused(msgspec.Struct, frozen=True, tag="paused"):
    """The match was paused. `left_ms`: the milliseconds that remained until the next deadline, None without one."""

    left_ms: int | None


class Resumed(msgspec.Struct, frozen=True, tag="resumed"):
    """The match was resumed."""


class StandInChanged(msgspec.Struct, frozen=True, tag="stood_in"):
    """A bot began to play for a player, or the player took over again. `by_host`: the host had the bot play."""

    player: int
    bot: bool
    by_host: bool = False


class ConfigChanged(msgspec.Struct, frozen=True, tag="changed"):
    """The host changed the configuration of the table."""

    config: TableConfig


class RulesAccepted(msgspec.Struct, frozen=True, tag="rules_accepted"):
    """A player accepted the rules that the host changed."""

    player: int


class Arranged(msgspec.Struct, frozen=True, tag="arranged"):
    """The host chose the order of the players in the next match, by their ids."""

    players: tuple[int, ...]


class RematchWanted(msgspec.Struct, frozen=True, tag="rematch_wanted"):
    """A player wants a rematch, or no more. Before the first match: the host wants it to begin."""

    player: int
    wanted: bool = True


class GroupJoined(msgspec.Struct, frozen=True, tag="group_joined"):
    """The matches of the table count for a group from now on, those that are over, too. `group`: its code."""

    group: str


class SpeedChanged(msgspec.Struct, frozen=True, tag="speed_changed"):
    """A player who is out changed how fast the bots play out the match."""

    player: int
    speed: PlayoutSpeed


class CallGuessed(msgspec.Struct, frozen=True, tag="call_guessed"):
    """A player who is out guessed who makes the next call, by seat, and whether the caller is right."""

    player: int
    caller: int
    right: bool


class FaceChosen(msgspec.Struct, frozen=True, tag="face_chosen"):
    """A player chose the picture that stands for them, by its number; 0: the one that follows from the name."""

    player: int
    face: int


class PushChanged(msgspec.Struct, frozen=True, tag="push_changed"):
    """A player's turns are pushed to these endpoints from now on (`push_endpoints`). They are secret."""

    player: int
    endpoints: tuple[str, ...]


class WebhookChanged(msgspec.Struct, frozen=True, tag="webhook_changed"):
    """A player's turns and matches are told to this URL from now on, "" for nowhere. It is secret."""

    player: int
    url: str


class PlayerSeedCommitted(msgspec.Struct, frozen=True, tag="seed_committed"):
    """A player committed to a seed for the dice of the next match, by its SHA-256."""

    player: int
    commitment: str


class PlayerSeedRevealed(msgspec.Struct, frozen=True, tag="seed_revealed"):
    """A player revealed the seed for the dice of the match that has begun."""

    player: int
    seed: str


class SeedCommitted(msgspec.Struct, frozen=True, tag="sealed"):
    """The server chose its seed for the next match.

    Its hash is published at once, the seed itself after that match.
    """

    server_seed: str


class MatchBegan(msgspec.Struct, frozen=True, tag="began"):
    """A match began. The entries of class `Played` that follow hold its events.

    `protocol`: how its dice follow from the seeds. `engine`: the version of the program that began it. `key`: the
    public key that signs its record. `start`: the first line of its record after those about the file, as JSON.
    `players`, `commitments`: by seat, the id of the player and the commitment to a seed. With these and the
    `server_seed`, the record depends on no earlier entry.
    """

    number: int
    protocol: int = PROTOCOL
    engine: str = ""
    key: str = ""
    start: str = ""
    players: tuple[int, ...] = ()
    commitments: tuple[str, ...] = ()
    server_seed: str = ""


class Played(msgspec.Struct, frozen=True, tag="played"):
    """Events of the match. `seat` acted (None: the dealer) and has `bank_ms` left in its time bank (None: unchanged).

    `time_up`: the id of the player who did not act in time, if a bot acted instead.
    """

    events: tuple[Event, ...]
    seat: int | None = None
    bank_ms: int | None = None
    time_up: int | None = None


class Spoke(msgspec.Struct, frozen=True, tag="spoke"):
    """A player sent a line of table talk."""

    player: int
    text: str


class WasReady(msgspec.Struct, frozen=True, tag="was_ready"):
    """A player finished looking at the reveal."""

    player: int


LogEntry = (
    Opened
    | Joined
    | SeatRequested
    | SeatRefused
    | BotJoined
    | Left
    | BanLifted
    | Locked
    | DeviceAdded
    | HostChanged
    | Muted
    | Paused
    | Resumed
    | StandInChanged
    | ConfigChanged
    | RulesAccepted
    | Arranged
    | RematchWanted
    | GroupJoined
    | SpeedChanged
    | FaceChosen
    | PushChanged
    | WebhookChanged
    | PlayerSeedCommitted
    | PlayerSeedRevealed
    | SeedCommitted
    | MatchBegan
    | Played
    | Spoke
    | AccusationEntry
    | CallGuessed
    | WasReady
)
LOG_ENTRY_DECODER: msgspec.json.Decoder[LogEntry] = msgspec.json.Decoder(LogEntry)


class LogRow(msgspec.Struct, frozen=True):
    """An entry at its place in the log.

    `seq` counts entries from 1. `at_ms`: the time in milliseconds since 1970. `request_id` identifies the request that
    led to the entry (it begins with 16 digits of the token's hash), "" if there was none or it has an earlier entry.
    """

    seq: int
    at_ms: int
    request_id: str
    entry: LogEntry
