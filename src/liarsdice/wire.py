"""What a server tells of a table, as typed values: one definition for the server, its clients and the page.

The server builds each value field by field and leaves no secret in it. Docstrings call fields by their names in JSON.
"""

from __future__ import annotations

from typing import Literal

import msgspec

from liarsdice.core.bids.bid_chart import BidRange
from liarsdice.core.engine.state import Phase
from liarsdice.core.engine.view import PublicPenalty
from liarsdice.core.events import Cause, EndReason, PublicEvent, Revealed, StarterRolled
from liarsdice.core.rules.bids import Bid
from liarsdice.core.rules.choices import Answer, Choice, Direction, PenaltyTrigger, RoundKind

BidPair = tuple[int, int]
"""A bid as (quantity, face)."""


class Stage(Choice):
    """Where a table is: before its first match, in a match, or after one."""

    GATHERING = "gathering"
    PLAYING = "playing"
    OVER = "over"


class PlayoutSpeed(Choice):
    """How fast bots play out a match in which nobody else has dice left: as always, faster, or at once."""

    NORMAL = "normal"
    FAST = "fast"
    AT_ONCE = "at_once"


class CallGuess(msgspec.Struct, frozen=True):
    """The guess of an eliminated player in `seat`: `caller` calls next, and the call is `right` or not."""

    seat: int
    caller: int
    right: bool


class DiceChange(msgspec.Struct, frozen=True):
    """Dice that a seat lost or gained by a call, or lives where the rules have them.

    `dice`: how many. `left`: how many the seat has now. `to`: the seat that received what was lost, None if nobody did.
    """

    seat: int
    dice: int
    left: int
    cause: Cause
    to: int | None = None


class Verdict(msgspec.Struct, frozen=True):
    """The latest call and its outcome.

    `exact`: an exact call, otherwise a challenge: of the bid of `bidder`, or of their pass if `reveal` has `pass_hand`.
    `right`: whether the caller was right. `out`: the seats that were eliminated. `next_starter` and `special_seat` are
    None if the match is over or no special round follows. `opening`: a challenge of the opening bid that costs more
    than others. `double`: one for twice the stake, and `redoubled` if the bidder doubled it again.
    """

    exact: bool
    caller: int
    bidder: int
    out_of_turn: bool
    right: bool
    reveal: Revealed
    losses: tuple[DiceChange, ...]
    gains: tuple[DiceChange, ...]
    out: tuple[int, ...]
    next_starter: int | None
    special_seat: int | None
    opening: bool = False
    double: bool = False
    redoubled: bool = False


class NewsKind(Choice):
    """What happened at a table outside the match."""

    OPENED = "opened"
    JOINED = "joined"
    LEFT = "left"
    REMOVED = "removed"
    HOST = "host"
    MUTED = "muted"
    UNMUTED = "unmuted"
    PAUSED = "paused"
    RESUMED = "resumed"
    STAND_IN = "stand_in"
    BACK = "back"
    CHANGED = "changed"
    ACCEPTED = "accepted"
    HURRIED = "hurried"
    SKIPPED = "skipped"
    ACCUSED = "accused"
    LET_PASS = "let_pass"  # noqa: S105  no password
    TOOK = "took"
    TIME_UP = "time_up"
    LOCKED = "locked"
    UNLOCKED = "unlocked"
    ARRANGED = "arranged"


class Said(msgspec.Struct, frozen=True, tag="said"):
    """A line of table talk and the id of the player who sent it."""

    player: int
    text: str


class Notice(msgspec.Struct, frozen=True, tag="notice"):
    """Something that happened at the table outside the match, and the id of the player concerned, if any."""

    kind: NewsKind
    player: int | None = None
    trigger: PenaltyTrigger | None = None
    offence: str = ""


class Happened(msgspec.Struct, frozen=True, tag="happened"):
    """A public event of the match. It contains hands only after a call has revealed them."""

    event: PublicEvent | PublicPenalty


class NewsItem(msgspec.Struct, frozen=True):
    """One line of the table's public history.

    `seq`: the entry of the log that it comes from; several lines can share one. `at_ms`: milliseconds since 1970.
    """

    seq: int
    at_ms: int
    content: Said | Notice | Happened


class PublicPlayer(msgspec.Struct, frozen=True, omit_defaults=True):
    """A person or bot at the table, as everybody sees them. A seat is a place in `players`.

    `id` stays the same while the player is at the table. `bot`: the name of the bot that owns the seat. `stand_in`: a
    bot plays for a person. `gone`: the player left during the match. `bank_ms`: the time bank before this turn.
    `committed`: the player committed to a seed for the dice of the next match. `asked_about_rules`: the player has not
    accepted changed rules yet, which no match begins without. `face`: the number of the picture that a person chose.
    `program`: a program holds the seat. `wins`: the matches of the series that the player has won.
    """

    id: int
    name: str
    bot: str | None = None
    stand_in: bool = False
    gone: bool = False
    host: bool = False
    muted: bool = False
    bank_ms: int = 0
    committed: bool = False
    asked_about_rules: bool = False
    face: int = 0
    program: bool = False
    wins: int = 0


class SeedExchange(msgspec.Struct, frozen=True):
    """The seeds of the players for the dice of a match that has begun, until the dealer acts for the first time.

    `commitments`: the SHA-256 of the seed of each seat, "" for a seat without one. `revealed`: the seats that have
    revealed theirs with `reveal_seed`. The dealer waits up to 5 seconds for the others, or 20 if only one person plays.
    """

    commitments: tuple[str, ...]
    revealed: tuple[int, ...]


class Accusation(msgspec.Struct, frozen=True):
    """An open accusation. `dice`: what the penalty costs. `denied`: the accused denied it.

    `judges`: the ids of the players who may vote on it now, or of the host who decides alone. `accuser`: the id of the
    player who said so, or who gains by it at a table of two, and may withdraw it. `takes`, `passes`: the votes for the
    penalty and against it.
    """

    number: int
    player: int
    trigger: PenaltyTrigger
    dice: int
    denied: bool
    offence: str = ""
    judges: tuple[int, ...] = ()
    accuser: int | None = None
    takes: int = 0
    passes: int = 0


class PublicMatch(msgspec.Struct, frozen=True):
    """What everybody may know of a match.

    Per seat: `dice`, `lives` where the rules have them, and what `pending` penalties cost. `bids`: the bids of the
    round as (seat, (quantity, face)); `pure`: the places in `bids` of pure ones. `passes`: those of the round as (seat,
    number of bids before). `turn_id` identifies this situation; a move names it. `turn`: the seat on turn, None while
    nobody has to act. `top`: the highest quantity that can be bid, None for no limit. `factor` multiplies what a wrong
    call out of turn costs. `ready`: those of `watching` who have finished looking at the reveal. `places`: the place of
    each seat, 1 for the winners, empty during a match. `stand_ins`: the seats of people for whom a bot played when they
    went out or the match ended, so that their results are those of a bot (`result_names`). `speed`: how fast bots play;
    `only_bots_left`: nobody else has dice, so that this can be changed. `shown`: the dice of each seat in the open,
    empty if nobody has any. `doubled`: the seats that doubled the call that waits for an answer, the challenger and
    then the bidder. `kind`: what the opener of the round chose, None before that; absent in a round without this
    choice. `guess_points`: the points of each seat for guesses about calls, empty before the first. `seeds`: how far
    the seeds for the dice are revealed, None once the dealer has acted. `left_ms`: the milliseconds that the player on
    turn has left, time bank included, None without a clock. `turn_ms`: the time of a whole turn without the bank.
    `resumes_ms`: the milliseconds until the match goes on at the latest. `claimed`: the latest bid is claimed to be
    exact.
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
    face_locked: bool
    factor: int
    exact_calls: tuple[int, ...]
    pending: tuple[int, ...]
    starter_rolls: tuple[StarterRolled, ...]
    verdict: Verdict | None
    ready: tuple[int, ...]
    watching: tuple[int, ...]
    places: tuple[int, ...]
    winners: tuple[int, ...]
    end_reason: EndReason | None
    seeds: SeedExchange | None
    left_ms: int | None
    turn_ms: int | None
    resumes_ms: int | None
    speed: PlayoutSpeed = PlayoutSpeed.NORMAL
    only_bots_left: bool = False
    guess_points: tuple[int, ...] = ()
    stand_ins: tuple[int, ...] = ()
    lives: tuple[int, ...] = ()
    pure: tuple[int, ...] = ()
    shown: tuple[tuple[int, ...], ...] = ()
    passes: tuple[tuple[int, int], ...] = ()
    doubled: tuple[int, ...] = ()
    kind: RoundKind | msgspec.UnsetType | None = msgspec.UNSET
    claimed: bool | msgspec.UnsetType = msgspec.UNSET

    @property
    def bids_made(self) -> tuple[tuple[int, Bid], ...]:
        """The bids of the round with their seats, in order."""
        return tuple((seat, Bid(*pair, place in self.pure)) for place, (seat, pair) in enumerate(self.bids))


class PublicTable(msgspec.Struct, frozen=True):
    """What everybody may know of a table.

    `commitment`: during a match its promise, the hash of all that its dice depend on and that was fixed when it began;
    otherwise the hash of the server's secret seed for the next match. `stalled_at_ms`: the time in milliseconds since
    1970 from which on any player may become host, because no match begins; None without such a time. `rematch`: the ids
    of the players who want the next match to begin; `seating`: in which order they sit then, if the host has chosen it
    since the last match; `begins_ms`: the milliseconds until it does with those who are ready, None without such a
    time. `group`: the code of the group that the matches count for, "" for none. `series_winner`: the id of the player
    who has won the series, None while it goes on and at a table without one.
    """

    stage: Stage
    players: tuple[PublicPlayer, ...]
    paused: bool
    accusations: tuple[Accusation, ...]
    commitment: str
    match: PublicMatch | None
    stalled_at_ms: int | None = None
    rematch: tuple[int, ...] = ()
    seating: tuple[int, ...] = ()
    begins_ms: int | None = None
    group: str = ""
    series_winner: int | None = None


class PlayerView(msgspec.Struct, frozen=True):
    """What only one player may see. For a spectator, `player` is None and the other fields are empty.

    `seat`: the player's place in `players`, None for a player who came after the match began. `counts`: the places in
    `hand` of the dice that count for the standing bid. `bids`: the legal bids as ranges of quantities; with
    `unlimited`, higher ones are legal, too. `may_double`: the player may challenge for twice the stake. `may_answer`:
    the legal answers to such a challenge. `may_declare`: the player may declare the round special. `may_choose_kind`:
    those of the round of which the player chooses one. `may_pass`, `may_challenge_pass`: the player may pass, and doubt
    the latest pass; `pass_odds`: the probability in percent that the dice of that hand allow it, if the table allows
    hints. `odds`, `standing_odds`, `exact_odds`: probabilities in percent of each legal bid, of the standing bid, and
    of the standing bid being exactly right, if the table allows hints; 100 only for certainty, 0 only for
    impossibility. `odds` are in the order of the quantities of the bids, and among equal ones in the order of the
    ranges; there are none of very many bids. `may_challenge`, `may_call_exact`, `may_set_direction`: the other legal
    moves. `cups`: the hands of the others where this player sees them, or those of all seats, for a player who is out
    and can tell nobody about them, else empty. `guess`: what the player has guessed about the next call; `may_guess`:
    the player may guess now. `showable`: by face from 1, the places in `hand` of the dice that may be shown with a bid
    on it, one of which has to stay hidden; empty if none may now. `pure_showable`: the same for pure bids. Dice in the
    open come first in `hand` and in `cups`. `may_claim_exact`: the player may claim that the standing bid is exact.
    `may_reroll`: the player may roll all dice again. In
    an update, spaces follow the view, so that the length of the message does not depend on the dice.
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
    may_challenge: bool = False
    may_call_exact: bool = False
    may_set_direction: tuple[Direction, ...] = ()
    cups: tuple[tuple[int, ...], ...] = ()
    guess: CallGuess | None = None
    may_guess: bool = False
    showable: tuple[tuple[int, ...], ...] = ()
    pure_showable: tuple[tuple[int, ...], ...] = ()
    may_double: bool = False
    may_declare: bool = False
    may_pass: bool = False
    may_challenge_pass: bool = False
    pass_odds: int | None = None
    may_answer: tuple[Answer, ...] = ()
    may_choose_kind: tuple[RoundKind, ...] = ()
    may_claim_exact: bool = False
    may_reroll: bool = False


class Update(msgspec.Struct, frozen=True, tag="update"):
    """The table after the entry `seq` of its log, with the news since the client's last update (at most 100 items)."""

    seq: int
    news: tuple[NewsItem, ...]
    table: PublicTable
    own: PlayerView


class TableSummary(msgspec.Struct, frozen=True):
    """A table as the lobby and the join page show it.

    `player_names`: the names of its players. `locked`: nobody new may join. `invite`: the path of its invite link.
    `best_of`: the matches of a series, 1 for single matches. Only for a single table: `seated`: the client that asks
    holds a seat; `opener`: it opened the table, and may sit down although it is locked; `on_turn`: the match waits for
    its move; `matches`: how many matches are over.
    """

    code: str
    title: str
    game: str
    rules_name: str
    stage: Stage
    player_names: tuple[str, ...]
    seats: int
    spectators: bool
    hints: bool
    training: bool
    locked: bool
    invite: str
    best_of: int = 1
    seated: bool = False
    opener: bool = False
    on_turn: bool = False
    matches: int = 0


class SeatResponse(msgspec.Struct, frozen=True):
    """The table at which the client has a seat now: its code and the id of the player.

    `player` is None if the host decides who sits down, and has been asked.
    """

    code: str
    player: int | None


class WebhookEvent(msgspec.Struct, frozen=True):
    """What a webhook tells of a table and the match with a number.

    `turn_id`: the turn that a move has to name. `player`: the id of the player who gets the webhook. `winners`: the
    winners' seats, once the match is over. `stand_ins`: as in `PublicMatch`, once the match is over.
    """

    event: Literal["turn", "match_over"]
    table: str
    match: int
    turn_id: int
    player: int
    winners: tuple[int, ...] = ()
    stand_ins: tuple[int, ...] = ()
