"""Builds what a client sees of a table: the public part for everybody, and for each seat what only that player may see.

Every view is a type of its own that is filled field by field, so that no secret can be left in it by mistake.
"""

from __future__ import annotations

from functools import lru_cache

import msgspec

from liarsdice.bots.simple.bid_odds import BidOdds
from liarsdice.core.bids.bid_chart import bid_ranges
from liarsdice.core.bids.odds import p_pass, to_percent
from liarsdice.core.engine.legal import LegalMoves, legal, may_show, permitted_by, showable_places
from liarsdice.core.engine.state import Phase, State
from liarsdice.core.engine.view import view
from liarsdice.core.rules.bid_space import max_quantity, ordinary_quantity
from liarsdice.core.rules.bids import Bid, face_order
from liarsdice.core.rules.meaning import (
    bids_are_about_own_dice,
    doubles_are_answered,
    has_pure_bids,
)
from liarsdice.core.rules.parts import find_penalty
from liarsdice.core.rules.rule_costs import MAX_BIDS_WITH_ODDS, MAX_DICE_WITH_ODDS
from liarsdice.core.rules.ruleset import Ruleset
from liarsdice.core.rules.tally import Hand, places_that_may_count
from liarsdice.play.match_runner import final_places
from liarsdice.play.provable_dice import commitment_to
from liarsdice.server.protocol.messages import (
    BannedPlayer,
    ChartCell,
    OpenSeatRequest,
    TableSetup,
)
from liarsdice.server.table.deadlines import reveal_viewers, turn_ms
from liarsdice.server.table.reducer import is_out, judges, only_bots_left, own_guess, sees_all_cups
from liarsdice.server.table.seating import active_bans, is_asked, open_requests
from liarsdice.server.table.table_state import MatchState, OpenAccusation, Player, TableState
from liarsdice.wire import Accusation, PlayerView, PublicMatch, PublicPlayer, PublicTable, SeedExchange

MAX_CHART_ROWS = 100
MAX_CHARTS = 32
"""How many bid charts are kept, so that tables with the same rules share one."""


def table_setup(table: TableState) -> TableSetup:
    """Return what seldom changes during a match."""
    rules = table.config.ruleset
    seats = table.config.seats if table.ongoing_match is None else len(table.ongoing_match.state.names)
    return TableSetup(
        code=table.code,
        config=table.config,
        faces=face_order(rules),
        cells=_chart_cells(rules, seats),
        banned=tuple(BannedPlayer(ban.player, ban.name, ban.last_match is None) for ban in active_bans(table)),
        locked=table.locked,
        requests=tuple(OpenSeatRequest(request.number, request.name) for request in open_requests(table)),
        match_rules=_match_rules(table),
        agreed_config=table.agreed_config,
    )


def _match_rules(table: TableState) -> Ruleset | None:
    rules = None if table.match is None else table.match.state.ruleset
    return None if rules == table.config.ruleset else rules


def setup_changed(before: TableState, after: TableState) -> bool:
    """Return whether the setup of a table may have changed between two states."""
    return any(
        getattr(before, field) is not getattr(after, field)
        for field in ("config", "stage", "bans", "locked", "seat_requests", "agreed_config")
    )


@lru_cache(MAX_CHARTS)
def _chart_cells(rules: Ruleset, seats: int) -> tuple[ChartCell, ...]:
    """Return every bid of the bid chart; where special bids convert, each stands above all bids that it beats."""
    highest = max_quantity(rules, (rules.dice.per_player,) * seats)
    top = min(seats * rules.dice.per_player if highest is None else highest, MAX_CHART_ROWS)
    return tuple(
        ChartCell(quantity, face, ordinary_quantity(rules, Bid(quantity, face)))
        for quantity in range(1, top + 1)
        for face in face_order(rules)
    )


def public_table(table: TableState, left_ms: int | None) -> PublicTable:
    """Return what everybody may know of a table. `left_ms`: the milliseconds until the next deadline."""
    match = table.match
    return PublicTable(
        stage=table.stage,
        players=tuple(_public_player(table, player) for player in table.players),
        paused=table.paused,
        accusations=tuple(_accusation(table, item) for item in table.accusations),
        commitment=_commitment(table),
        match=None if match is None else _public_match(table, match, left_ms),
        stalled_at_ms=table.stalled_at_ms,
        rematch=table.rematch,
        seating=table.seating,
        group=table.group,
        begins_ms=left_ms if table.ongoing_match is None else None,
        series_winner=None if table.series_winner is None else table.series_winner.id,
    )


def _commitment(table: TableState) -> str:
    match = table.ongoing_match
    if match is None:
        return commitment_to(table.next_server_seed)
    return match.promise or commitment_to(match.server_seed)


def _seed_exchange(match: MatchState) -> SeedExchange | None:
    if not match.accepts_seeds:
        return None
    return SeedExchange(match.seed_commitments, tuple(seat for seat, seed in enumerate(match.seeds) if seed))


def _accusation(table: TableState, item: OpenAccusation) -> Accusation:
    penalty = find_penalty(table.config.ruleset.penalties, item.trigger, item.offence or "")
    dice = 0 if penalty is None else penalty.dice
    takes = sum(item.votes.values())
    return Accusation(
        number=item.number,
        player=item.player,
        trigger=item.trigger,
        dice=dice,
        denied=item.denied,
        offence=item.offence or "",
        judges=judges(table, item),
        accuser=item.accuser,
        takes=takes,
        passes=len(item.votes) - takes,
    )


def _public_player(table: TableState, player: Player) -> PublicPlayer:
    return PublicPlayer(
        id=player.id,
        name=player.name,
        bot=player.bot,
        stand_in=player.stand_in,
        gone=player.gone,
        host=player.id == table.host,
        muted=player.muted,
        bank_ms=player.bank_ms,
        committed=player.seed_commitment != "",
        asked_about_rules=is_asked(table, player),
        face=player.face,
        program=player.program,
        wins=player.wins,
    )


def _public_match(table: TableState, match: MatchState, left_ms: int | None) -> PublicMatch:
    state = match.state
    bidding = state.phase is Phase.BIDDING
    clock_ms = turn_ms(table)
    person_on_turn = bidding and not table.players[state.turn].played_by_bot
    pending = [0] * len(state.names)
    for penalty in state.penalties:
        pending[penalty.seat] += penalty.dice
    return PublicMatch(
        number=match.number,
        turn_id=match.turn_id,
        phase=state.phase,
        round_number=state.round_number,
        dice=state.dice,
        direction=state.direction,
        starter=state.starter,
        turn=state.turn if bidding else None,
        top=state.max_quantity,
        bids=tuple((seat, (bid.quantity, bid.face)) for seat, bid in state.bids),
        wilds_count=state.wilds_count,
        special_seat=state.special_seat,
        face_locked=state.face_locked,
        factor=state.ruleset.loss.challenge_factor(out_of_turn=True, opening=len(state.bids) == 1),
        exact_calls=state.exact_calls,
        pending=tuple(pending),
        starter_rolls=match.starter_rolls if state.round_number == 0 else (),
        verdict=match.verdict,
        ready=match.ready,
        watching=reveal_viewers(table) if match.verdict else (),
        places=final_places(match.state, match.out) if match.over else (),
        winners=state.winners,
        end_reason=state.end_reason,
        seeds=_seed_exchange(match),
        left_ms=left_ms if person_on_turn and clock_ms is not None and not table.paused else None,
        turn_ms=clock_ms,
        resumes_ms=None if bidding or table.paused else left_ms,
        speed=match.speed,
        only_bots_left=only_bots_left(table),
        guess_points=match.guess_points,
        stand_ins=match.stand_ins,
        lives=state.lives,
        pure=tuple(place for place, (_, bid) in enumerate(state.bids) if bid.pure),
        shown=state.shown,
        passes=state.passes,
        doubled=_doubled_by(state),
        kind=state.kind if state.kind or state.kinds else msgspec.UNSET,
        claimed=state.claimed or msgspec.UNSET,
    )


def _doubled_by(state: State) -> tuple[int, ...]:
    if not doubles_are_answered(state.ruleset):
        return ()
    if state.doubled_by is None or state.bidder is None:
        return ()
    return (state.doubled_by, state.bidder) if state.redoubled else (state.doubled_by,)


def player_view(table: TableState, player_id: int | None, moves: LegalMoves | None = None) -> PlayerView:
    """Return what only one player sees and may do; a spectator (None) sees and may do nothing.

    `moves`: the legal moves of the match, if the caller has them already.
    """
    match = table.match
    seat = table.seat_of(player_id)
    if seat is None or match is None:
        return PlayerView(seat, player_id)
    if seat >= len(match.state.names):
        return PlayerView(None, player_id)
    state = match.state
    moves = legal(state) if moves is None else moves
    seen = view(state, seat, moves)
    hand = seen.hand
    may_act = not table.paused
    on_turn = may_act and seat == moves.turn
    bids = moves.bids if on_turn else ()
    with_pure = has_pure_bids(state.ruleset)
    may_call_exact = seat in moves.exact_callers
    shows_odds = table.config.hints and state.hands and state.dice[seat] and sum(state.dice) <= MAX_DICE_WITH_ODDS
    odds = BidOdds(seen) if shows_odds and state.phase is Phase.BIDDING else None
    return PlayerView(
        seat=seat,
        player=player_id,
        hand=hand,
        counts=_counting_dice(state, seat, hand),
        bids=bid_ranges(bids, state.bid_space.kinds),
        unlimited=on_turn and moves.unlimited,
        odds=tuple(to_percent(odds.p_bid(bid)) for bid in bids) if odds and len(bids) <= MAX_BIDS_WITH_ODDS else (),
        standing_odds=to_percent(odds.p_standing) if odds and state.bids else None,
        exact_odds=to_percent(odds.p_exact) if odds and state.bids and may_call_exact else None,
        cups=state.hands if sees_all_cups(table, player_id) else seen.seen,
        guess=own_guess(table, player_id),
        may_guess=is_out(table, player_id) and own_guess(table, player_id) is None,
        pass_odds=_pass_odds(state, shown=odds is not None and on_turn and moves.may_challenge_pass),
        showable=_showable_by_face(state, hand, pure=False, on_turn=on_turn),
        pure_showable=_showable_by_face(state, hand, pure=True, on_turn=on_turn) if with_pure else (),
        **(permitted_by(seen) if may_act else {}),
    )


def _pass_odds(state: State, *, shown: bool) -> int | None:
    return to_percent(p_pass(state.ruleset, state.dice[state.passer])) if shown and state.passer is not None else None


def _showable_by_face(state: State, hand: Hand, *, pure: bool, on_turn: bool) -> tuple[tuple[int, ...], ...]:
    """Return the places of the dice that may be shown with a bid on each face; empty if none may be shown now."""
    faces = range(1, state.ruleset.dice.faces + 1) if on_turn and may_show(state) else ()
    return tuple(showable_places(state, hand, Bid(1, face, pure)) for face in faces)


def _counting_dice(state: State, seat: int, hand: Hand) -> tuple[int, ...]:
    """Return the places of the dice that count for the standing bid in the hand that a seat sees, as far as known."""
    if not state.bids or not hand or (bids_are_about_own_dice(state.ruleset) and state.bidder != seat):
        return ()
    return places_that_may_count(state.ruleset, hand, state.bids[-1][1].face, wilds_count=state.wilds_in_challenge)
