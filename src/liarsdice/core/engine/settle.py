"""Settling a call, a fold or a penalty: the count, losses, who is out, who opens next, whether the match is over."""

from collections.abc import Iterator

from msgspec import UNSET

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
    LivesGained,
    LivesLost,
    MatchEnded,
    PassChallenged,
    Revealed,
    RoundEnded,
)
from liarsdice.core.rules import choices as c
from liarsdice.core.rules.bid_space import is_face_off
from liarsdice.core.rules.meaning import ante_of, least_dice, pass_hand_of, sheds
from liarsdice.core.rules.parts import DOUBLE_STAKE, ExactCall
from liarsdice.core.rules.ruleset import Ruleset
from liarsdice.core.rules.tally import hands_that_count, tally

Call = Challenged | ExactCalled
"""A call of a bid."""

AnyCall = Call | PassChallenged
"""A call of a bid or of a pass."""


def reveal_of(state: State, call: AnyCall) -> Revealed:
    """Return the reveal of a call; that of a pass tells of the standing bid, too, but does not depend on it."""
    rules, (bidder, bid) = state.ruleset, state.bids[-1]
    wilds_count = state.wilds_in_challenge if isinstance(call, Challenged) else state.wilds_count
    result = tally(rules, hands_that_count(rules, state.hands, bidder), bid.face, wilds_count=wilds_count)
    return Revealed(
        bid=bid,
        hands=state.hands,
        marked=result.marked,
        counted=result.counted,
        count=result.count,
        bid_true=result.count == bid.quantity if state.claimed else result.count >= bid.quantity,
        wilds_counted=wilds_count and bid.face != rules.dice.special_face,
        pass_hand=pass_hand_of(rules, state.hands[call.passer]) if isinstance(call, PassChallenged) else UNSET,
        claim=state.claimed or UNSET,
    )


def called_seat(call: AnyCall) -> int:
    """Return the player whose bid or pass was called."""
    return call.passer if isinstance(call, PassChallenged) else call.bidder


class Settlement:
    """What each seat has at stake, dice or lives, while one action is settled, and the events of the changes.

    `stakes` by seat is updated in place; `events` collects what happened, in order.
    """

    def __init__(self, state: State) -> None:
        self.stakes = list(state.stakes)
        self.events: list[Event] = []
        self._end = state.ruleset.end
        self._sheds = sheds(state.ruleset)
        self._first_safe = list(state.first_safe)
        self._least = max(least_dice(state.ruleset), ante_of(state.ruleset))
        self._lost: type[DiceLost | LivesLost] = LivesLost if state.lives else DiceLost
        self._gained: type[DiceGained | LivesGained] = LivesGained if state.lives else DiceGained

    def alive(self) -> tuple[int, ...]:
        """Return the seats that are still in, in seat order."""
        return tuple(seat for seat, left in enumerate(self.stakes) if left)

    def lose(self, seat: int, amount: int, cause: Cause, to: int | None = None) -> None:
        """Take dice or lives from a seat, at most all of them (`Overflow.ALL_HELD`), and give them to `to` if set."""
        amount = min(amount, self.stakes[seat])
        if amount:
            self.stakes[seat] -= amount
            if to is not None:
                self.stakes[to] += amount
            self.events.append(self._lost(seat, amount, self.stakes[seat], cause, to))

    def gain(self, seat: int, amount: int, cause: Cause) -> None:
        """Give a seat dice from the discard pile, or lives."""
        if amount > 0:
            self.stakes[seat] += amount
            self.events.append(self._gained(seat, amount, self.stakes[seat], cause))

    def eliminate(self, stakes_before: tuple[int, ...]) -> None:
        """Record the elimination of every seat that was in before and has nothing left now, or too little.

        Dice and lives that are too few are put away.
        """
        out = [seat for seat, left in enumerate(stakes_before) if left and self.stakes[seat] < self._least]
        for seat in out:
            self.stakes[seat] = 0
            self.events.append(Eliminated(seat))
        self._first_safe = self._first_safe or out

    def end_if_decided(self) -> bool:
        """End the match if one player is left, or by the rules if one is out; returns whether it ended."""
        alive = self.alive()
        if len(alive) == 1:
            self.events.append(MatchEnded(self.leaders(), EndReason.LAST_PLAYER))
            return True
        nobody_out = not self._first_safe if self._sheds else len(alive) == len(self.stakes)
        match self._end:
            case c.MatchEnd.LAST_PLAYER_WITH_DICE:
                return False
            case c.MatchEnd.FIRST_PLAYER_OUT if nobody_out:
                return False
            case c.MatchEnd.FIRST_PLAYER_OUT:
                self.events.append(MatchEnded(self.leaders(), EndReason.PLAYER_OUT))
                return True

    def leaders(self) -> tuple[int, ...]:
        """Return the seats that win now, in seat order: those with most left, or that were safe first or have least."""
        if self._sheds and self._first_safe:
            return tuple(self._first_safe)
        best = min(filter(None, self.stakes)) if self._sheds else max(self.stakes)
        return tuple(seat for seat, left in enumerate(self.stakes) if left == best)


def settle(state: State, call: AnyCall) -> list[Event]:
    """Return the events that follow from a call: the reveal, the losses, and the end of the round or of the match."""
    rules = state.ruleset
    settlement = Settlement(state)
    reveal = reveal_of(state, call)
    settlement.events.append(reveal)
    starters = (rules.next_starter.rule, rules.next_starter.if_eliminated)
    if isinstance(call, Challenged):
        loser = _settle_challenge(rules, settlement, call, reveal)
    elif isinstance(call, PassChallenged):
        loser = _settle_pass(rules, settlement, call, is_true=reveal.pass_hand is not None)
    else:
        assert rules.exact_call is not None
        loser = _settle_exact(rules, rules.exact_call, settlement, call, reveal.count)
        starters = (rules.exact_call.next_starter, rules.exact_call.if_eliminated)
    return _finish_round(state, settlement, call, loser, starters)


def settle_fold(state: State, call: Challenged, loser: int) -> list[Event]:
    """Return the events that follow from a fold: the loser pays the stake before the latest doubling of the call."""
    rules, winner = state.ruleset, call.bidder if loser == call.seat else call.seat
    settlement = Settlement(state)
    stake = rules.loss.fixed * stake_factor(rules, call) // DOUBLE_STAKE
    _take_pot(rules, settlement, winner)
    _pay(rules, settlement, (loser, winner), stake, Cause.FOLDED)
    starters = (rules.next_starter.rule, rules.next_starter.if_eliminated)
    return _finish_round(state, settlement, call, loser, starters)


def settle_withdrawal(state: State, seat: int) -> list[Event]:
    """Return the events that follow when a player has left for good: the seat is out, and the match may be over."""
    settlement = Settlement(state)
    settlement.stakes[seat] = 0
    settlement.events.append(Eliminated(seat))
    settlement.end_if_decided()
    return settlement.events


def _take_pot(rules: Ruleset, settlement: Settlement, winner: int) -> None:
    """Give the antes of a round to its winner; if an immediate penalty put that player out, all take theirs back."""
    if settlement.stakes[winner]:
        for seat in settlement.alive():
            if seat != winner:
                settlement.lose(seat, ante_of(rules), Cause.ANTE, winner)


def _pay(rules: Ruleset, settlement: Settlement, sides: tuple[int, int], amount: int, cause: Cause) -> None:
    """Take what a call costs from its loser, or from those who shed instead; `sides` are the loser and the winner."""
    loser, winner = sides
    match rules.loss.shed_by:
        case c.ShedBy.WINNER:
            payers: tuple[int, ...] = (winner,)
        case c.ShedBy.ALL_BUT_LOSER:
            payers = tuple(seat for seat in settlement.alive() if seat != loser)
        case _:
            payers = (loser,)
    for seat in payers:
        settlement.lose(seat, amount, cause, _receiver(rules, settlement, winner))


def _finish_round(
    state: State, settlement: Settlement, call: AnyCall, loser: int, starters: tuple[c.NextStarter, c.IfEliminated]
) -> list[Event]:
    """Return the events of a settlement with what follows from the losses. `starters`: who opens the next round."""
    starter_rule, if_eliminated = starters
    settlement.eliminate(state.stakes)
    if settlement.end_if_decided():
        return settlement.events
    starter = _next_starter(state, settlement, call, loser, starter_rule)
    if not settlement.stakes[starter]:
        starter = _substitute_starter(starter, state, settlement, call, if_eliminated)
    down_to_one = _down_to_one(state, settlement, call)
    if _take_penalties(state, settlement):
        return settlement.events
    if not settlement.stakes[starter]:
        starter = next_seat(tuple(settlement.stakes), starter, state.direction)
    special = _special_seat(state, settlement, starter, down_to_one)
    _end_round(state, settlement, starter if special is None else special, special)
    return settlement.events


def _settle_pass(rules: Ruleset, settlement: Settlement, call: PassChallenged, *, is_true: bool) -> int:
    """Take what a challenge costs whose count has no difference from the bid: a pass is right or wrong by nothing."""
    loser, winner = (call.seat, call.passer) if is_true else (call.passer, call.seat)
    cause = Cause.PASSED_RIGHTLY if is_true else Cause.PASSED_FALSELY
    _take_pot(rules, settlement, winner)
    _pay(rules, settlement, (loser, winner), _stake(rules, 0), cause)
    return loser


def _settle_challenge(rules: Ruleset, settlement: Settlement, call: Challenged, reveal: Revealed) -> int:
    difference = abs(reveal.count - call.bid.quantity)
    is_exact = difference == 0
    if is_exact if reveal.claim is True else reveal.count >= call.bid.quantity:
        loser, winner, cause = call.seat, call.bidder, Cause.BID_EXACT if is_exact else Cause.BID_TRUE
    else:
        loser, winner, cause = call.bidder, call.seat, Cause.BID_FALSE
    stake = _stake(rules, difference) * stake_factor(rules, call)
    _take_pot(rules, settlement, winner)
    losers: tuple[int, ...] = (loser,)
    if is_exact and rules.loss.on_exact is c.OnExact.ALL_BUT_BIDDER and settlement.stakes[call.bidder]:
        losers = tuple(seat for seat in settlement.alive() if seat != call.bidder)
    for seat in losers:
        _pay(rules, settlement, (seat, winner), stake, cause)
    if reveal.claim is True and is_exact and rules.exact_call is not None:
        _pay_exact(rules, rules.exact_call, settlement, call.bidder, losers)
    return loser


def stake_factor(rules: Ruleset, call: Call) -> int:
    """Return the number that multiplies what a call costs: more than 1 only for some challenges."""
    if isinstance(call, ExactCalled):
        return 1
    factor = rules.loss.challenge_factor(out_of_turn=call.out_of_turn, opening=call.opening is True)
    if call.redoubled is True:
        factor *= DOUBLE_STAKE
    return factor * DOUBLE_STAKE if call.double is True else factor


def _stake(rules: Ruleset, difference: int) -> int:
    match rules.loss.mode:
        case c.LossMode.FIXED:
            return rules.loss.fixed
        case c.LossMode.DIFFERENCE:
            return difference or rules.loss.exact


def _settle_exact(rules: Ruleset, exact: ExactCall, settlement: Settlement, call: ExactCalled, count: int) -> int:
    _take_pot(rules, settlement, call.seat if count == call.bid.quantity else call.bidder)
    if count != call.bid.quantity:
        _pay(rules, settlement, (call.seat, call.bidder), exact.failure_loss, Cause.EXACT_WRONG)
        return call.seat
    _pay_exact(rules, exact, settlement, call.seat, bidder=call.bidder)
    return call.bidder


def _pay_exact(
    rules: Ruleset,
    exact: ExactCall,
    settlement: Settlement,
    winner: int,
    payers: tuple[int, ...] = (),
    *,
    bidder: int | None = None,
) -> None:
    """Pay a player who was exactly right. `bidder`: the player whose bid was called; `payers`: those who have paid."""
    if sheds(rules):
        settlement.lose(winner, exact.success_gain, Cause.EXACT_RIGHT)
        return
    gain = exact.success_gain if settlement.stakes[winner] else 0
    if exact.gain_cap is c.GainCap.STARTING_DICE:
        gain = min(gain, rules.starting_stakes - settlement.stakes[winner])
    settlement.gain(winner, gain, Cause.EXACT_RIGHT)
    for seat in settlement.alive():
        if seat != winner and seat not in payers:
            loss = exact.others_loss + (exact.bidder_loss if seat == bidder else 0)
            settlement.lose(seat, loss, Cause.EXACT_RIGHT, _receiver(rules, settlement, winner))


def _receiver(rules: Ruleset, settlement: Settlement, opponent: int) -> int | None:
    if not settlement.stakes[opponent]:
        return None
    match rules.loss.destination:
        case c.Destination.DISCARD:
            return None
        case c.Destination.OPPONENT:
            return opponent


def _next_starter(state: State, settlement: Settlement, call: AnyCall, loser: int, rule: c.NextStarter) -> int:
    stakes, called = tuple(settlement.stakes), called_seat(call)
    match rule:
        case c.NextStarter.LOSER:
            return loser
        case c.NextStarter.WINNER:
            return called if loser == call.seat else call.seat
        case c.NextStarter.CALLER:
            return call.seat
        case c.NextStarter.BIDDER:
            return called
        case c.NextStarter.AFTER_LOSER:
            return next_seat(stakes, loser, state.direction)
        case c.NextStarter.ROTATE:
            return next_seat(stakes, state.starter, state.direction)


def _substitute_starter(
    eliminated: int, state: State, settlement: Settlement, call: AnyCall, rule: c.IfEliminated
) -> int:
    stakes = tuple(settlement.stakes)
    opponent = called_seat(call) if eliminated == call.seat else call.seat
    match rule:
        case c.IfEliminated.OPPONENT if stakes[opponent]:
            return opponent
        case c.IfEliminated.PREVIOUS:
            return next_seat(stakes, eliminated, state.direction.opposite)
        case c.IfEliminated.FEWEST_DICE:
            return min(filter(stakes.__getitem__, _seats_from(state, eliminated)), key=stakes.__getitem__)
        case c.IfEliminated.NEXT_IN_TURN | c.IfEliminated.OPPONENT:
            return next_seat(stakes, eliminated, state.direction)


def _seats_from(state: State, first: int) -> Iterator[int]:
    """Yield all seats in the direction of play, starting with `first`."""
    count = len(state.dice)
    return ((first + state.direction.step * distance) % count for distance in range(count))


def _down_to_one(state: State, settlement: Settlement, call: AnyCall) -> tuple[int, ...]:
    """Return the seats that this call left with exactly one die or life (`SpecialTrigger.LOSES_DOWN_TO_ONE`).

    They are ordered in the direction of play, starting with the caller.
    """
    return tuple(seat for seat in _seats_from(state, call.seat) if settlement.stakes[seat] == 1 < state.stakes[seat])


def _take_penalties(state: State, settlement: Settlement) -> bool:
    """Take the pending penalties in the order in which they were earned; returns whether that ends the match."""
    for penalty in state.penalties:
        before = tuple(settlement.stakes)
        settlement.lose(penalty.seat, penalty.dice, Cause.PENALTY)
        settlement.eliminate(before)
        if settlement.end_if_decided():
            return True
    return False


def _special_seat(state: State, settlement: Settlement, starter: int, down_to_one: tuple[int, ...]) -> int | None:
    special, left = state.ruleset.special_round, tuple(settlement.stakes)
    dice = tuple(map(min, state.dice, left)) if state.lives else left  # lives: one die each
    if special is None or len(settlement.alive()) < special.min_players or is_face_off(state.ruleset, dice):
        return None
    once = special.repeat is c.Repeat.ONCE_PER_PLAYER
    for seat in _special_candidates(special.trigger, settlement, starter, down_to_one):
        if settlement.stakes[seat] and not (once and seat in state.had_special):
            return seat
    return None


def _special_candidates(
    trigger: c.SpecialTrigger, settlement: Settlement, starter: int, down_to_one: tuple[int, ...]
) -> tuple[int, ...]:
    match trigger:
        case c.SpecialTrigger.LOSES_DOWN_TO_ONE:
            return down_to_one
        case c.SpecialTrigger.STARTS_WITH_ONE:
            return (starter,) if settlement.stakes[starter] == 1 else ()
        case c.SpecialTrigger.DECLARED:
            return ()  # nobody knows before the deal (`DeclareSpecial`)


def _end_round(state: State, settlement: Settlement, starter: int, special: int | None) -> None:
    limit = state.ruleset.guards.max_rounds
    if limit is not None and state.round_number >= limit:
        settlement.events.append(MatchEnded(settlement.leaders(), EndReason.MAX_ROUNDS))
    else:
        settlement.events.append(RoundEnded(state.round_number, starter, special))


def first_caller(state: State, seats: tuple[int, ...]) -> int:
    """Return the seat whose call stands if several `seats` call at the same moment (`TieBreak.FIRST_RECEIVED`).

    It is the player on turn, or else the nearest to the bidder in the direction of play.
    """
    bidder, step, count = state.bids[-1][0], state.direction.step, len(state.dice)
    return min(seats, key=lambda seat: (seat != state.turn, (seat - bidder) * step % count))
