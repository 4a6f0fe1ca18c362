"""The state of a table: its players, its configuration and the current match.

A state is computed from the table's log by `reducer`. It contains secrets (hands, seeds, hashes of tokens): only
`server.protocol.views` decides which parts of it a client sees.
"""

from __future__ import annotations

import hmac

import msgspec
from msgspec.structs import replace

from liarsdice.core.engine.state import Phase, State
from liarsdice.core.events import StarterRolled
from liarsdice.core.records.record import PROTOCOL
from liarsdice.core.rules.choices import PenaltyTrigger
from liarsdice.server.table.table_config import TableConfig
from liarsdice.wire import CallGuess, NewsItem, PlayoutSpeed, Stage, Verdict

STALLED_MS = 180_000
"""How long people at a listed table wait for the host to begin a match, before any of them may become host."""


class Player(msgspec.Struct, frozen=True, kw_only=True):
    """A person or a bot at the table.

    `id` stays the same while the player is at the table. `bot`: the name of the bot that owns the seat, None for a
    person. `token_hashes`: SHA-256 of the token of each device that holds the seat; none for bots. `seed_commitment`:
    the SHA-256 of the player's seed for the dice of the next match, "" without one. `stand_in`: a bot plays for this
    person. `gone`: the player left during the match, which keeps the seat until the next one. `bank_ms`: the time bank
    in milliseconds. `address_hash`: a keyed hash of the address from which the person sat down, "" if unknown.
    `asked_about_rules`: the rules have changed since the player sat down or last agreed to them. `face`: the number of
    the picture that the player chose, 0 for none. `push_endpoints`: where the player's turns are pushed to. `program`:
    a program holds the seat of this person. `webhook`: the URL that is told of the player's turns, "" for none.
    `wins`: the matches of the series that the player has won (`TableConfig.best_of`).
    """

    id: int
    name: str
    bot: str | None = None
    token_hashes: tuple[str, ...] = ()
    seed_commitment: str = ""
    stand_in: bool = False
    gone: bool = False
    muted: bool = False
    bank_ms: int = 0
    address_hash: str = ""
    asked_about_rules: bool = False
    face: int = 0
    push_endpoints: tuple[str, ...] = ()
    program: bool = False
    webhook: str = ""
    wins: int = 0

    @property
    def played_by_bot(self) -> bool:
        """Whether a bot makes the moves of this seat now."""
        return self.bot is not None or self.stand_in


class Identity(msgspec.Struct, frozen=True):
    """What a person is recognised by who comes back: the tokens of their devices, and their address.

    `address_hash`: "" if it is unknown, or did not tell this person from others at the table.
    """

    token_hashes: tuple[str, ...]
    address_hash: str = ""

    def matches(self, token_hash: str, address_hash: str) -> bool:
        """Return whether a person with this token, at this address ("" for an unknown one), is probably the same."""
        return token_hash in self.token_hashes or (address_hash != "" and address_hash == self.address_hash)


class Ban(msgspec.Struct, frozen=True):
    """A removed person who may not sit down. `player` and `name`: the id and the name that the person had.

    `last_match`: the number of the match with which the ban ends, None for a ban for good.
    """

    player: int
    name: str
    identity: Identity
    last_match: int | None


class FormerPlayer(msgspec.Struct, frozen=True):
    """A person who left. The name stays theirs at this table, for whoever holds one of the tokens."""

    name: str
    token_hashes: tuple[str, ...]


class SeatRequest(msgspec.Struct, frozen=True):
    """A request for a seat. `refused`: the host refused it; the person may not ask again before the next match."""

    number: int
    name: str
    token_hash: str
    address_hash: str
    refused: bool = False
    program: bool = False


class OpenAccusation(msgspec.Struct, frozen=True):
    """An accusation that is not settled yet. `denied`: the accused denied it, so that the others vote.

    `offence`: the one that the penalty names, if it names one. `accuser`: as in `Accused`. `vote_round`: the round in
    which the vote began. `votes`: by the ids of the players, whether they vote for the penalty.
    """

    number: int
    player: int
    trigger: PenaltyTrigger
    denied: bool = False
    offence: str | msgspec.UnsetType = msgspec.UNSET
    accuser: int | None = None
    vote_round: int = 0
    votes: dict[int, bool] = {}


class MatchState(msgspec.Struct, frozen=True, kw_only=True):
    """The current match, or the last one.

    `server_seed` is secret until the match is over. `protocol`: how the dice follow from the seeds. `seed_commitments`:
    what the players committed to, by seat, "" for nothing; `seeds`: what they revealed, "" for nothing. `key`: the
    public key that signs the record, `engine` the version of the program that began the match, and `promise` the hash
    that binds all of these (`play.provable_dice`). `turn_id`: the number of steps so far; a move
    refers to the one that it answers. `starter_rolls`: the rolls for the first starter. `verdict`: the outcome of the
    latest call, None once the next round begins. `ready`: the seats that finished looking at the reveal. `out`: the
    round in which each eliminated seat went out, in the order of elimination. `stand_ins`: the seats of people for whom
    a bot played when they went out or the match ended. `penalty_count`: the penalties taken so far. `speed`: how fast
    bots play it out. `guesses`: those about the call of this round. `guess_points`: the points for guesses by seat,
    empty before any. `pause_count`: how often it was paused. `host_stand_ins`: the id of the player, each time that the
    host let a bot play.
    """

    number: int
    server_seed: str
    seeds: tuple[str, ...]
    state: State
    protocol: int = PROTOCOL
    seed_commitments: tuple[str, ...] = ()
    key: str = ""
    engine: str = ""
    promise: str = ""
    turn_id: int = 0
    starter_rolls: tuple[StarterRolled, ...] = ()
    verdict: Verdict | None = None
    ready: tuple[int, ...] = ()
    out: dict[int, int] = {}
    stand_ins: tuple[int, ...] = ()
    penalty_count: int = 0
    speed: PlayoutSpeed = PlayoutSpeed.NORMAL
    guesses: tuple[CallGuess, ...] = ()
    guess_points: tuple[int, ...] = ()
    pause_count: int = 0
    host_stand_ins: tuple[int, ...] = ()

    @property
    def over(self) -> bool:
        """Whether the match has ended."""
        return self.state.phase is Phase.OVER

    @property
    def accepts_seeds(self) -> bool:
        """Whether players may reveal their seeds: until the dealer acts for the first time."""
        return self.turn_id == 0

    @property
    def awaits_seeds(self) -> bool:
        """Whether a player may still reveal a seed and has not done so."""
        pairs = zip(self.seed_commitments, self.seeds, strict=False)
        return self.accepts_seeds and any(commitment and not seed for commitment, seed in pairs)


class TableState(msgspec.Struct, frozen=True, kw_only=True):
    """The state of a table after the entry `seq` of its log.

    `players` sit in this order; in a match, a player's place in it is the seat. `host` is a player's id. `next_player`
    and `next_accusation` are the next free ids. `paused_left_ms`: the milliseconds that remained at the time of the
    pause until the deadline with the key `paused_deadline_key` (`deadlines.Deadline.key`). `next_server_seed`: the
    secret seed of the next match, "" if none is chosen. `news`: the latest public items, oldest first.
    `handled_requests`: the latest requests that led to an entry, with its seq, oldest first. `opener_tokens`: the
    hashes of the tokens of whoever opened the table. `bans`: the latest bans, some of which may have ended. `locked`:
    nobody new may sit down. `opener_resigned`: whoever opened the table made somebody else host.
    `muted_people`: muted people who have left. `former_players`: the last who left. `seat_requests`: the requests for a
    seat that are open, and those that were refused since the last match began. `next_request`: the number of the next
    one. `agreed_config`: the configuration before a change of the terms that somebody has not accepted yet, None
    without one. `opener_network`: as in `Opened`. `waiting_since_ms`: since when two people or more wait for the next
    match, None if they do not. `rematch`: the ids of the players who want the next match to begin.
    `seating`: the order in which the host lets the players sit in the next match, by their ids; others sit behind them.
    `group`: the code of the group that its matches count for, "" for none.
    """

    code: str
    config: TableConfig
    seq: int = 0
    players: tuple[Player, ...] = ()
    host: int | None = None
    next_player: int = 1
    paused: bool = False
    paused_left_ms: int | None = None
    paused_deadline_key: tuple[str | int | float | bool, ...] | None = None
    next_server_seed: str = ""
    match: MatchState | None = None
    accusations: tuple[OpenAccusation, ...] = ()
    next_accusation: int = 1
    news: tuple[NewsItem, ...] = ()
    handled_requests: dict[str, int] = {}
    opener_tokens: tuple[str, ...] = ()
    bans: tuple[Ban, ...] = ()
    locked: bool = False
    opener_resigned: bool = False
    muted_people: tuple[Identity, ...] = ()
    former_players: tuple[FormerPlayer, ...] = ()
    seat_requests: tuple[SeatRequest, ...] = ()
    next_request: int = 1
    agreed_config: TableConfig | None = None
    opener_network: str = ""
    waiting_since_ms: int | None = None
    rematch: tuple[int, ...] = ()
    seating: tuple[int, ...] = ()
    group: str = ""

    @property
    def stage(self) -> Stage:
        """The stage that the table is in."""
        if self.match is None:
            return Stage.GATHERING
        return Stage.OVER if self.match.over else Stage.PLAYING

    @property
    def ongoing_match(self) -> MatchState | None:
        """The current match, None before the first one and after a match."""
        return None if self.match is None or self.match.over else self.match

    @property
    def finished_count(self) -> int:
        """How many matches of the table are over."""
        return 0 if self.match is None else self.match.number - (not self.match.over)

    @property
    def series_winner(self) -> Player | None:
        """The player who has won the series, None while it goes on and at a table without one."""
        best_of = self.config.best_of
        return next((player for player in self.players if best_of > 1 and 2 * player.wins > best_of), None)

    def player(self, player_id: int | None) -> Player | None:
        """Return the player with an id, None if there is none."""
        return next((player for player in self.players if player.id == player_id), None)

    def seat_of(self, player_id: int | None) -> int | None:
        """Return a player's place in `players`, None if there is no such player."""
        for seat, player in enumerate(self.players):
            if player.id == player_id:
                return seat
        return None

    def match_seat(self, player_id: int | None) -> int | None:
        """Return a player's seat in the current or latest match, None if they have none."""
        seat = self.seat_of(player_id)
        return None if seat is None or self.match is None or seat >= len(self.match.state.names) else seat

    def with_player(self, player_id: int, **changes: object) -> TableState:
        """Return the table with other fields of a player."""
        players = tuple(replace(player, **changes) if player.id == player_id else player for player in self.players)
        return replace(self, players=players)

    def player_by_token(self, token_hash: str) -> Player | None:
        """Return the player whose seat a token holds, by the hash of the token; None if it holds no seat.

        Compares with all hashes in constant time. Players who left hold no seat.
        """
        if not token_hash:
            return None
        holder = None
        for player in self.players:
            for known_hash in player.token_hashes:
                if hmac.compare_digest(known_hash, token_hash) and not player.gone:
                    holder = player
        return holder

    def id_by_token(self, token_hash: str) -> int | None:
        """Return the id of the player whose seat a token holds, None if it holds no seat."""
        player = self.player_by_token(token_hash)
        return None if player is None else player.id

    @property
    def stalled_at_ms(self) -> int | None:
        """The time from which on any player may become host, because the host lets people at a listed table wait."""
        waits = self.config.listed and self.waiting_since_ms is not None
        return self.waiting_since_ms + STALLED_MS if waits and self.waiting_since_ms is not None else None

    def is_visible_to(self, player_id: int | None) -> bool:
        """Return whether a player, or somebody without a seat (None), may see the table now."""
        return player_id is not None or self.config.spectators or self.stage is not Stage.PLAYING


def player_on_turn(table: TableState) -> Player | None:
    """Return the person for whose move the match waits, None if it waits for nobody or for a bot."""
    match = table.ongoing_match
    if match is None or table.paused or match.state.phase is not Phase.BIDDING:
        return None
    player = table.players[match.state.turn]
    return None if player.played_by_bot or player.gone else player
