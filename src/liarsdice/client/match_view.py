"""What a program sees of a match: the server's messages as typed values."""

from __future__ import annotations

import msgspec

from liarsdice.core.bids.bid_chart import BidRange
from liarsdice.core.engine.state import Phase
from liarsdice.core.events import EndReason, Revealed
from liarsdice.core.rules.bids import Bid
from liarsdice.core.rules.choices import Answer, Direction, RoundKind

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
