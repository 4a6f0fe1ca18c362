"""Building what a table shows: the public part once for everybody, and for each seat what it alone may see."""

from __future__ import annotations

from liarsdice.bots.simple.bid_odds import Outlook
from liarsdice.core.engine.legal import Legal
from liarsdice.core.engine.state import Phase
from liarsdice.core.engine.view import View, view
from liarsdice.core.rules.bids import Bid, biddable_faces, highest_quantity, ordinary_quantity
from liarsdice.core.rules.ruleset import Ruleset
from liarsdice.core.rules.tally import tally
from liarsdice.play.provable_dice import commitment_to
from liarsdice.server.protocol.messages import (
    Accusation,
    ChartCell,
    MatchSeen,
    Own,
    PlayerSeen,
    Setting,
    TableSeen,
    pair,
)
from liarsdice.server.table.deadlines import turn_ms, watchers
from liarsdice.server.table.table_state import MatchState, Player, TableState

MOST_ROWS = 100
MOST_DICE_WITH_ODDS = 100
"""Ten cups of ten: to work out chances among more would keep every table waiting."""


def setting_of(table: TableState) -> Setting:
    """What stays as it is during a match."""
    rules = table.options.ruleset
    seats = table.options.seats if table.playing is None else len(table.playing.state.names)
    return Setting(
        code=table.code,
        options=table.options,
        faces=biddable_faces(rules.bidding, rules.dice),
        cells=_cells(rules, seats),
    )


def _cells(rules: Ruleset, seats: int) -> tuple[ChartCell, ...]:
    """Every bid of the picker by its place. Where ones are converted, k of them stand above all that they beat."""
    highest = highest_quantity(rules, (rules.dice.per_player,) * seats)
    top = min(seats * rules.dice.per_player if highest is None else highest, MOST_ROWS)
    return tuple(
        ChartCell(quantity, face, ordinary_quantity(rules, Bid(quantity, face)))
        for quantity in range(1, top + 1)
        for face in biddable_faces(rules.bidding, rules.dice)
    )


def table_seen(table: TableState, left_ms: int | None) -> TableSeen:
    """The public part of a table; `left_ms` is what is left until it goes on by itself."""
    match = table.match
    return TableSeen(
        stage=table.stage,
        players=tuple(_player_seen(table, one) for one in table.players),
        paused=table.paused,
        accusations=tuple(
            Accusation(
                one.number, one.player, one.trigger, _penalty_dice(table.options.ruleset, one.trigger), one.denied
            )
            for one in table.charges
        ),
        commitment=commitment_to(match.server_seed if match and not match.over else table.sealed),
        match=None if match is None else _match_seen(table, match, left_ms),
    )


def _penalty_dice(rules: Ruleset, trigger: object) -> int:
    return next((penalty.dice for penalty in rules.penalties if penalty.trigger is trigger), 0)


def _player_seen(table: TableState, one: Player) -> PlayerSeen:
    return PlayerSeen(
        id=one.id,
        name=one.name,
        bot=one.bot,
        stand_in=one.stand_in,
        gone=one.gone,
        host=one.id == table.host,
        muted=one.muted,
        bank_ms=one.bank_ms,
    )


def _match_seen(table: TableState, match: MatchState, left_ms: int | None) -> MatchSeen:
    state = match.state
    bidding = state.phase is Phase.BIDDING
    clock_ms = turn_ms(table)
    person = bidding and not table.players[state.turn].played_by_bot
    pending = [0] * len(state.names)
    for penalty in state.penalties:
        pending[penalty.seat] += penalty.dice
    return MatchSeen(
        number=match.number,
        mark=match.mark,
        phase=state.phase,
        round_number=state.round_number,
        dice=state.dice,
        direction=state.direction,
        starter=state.starter,
        turn=state.turn if bidding else None,
        top=state.top,
        bids=tuple((seat, pair(bid)) for seat, bid in state.bids),
        wilds_count=state.wilds_count,
        special_seat=state.special_seat,
        face_locked=state.face_locked,
        factor=state.ruleset.loss.out_of_turn_factor,
        exact_calls=state.exact_calls,
        pending=tuple(pending),
        rolls=match.rolls if state.round_number == 0 else (),
        verdict=match.verdict,
        ready=match.ready,
        watching=watchers(table) if match.verdict else (),
        places=(*state.winners, *reversed([seat for seat in match.out if seat not in state.winners])),
        winners=state.winners,
        end_reason=state.end_reason,
        left_ms=left_ms if person and clock_ms is not None else None,
        turn_ms=clock_ms,
        resumes_ms=None if bidding else left_ms,
    )


def own_seen(table: TableState, player: int | None, moves: Legal | None = None) -> Own:
    """What a player alone sees and may do; None is anybody without a seat. `moves`: as `view` takes them."""
    match = table.match
    seat = table.seat_of(player)
    if seat is None or match is None:
        return Own(seat, player)
    if seat >= len(match.state.names):
        return Own(None, player)
    seen = view(match.state, seat, moves)
    may = not table.paused
    told = sum(seen.dice) <= MOST_DICE_WITH_ODDS
    hints = table.options.hints and told and seen.phase is Phase.BIDDING and bool(seen.hand)
    outlook = Outlook(seen) if hints else None
    bids = seen.may_bid if may else ()
    return Own(
        seat=seat,
        player=player,
        hand=seen.hand,
        counts=_counting(seen),
        bids=tuple(map(pair, bids)),
        unlimited=seen.unlimited and may,
        odds=tuple(percent(outlook.p_bid(bid)) for bid in bids) if outlook else (),
        standing_odds=percent(outlook.p_standing) if outlook and seen.bid else None,
        exact_odds=percent(outlook.p_exactly) if outlook and seen.bid and seen.may_call_exact else None,
        challenge=seen.may_challenge and may,
        exact=seen.may_call_exact and may,
        directions=seen.may_set_direction if may else (),
    )


def percent(chance: float) -> int:
    """A chance in whole percent, never 0 or 100 unless it is certain.

    >>> percent(0.001), percent(1.0), percent(0.999)
    (1, 100, 99)
    """
    if chance in (0.0, 1.0):
        return round(100 * chance)
    return min(99, max(1, round(100 * chance)))


def _counting(seen: View) -> tuple[int, ...]:
    """Which of one's own dice are on the standing bid's side, as far as one can tell from them."""
    if seen.bid is None or not seen.hand:
        return ()
    elsewhere = (seen.bid.face,)  # somebody else may hold the natural die that wilds can depend on
    return tally(seen.ruleset, (seen.hand, elsewhere), seen.bid.face, wilds_count=seen.wilds_count).marked[0]
