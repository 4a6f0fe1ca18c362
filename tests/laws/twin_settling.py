"""What a call leads to, a second time and plainly: the count, who pays, who opens the next round, who has won."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from tests.laws.twin import Chronicle, Words


@dataclass
class Outcome:
    """Of a call: the count by seat, dice left by seat, seats now out in any order, and what comes next."""

    counted: list[int]
    dice: list[int]
    out: set[int] = field(default_factory=set)
    next_starter: int | None = None
    special_of: int | None = None
    winners: list[int] = field(default_factory=list)


def wild_in(table: Chronicle) -> bool:
    """Whether the special face is wild by now, which a special round, an opening on it or any bid on it may end."""
    wilds, special = table.rules["wilds"], table.rules["dice"]["special_face"]
    faces = [face for _, (_, face) in table.bids]
    ends = {
        "special_round": table.special_of is not None,
        "opening_bid_on_special": faces[:1] == [special],
        "any_bid_on_special": special in faces,
    }
    return bool(wilds["special_is_wild"]) and not any(ends[reason] for reason in wilds["suspended_by"])


def count(rules: Words, hands: Sequence[Sequence[int]], face: int, *, wild: bool) -> list[int]:
    """What each hand adds to the count of a face."""
    special = rules["dice"]["special_face"]
    naturals = sum(list(hand).count(face) for hand in hands)
    helps = wild and face != special and (naturals > 0 or not rules["wilds"]["needs_natural"])
    shares = []
    for hand in hands:
        if rules["count"]["hand_bonus"] == "stairs" and hand and set(hand) == set(range(1, len(hand) + 1)):
            shares.append(len(hand) + 1)
        else:
            shares.append(list(hand).count(face) + (list(hand).count(special) if helps else 0))
    return shares


def outcome(table: Chronicle, caller: int, *, exact: bool) -> Outcome:
    """Everything that follows from a call: who pays, who is out, who is left, and only then what is still due."""
    rules, (bidder, (quantity, face)) = table.rules, table.bids[-1]
    counted = count(rules, table.hands, face, wild=wild_in(table))
    total, before = sum(counted), list(table.dice)
    found = Outcome(counted, list(before))
    if exact:
        loser = _pay_exact(rules, found.dice, caller, bidder, hit=total == quantity)
        rule, instead = rules["exact_call"]["next_starter"], rules["exact_call"]["if_eliminated"]
    else:
        late = caller != table.turn()
        loser = _pay_challenge(rules, found.dice, caller, bidder, total - quantity, late=late)
        rule, instead = rules["next_starter"]["rule"], rules["next_starter"]["if_eliminated"]
    found.out = {seat for seat, held in enumerate(before) if held and not found.dice[seat]}
    if _last(found):
        return found
    after = Chronicle(rules, dice=found.dice, clockwise=table.clockwise)
    starter = {
        "loser": loser,
        "winner": caller + bidder - loser,
        "caller": caller,
        "bidder": bidder,
        "after_loser": after.neighbour(loser),
        "rotate": after.neighbour(table.starter),
    }[rule]
    if not found.dice[starter]:
        other = caller if starter == bidder else bidder
        if instead == "opponent" and found.dice[other]:
            starter = other
        else:
            forward = table.clockwise if instead != "previous" else not table.clockwise
            starter = after.neighbour(starter, clockwise=forward)
    fallen = [seat for seat in _from(caller, after) if before[seat] > 1 and found.dice[seat] == 1]
    if _take_due(table, found):
        return found
    if not found.dice[starter]:
        starter = after.neighbour(starter)
    found.special_of = _special(table, found, fallen)
    found.next_starter = starter if found.special_of is None else found.special_of
    limit = rules["guards"]["max_rounds"]
    if limit is not None and table.number >= limit:
        found.winners = [seat for seat, held in enumerate(found.dice) if held == max(found.dice)]
        found.next_starter = found.special_of = None
    return found


def _pay_challenge(rules: Words, dice: list[int], caller: int, bidder: int, over: int, *, late: bool) -> int:
    """The dice change hands, never more than are held; the answer is who lost."""
    loss = rules["loss"]
    stake = loss["fixed"] if loss["mode"] == "fixed" else (abs(over) or loss["exact"])
    stake *= loss["out_of_turn_factor"] if late else 1
    loser, winner = (bidder, caller) if over < 0 else (caller, bidder)
    payers = [loser]
    if over == 0 and loss["on_exact"] == "all_but_bidder" and dice[bidder]:
        payers = [seat for seat in range(len(dice)) if seat != bidder]
    for seat in payers:
        _pay(rules, dice, seat, stake, winner)
    return loser


def _pay_exact(rules: Words, dice: list[int], caller: int, bidder: int, *, hit: bool) -> int:
    """A right call may gain dice, up to a cap, and cost the others some; a wrong one costs only the caller."""
    call = rules["exact_call"]
    if not hit:
        _pay(rules, dice, caller, call["failure_loss"], bidder)
        return caller
    room = rules["dice"]["per_player"] - dice[caller] if call["gain_cap"] == "starting_dice" else call["success_gain"]
    dice[caller] += max(0, min(call["success_gain"], room))
    for seat in range(len(dice)):
        if seat != caller:
            _pay(rules, dice, seat, call["others_loss"] + (call["bidder_loss"] if seat == bidder else 0), caller)
    return bidder


def _pay(rules: Words, dice: list[int], seat: int, amount: int, to: int) -> None:
    amount = min(amount, dice[seat])
    dice[seat] -= amount
    if rules["loss"]["destination"] == "opponent" and dice[to]:
        dice[to] += amount


def _from(first: int, table: Chronicle) -> list[int]:
    seats = len(table.dice)
    return [(first + (away if table.clockwise else -away)) % seats for away in range(seats)]


def _take_due(table: Chronicle, found: Outcome) -> bool:
    """After the call, in the order recorded, never the last player's; what is left is void."""
    for seat, amount in table.due:
        if found.dice[seat]:
            found.dice[seat] = max(0, found.dice[seat] - amount)
            if not found.dice[seat]:
                found.out.add(seat)
        if _last(found):
            return True
    return False


def _last(found: Outcome) -> bool:
    left = [seat for seat, held in enumerate(found.dice) if held]
    if len(left) == 1:
        found.winners = left
    return len(left) == 1


def _special(table: Chronicle, found: Outcome, fallen: list[int]) -> int | None:
    """The first in the direction of play, the caller before all, who may have one."""
    special = table.rules["special_round"]
    if special is None or sum(held > 0 for held in found.dice) < special["min_players"]:
        return None
    for seat in fallen:
        if found.dice[seat] and not (special["repeat"] == "once_per_player" and seat in table.had_special):
            return seat
    return None
