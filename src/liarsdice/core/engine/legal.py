"""Listing the moves that are open, seat by seat."""

from __future__ import annotations

import msgspec

from liarsdice.core.actions import Challenge, Exact, PlayerAction, SetDirection
from liarsdice.core.engine.state import Phase, State
from liarsdice.core.rules.bid_space import may_open_on
from liarsdice.core.rules.bids import UNCAPPED_QUANTITY, Bid, beats, lowest_opening
from liarsdice.core.rules.choices import AtCap, Direction, GainCap, PenaltyTrigger, WhoCalls
from liarsdice.core.rules.ruleset import ExactCall


class Legal(msgspec.Struct, frozen=True):
    """All moves that the rules allow in a state.

    `turn` is the seat that must act, None while the dealer is awaited or the match is over. `bids` are open to that
    seat; where quantities have no limit (`unlimited`), they are listed up to a round number and higher ones are legal
    too. `challengers` and `exact_callers` are seats in seat order. `directions` may be chosen by the seat on turn.
    `penalties` may be reported on any seat with dice.
    """

    turn: int | None = None
    bids: tuple[Bid, ...] = ()
    unlimited: bool = False
    challengers: tuple[int, ...] = ()
    exact_callers: tuple[int, ...] = ()
    directions: tuple[Direction, ...] = ()
    penalties: tuple[PenaltyTrigger, ...] = ()

    def moves(self, seat: int) -> tuple[PlayerAction, ...]:
        """The moves of one seat: bids first, then calls, then directions. Penalties are no moves."""
        on_turn = seat == self.turn
        return listed(
            self.bids if on_turn else (),
            challenge=seat in self.challengers,
            exact=seat in self.exact_callers,
            directions=self.directions if on_turn else (),
        )


def listed(
    bids: tuple[Bid, ...], *, challenge: bool, exact: bool, directions: tuple[Direction, ...]
) -> tuple[PlayerAction, ...]:
    """Moves in their order: bids, calls, directions."""
    calls = ((Challenge(),) if challenge else ()) + ((Exact(),) if exact else ())
    return (*bids, *calls, *map(SetDirection, directions))


def legal(state: State) -> Legal:
    """All moves that the rules allow now; nothing of it depends on the dice in the cups.

    >>> from liarsdice.core.engine.engine import start
    >>> from liarsdice.core.rules.presets import preset
    >>> legal(start(preset("chart").ruleset, ("Ann", "Bo"))).turn is None  # the dealer rolls for the start
    True
    """
    if state.phase is not Phase.BIDDING:
        return Legal(penalties=penalty_triggers(state))
    return Legal(
        state.turn,
        legal_bids(state),
        _unlimited(state),
        challengers(state),
        exact_callers(state),
        directions(state),
        penalty_triggers(state),
    )


def legal_bids(state: State) -> tuple[Bid, ...]:
    """The bids of the seat on turn, lowest quantity first.

    Without a limit, up to just above twice the standing bid, or further where no bid there is legal.
    """
    if bids_exhausted(state):
        return ()
    if not state.bids:
        least, most = _opening_limits(state)
        listed = min(max(least, sum(state.dice)), UNCAPPED_QUANTITY) if most is None else most
        return state.menu.opening(least, listed, special_round=state.special_round)
    if state.top is not None:
        return _bids_over(state, state.top)
    listed = min(max(sum(state.dice), 2 * state.bids[-1][1].quantity + 1), UNCAPPED_QUANTITY)
    while not (bids := _bids_over(state, listed)) and listed < UNCAPPED_QUANTITY:
        listed = min(2 * listed, UNCAPPED_QUANTITY)
    return bids


def _bids_over(state: State, top: int) -> tuple[Bid, ...]:
    old = state.bids[-1][1]
    bids = state.menu.over(old, top)
    if _locked_for_turn(state):
        bids = tuple(bid for bid in bids if bid.face == old.face)
    if state.ruleset.bidding.no_repeat:
        made = {bid for _, bid in state.bids}
        bids = tuple(bid for bid in bids if bid not in made)
    return bids


def bid_is_legal(state: State, bid: Bid) -> bool:
    """Whether the seat on turn may make this bid; says yes beyond what `legal_bids` lists where there is no limit."""
    if bid.face not in state.menu.faces or bid.quantity < 1 or bids_exhausted(state):
        return False
    if bid.quantity > (UNCAPPED_QUANTITY if state.top is None else state.top):
        return False
    if not state.bids:
        least, most = _opening_limits(state)
        return (
            bid.quantity >= least
            and (most is None or bid.quantity <= most)
            and may_open_on(state.ruleset, bid.face, special_round=state.special_round)
        )
    old = state.bids[-1][1]
    return (
        beats(state.ruleset, old, bid)
        and not (_locked_for_turn(state) and bid.face != old.face)
        and not (state.ruleset.bidding.no_repeat and was_made(state, bid))
    )


def _opening_limits(state: State) -> tuple[int, int | None]:
    least, most = lowest_opening(state.ruleset, state.dice), state.ruleset.bidding.max_open
    if most is None:
        return least, state.top
    return least, max(least, most if state.top is None else min(most, state.top))


def _unlimited(state: State) -> bool:
    if state.top is not None or bids_exhausted(state):
        return False
    return bool(state.bids) or state.ruleset.bidding.max_open is None


def _locked_for_turn(state: State) -> bool:
    return state.face_locked and state.turn not in state.exempt


def was_made(state: State, bid: Bid) -> bool:
    """Whether somebody made this very bid in this round."""
    return any(bid == made for _, made in state.bids)


def bids_exhausted(state: State) -> bool:
    """Whether the round has seen as many bids as its guard allows."""
    limit = state.ruleset.guards.max_bids_per_round
    return limit is not None and len(state.bids) >= limit


def challengers(state: State) -> tuple[int, ...]:
    """The seats that may challenge the standing bid, in seat order."""
    return _callers(state, state.ruleset.challenge.who)


def exact_callers(state: State) -> tuple[int, ...]:
    """The seats that may call the standing bid exact, in seat order."""
    call = state.ruleset.exact_call
    if call is None or exact_closed(state, call):
        return ()
    return tuple(seat for seat in _callers(state, call.who) if not exact_spent(state, call, seat))


def exact_closed(state: State, call: ExactCall) -> str | None:
    """Why nobody may call exact now, apart from whose turn it is; None when it is open."""
    if state.special_round and not call.in_special_round:
        return "there is no exact call in a special round"
    if state.alive_count < call.min_players:
        return f"the exact call needs at least {call.min_players} players with dice"
    return None


def exact_spent(state: State, call: ExactCall, seat: int) -> str | None:
    """Why this seat may call exact no more, or not with so many dice; None when it may."""
    if call.budget is not None and state.exact_calls[seat] >= call.budget:
        return f"all {call.budget} exact calls of this match are used up"
    full = call.gain_cap is GainCap.STARTING_DICE and state.dice[seat] >= state.ruleset.dice.per_player
    if full and call.at_cap is AtCap.FORBIDDEN:
        return "the exact call is for players who miss a die"
    return None


def _callers(state: State, who: WhoCalls) -> tuple[int, ...]:
    if not state.bids:
        return ()
    match who:
        case WhoCalls.NEXT_PLAYER:
            return (state.turn,)
        case WhoCalls.ANYONE_BUT_BIDDER:
            bidder = state.bids[-1][0]
            return tuple(seat for seat in state.alive() if seat != bidder)


def directions(state: State) -> tuple[Direction, ...]:
    """The directions that the starter may choose, before the opening bid and once a round."""
    may = state.ruleset.turn.starter_may_reverse and not state.bids and not state.direction_chosen
    return tuple(Direction) if may else ()


MOST_PENALTIES = 100
"""How many penalties may be due at the end of one round; more are not taken down."""


def penalty_triggers(state: State) -> tuple[PenaltyTrigger, ...]:
    """The house penalties that can be reported now, on any seat with dice."""
    penalties = state.ruleset.penalties
    if not penalties or state.phase in (Phase.STARTER, Phase.OVER) or len(state.penalties) >= MOST_PENALTIES:
        return ()
    return tuple(penalty.trigger for penalty in penalties)
