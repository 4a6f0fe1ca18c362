"""Applying events: the only way in which a match changes. Events were judged before; nothing here refuses."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from liarsdice.core.engine.state import PendingPenalty, Phase, State, next_seat
from liarsdice.core.events import (
    BidMade,
    Challenged,
    Dealt,
    DiceGained,
    DiceLost,
    DirectionSet,
    Eliminated,
    Event,
    ExactCalled,
    MatchEnded,
    MatchStarted,
    Penalised,
    Revealed,
    RoundEnded,
    RoundStarted,
    StarterFound,
    StarterRolled,
)
from liarsdice.core.rules.bid_space import menu
from liarsdice.core.rules.bids import highest_quantity
from liarsdice.core.rules.choices import LockExempt, StarterMethod
from liarsdice.core.rules.tally import wilds_after_bid, wilds_at_start

replace = msgspec.structs.replace


def opened(event: MatchStarted) -> State:
    """The state before the first roll."""
    rules, count = event.ruleset, len(event.names)
    return State(
        ruleset=rules,
        menu=menu(rules),
        names=event.names,
        dice=(rules.dice.per_player,) * count,
        direction=rules.turn.direction,
        rolling=tuple(range(count)) if rules.first_starter.method is StarterMethod.HIGH_ROLL else (),
        exact_calls=(0,) * count,
    )


def evolve_all(state: State, events: Iterable[Event]) -> State:
    """The state after several events."""
    for event in events:
        state = evolve(state, event)
    return state


def evolve(state: State, event: Event) -> State:
    """The state after one event. Talk at the table is none and changes nothing (`TableTalk.ALLOWED`)."""
    match event:
        case BidMade():
            return _bid_made(state, event)
        case Dealt():
            return replace(state, hands=event.hands, phase=Phase.BIDDING)
        case RoundStarted():
            return _round_started(state, event)
        case Revealed():
            return replace(state, revealed=event, phase=Phase.DEAL)
        case DiceLost():
            return _dice_lost(state, event)
        case DiceGained():
            return replace(state, dice=_with(state.dice, event.seat, event.left))
        case RoundEnded():
            return _round_ended(state, event)
        case Challenged():
            return state
        case ExactCalled():
            calls = _with(state.exact_calls, event.seat, state.exact_calls[event.seat] + 1)
            return replace(state, exact_calls=calls)
        case Eliminated():
            return _eliminated(state, event.seat)
        case DirectionSet():
            return replace(state, direction=event.direction, direction_chosen=True)
        case Penalised():
            return _penalised(state, event)
        case StarterRolled():
            return replace(state, rolling=event.tied)
        case StarterFound():
            return replace(state, starter=event.seat, turn=event.seat, rolling=(), phase=Phase.DEAL)
        case MatchEnded():
            return replace(
                state,
                winners=event.winners,
                end_reason=event.reason,
                phase=Phase.OVER,
                hands=(),
                penalties=(),
            )
        case MatchStarted():
            return opened(event)


def _round_started(state: State, event: RoundStarted) -> State:
    rules, special, had = state.ruleset, event.special_seat, state.had_special
    may_exempt = rules.special_round is not None and rules.special_round.lock_exempt is LockExempt.HAD_SPECIAL
    return replace(
        state,
        round_number=event.number,
        starter=event.starter,
        turn=event.starter,
        direction=event.direction,
        direction_chosen=False,
        bids=(),
        top=highest_quantity(rules, state.dice),
        wilds_count=wilds_at_start(rules, special_round=special is not None),
        special_seat=special,
        exempt=had if special is not None and may_exempt else (),
        had_special=had if special is None or special in had else (*had, special),
    )


def _bid_made(state: State, event: BidMade) -> State:
    wilds = wilds_after_bid(state.ruleset, event.bid.face, wilds_count=state.wilds_count, opening=not state.bids)
    return replace(
        state,
        bids=(*state.bids, (event.seat, event.bid)),
        turn=next_seat(state.dice, event.seat, state.direction),
        wilds_count=wilds,
    )


def _dice_lost(state: State, event: DiceLost) -> State:
    dice = _with(state.dice, event.seat, event.left)
    if event.to is not None:
        dice = _with(dice, event.to, dice[event.to] + event.dice)
    if state.phase is Phase.BIDDING:
        return replace(state, dice=dice, top=highest_quantity(state.ruleset, dice))
    return replace(state, dice=dice)


def _eliminated(state: State, seat: int) -> State:
    """Only a penalty that is taken at once can put out the player who is to act or to open.

    Between rounds it also calls off a special round that has lost its player, or has too few players left.
    """
    if not state.alive_count:
        return state
    after = next_seat(state.dice, seat, state.direction) if seat == state.turn else state.turn
    if state.phase is Phase.BIDDING:
        return replace(state, turn=after)
    special = state.ruleset.special_round
    too_few = special is not None and state.alive_count < special.min_players
    stays = seat != state.special_seat and not too_few
    return replace(state, turn=after, starter=after, special_seat=state.special_seat if stays else None)


def _penalised(state: State, event: Penalised) -> State:
    if not event.immediate:
        pending = PendingPenalty(event.seat, event.trigger, event.dice)
        return replace(state, penalties=(*state.penalties, pending))
    if not state.hands:
        return state
    hand = tuple(die for place, die in enumerate(state.hands[event.seat]) if place not in event.taken)
    return replace(state, hands=(*state.hands[: event.seat], hand, *state.hands[event.seat + 1 :]))


def _round_ended(state: State, event: RoundEnded) -> State:
    keeps = state.ruleset.turn.reversal_persists
    return replace(
        state,
        phase=Phase.DEAL,
        hands=(),
        bids=(),
        penalties=(),
        starter=event.next_starter,
        turn=event.next_starter,
        special_seat=event.special_seat,
        direction=state.direction if keeps else state.ruleset.turn.direction,
    )


def _with(values: tuple[int, ...], seat: int, value: int) -> tuple[int, ...]:
    return (*values[:seat], value, *values[seat + 1 :])
