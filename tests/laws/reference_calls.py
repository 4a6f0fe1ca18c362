"""The calls of the reference engine: who may challenge, and who may call exact."""

from __future__ import annotations

from tests.laws.reference_engine import ReferenceState
from tests.laws.reference_stakes import at_the_start


def may_challenge(table: ReferenceState, seat: int) -> bool:
    return _may_call(table, seat, table.rules["challenge"]["who"])


def may_double(table: ReferenceState, seat: int) -> bool:
    return "double" in table.rules["challenge"] and _may_call(table, seat, table.rules["challenge"]["double"])


def may_answer(table: ReferenceState, seat: int, answer: str) -> bool:
    """Whether a seat may answer a doubled call: the bidder, then the caller; only the bidder doubles it again."""
    if table.phase != "bidding" or not table.doubled:
        return False
    caller, bidder, again = table.doubled[0], table.bids[-1][0], len(table.doubled) > 1
    folding = table.rules["challenge"]["answers"] == "redouble_or_fold"
    answers = {"accept"} | ({"fold"} if folding else set()) | (set() if again else {"redouble"})
    return seat == (caller if again else bidder) and answer in answers


def may_call_exact(table: ReferenceState, seat: int) -> bool:
    call = table.rules["exact_call"]
    if call is None or not _may_call(table, seat, call["who"]):
        return False
    if table.special_of is not None and not call["in_special_round"]:
        return False
    if len(table.alive()) < call["min_players"]:
        return False
    if call.get("min_dice") == "half" and sum(table.dice) < table.rules["dice"]["per_player"] * len(table.dice) / 2:
        return False
    if call["budget"] is not None and table.exact_calls[seat] >= call["budget"]:
        return False
    capped = call["gain_cap"] == "starting_dice" and table.left()[seat] >= at_the_start(table.rules)
    return not (capped and call["at_cap"] == "forbidden")


def _may_call(table: ReferenceState, seat: int, who: str) -> bool:
    """Whether a seat may call: after a bid, the next player, anybody with dice except the bidder, or except both."""
    if table.phase != "bidding" or table.doubled or not table.bids or seat not in table.alive():
        return False
    if who == "next_player":
        return seat == table.turn() and seat != table.bids[-1][0]
    return seat != table.bids[-1][0] and not (who == "out_of_turn" and seat == table.turn())
