"""Passes of the reference engine: who may pass, who may doubt a pass, and which hands allow one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from tests.laws.reference_engine import ReferenceState
from tests.laws.reference_stakes import PlainRules


def needed_dice(rules: PlainRules) -> int:
    return int(rules["bidding"].get("pass_dice", rules["dice"]["per_player"]))


def allows_pass(rules: PlainRules, hand: Sequence[int]) -> str | None:
    """What a hand is that allows a pass, the first that the rules name; None if it is nothing of that."""
    repeats = sorted(Counter(hand).values())
    is_kind = {
        "alike": repeats == [len(hand)],
        "all_different": repeats == [1] * len(hand),
        "full_house": repeats == [2, 3],
    }
    for kind in rules["bidding"].get("pass_with", []):
        if len(hand) >= needed_dice(rules) and is_kind[kind]:
            return str(kind)
    return None


def some_hand_allows_pass(rules: PlainRules, dice: int) -> bool:
    """Whether a number of dice can make a hand that allows a pass and that no rule makes the players roll again."""
    faces, kinds = rules["dice"]["faces"], rules["bidding"].get("pass_with", [])
    again = rules["count"].get("all_different") == "rolled_again" and dice == rules["dice"]["per_player"]
    examples = [[1] * dice] if "alike" in kinds else []
    if "all_different" in kinds and dice <= faces and not again:
        examples.append(list(range(1, dice + 1)))
    if "full_house" in kinds and dice == 5:
        examples.append([1, 1, 1, 2, 2])
    return any(allows_pass(rules, hand) for hand in examples)


def may_pass(table: ReferenceState, seat: int) -> bool:
    """Whether a seat may pass, with any hand: on its turn, after a bid, once a round, with enough dice."""
    if table.phase != "bidding" or table.doubled or not table.bids or seat != table.turn() or table.is_face_off():
        return False
    return seat not in [who for who, _ in table.passed] and some_hand_allows_pass(table.rules, table.dice[seat])


def may_doubt_pass(table: ReferenceState, seat: int) -> bool:
    """Whether a seat may doubt the pass before it: nothing has happened since."""
    just_passed = bool(table.passed) and table.passed[-1][1] == len(table.bids)
    return table.phase == "bidding" and not table.doubled and just_passed and seat == table.turn()
