"""Applying events: the only way in which a match changes. Events have been judged before, so `evolve` never fails."""

from collections.abc import Iterable
from typing import TypeVar

import msgspec

from liarsdice.core.arguments import require_arguments
from liarsdice.core.bids.odds import remove_dice
from liarsdice.core.engine.state import PendingPenalty, Phase, State, bid_limit, next_seat
from liarsdice.core.errors import MalformedError, described
from liarsdice.core.events import (
    BidMade,
    Challenged,
    Dealt,
    DiceGained,
    DiceLost,
    DirectionSet,
    DoubleAnswered,
    Doubled,
    Eliminated,
    Event,
    ExactCalled,
    ExactClaimed,
    KindChosen,
    LivesGained,
    LivesLost,
    MatchEnded,
    MatchStarted,
    PassChallenged,
    Passed,
    Penalised,
    Rerolled,
    Revealed,
    RolledAgain,
    RoundEnded,
    RoundStarted,
    SpecialDeclared,
    StarterFound,
    StarterRolled,
    Withdrawn,
)
from liarsdice.core.rules.bid_space import bid_space
from liarsdice.core.rules.choices import Answer, LockExempt, RoundKind, StarterMethod
from liarsdice.core.rules.meaning import reversal_persists, rolls_after_showing, sheds, starting_lives
from liarsdice.core.rules.tally import Hand, wilds_after_bid, wilds_at_start

T = TypeVar("T")
replace = msgspec.structs.replace


def initial_state(event: MatchStarted) -> State:
    """Return the state at the start of a match, before the first roll.

    Lives are those that are left, also where they never run out (`LivesLimit.UNLIMITED`) and where the table counts
    those that are lost (`Tally.TAKEN`).
    """
    rules, count = event.ruleset, len(event.names)
    lives = starting_lives(rules)
    return State(
        ruleset=rules,
        bid_space=bid_space(rules),
        names=event.names,
        dice=(rules.dice.per_player,) * count,
        direction=rules.turn.direction,
        rolling=tuple(range(count)) if rules.first_starter.method is StarterMethod.HIGH_ROLL else (),
        exact_calls=(0,) * count,
        lives=() if lives is None else (lives,) * count,
    )


def evolve_all(state: State, events: Iterable[Event]) -> State:
    """Return the state after several events, applied in order.

    Raises `MalformedError` for an argument of another kind.
    """
    after = state
    try:
        for event in events:
            after = evolve(after, event)
        if type(after) is State:
            return after
    except (AttributeError, TypeError):
        require_arguments(evolve_all, (state, events))
        raise
    require_arguments(evolve_all, (state, events))
    raise MalformedError(f"evolve_all needs events, not {described(events)}")


def evolve(state: State, event: Event) -> State:
    """Return the state after one event. Table talk is no event (`TableTalk.ALLOWED`)."""
    match event:
        case BidMade():
            return _bid_made(state, event)
        case Dealt():
            blind = event.blind or ()
            return replace(state, hands=event.hands, phase=Phase.BIDDING, blind=blind, open_hands=event.open is True)
        case Rerolled() | RolledAgain():
            return _rolled_again(state, event)
        case RoundStarted():
            return _round_started(state, event)
        case Revealed():
            return replace(state, revealed=event, phase=Phase.DEAL)
        case DiceLost() | DiceGained() | LivesLost() | LivesGained():
            return _stakes_changed(state, event)
        case RoundEnded():
            return _round_ended(state, event)
        case Passed():
            passes = (*state.passes, (event.seat, len(state.bids)))
            return replace(state, passes=passes, turn=next_seat(state.dice, event.seat, state.direction))
        case Challenged() | PassChallenged() | Doubled() | DoubleAnswered():
            return _challenged(state, event)
        case ExactCalled() | ExactClaimed():
            return _exact_said(state, event)
        case Withdrawn() | Eliminated():
            return _gone(state, event)
        case DirectionSet() | SpecialDeclared() | KindChosen():
            return _choice_of_opener(state, event)
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
                shown=(),
                blind=(),
                open_hands=False,
                penalties=(),
            )
        case MatchStarted():
            return initial_state(event)


def _exact_said(state: State, event: ExactCalled | ExactClaimed) -> State:
    """Apply an exact call or a claim, which count together. The claim of another player stands as a bid of theirs."""
    calls = _with_value(state.exact_calls, event.seat, state.exact_calls[event.seat] + 1)
    said = replace(state, exact_calls=calls, claimed=isinstance(event, ExactClaimed))
    if isinstance(event, ExactCalled) or event.seat == event.bidder:
        return said
    turn = next_seat(state.dice, event.seat, state.direction)
    return replace(said, bids=(*state.bids, (event.seat, event.bid)), turn=turn)


def _choice_of_opener(state: State, event: DirectionSet | SpecialDeclared | KindChosen) -> State:
    """Apply what the opener chose before the bid: the direction of play, a special round, or the kind of the round."""
    match event:
        case DirectionSet():
            return replace(state, direction=event.direction, direction_chosen=True)
        case SpecialDeclared():
            return _with_special_round(state, event.seat)
        case KindChosen(seat, kind, blind):
            chosen = replace(state, kind=kind, blind=blind, open_hands=kind is RoundKind.OPEN)
            declared = kind is not RoundKind.ORDINARY and not state.special_round
            return _with_special_round(chosen, seat) if declared else chosen


def _round_started(state: State, event: RoundStarted) -> State:
    started = replace(
        state,
        round_number=event.number,
        starter=event.starter,
        turn=event.starter,
        direction=event.direction,
        direction_chosen=False,
        bids=(),
        passes=(),
        wilds_count=wilds_at_start(state.ruleset, special_round=False),
        special_seat=None,
        exempt=(),
        kind=None,
        claimed=False,
        rerolls=(),
    )
    special_seat = event.special_seat
    return _with_bid_limit(started) if special_seat is None else _with_special_round(started, special_seat)


def _with_bid_limit(state: State) -> State:
    """Let the bids of a round depend on the dice in play: their limit, and whether they are sums without wild dice."""
    return replace(state, max_quantity=bid_limit(state), wilds_count=state.wilds_count and not state.face_off)


def _with_special_round(state: State, seat: int) -> State:
    """Make the round that is about to be opened the special round of a seat."""
    special, had = state.ruleset.special_round, state.had_special
    may_exempt = special is not None and special.lock_exempt is LockExempt.HAD_SPECIAL
    changed = replace(
        state,
        wilds_count=wilds_at_start(state.ruleset, special_round=True),
        special_seat=seat,
        exempt=had if may_exempt else (),
        had_special=had if seat in had else (*had, seat),
    )
    return _with_bid_limit(changed)


def _bid_made(state: State, event: BidMade) -> State:
    wilds = wilds_after_bid(
        state.ruleset, event.bid.face, wilds_count=state.wilds_count, opening=not state.bids, pure=event.bid.pure
    )
    made = replace(
        state,
        bids=(*state.bids, (event.seat, event.bid)),
        turn=next_seat(state.dice, event.seat, state.direction),
        wilds_count=wilds,
        claimed=False,
    )
    return _shown(made, event) if event.shown else made


def _shown(state: State, event: BidMade) -> State:
    """Put dice of the bidder in the open; the others are rolled again, if the rules say so."""
    before = state.shown_by(event.seat)
    shown = state.shown or ((),) * len(state.dice)
    hand = _with_shown_first(state.hands[event.seat], len(before), event.shown)
    return replace(
        state,
        shown=_with_value(shown, event.seat, (*before, *event.shown)),
        hands=_with_value(state.hands, event.seat, hand),
        phase=Phase.ROLL_AGAIN if rolls_after_showing(state.ruleset) else state.phase,
    )


def _with_shown_first(hand: Hand, shown_before: int, shown: Hand) -> Hand:
    """Return a hand with newly `shown` dice after the first `shown_before`, which were in the open already."""
    hidden = remove_dice(hand[shown_before:], shown)
    assert hidden is not None
    return (*hand[:shown_before], *shown, *hidden)


def _rolled_again(state: State, event: Rerolled | RolledAgain) -> State:
    if isinstance(event, Rerolled):
        return replace(state, rerolls=(*state.rerolls, event.seat), phase=Phase.ROLL_AGAIN)
    hand = (*state.shown_by(event.seat), *event.hand)
    return replace(state, hands=_with_value(state.hands, event.seat, hand), phase=Phase.BIDDING)


def _challenged(state: State, event: Challenged | PassChallenged | Doubled | DoubleAnswered) -> State:
    """Let the opponent answer a doubling; after a fold nobody shows dice, so there is no reveal to look back at."""
    match event:
        case Challenged() | PassChallenged():
            return state if state.doubled_by is None else replace(state, doubled_by=None, redoubled=False)
        case Doubled():
            return replace(state, doubled_by=event.seat, turn=event.bidder)
        case DoubleAnswered(answer=Answer.ACCEPT):
            return state
        case DoubleAnswered(answer=Answer.REDOUBLE):
            return replace(state, redoubled=True, turn=event.opponent)
        case DoubleAnswered():
            return replace(state, doubled_by=None, redoubled=False, phase=Phase.DEAL, revealed=None)


def _stakes_changed(state: State, event: DiceLost | DiceGained | LivesLost | LivesGained) -> State:
    if isinstance(event, LivesLost | LivesGained):
        return replace(state, lives=_with_change(state.lives, event))
    changed = replace(state, dice=_with_change(state.dice, event))
    return _with_bid_limit(changed) if state.phase is Phase.BIDDING else changed


def _with_change(stakes: tuple[int, ...], event: DiceLost | DiceGained | LivesLost | LivesGained) -> tuple[int, ...]:
    stakes = _with_value(stakes, event.seat, event.left)
    to = event.to if isinstance(event, DiceLost | LivesLost) else None
    return stakes if to is None else _with_value(stakes, to, stakes[to] + event.amount)


def _without_dice(state: State, seat: int) -> State:
    """Take away the dice and lives of a player who is out, during a round also the dice under the cup."""
    dice = _with_value(state.dice, seat, 0)
    if state.lives:
        state = replace(state, lives=_with_value(state.lives, seat, 0))
    if state.phase is not Phase.BIDDING:
        return replace(state, dice=dice)
    hands = (*state.hands[:seat], (), *state.hands[seat + 1 :]) if state.hands else ()
    return _with_bid_limit(replace(state, dice=dice, hands=hands))


def _gone(state: State, event: Withdrawn | Eliminated) -> State:
    if isinstance(event, Eliminated):
        return _eliminated(state, event.seat)
    if state.lives:
        return replace(state, lives=_with_value(state.lives, event.seat, 0))
    return replace(state, dice=_with_value(state.dice, event.seat, 0))


def _eliminated(state: State, seat: int) -> State:
    """Move the turn on if the player who is to act or to open is out, which only an immediate penalty can cause.

    Before the first bid of a round, the next player then is its starter. Between rounds this also cancels a special
    round that lost its player or has too few players left.

    Where players shed, whoever is out by a call is safe; those who left the table between two rounds are not.
    """
    state = _without_dice(state, seat)
    if state.bids and sheds(state.ruleset):
        state = replace(state, safe=(*state.safe, (seat, state.round_number)))
    if not state.alive_count:
        return state
    after = next_seat(state.dice, seat, state.direction) if seat == state.turn else state.turn
    if state.phase is Phase.BIDDING:
        return replace(state, turn=after, starter=state.starter if state.bids else after)
    special = state.ruleset.special_round
    too_few = special is not None and state.alive_count < special.min_players
    is_kept = seat != state.special_seat and not too_few
    return replace(state, turn=after, starter=after, special_seat=state.special_seat if is_kept else None)


def _penalised(state: State, event: Penalised) -> State:
    if not event.immediate:
        pending = PendingPenalty(event.seat, event.trigger, event.dice)
        return replace(state, penalties=(*state.penalties, pending))
    if not state.hands:
        return state
    hand = tuple(die for place, die in enumerate(state.hands[event.seat]) if place not in event.taken)
    return replace(state, hands=(*state.hands[: event.seat], hand, *state.hands[event.seat + 1 :]))


def _round_ended(state: State, event: RoundEnded) -> State:
    keeps = reversal_persists(state.ruleset)
    return replace(
        state,
        phase=Phase.DEAL,
        hands=(),
        shown=(),
        bids=(),
        claimed=False,
        rerolls=(),
        passes=(),
        penalties=(),
        starter=event.next_starter,
        turn=event.next_starter,
        special_seat=event.special_seat,
        blind=(),
        open_hands=False,
        direction=state.direction if keeps else state.ruleset.turn.direction,
    )


def _with_value(values: tuple[T, ...], seat: int, value: T) -> tuple[T, ...]:
    return (*values[:seat], value, *values[seat + 1 :])
