"""The estimates that a player asks for at a training table, from the view of their seat; for a worker process."""

from __future__ import annotations

import math
from functools import lru_cache

import msgspec
from litestar import Response, get
from litestar.enums import MediaType
from litestar.params import FromPath, FromQuery

from liarsdice.bots.neural.belief import BidSignal, CountBelief
from liarsdice.bots.neural.explain import Explanation, MoveEstimate, explain
from liarsdice.bots.neural.features import ACTION_COUNT
from liarsdice.core.actions import Deal, Move, Penalise
from liarsdice.core.bids.odds import to_percent
from liarsdice.core.engine.engine import decide, start
from liarsdice.core.engine.evolve import evolve_all
from liarsdice.core.engine.legal import legal
from liarsdice.core.engine.state import Phase
from liarsdice.core.engine.view import View, view
from liarsdice.core.errors import IllegalActionError, UnavailableError
from liarsdice.core.events import StarterFound
from liarsdice.core.rules.bids import Bid
from liarsdice.core.rules.choices import StarterMethod
from liarsdice.core.rules.presets import preset
from liarsdice.core.text.narration import BidReading, BidReason, DecisionReason, MoveReason, ReasonRole, RivalLosses
from liarsdice.server.errors import ForbiddenError
from liarsdice.server.http.address_limits import client_address
from liarsdice.server.http.app_state import AppRequest, AppState, find_table
from liarsdice.server.http.auth import client_token, hash_token
from liarsdice.server.http.costly_work import QUICK_TRAINING_COST, TRAINING_COST
from liarsdice.server.http.error_responses import responses_with
from liarsdice.server.table.table_state import TableState
from liarsdice.values.judgement import DEALS, MIN_DEALS, Source

QUICK_DEALS = 48
"""How many deals a quick answer plays on."""
MAX_DICE_IN_TRAINING = 60
"""Ten players with six dice each. Beliefs about more dice would take seconds."""


def training_view(table: TableState, player_id: int | None) -> View:
    """Return the view whose estimates a player may ask for: that of the player's own seat, during the bidding.

    Raises `ForbiddenError` if the table is no training table or the client holds no seat in the match,
    `IllegalActionError` if no bid is awaited or the player is out, and `UnavailableError` if more than
    `MAX_DICE_IN_TRAINING` dice are in play.
    """
    if not table.config.training:
        raise ForbiddenError("this is no training table: its host has not switched estimates on")
    match, seat = table.ongoing_match, table.seat_of(player_id)
    if seat is None:
        raise ForbiddenError("only players at this table may ask for estimates")
    if match is None or match.state.phase is not Phase.BIDDING:
        raise IllegalActionError("there are estimates while players bid")
    state = match.state
    if seat >= len(state.names) or not state.dice[seat]:
        raise IllegalActionError("there are estimates for players with dice")
    if sum(state.dice) > MAX_DICE_IN_TRAINING:
        raise UnavailableError(f"there are estimates for up to {MAX_DICE_IN_TRAINING} dice in play")
    return view(state, seat, legal(state))


ENCODER = msgspec.json.Encoder()
LONGEST_CHANCE = 0.1234
"""A probability with as many characters as any in a reason."""
MAX_BONUS = 1
"""A hand counts for at most one die more than it has, for stairs."""


class CountEstimate(msgspec.Struct, frozen=True):
    """How many dice of another seat count for the standing bid: the percentage of each count from 0 up.

    `before`: going by the number of its dice alone. `after`: going by its bids, too.
    """

    seat: int
    before: tuple[int, ...]
    after: tuple[int, ...]


class BidEstimate(msgspec.Struct, frozen=True):
    """What a bid would tell the others: how many dice of the bidder count for it, as they would believe.

    `before`, `after`: the percentage of each count from 0 up, without and with the bid.
    """

    before: tuple[int, ...]
    after: tuple[int, ...]


class MoveWorth(msgspec.Struct, frozen=True):
    """A move that is worth comparing. `move`: a command that makes it, None to let the bid stand out of turn.

    `value`: the share of the match that the player wins with it if all play on as the champion does, in thousandths,
    and `error`: half of its 95% interval. `rank`: from 1; a move ranks behind those alone that are certainly worth
    more. `played`: how often the champion makes it, in percent. `right`: the percentage with which a bid is true or a
    call right, going by the bids; None for other moves. `tells`: what a bid would tell the others, None for other
    moves.
    """

    move: Move | None
    value: int
    error: int
    rank: int
    played: int
    right: int | None
    tells: BidEstimate | None


class TrainingResponse(msgspec.Struct, frozen=True):
    """The answer to `GET /api/tables/{code}/training`: estimates for the seat that asks, at a training table.

    `number`, `turn_id`: the match and the situation that they are about. All of them follow from what the seat
    sees. `source`: what the values of moves rest on; a quick answer is less certain by playouts alone. `likely`:
    the percentage with which the standing bid is true, going by your own dice; `likely_by_bids`: going by the bids,
    too; `exact_by_bids`: that it is exactly right. All three are None without a bid. `counts`: what each other seat
    may hold. `moves`: the most valuable first; empty for a seat that may do nothing, and by odds. `reason`: why a
    best one is better than another one. Spaces follow, so that the length of the answer does not depend on dice.
    """

    number: int
    turn_id: int
    source: Source
    likely: int | None
    likely_by_bids: int | None
    exact_by_bids: int | None
    counts: tuple[CountEstimate, ...]
    moves: tuple[MoveWorth, ...]
    reason: MoveReason | None


def compile_kernels() -> None:
    """Compile what plays deals on, or load what was compiled."""
    state = evolve_all(start(preset("perudo").ruleset, "ABC"), [StarterFound(0, StarterMethod.CHOSEN)])
    state = evolve_all(state, decide(state, None, Deal(((1, 2, 3, 4, 5),) * 3)))
    explain(view(state, 0), deals=MIN_DEALS)


def training_body(shown: View, number: int, turn_id: int, deals: int) -> bytes:
    """Return the `TrainingResponse` about a view as JSON, followed by spaces.

    `deals`: how many are played on for the values of moves.
    Its length depends on public facts only: the numbers of dice, and whether there is a standing bid.
    """
    body = ENCODER.encode(_response(explain(shown, deals=deals), number, turn_id))
    assert shown.seat is not None
    others = tuple(held for seat, held in enumerate(shown.dice) if held and seat != shown.seat)
    longest = _longest(others, shown.dice[shown.seat], shown.ruleset.dice.faces, has_bid=shown.bid is not None)
    return body + b" " * (longest + len(str(number)) + len(str(turn_id)) - len(body))


def _response(explanation: Explanation, number: int, turn_id: int) -> TrainingResponse:
    standing = explanation.standing_bid
    signals = {signal.bid: signal for signal in explanation.signals}
    return TrainingResponse(
        number=number,
        turn_id=turn_id,
        source=explanation.source,
        likely=None if standing is None else to_percent(standing.p_true),
        likely_by_bids=None if standing is None else to_percent(standing.p_true_given_bids),
        exact_by_bids=None if standing is None else to_percent(standing.p_exact_given_bids),
        counts=tuple(map(_count_estimate, explanation.count_beliefs)),
        moves=tuple(_move_worth(estimate, signals) for estimate in explanation.moves[:ACTION_COUNT]),
        reason=explanation.reason,
    )


def _count_estimate(belief: CountBelief) -> CountEstimate:
    return CountEstimate(belief.seat, _percentages(belief.prior), _percentages(belief.posterior))


def _move_worth(estimate: MoveEstimate, signals: dict[Bid, BidSignal]) -> MoveWorth:
    p_right, move = estimate.p_right_given_bids, estimate.move
    assert not isinstance(move, Penalise), "a penalty is no move"
    signal = signals.get(move) if isinstance(move, Bid) else None
    return MoveWorth(
        move=move,
        value=to_percent(estimate.value, 1000),
        error=min(math.ceil(1000 * estimate.error), 1000),
        rank=estimate.rank,
        played=to_percent(estimate.prob),
        right=None if p_right is None else to_percent(p_right),
        tells=None if signal is None else BidEstimate(_percentages(signal.before), _percentages(signal.after)),
    )


def _percentages(probs: tuple[float, ...]) -> tuple[int, ...]:
    return tuple(map(to_percent, probs))


@lru_cache(4096)
def _longest(others: tuple[int, ...], own: int, faces: int, *, has_bid: bool) -> int:
    """Return the length of the longest answer with these dice, less the digits of the match and of the situation."""
    counts = {held: (100,) * (held + 1 + MAX_BONUS) for held in (*others, own)}
    tells = BidEstimate(counts[own], counts[own])
    most_dice = sum(others) + own + MAX_BONUS * (1 + len(others))
    longest_bid = MoveWorth(Bid(10 * most_dice, faces), 1000, 1000, ACTION_COUNT, 100, 100, tells)
    response = TrainingResponse(
        number=0,
        turn_id=0,
        source=max(Source, key=lambda source: len(source.value)),
        likely=100,
        likely_by_bids=100,
        exact_by_bids=100,
        counts=tuple(CountEstimate(10, counts[held], counts[held]) for held in others) if has_bid else (),
        moves=(longest_bid,) * ACTION_COUNT,
        reason=_longest_reason(Bid(10 * most_dice, faces)),
    )
    return len(ENCODER.encode(response)) - 2


def _longest_reason(bid: Bid) -> MoveReason:
    chances = (LONGEST_CHANCE, LONGEST_CHANCE)
    reading = BidReading(10, 10, opened=False, usual=10)
    part = BidReason(ReasonRole.STANDING, bid, 10, *chances, reading, LONGEST_CHANCE)
    rival = RivalLosses(10, chances)
    reason = DecisionReason(
        10, (part, part), challenge=False, exact=False, p_loses=chances, p_gains=chances, rival=rival
    )
    return MoveReason(ACTION_COUNT, tied=False, reason=reason)


@get("/api/tables/{code:str}/training", responses=responses_with(TrainingResponse))
async def training(
    request: AppRequest, state: AppState, code: FromPath[str], *, quick: FromQuery[bool] = False
) -> Response[bytes]:
    """Return estimates of hands and moves for one's own seat, where the table allows it.

    A `quick` answer plays fewer deals on, so that its values of moves are less certain.
    """
    address = client_address(request)
    live_table = await find_table(state, request, code)
    table = await live_table.state()
    player = table.player_by_token(hash_token(client_token(request)))
    shown = training_view(table, player.id if player else None)
    assert table.match is not None
    number, turn_id = table.match.number, table.match.turn_id
    deals = QUICK_DEALS if quick else DEALS

    async def compute() -> bytes:
        await state.costly_work.prepare(compile_kernels)
        return await state.costly_work.in_process(address, training_body, shown, number, turn_id, deals)

    key = ("training", live_table.code, number, turn_id, shown.seat, deals)
    body = await state.costly_work.cached(address, key, QUICK_TRAINING_COST if quick else TRAINING_COST, compute)
    return Response(body, media_type=MediaType.JSON)
