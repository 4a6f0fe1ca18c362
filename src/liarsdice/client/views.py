"""What a program sees of a table: the server's messages as typed values, and shortcuts for a player.

A bid in a message is a pair (quantity, face); `TableView` returns `Bid`. Fields that no program needs are left out.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Literal

import msgspec

from liarsdice.core.actions import PlayerAction
from liarsdice.core.bids.bid_chart import BidRange, bids_in
from liarsdice.core.engine.legal import list_moves
from liarsdice.core.engine.state import Phase
from liarsdice.core.engine.view import PublicPenalty
from liarsdice.core.events import EndReason, PublicEvent, Revealed
from liarsdice.core.records.record import result_names
from liarsdice.core.rules.bids import Bid
from liarsdice.core.rules.choices import Answer, Direction, PenaltyTrigger, RoundKind
from liarsdice.core.rules.ruleset import Ruleset

BidPair = tuple[int, int]
"""A bid as (quantity, face)."""


class Verdict(msgspec.Struct, frozen=True):
    """The latest call and its outcome: `exact` or a challenge, by seat `caller`, of the bid or pass of `bidder`."""

    exact: bool
    caller: int
    bidder: int
    out_of_turn: bool
    right: bool
    reveal: Revealed
    out: tuple[int, ...]


class PublicMatch(msgspec.Struct, frozen=True, kw_only=True):
    """What everybody may know of a match.

    Per seat: `dice`, and `lives` where the rules have them. `turn`: the seat on turn, None while nobody has to act.
    `bids`: those of the round as (seat, (quantity, face)). `pure`: the places in `bids` of pure ones. `passes`: those
    of the round as (seat, number of bids before it). `top`: the highest quantity that can be bid, None for no limit.
    `places`: the place of each seat, 1 for the winners, empty during a match. `stand_ins`: the seats of people for whom
    a bot played when they went out or the match ended, so that their results are the bot's (`TableView.seat_names`).
    `left_ms`: the milliseconds that the player on turn has left, None without a clock. `doubled`: the seats that
    doubled the call that waits for an answer, the challenger and then the bidder. `kind`: what the opener of the round
    chose, None before that; unset in a round without this choice.
    """

    number: int
    turn_id: int
    phase: Phase
    round_number: int
    dice: tuple[int, ...]
    direction: Direction
    starter: int
    turn: int | None
    top: int | None
    bids: tuple[tuple[int, BidPair], ...]
    wilds_count: bool
    special_seat: int | None
    verdict: Verdict | None
    places: tuple[int, ...]
    winners: tuple[int, ...]
    end_reason: EndReason | None
    left_ms: int | None
    stand_ins: tuple[int, ...] = ()
    lives: tuple[int, ...] = ()
    pure: tuple[int, ...] = ()
    shown: tuple[tuple[int, ...], ...] = ()
    passes: tuple[tuple[int, int], ...] = ()
    doubled: tuple[int, ...] = ()
    kind: RoundKind | msgspec.UnsetType | None = msgspec.UNSET

    @property
    def bids_made(self) -> tuple[tuple[int, Bid], ...]:
        """The bids of the round with their seats, in order."""
        return tuple((seat, Bid(*pair, place in self.pure)) for place, (seat, pair) in enumerate(self.bids))


class OwnView(msgspec.Struct, frozen=True):
    """What only this client may see, empty for a spectator.

    `seat`: the place among the players. `player`: the id. `counts`: the places in `hand` of the dice that count for the
    standing bid. `bids`: the legal bids as ranges; with `unlimited`, higher ones too. `double`: may challenge for
    twice the stake; `declare`: may declare the round special. `answers`: the legal answers to a challenge for twice the
    stake. `odds`, `standing_odds`, `exact_odds`: percentages that each legal bid and the standing bid are true, and the
    latter exactly right, at a table with hints. `cups`: the hands of others that it sees, by seat. `kinds`: those of
    the round of which it chooses one.
    `may_pass`, `challenge_pass`: may pass, and doubt the latest pass, which is true with `pass_odds` by the dice alone.
    """

    seat: int | None
    player: int | None = None
    hand: tuple[int, ...] = ()
    counts: tuple[int, ...] = ()
    bids: tuple[BidRange, ...] = ()
    unlimited: bool = False
    odds: tuple[int, ...] = ()
    standing_odds: int | None = None
    exact_odds: int | None = None
    challenge: bool = False
    exact: bool = False
    directions: tuple[Direction, ...] = ()
    showable: tuple[tuple[int, ...], ...] = ()
    cups: tuple[tuple[int, ...], ...] = ()
    double: bool = False
    declare: bool = False
    may_pass: bool = False
    challenge_pass: bool = False
    pass_odds: int | None = None
    answers: tuple[Answer, ...] = ()
    kinds: tuple[RoundKind, ...] = ()


Stage = Literal["gathering", "playing", "over"]
"""Where a table is: before its first match, in a match, or after one."""


class Seat(msgspec.Struct, frozen=True):
    """A seat at the table with a code. `player`: the id of the player, None while the host is asked for the seat."""

    code: str
    player: int | None


class TableSummary(msgspec.Struct, frozen=True):
    """A table as the lobby lists it. `rules_name`: the name of its preset, "" for house rules."""

    code: str
    title: str
    game: str
    rules_name: str
    stage: Stage
    player_names: tuple[str, ...]
    seats: int
    locked: bool


class TablePlayer(msgspec.Struct, frozen=True):
    """A player at a table. `bot`: the name of the server's bot that owns the seat. `stand_in`: a bot plays for them.

    `gone`: the player left during the match. `program`: a program holds the seat.
    """

    id: int
    name: str
    bot: str | None = None
    stand_in: bool = False
    gone: bool = False
    host: bool = False
    muted: bool = False
    program: bool = False


class Said(msgspec.Struct, frozen=True, tag="said"):
    """A line of table talk and the id of the player who sent it."""

    player: int
    text: str


class Notice(msgspec.Struct, frozen=True, tag="notice"):
    """Something that happened at the table outside the match, and the id of the player concerned, if any."""

    kind: str
    player: int | None = None
    trigger: PenaltyTrigger | None = None
    offence: str = ""


class Happened(msgspec.Struct, frozen=True, tag="happened"):
    """A public event of the match."""

    event: PublicEvent | PublicPenalty


class NewsItem(msgspec.Struct, frozen=True):
    """One line of the table's public history. `at_ms`: milliseconds since 1970."""

    seq: int
    at_ms: int
    content: Said | Notice | Happened


class _Config(msgspec.Struct, frozen=True):
    title: str
    ruleset: msgspec.Raw
    seats: int


class _Setup(msgspec.Struct, frozen=True):
    code: str
    config: _Config
    match_rules: msgspec.Raw


class _PublicTable(msgspec.Struct, frozen=True):
    stage: Stage
    players: tuple[TablePlayer, ...]
    paused: bool
    match: PublicMatch | None


class _Update(msgspec.Struct, frozen=True):
    seq: int
    news: tuple[NewsItem, ...]
    table: _PublicTable
    own: OwnView


class _ViewBody(msgspec.Struct, frozen=True):
    setup: _Setup
    update: _Update


_VIEW_DECODER = msgspec.json.Decoder(_ViewBody)


class TableView(msgspec.Struct, frozen=True, kw_only=True):
    """A table as this client sees it after the entry `seq` of its log.

    `seats`: the number of seats for the next match. `news`: the public history after the view that was asked for, at
    most 100 items for each request. `rules_json`: the rules of the match, or of the next one between matches.
    """

    code: str
    title: str
    seats: int
    seq: int
    stage: Stage
    players: tuple[TablePlayer, ...]
    paused: bool
    match: PublicMatch | None
    own: OwnView
    news: tuple[NewsItem, ...]
    rules_json: bytes

    @property
    def rules(self) -> Ruleset:
        """The rules of the match, or those of the next one between matches."""
        return _ruleset_of(self.rules_json)

    @property
    def is_over(self) -> bool:
        """Whether the latest match is over."""
        return self.stage == "over"

    @property
    def seat_names(self) -> tuple[str, ...]:
        """The names by seat of the match (`result_names`), or of the players before the first match."""
        names = tuple(player.name for player in self.players)
        return names if self.match is None else result_names(names[: len(self.match.dice)], self.match.stand_ins)

    @property
    def on_turn(self) -> bool:
        """Whether the match waits for a move of this client."""
        return self.may_act and self.match is not None and self.match.turn == self.own.seat

    @property
    def may_act(self) -> bool:
        """Whether this client may move now: on its turn, or to call the standing bid out of turn."""
        return bool(self.moves or self.own.unlimited)

    @property
    def hand(self) -> tuple[int, ...]:
        """The dice of this client, empty between rounds and for a spectator."""
        return self.own.hand

    @property
    def others(self) -> tuple[int, ...]:
        """The number of hidden dice of each other seat that has any, in seat order."""
        held, shown = ((), ()) if self.match is None else (self.match.dice, self.match.shown)
        hidden = [dice - sum(map(len, shown[seat : seat + 1])) for seat, dice in enumerate(held)]
        return tuple(dice for seat, dice in enumerate(hidden) if dice and seat != self.own.seat)

    def showable(self, bid: Bid) -> tuple[int, ...]:
        """The own dice that may be shown with a bid (`BidAndShow`), of which at least one has to stay hidden."""
        places = self.own.showable[bid.face - 1] if self.own.showable else ()
        return tuple(die for die in map(self.own.hand.__getitem__, places) if die == bid.face or not bid.pure)

    @property
    def bid(self) -> Bid | None:
        """The standing bid, None before the first one of a round."""
        return self.match.bids_made[-1][1] if self.match is not None and self.match.bids else None

    @property
    def legal_bids(self) -> tuple[Bid, ...]:
        """The legal bids of this client, none out of turn. With `own.unlimited`, higher ones are legal, too."""
        return bids_in(self.own.bids)

    @property
    def moves(self) -> tuple[PlayerAction, ...]:
        """The legal moves of this client: bids, calls, passes, answers, directions, the declaration, kinds."""
        own, calls = self.own, {name: getattr(self.own, name) for name in ("challenge", "double", "exact", "declare")}
        passes = {"passing": own.may_pass, "challenge_pass": own.challenge_pass}
        return list_moves(
            self.legal_bids, directions=own.directions, answers=own.answers, kinds=own.kinds, **calls, **passes
        )


@lru_cache(32)
def _ruleset_of(rules_json: bytes) -> Ruleset:
    """Decode rules, whose check can take a noticeable time."""
    return msgspec.json.decode(rules_json, type=Ruleset)


def read_view(body: bytes) -> TableView:
    """Return the view in the body of a response. Raises `msgspec.DecodeError`."""
    decoded = _VIEW_DECODER.decode(body)
    setup, update, table = decoded.setup, decoded.update, decoded.update.table
    match_rules = bytes(setup.match_rules)
    in_match = table.stage == "playing" and match_rules != b"null"
    return TableView(
        code=setup.code,
        title=setup.config.title,
        seats=setup.config.seats,
        seq=update.seq,
        stage=table.stage,
        players=table.players,
        paused=table.paused,
        match=table.match,
        own=update.own,
        news=update.news,
        rules_json=match_rules if in_match else bytes(setup.config.ruleset),
    )
