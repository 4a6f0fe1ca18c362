"""The reference engine's settlement of a call: the count, who pays, who opens the next round, who has won."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from tests.laws.reference_bids import is_zhai
from tests.laws.reference_engine import ReferenceState, one_die_each
from tests.laws.reference_passes import allows_pass
from tests.laws.reference_stakes import PlainRules, at_the_start, put_away


@dataclass
class CallOutcome:
    """The outcome of a call: the counts and the dice or lives left by seat, the seats now out, and what comes next."""

    counted: list[int]
    left: list[int]
    out: set[int] = field(default_factory=set)
    next_starter: int | None = None
    special_of: int | None = None
    winners: list[int] = field(default_factory=list)


def special_is_wild(table: ReferenceState) -> bool:
    """Whether the special face is wild now; a special round, an opening bid or any bid on it may end that."""
    wilds, special = table.rules["wilds"], table.rules["dice"]["special_face"]
    if table.is_face_off():
        return False
    if "to_pure" in table.rules["bidding"]:
        return bool(wilds["special_is_wild"]) and not (table.bids and is_zhai(table.rules, table.bids[-1][1]))
    faces = [face for _, (_, face, *_) in table.bids]
    ends = {
        "special_round": table.special_of is not None,
        "opening_bid_on_special": faces[:1] == [special],
        "any_bid_on_special": special in faces,
        "opening_challenge": False,  # it ends wildness only for the count of that challenge
    }
    return bool(wilds["special_is_wild"]) and not any(ends[reason] for reason in wilds["suspended_by"])


def count_face(rules: PlainRules, hands: Sequence[Sequence[int]], face: int, *, wild: bool) -> list[int]:
    """The share of each hand in the count of a face."""
    if face == 0:
        return [sum(hand) for hand in hands]
    special, full = rules["dice"]["special_face"], rules["dice"]["per_player"]
    if rules["count"].get("all_different") == "worthless":
        hands = [[] if len(hand) == full and len(set(hand)) == full else hand for hand in hands]
    naturals = sum(list(hand).count(face) for hand in hands)
    helps = wild and face != special and (naturals > 0 or not rules["wilds"]["needs_natural"])
    shares = []
    for hand in hands:
        if rules["count"]["hand_bonus"] == "stairs" and hand and set(hand) == set(range(1, len(hand) + 1)):
            shares.append(len(hand) + 1)
        else:
            wilds = list(hand).count(special) if helps else 0
            share = list(hand).count(face) + wilds
            if rules["count"]["hand_bonus"] == "alike" and hand and share == len(hand) == full:
                share += 1 if wilds else 2
            shares.append(share)
    return shares


def settle_call(table: ReferenceState, caller: int, *, exact: bool, times: int = 1) -> CallOutcome:
    """Everything that follows from a call; pending penalties are taken last."""
    rules, (bidder, (quantity, face, *_)) = table.rules, table.bids[-1]
    wild = special_is_wild(table)
    if not exact and len(table.bids) == 1 and "opening_challenge" in rules["wilds"]["suspended_by"]:
        wild = False
    own_only = rules["count"]["scope"] == "bidder"
    hands = [[] if own_only and seat != bidder else hand for seat, hand in enumerate(table.hands)]
    counted = count_face(rules, hands, face, wild=wild)
    total, before = sum(counted), list(table.left())
    result = CallOutcome(counted, list(before))
    if exact:
        loser = _pay_exact(rules, result.left, caller, bidder, hit=total == quantity)
        rule, instead = rules["exact_call"]["next_starter"], rules["exact_call"]["if_eliminated"]
    else:
        times *= rules["loss"]["out_of_turn_factor"] if caller != table.turn() else 1
        times *= rules["loss"].get("opening_factor", 1) if len(table.bids) == 1 else 1
        loser = _pay_challenge(rules, result.left, caller, bidder, total - quantity, times)
        rule, instead = rules["next_starter"]["rule"], rules["next_starter"]["if_eliminated"]
    _go_on(table, result, (caller, bidder, loser), rule, instead)
    return result


def settle_doubt(table: ReferenceState, caller: int) -> CallOutcome:
    """Everything that follows when the pass of the player before is doubted."""
    rules, passer = table.rules, table.passed[-1][0]
    bidder, (_, face, *_) = table.bids[-1]
    hands = [[] if rules["count"]["scope"] == "bidder" and seat != bidder else h for seat, h in enumerate(table.hands)]
    result = CallOutcome(count_face(rules, hands, face, wild=special_is_wild(table)), list(table.left()))
    loser, winner = (caller, passer) if allows_pass(rules, table.hands[passer]) else (passer, caller)
    stake = rules["loss"]["fixed"] if rules["loss"]["mode"] == "fixed" else rules["loss"]["exact"]
    _pay(rules, result.left, loser, stake, winner)
    starters = rules["next_starter"]
    _go_on(table, result, (caller, passer, loser), starters["rule"], starters["if_eliminated"])
    return result


def settle_fold(table: ReferenceState, folding: int) -> CallOutcome:
    """Everything that follows when a player folds a doubled call: half of what it would cost to be wrong."""
    rules, caller, bidder = table.rules, table.doubled[0], table.bids[-1][0]
    result = CallOutcome([], list(table.left()))
    stake = rules["loss"]["fixed"] * (1 if len(table.doubled) == 1 else 2)
    stake *= rules["loss"]["out_of_turn_factor"] if caller != table.turn() else 1
    stake *= rules["loss"].get("opening_factor", 1) if len(table.bids) == 1 else 1
    _pay(rules, result.left, folding, stake, caller if folding == bidder else bidder)
    starters = rules["next_starter"]
    _go_on(table, result, (caller, bidder, folding), starters["rule"], starters["if_eliminated"])
    return result


def _go_on(table: ReferenceState, result: CallOutcome, players: tuple[int, int, int], rule: str, instead: str) -> None:
    """Put out who has nothing left, and say who opens next; `players` are the caller, who was called, and the loser."""
    rules, before, (caller, bidder, loser) = table.rules, list(table.left()), players
    put_away(rules, result.left)
    result.out = {seat for seat, held in enumerate(before) if held and not result.left[seat]}
    if _over(rules, result):
        return
    after = ReferenceState(rules, dice=result.left, clockwise=table.clockwise)
    starter = {
        "loser": loser,
        "winner": caller + bidder - loser,
        "caller": caller,
        "bidder": bidder,
        "after_loser": after.neighbour(loser),
        "rotate": after.neighbour(table.starter),
    }[rule]
    if not result.left[starter]:
        other = caller if starter == bidder else bidder
        if instead == "opponent" and result.left[other]:
            starter = other
        else:
            forward = table.clockwise if instead != "previous" else not table.clockwise
            starter = after.neighbour(starter, clockwise=forward)
    down_to_one = [seat for seat in _from(caller, after) if before[seat] > 1 and result.left[seat] == 1]
    if _take_due(table, result):
        return
    if not result.left[starter]:
        starter = after.neighbour(starter)
    if rules["special_round"] is not None and rules["special_round"]["trigger"] == "starts_with_one":
        down_to_one = [starter] if result.left[starter] == 1 else []
    if rules["special_round"] is not None and rules["special_round"]["trigger"] == "declared":
        down_to_one = []  # nobody knows before the opener speaks
    result.special_of = _special(table, result, down_to_one)
    result.next_starter = starter if result.special_of is None else result.special_of
    limit = rules["guards"]["max_rounds"]
    if limit is not None and table.number >= limit:
        result.winners = [seat for seat, held in enumerate(result.left) if held == max(result.left)]
        result.next_starter = result.special_of = None


def _pay_challenge(rules: PlainRules, left: list[int], caller: int, bidder: int, over: int, times: int) -> int:
    """Settle a challenge in `left`, never taking more than a seat holds; returns the seat that lost."""
    loss = rules["loss"]
    stake = times * (loss["fixed"] if loss["mode"] == "fixed" else (abs(over) or loss["exact"]))
    loser, winner = (bidder, caller) if over < 0 else (caller, bidder)
    payers = [loser]
    if over == 0 and loss["on_exact"] == "all_but_bidder" and left[bidder]:
        payers = [seat for seat in range(len(left)) if seat != bidder]
    for seat in payers:
        _pay(rules, left, seat, stake, winner)
    return loser


def _pay_exact(rules: PlainRules, left: list[int], caller: int, bidder: int, *, hit: bool) -> int:
    """Settle an exact call in `left`; returns the seat that lost."""
    call = rules["exact_call"]
    if not hit:
        _pay(rules, left, caller, call["failure_loss"], bidder)
        return caller
    missing = at_the_start(rules) - left[caller] if call["gain_cap"] == "starting_dice" else call["success_gain"]
    left[caller] += max(0, min(call["success_gain"], missing))
    for seat in range(len(left)):
        if seat != caller:
            _pay(rules, left, seat, call["others_loss"] + (call["bidder_loss"] if seat == bidder else 0), caller)
    return bidder


def _pay(rules: PlainRules, left: list[int], seat: int, amount: int, to: int) -> None:
    amount = min(amount, left[seat])
    left[seat] -= amount
    if rules["loss"]["destination"] == "opponent" and left[to]:
        left[to] += amount


def _from(first: int, table: ReferenceState) -> list[int]:
    seats = len(table.dice)
    return [(first + (away if table.clockwise else -away)) % seats for away in range(seats)]


def _take_due(table: ReferenceState, result: CallOutcome) -> bool:
    """Take pending penalties in their order, until one player is left; returns whether the match ended."""
    for seat, amount in table.due:
        if result.left[seat]:
            result.left[seat] = max(0, result.left[seat] - amount)
            put_away(table.rules, result.left)
            if not result.left[seat]:
                result.out.add(seat)
        if _over(table.rules, result):
            return True
    return False


def _over(rules: PlainRules, result: CallOutcome) -> bool:
    """Whether the match is over, since one player is left or, where that is the end, since somebody is out."""
    first_out = rules["end"] == "first_player_out" and 0 in result.left
    if first_out or sum(held > 0 for held in result.left) == 1:
        result.winners = [seat for seat, held in enumerate(result.left) if held == max(result.left)]
    return bool(result.winners)


def _special(table: ReferenceState, result: CallOutcome, down_to_one: list[int]) -> int | None:
    """The seat that gets a special round: the first that may have one, from the caller on in the direction of play."""
    special = table.rules["special_round"]
    if special is None or sum(held > 0 for held in result.left) < special["min_players"]:
        return None
    dice = [held if result.left[seat] else 0 for seat, held in enumerate(table.dice)] if table.lives else result.left
    if one_die_each(table.rules, dice):
        return None
    for seat in down_to_one:
        if result.left[seat] and not (special["repeat"] == "once_per_player" and seat in table.had_special):
            return seat
    return None
