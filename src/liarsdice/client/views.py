"""What a program sees of a table: the values of `wire`, and shortcuts for a player."""

from __future__ import annotations

from functools import lru_cache

import msgspec

from liarsdice.core.actions import PlayerAction
from liarsdice.core.bids.bid_chart import bids_in
from liarsdice.core.engine.legal import list_moves, permitted_by
from liarsdice.core.records.record import result_names
from liarsdice.core.rules.bids import Bid
from liarsdice.core.rules.ruleset import Ruleset
from liarsdice.wire import NewsItem, PlayerView, PublicMatch, PublicPlayer, Stage, Update


class _Config(msgspec.Struct, frozen=True):
    title: str
    ruleset: msgspec.Raw
    seats: int
    best_of: int = 1


class _Setup(msgspec.Struct, frozen=True):
    code: str
    config: _Config
    match_rules: msgspec.Raw


class _ViewBody(msgspec.Struct, frozen=True):
    setup: _Setup
    update: Update


_VIEW_DECODER = msgspec.json.Decoder(_ViewBody)


class TableView(msgspec.Struct, frozen=True, kw_only=True):
    """A table as this client sees it after the entry `seq` of its log.

    `seats`: the number of seats for the next match. `news`: the public history after the view that was asked for, at
    most 100 items for each request. `rules_json`: the rules of the match, or of the next one between matches.
    `best_of`: the matches of a series, whose `wins` each of the `players` has; 1 for single matches.
    """

    code: str
    title: str
    seats: int
    seq: int
    stage: Stage
    players: tuple[PublicPlayer, ...]
    paused: bool
    match: PublicMatch | None
    own: PlayerView
    news: tuple[NewsItem, ...]
    rules_json: bytes
    best_of: int = 1
    series_winner_id: int | None = None

    @property
    def rules(self) -> Ruleset:
        """The rules of the match, or those of the next one between matches."""
        return _ruleset_of(self.rules_json)

    @property
    def is_over(self) -> bool:
        """Whether the latest match is over."""
        return self.stage is Stage.OVER

    @property
    def series_winner(self) -> str | None:
        """The name of the winner of the series; None before its end, and at a table without a series."""
        return next((player.name for player in self.players if player.id == self.series_winner_id), None)

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
        return list_moves(self.legal_bids, permitted_by(self.own))


@lru_cache(32)
def _ruleset_of(rules_json: bytes) -> Ruleset:
    """Decode rules, whose check can take a noticeable time."""
    return msgspec.json.decode(rules_json, type=Ruleset)


def read_view(body: bytes) -> TableView:
    """Return the view in the body of a response. Raises `msgspec.DecodeError`."""
    decoded = _VIEW_DECODER.decode(body)
    setup, update, table = decoded.setup, decoded.update, decoded.update.table
    match_rules = bytes(setup.match_rules)
    in_match = table.stage is Stage.PLAYING and match_rules != b"null"
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
        best_of=setup.config.best_of,
        series_winner_id=table.series_winner,
    )
