"""Listing the legal moves of every seat."""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import msgspec

from liarsdice.core.actions import (
    AnswerDouble,
    BidAndShow,
    Challenge,
    ChallengePass,
    ChooseKind,
    ClaimExact,
    DeclareSpecial,
    Exact,
    Pass,
    PlayerAction,
    Reroll,
    SetDirection,
)
from liarsdice.core.arguments import require_arguments
from liarsdice.core.bids.odds import remove_dice
from liarsdice.core.engine.state import Phase, PublicState, State
from liarsdice.core.errors import counted
from liarsdice.core.rules.bid_space import (
    UNCAPPED_QUANTITY,
    highest_sum,
    may_open_on,
    min_opening_quantity,
    opening_depends_on_kind,
    sum_bids,
)
from liarsdice.core.rules.bids import Bid, beats, face_order, may_be_pure
from liarsdice.core.rules.choices import (
    AllDifferent,
    Answer,
    AtCap,
    Direction,
    ExactClaim,
    GainCap,
    MinDice,
    PenaltyTiming,
    Repeat,
    RoundKind,
    WhoCalls,
    WhoCallsExact,
)
from liarsdice.core.rules.meaning import (
    calls_exact,
    exact_claim,
    forbids_repeats,
    kind_is_chosen,
    may_show_dice,
    reversal_rounds,
    roll_count_to_pass,
    rolls_after_showing,
    sheds,
    special_round_is_declared,
)
from liarsdice.core.rules.parts import ExactCall, Penalty
from liarsdice.core.rules.tally import Hand, counts_for_bid, is_all_different


def pass_refusal(state: State) -> str | None:
    """Return why the seat on turn may not pass; None if it may. Its hand changes nothing: a pass can be false."""
    rules, dice = state.ruleset, state.dice[state.turn]
    if not state.bids:
        return "a round opens with a bid"
    if state.face_off:
        return "nobody passes in a face-off"
    if any(seat == state.turn for seat, _ in state.passes):
        return "each player passes only once a round"
    if not roll_count_to_pass(rules, dice):
        return f"no hand of {counted(dice, 'die', 'dice')} allows it"
    return None


MOVES_BY_FIELD: Mapping[str, Callable[..., PlayerAction]] = {
    "may_challenge": Challenge,
    "may_double": partial(Challenge, double=True),
    "may_call_exact": Exact,
    "may_claim_exact": ClaimExact,
    "may_challenge_pass": ChallengePass,
    "may_pass": Pass,
    "may_answer": AnswerDouble,
    "may_set_direction": SetDirection,
    "may_declare": DeclareSpecial,
    "may_choose_kind": ChooseKind,
    "may_reroll": Reroll,
}
"""The moves besides bids in their usual order, by the field of a view that permits them: a bool, or the choices."""


def permitted_by(view: object) -> dict[str, Any]:
    """Return the fields of a view that permit moves besides bids, by name."""
    return {field: getattr(view, field) for field in MOVES_BY_FIELD}


def list_moves(bids: tuple[Bid, ...], permitted: Mapping[str, Any]) -> tuple[PlayerAction, ...]:
    """Return moves in their usual order: bids, and those of `MOVES_BY_FIELD`."""
    moves: list[PlayerAction] = [*bids]
    for field, move in MOVES_BY_FIELD.items():
        may = permitted[field]
        if may:
            moves += [move()] if may is True else map(move, may)
    return tuple(moves)


class LegalMoves(msgspec.Struct, frozen=True):
    """All moves that the rules allow in a state.

    `turn` is the seat that must act, None while the match waits for the dealer or is over. `bids` are the legal bids of
    that seat; if quantities have no limit (`unlimited`), the list ends somewhere and higher bids are legal too.
    `may_show`: whether the seat on turn may show dice with a bid; which ones, its hand decides (`showable_dice`).
    `may_pass`, `may_challenge_pass`: whether it may pass, and doubt the pass before. `challengers`, `doublers` (for
    twice the stake) and `exact_callers` are the seats that may call, in seat order; `claimants` may claim that the
    standing bid is exactly right. The seat on turn may choose
    `directions`, give `answers` to a challenge for twice the stake, and with `may_declare` declare the round special.
    If there are `kinds`, it chooses that of the round first. With `may_reroll`, which alone depends on hidden dice, its
    own, it may roll these again: show it to nobody else. `penalties` may be reported on any seat with dice.
    """

    turn: int | None = None
    bids: tuple[Bid, ...] = ()
    unlimited: bool = False
    challengers: tuple[int, ...] = ()
    exact_callers: tuple[int, ...] = ()
    directions: tuple[Direction, ...] = ()
    penalties: tuple[Penalty, ...] = ()
    may_show: bool = False
    doublers: tuple[int, ...] = ()
    may_declare: bool = False
    may_pass: bool = False
    may_challenge_pass: bool = False
    answers: tuple[Answer, ...] = ()
    kinds: tuple[RoundKind, ...] = ()
    claimants: tuple[int, ...] = ()
    may_reroll: bool = False

    def permitted(self, seat: int | None) -> dict[str, Any]:
        """Return what a seat may do besides bidding, by the fields of its view; penalties are not included."""
        on_turn = seat is not None and seat == self.turn
        return {
            "may_challenge": seat in self.challengers,
            "may_double": seat in self.doublers,
            "may_call_exact": seat in self.exact_callers,
            "may_claim_exact": seat in self.claimants,
            "may_challenge_pass": on_turn and self.may_challenge_pass,
            "may_pass": on_turn and self.may_pass,
            "may_answer": self.answers if on_turn else (),
            "may_set_direction": self.directions if on_turn else (),
            "may_declare": on_turn and self.may_declare,
            "may_choose_kind": self.kinds if on_turn else (),
            "may_reroll": on_turn and self.may_reroll,
        }

    def moves(self, seat: int) -> tuple[PlayerAction, ...]:
        """Return the legal moves of one seat: bids first, then calls, passes, answers, directions, declaring, kinds.

        Penalties are not included, nor are dice that may be shown with a bid.
        """
        return list_moves(self.bids if seat == self.turn else (), self.permitted(seat))


def legal(state: State) -> LegalMoves:
    """Return all moves that the rules allow now. It depends on no hidden dice, save `LegalMoves.may_reroll`.

    Raises `MalformedError` for an argument of another kind.

    >>> from liarsdice.core.engine.engine import start
    >>> from liarsdice.core.rules.presets import preset
    >>> legal(start(preset("chart").ruleset, ("Ann", "Bo"))).turn is None  # the dealer rolls for the start
    True
    """
    try:
        if state.phase is not Phase.BIDDING:
            return LegalMoves(penalties=penalties_now(state))
        bids = legal_bids(state)
        return LegalMoves(
            state.turn,
            bids,
            _unlimited(state),
            challengers(state),
            exact_callers(state),
            directions(state),
            penalties_now(state),
            bool(bids) and may_show(state),
            doublers(state),
            may_declare(state),
            state.doubled_by is None and pass_refusal(state) is None,
            state.doubled_by is None and state.passer is not None,
            state.answers,
            state.kinds,
            claimants(state),
            reroll_refusal(state) is None,
        )
    except (AttributeError, TypeError):
        require_arguments(legal, (state,))
        raise


def legal_bids(state: State) -> tuple[Bid, ...]:
    """Return the legal bids of the seat on turn, lowest quantity first.

    Without a limit on quantities they are listed up to just above twice the standing bid, or further if none of those
    is legal.
    """
    if bids_exhausted(state) or state.doubled_by is not None or state.kinds:
        return ()
    if state.face_off:
        return sum_bids(*_sum_limits(state))
    if not state.bids:
        return _opening_bids(state)
    if state.max_quantity is not None:
        return _higher_bids(state, state.max_quantity)
    listed = min(max(sum(state.dice), 2 * state.bids[-1][1].quantity + 1), UNCAPPED_QUANTITY)
    while not (bids := _higher_bids(state, listed)) and listed < UNCAPPED_QUANTITY:
        listed = min(2 * listed, UNCAPPED_QUANTITY)
    return bids


def _higher_bids(state: State, max_quantity: int) -> tuple[Bid, ...]:
    old = state.bids[-1][1]
    bids = state.bid_space.higher_bids(old, max_quantity)
    if _locked_for_turn(state):
        bids = tuple(bid for bid in bids if bid.face == old.face)
    if forbids_repeats(state.ruleset):
        made = {bid for _, bid in state.bids}
        bids = tuple(bid for bid in bids if bid not in made)
    return bids


def bid_is_legal(state: PublicState, bid: Bid) -> bool:
    """Return whether the seat on turn may make this bid; without a limit, bids beyond `legal_bids` are legal too."""
    if bids_exhausted(state) or state.doubled_by is not None or state.kinds:
        return False
    if state.face_off:
        lowest, highest = _sum_limits(state)
        return bid.is_sum and not bid.pure and lowest <= bid.quantity <= highest
    if bid.face not in face_order(state.ruleset) or bid.quantity < 1:
        return False
    if bid.pure and not may_be_pure(state.ruleset, bid.face):
        return False
    if bid.quantity > (UNCAPPED_QUANTITY if state.max_quantity is None else state.max_quantity):
        return False
    if not state.bids:
        return _quantity_opens(state, bid) and may_open_on(state.ruleset, bid.face, special_round=state.special_round)
    old = state.bids[-1][1]
    return (
        beats(state.ruleset, old, bid)
        and not (_locked_for_turn(state) and bid.face != old.face)
        and not (forbids_repeats(state.ruleset) and was_made(state, bid))
    )


def _sum_limits(state: PublicState) -> tuple[int, int]:
    """Return the lowest and the highest sum that may be bid; the lowest is above the highest if none is left."""
    lowest = state.alive_count if state.bid is None else state.bid.quantity + 1
    return lowest, highest_sum(state.ruleset, state.dice)


def _opening_bids(state: State) -> tuple[Bid, ...]:
    kinds, depends_on_kind = state.bid_space.kinds, opening_depends_on_kind(state.ruleset)
    limits = [_opening_limits(state, face, pure=pure) for face, pure in (kinds if depends_on_kind else kinds[:1])]
    lows, highs = [low for low, _ in limits], [high for _, high in limits if high is not None]
    listed = max(highs) if highs else min(max(*lows, sum(state.dice)), UNCAPPED_QUANTITY)
    bids = state.bid_space.opening_bids(min(lows), listed, special_round=state.special_round)
    return tuple(bid for bid in bids if _quantity_opens(state, bid)) if depends_on_kind else bids


def _quantity_opens(state: PublicState, bid: Bid) -> bool:
    lowest, highest = _opening_limits(state, bid.face, pure=bid.pure)
    return lowest <= bid.quantity and (highest is None or bid.quantity <= highest)


def _opening_limits(state: PublicState, face: int, *, pure: bool) -> tuple[int, int | None]:
    """Return the lowest and the highest quantity of an opening bid on a face; None for no limit."""
    lowest = min_opening_quantity(state.ruleset, state.dice, face, pure=pure)
    highest = state.ruleset.bidding.max_open
    if highest is None:
        return lowest, state.max_quantity
    return lowest, max(lowest, highest if state.max_quantity is None else min(highest, state.max_quantity))


def _unlimited(state: State) -> bool:
    if state.max_quantity is not None or bids_exhausted(state) or state.doubled_by is not None:
        return False
    return bool(state.bids) or state.ruleset.bidding.max_open is None


def _locked_for_turn(state: PublicState) -> bool:
    return state.face_locked and state.turn not in state.exempt


def was_made(state: PublicState, bid: Bid) -> bool:
    """Return whether this bid was already made in this round."""
    return any(bid == made for _, made in state.bids)


def bids_exhausted(state: PublicState) -> bool:
    """Return whether the round has reached the limit of `guards.max_bids_per_round`."""
    limit = state.ruleset.guards.max_bids_per_round
    return limit is not None and len(state.bids) >= limit


def challengers(state: State) -> tuple[int, ...]:
    """Return the seats that may challenge the standing bid, in seat order."""
    return _callers(state, state.ruleset.challenge.who)


def doublers(state: State) -> tuple[int, ...]:
    """Return the seats that may challenge the standing bid for twice the stake, in seat order."""
    double = state.ruleset.challenge.double
    return _callers(state, double) if isinstance(double, WhoCalls) else ()


def callers_out_of_turn(state: State) -> tuple[int, ...]:
    """Return the seats that are not on turn and may make some call, in seat order."""
    return tuple(
        sorted({*challengers(state), *doublers(state), *exact_callers(state), *claimants(state)} - {state.turn})
    )


def exact_callers(state: State) -> tuple[int, ...]:
    """Return the seats that may call the standing bid exact, in seat order."""
    call = state.ruleset.exact_call
    if call is None or exact_call_refusal(state, call) or not calls_exact(state.ruleset) or state.claimed:
        return ()
    return tuple(seat for seat in _callers(state, call.who) if not exact_call_refusal_for_seat(state, call, seat))


def claimants(state: State) -> tuple[int, ...]:
    """Return the seats, at most one, that may claim that the standing bid is exactly right."""
    call, claim = state.ruleset.exact_call, exact_claim(state.ruleset)
    if call is None or claim is None or not state.bids or state.claimed or state.doubled_by is not None:
        return ()
    bidder = state.bids[-1][0]
    seat = bidder if claim is ExactClaim.BIDDER else state.turn
    is_answered = claim is ExactClaim.BIDDER and state.passer is not None
    if state.turn == bidder or not state.dice[seat] or is_answered:
        return ()
    return () if exact_call_refusal(state, call) or exact_call_refusal_for_seat(state, call, seat) else (seat,)


def exact_call_refusal(state: State, call: ExactCall) -> str | None:
    """Return why no seat may call exact now, whoever is on turn; None if the call is open."""
    if state.special_round and not call.in_special_round:
        return "there is no exact call in a special round"
    if state.alive_count < call.min_players:
        return f"the exact call needs at least {call.min_players} players with dice"
    if call.min_dice is MinDice.HALF and 2 * sum(state.dice) < len(state.dice) * state.ruleset.dice.per_player:
        return "the exact call needs at least half of the dice at the start to be in play"
    return None


def exact_call_refusal_for_seat(state: State, call: ExactCall, seat: int) -> str | None:
    """Return why this seat may not call exact (its budget is used up, or it has all its dice); None if it may."""
    if call.budget is not None and state.exact_calls[seat] >= call.budget:
        return f"all {call.budget} exact calls of this match are used up"
    full = call.gain_cap is GainCap.STARTING_DICE and state.stakes[seat] >= state.ruleset.starting_stakes
    if full and call.at_cap is AtCap.FORBIDDEN and not sheds(state.ruleset):
        noun = "lives" if state.lives else "dice"
        return f"the exact call is only for players with fewer {noun} than they started with"
    return None


def _callers(state: State, who: WhoCalls | WhoCallsExact) -> tuple[int, ...]:
    if not state.bids or state.doubled_by is not None:
        return ()
    bidder = state.bids[-1][0]
    match who:
        case WhoCalls.NEXT_PLAYER | WhoCallsExact.NEXT_PLAYER:
            return (state.turn,) if state.turn != bidder else ()
        case WhoCalls.ANYONE_BUT_BIDDER | WhoCallsExact.ANYONE_BUT_BIDDER:
            return tuple(seat for seat in state.alive() if seat != bidder)
        case WhoCallsExact.OUT_OF_TURN:
            return tuple(seat for seat in state.alive() if seat not in (bidder, state.turn))


def directions(state: State) -> tuple[Direction, ...]:
    """Return the directions that the starter may choose, before the opening bid and once a round, or once a match."""
    is_late = state.round_number > reversal_rounds(state.ruleset)
    may = not (is_late or state.bids or state.direction_chosen or state.kinds)
    return tuple(Direction) if may else ()


MIN_HIDDEN_DICE = 2
"""The fewest dice under the cup of a bidder who may show some: one to show, and one to roll again or to hide."""


def may_show(state: PublicState) -> bool:
    """Return whether the seat on turn may show dice with a bid, as far as everybody can know."""
    return may_show_dice(state.ruleset) and state.hidden_count(state.turn) >= MIN_HIDDEN_DICE


def showable_dice(state: PublicState, hand: Hand, bid: Bid) -> Hand:
    """Return the dice that the seat on turn, which holds `hand`, may show with a bid, if one stays under the cup.

    `hand` has the dice in the open first.
    """
    return tuple(hand[place] for place in showable_places(state, hand, bid))


def showable_places(state: PublicState, hand: Hand, bid: Bid) -> tuple[int, ...]:
    """Return the places in a hand of its `showable_dice`."""
    if not may_show(state):
        return ()
    counts = counts_for_bid(state.ruleset, bid, wilds_count=state.wilds_count, opening=not state.bids)
    return tuple(place for place in range(len(state.shown_by(state.turn)), len(hand)) if hand[place] in counts)


def show_refusal(state: PublicState, hand: Hand, action: BidAndShow) -> str | None:
    """Return why the seat on turn, which holds `hand`, may not show these dice with its bid; None if it may."""
    bid, shown = action.bid, action.shown
    if not may_show_dice(state.ruleset):
        return f"these rules let nobody show dice (bid {bid} alone)"
    hidden = hand[len(state.shown_by(state.turn)) :]
    if not shown:
        return f"no dice to show were named (bid {bid} alone, or name at least one)"
    if remove_dice(hidden, shown) is None:
        return f"dice that are shown with {bid} have to be under the cup"
    if len(shown) == len(hidden):
        again = ", to be rolled again" if rolls_after_showing(state.ruleset) else ""
        return f"at least one die has to stay under the cup{again} ({bid} shows all)"
    if remove_dice(showable_dice(state, hand, bid), shown) is None:
        return f"dice that are shown with {bid} have to count for it"
    return None


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


def reroll_refusal(state: State) -> str | None:
    """Return why the seat on turn may not roll its hand again; None if it may."""
    seat = state.turn
    if state.ruleset.count.all_different is not AllDifferent.MAY_ROLL_AGAIN:
        return "these rules let nobody roll a hand again"
    if state.kinds or state.doubled_by is not None or seat in state.blind:
        return "not before it may look at its dice, and not while a call waits for an answer"
    if any(bidder == seat for bidder, _ in state.bids):
        return "it has bid in this round"
    if not state.hands or not is_all_different(state.ruleset, state.hands[seat]):
        return "only a full hand of dice that are all different, or of the straights in the rules, is rolled again"
    return None


MAX_PENALTIES = 100
"""The most penalties that can be due at the end of one round; further ones cannot be reported."""


def penalties_now(state: State) -> tuple[Penalty, ...]:
    """Return the house penalties that can be reported now, on any seat with dice.

    A penalty that is taken at once waits for the answer to a challenge for twice the stake and for the opener's choice
    of the kind of a round: it could eliminate the player who has to answer or to choose. It also waits while a player
    rolls dice again.
    """
    penalties = state.ruleset.penalties
    is_asked = state.doubled_by is not None or bool(state.kinds) or state.phase is Phase.ROLL_AGAIN
    if is_asked and state.ruleset.penalty_timing is PenaltyTiming.IMMEDIATE:
        return ()
    if not penalties or state.phase in (Phase.STARTER, Phase.OVER) or len(state.penalties) >= MAX_PENALTIES:
        return ()
    return penalties
