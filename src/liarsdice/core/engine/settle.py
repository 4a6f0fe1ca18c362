"""Settling a call: who was right, who loses what, who is out, who opens the next round, and whether it is over."""

from __future__ import annotations

from liarsdice.core.engine.state import State, next_seat
from liarsdice.core.events import (
    Cause,
    Challenged,
    DiceGained,
    DiceLost,
    Eliminated,
    EndReason,
    Event,
    ExactCalled,
    MatchEnded,
    Revealed,
    RoundEnded,
)
from liarsdice.core.rules import choices as c
from liarsdice.core.rules.ruleset import ExactCall, Ruleset
from liarsdice.core.rules.tally import tally

Call = Challenged | ExactCalled


class Ledger:
    """Dice on the move while one decision is settled, and the events that tell of it."""

    def __init__(self, dice: tuple[int, ...]) -> None:
        self.dice = list(dice)
        self.events: list[Event] = []

    def alive(self) -> tuple[int, ...]:
        """The seats that hold dice now."""
        return tuple(seat for seat, held in enumerate(self.dice) if held)

    def lose(self, seat: int, dice: int, cause: Cause, to: int | None = None) -> None:
        """Take at most what the seat holds (`Overflow.ALL_HELD`), and hand it to `to` if there is one."""
        dice = min(dice, self.dice[seat])
        if dice:
            self.dice[seat] -= dice
            if to is not None:
                self.dice[to] += dice
            self.events.append(DiceLost(seat, dice, self.dice[seat], cause, to))

    def gain(self, seat: int, dice: int, cause: Cause) -> None:
        """Give dice back from the discard pile."""
        if dice > 0:
            self.dice[seat] += dice
            self.events.append(DiceGained(seat, dice, self.dice[seat], cause))

    def eliminate(self, held_before: tuple[int, ...]) -> None:
        """Tell who held dice before and holds none now."""
        self.events += [Eliminated(seat) for seat, held in enumerate(held_before) if held and not self.dice[seat]]

    def end_if_one_left(self) -> bool:
        """End the match when one player has dice left (`MatchEnd.LAST_PLAYER_WITH_DICE`)."""
        alive = self.alive()
        if len(alive) == 1:
            self.events.append(MatchEnded(alive, EndReason.LAST_PLAYER))
        return len(alive) == 1


def settle(state: State, call: Call) -> list[Event]:
    """All events that follow from a call: the reveal, the losses, the end of the round and perhaps of the match."""
    rules = state.ruleset
    counted = tally(rules, state.hands, call.bid.face, wilds_count=state.wilds_count)
    reveal = Revealed(
        bid=call.bid,
        hands=state.hands,
        marked=counted.marked,
        counted=counted.counted,
        count=counted.count,
        bid_true=counted.count >= call.bid.quantity,
        wilds_counted=state.wilds_count and call.bid.face != rules.dice.special_face,
    )
    ledger = Ledger(state.dice)
    ledger.events.append(reveal)
    if isinstance(call, Challenged):
        loser = _settle_challenge(rules, ledger, call, counted.count)
        starters: c.NextStarter = rules.next_starter.rule
        if_eliminated = rules.next_starter.if_eliminated
    else:
        assert rules.exact_call is not None
        loser = _settle_exact(rules, rules.exact_call, ledger, call, counted.count)
        starters, if_eliminated = rules.exact_call.next_starter, rules.exact_call.if_eliminated
    ledger.eliminate(state.dice)
    if ledger.end_if_one_left():
        return ledger.events
    starter = _next_starter(state, ledger, call, loser, starters)
    if not ledger.dice[starter]:
        starter = _instead_of(starter, state, ledger, call, if_eliminated)
    down_to_one = _down_to_one(state, ledger, call)
    if _take_penalties(state, ledger):
        return ledger.events
    if not ledger.dice[starter]:
        starter = next_seat(tuple(ledger.dice), starter, state.direction)
    special = _special_seat(state, ledger, down_to_one)
    _end_round(state, ledger, starter if special is None else special, special)
    return ledger.events


def _settle_challenge(rules: Ruleset, ledger: Ledger, call: Challenged, count: int) -> int:
    difference = abs(count - call.bid.quantity)
    exactly = difference == 0
    if count < call.bid.quantity:
        loser, winner, cause = call.bidder, call.seat, Cause.BID_FALSE
    else:
        loser, winner, cause = call.seat, call.bidder, Cause.BID_EXACT if exactly else Cause.BID_TRUE
    dice = _stake(rules, difference)
    if call.out_of_turn:
        dice *= rules.loss.out_of_turn_factor
    payers: tuple[int, ...] = (loser,)
    if exactly and rules.loss.on_exact is c.OnExact.ALL_BUT_BIDDER and ledger.dice[call.bidder]:
        payers = tuple(seat for seat in ledger.alive() if seat != call.bidder)
    for seat in payers:
        ledger.lose(seat, dice, cause, _receiver(rules, ledger, winner))
    return loser


def _stake(rules: Ruleset, difference: int) -> int:
    match rules.loss.mode:
        case c.LossMode.FIXED:
            return rules.loss.fixed
        case c.LossMode.DIFFERENCE:
            return difference or rules.loss.exact


def _settle_exact(rules: Ruleset, exact: ExactCall, ledger: Ledger, call: ExactCalled, count: int) -> int:
    if count != call.bid.quantity:
        ledger.lose(call.seat, exact.failure_loss, Cause.EXACT_WRONG, _receiver(rules, ledger, call.bidder))
        return call.seat
    gain = exact.success_gain
    if exact.gain_cap is c.GainCap.STARTING_DICE:
        gain = min(gain, rules.dice.per_player - ledger.dice[call.seat])
    ledger.gain(call.seat, gain, Cause.EXACT_RIGHT)
    for seat in ledger.alive():
        if seat != call.seat:
            dice = exact.others_loss + (exact.bidder_loss if seat == call.bidder else 0)
            ledger.lose(seat, dice, Cause.EXACT_RIGHT, _receiver(rules, ledger, call.seat))
    return call.bidder


def _receiver(rules: Ruleset, ledger: Ledger, opponent: int) -> int | None:
    if not ledger.dice[opponent]:
        return None
    match rules.loss.destination:
        case c.Destination.DISCARD:
            return None
        case c.Destination.OPPONENT:
            return opponent


def _next_starter(state: State, ledger: Ledger, call: Call, loser: int, rule: c.NextStarter) -> int:
    dice = tuple(ledger.dice)
    match rule:
        case c.NextStarter.LOSER:
            return loser
        case c.NextStarter.WINNER:
            return call.bidder if loser == call.seat else call.seat
        case c.NextStarter.CALLER:
            return call.seat
        case c.NextStarter.BIDDER:
            return call.bidder
        case c.NextStarter.AFTER_LOSER:
            return next_seat(dice, loser, state.direction)
        case c.NextStarter.ROTATE:
            return next_seat(dice, state.starter, state.direction)


def _instead_of(out: int, state: State, ledger: Ledger, call: Call, rule: c.IfEliminated) -> int:
    dice = tuple(ledger.dice)
    opponent = call.bidder if out == call.seat else call.seat
    match rule:
        case c.IfEliminated.OPPONENT if dice[opponent]:
            return opponent
        case c.IfEliminated.PREVIOUS:
            return next_seat(dice, out, state.direction.opposite)
        case c.IfEliminated.NEXT_IN_TURN | c.IfEliminated.OPPONENT:
            return next_seat(dice, out, state.direction)


def _down_to_one(state: State, ledger: Ledger, call: Call) -> tuple[int, ...]:
    """Seats that this call left with exactly one die (`SpecialTrigger.LOSES_DOWN_TO_ONE`).

    The caller first, then in the direction of play.
    """
    count = len(state.dice)
    seats = ((call.seat + state.direction.step * distance) % count for distance in range(count))
    return tuple(seat for seat in seats if ledger.dice[seat] == 1 < state.dice[seat])


def _take_penalties(state: State, ledger: Ledger) -> bool:
    """Take what is due in the order in which it was earned; True when that ends the match."""
    for penalty in state.penalties:
        before = tuple(ledger.dice)
        ledger.lose(penalty.seat, penalty.dice, Cause.PENALTY)
        ledger.eliminate(before)
        if ledger.end_if_one_left():
            return True
    return False


def _special_seat(state: State, ledger: Ledger, down_to_one: tuple[int, ...]) -> int | None:
    special = state.ruleset.special_round
    if special is None or len(ledger.alive()) < special.min_players:
        return None
    once = special.repeat is c.Repeat.ONCE_PER_PLAYER
    for seat in down_to_one:
        if ledger.dice[seat] and not (once and seat in state.had_special):
            return seat
    return None


def _end_round(state: State, ledger: Ledger, starter: int, special: int | None) -> None:
    limit = state.ruleset.guards.max_rounds
    if limit is not None and state.round_number >= limit:
        most = max(ledger.dice)
        winners = tuple(seat for seat, held in enumerate(ledger.dice) if held == most)
        ledger.events.append(MatchEnded(winners, EndReason.MAX_ROUNDS))
    else:
        ledger.events.append(RoundEnded(state.round_number, starter, special))


def first_call(state: State, seats: tuple[int, ...]) -> int:
    """Whose call stands when several seats call in the same instant (`TieBreak.FIRST_RECEIVED`).

    The player on turn; otherwise the nearest to the bidder in the direction of play.
    """
    bidder, step, count = state.bids[-1][0], state.direction.step, len(state.dice)
    return min(seats, key=lambda seat: (seat != state.turn, (seat - bidder) * step % count))
