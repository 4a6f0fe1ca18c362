"""Judging the dealer's actions: rolls for the first start, the chosen starter, the dice of a round."""

from __future__ import annotations

from msgspec import UNSET

from liarsdice.core.actions import ChooseStarter, Deal, DealerAction, RollAgain, RollForStart
from liarsdice.core.engine.evolve import may_be_declared
from liarsdice.core.engine.state import Phase, State, require_seat
from liarsdice.core.errors import IllegalActionError, MalformedError
from liarsdice.core.events import Dealt, Event, RolledAgain, RoundStarted, StarterFound, StarterRolled
from liarsdice.core.rules.bid_space import is_face_off
from liarsdice.core.rules.choices import StarterMethod, Visibility
from liarsdice.core.rules.meaning import blind_seats
from liarsdice.core.rules.tally import Hand, must_roll_again


def decide_dealer(state: State, action: DealerAction) -> list[Event]:
    """Return the events of a dealer's action. Raises `MalformedError` and `IllegalActionError` as `decide`."""
    match action:
        case Deal(hands):
            return _deal(state, hands)
        case RollAgain(hand):
            return _roll_again(state, hand)
        case RollForStart(rolls):
            return _roll(state, rolls)
        case ChooseStarter(seat):
            return _choose(state, seat)


def _deal(state: State, hands: tuple[Hand, ...]) -> list[Event]:
    if state.phase is not Phase.DEAL:
        raise IllegalActionError(f"dice are dealt between rounds (the match waits for: {state.phase.value})")
    _check_hands(state, hands, state.dice)
    for seat, hand in enumerate(hands):
        if must_roll_again(state.ruleset, hand):
            raise IllegalActionError(f"the dice of {state.names[seat]} are all different: they are rolled again")
    special = None if is_face_off(state.ruleset, state.dice) else state.special_seat
    started = RoundStarted(state.round_number + 1, state.starter, state.dice, state.direction, special)
    visibility = None if state.ruleset.special_round is None else state.ruleset.special_round.visibility
    may_choose = visibility is Visibility.CHOSEN and may_be_declared(state, state.starter)
    blind = blind_seats(visibility, state.dice, state.stakes, state.starter if may_choose else special)
    is_open = visibility is Visibility.OPEN and special is not None
    return [started, Dealt(hands, blind or UNSET, is_open or UNSET)]


def _roll_again(state: State, hand: Hand) -> list[Event]:
    if state.phase is not Phase.ROLL_AGAIN or state.bidder is None:
        raise IllegalActionError(f"nobody rolls dice again now (the match waits for: {state.phase.value})")
    hidden = tuple(state.hidden_count(seat) if seat == state.bidder else 0 for seat in range(len(state.names)))
    _check_hands(state, tuple(hand if count else () for count in hidden), hidden)
    return [RolledAgain(state.bidder, hand)]


def _roll(state: State, rolls: tuple[Hand, ...]) -> list[Event]:
    """Return the highest sum starts; players who tie for it roll again (`StarterTie.REROLL_TIED`)."""
    start = state.ruleset.first_starter
    if state.phase is not Phase.STARTER or start.method is not StarterMethod.HIGH_ROLL:
        raise IllegalActionError(f"nobody rolls for the start now (first_starter.method is {start.method})")
    _check_hands(
        state,
        rolls,
        tuple(start.dice if seat in state.rolling else 0 for seat in range(len(state.names))),
    )
    highest = max(sum(rolls[seat]) for seat in state.rolling)
    best = tuple(seat for seat in state.rolling if sum(rolls[seat]) == highest)
    if len(best) > 1:
        return [StarterRolled(rolls, best)]
    return [StarterRolled(rolls, ()), StarterFound(best[0], start.method)]


def _choose(state: State, seat: int) -> list[Event]:
    method = state.ruleset.first_starter.method
    if state.phase is not Phase.STARTER or method is StarterMethod.HIGH_ROLL:
        raise IllegalActionError(f"no starter is chosen now (first_starter.method is {method})")
    require_seat(seat, len(state.names))
    return [StarterFound(seat, method)]


def _check_hands(state: State, hands: tuple[Hand, ...], sizes: tuple[int, ...]) -> None:
    if len(hands) != len(sizes):
        raise MalformedError(f"{len(hands)} hands came for {len(sizes)} seats")
    for seat, (hand, dice) in enumerate(zip(hands, sizes, strict=True)):
        faces = range(1, state.ruleset.dice.faces_at(seat) + 1)
        if len(hand) != dice:
            raise MalformedError(f"{state.names[seat]} has {dice} dice to roll, but {len(hand)} came")
        for die in hand:
            if type(die) is not int or die not in faces:
                raise MalformedError(f"{die!r} is no face of a die with {len(faces)} faces")
