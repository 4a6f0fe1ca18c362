"""What the opener of a round says before the first bid: that it is a special one, or which kind it is."""

from __future__ import annotations

from liarsdice.core.actions import ChooseKind
from liarsdice.core.engine.state import PublicState
from liarsdice.core.errors import IllegalActionError, MalformedError
from liarsdice.core.events import Event, KindChosen, SpecialDeclared
from liarsdice.core.rules.choices import Repeat, RoundKind
from liarsdice.core.rules.meaning import blind_seats, kind_is_chosen, special_round_is_declared


def may_be_declared(state: PublicState, opener: int) -> bool:
    """Return whether the opener of this round, or of the one to be dealt, may make it special: with one die left."""
    special = state.ruleset.special_round
    if special is None or not special_round_is_declared(state.ruleset) or state.special_round or state.bids:
        return False
    if state.face_off:
        return False
    used = special.repeat is Repeat.ONCE_PER_PLAYER and opener in state.had_special
    return state.stakes[opener] == 1 and not used and state.alive_count >= special.min_players


def may_declare(state: PublicState) -> bool:
    """Return whether the seat on turn may declare the round special; not where it chooses the kind of the round."""
    return not kind_is_chosen(state.ruleset) and may_be_declared(state, state.turn)


def declare_special(state: PublicState, seat: int) -> list[Event]:
    """Return the events of a declaration. Raises `IllegalActionError` unless the seat may declare now."""
    if seat != state.turn or not may_declare(state):
        noun = "life" if state.lives else "die"
        raise IllegalActionError(
            f"{state.names[seat]} may not declare a special round: only who opens with one {noun} left may, "
            "before it bids, as often and with as many players as special_round says"
        )
    return [SpecialDeclared(seat)]


def choose_kind(state: PublicState, seat: int, action: ChooseKind) -> list[Event]:
    """Return the events of the opener's choice.

    Raises `MalformedError` if the kind is none, and `IllegalActionError` unless the seat has this choice now.
    """
    kind, name = action.kind, state.names[seat]
    if not isinstance(kind, RoundKind):
        raise MalformedError(f"the kind of a round is one of {', '.join(map(str, RoundKind))}, not {kind!r:.80}")
    if not state.kinds or seat != state.turn:
        raise IllegalActionError(
            f"{name} may not choose the kind of the round: only the opener of a special round may, once, before it bids"
        )
    if kind not in state.kinds:
        raise IllegalActionError(
            f"this round is a special one: {name} chooses {' or '.join(map(str, state.kinds))}, not {kind}"
        )
    special_seat = seat if state.special_seat is None else state.special_seat
    return [KindChosen(seat, kind, blind_seats(kind, state.dice, state.stakes, special_seat))]
