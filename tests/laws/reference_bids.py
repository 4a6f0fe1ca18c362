"""The bids of the reference engine: which bid beats which."""

from __future__ import annotations

from liarsdice.core.rules.bids import Bid
from tests.laws.reference_stakes import PlainRules

Pair = tuple[int, int]  # quantity, face


Zhai = tuple[int, int, bool]  # quantity, face, True: the ones are not wild for this bid


Claim = Pair | Zhai


def plain_bid(bid: Bid) -> Claim:
    return (bid.quantity, bid.face, True) if bid.pure else (bid.quantity, bid.face)


def highest_face(words: PlainRules, seat: int) -> int:
    """The highest face of the dice of a seat: the one in the list, or that of all seats that are not in it."""
    return int(dict(enumerate(words["dice"].get("faces_by_seat", []))).get(seat, words["dice"]["faces"]))


def is_zhai(words: PlainRules, bid: Claim) -> bool:
    """Whether a bid takes the wildness of the ones away: it says so, or it is on them."""
    return len(bid) > 2 or bid[1] == words["dice"]["special_face"]


def is_on_the_sum(bid: Claim) -> bool:
    """Whether a bid is on the sum of the dice, which is written as face 0."""
    return bid[1] == 0


def rank(words: PlainRules, face: int) -> int:
    """The rank of a face, as a number to compare and to multiply."""
    top = words["bidding"]["special_rank"] == "top_face" and face == words["dice"]["special_face"]
    return int(words["dice"]["faces"]) + 1 if top else face


def ranks_above(words: PlainRules, old: Claim, new: Claim) -> bool:
    """Whether `new` beats `old`, by the raise rule and the rules of the special face."""
    bidding, special = words["bidding"], words["dice"]["special_face"]
    (q, f, *_), (q2, f2, *_) = old, new
    if is_on_the_sum(old) or is_on_the_sum(new):
        return is_on_the_sum(old) and is_on_the_sum(new) and q2 > q
    if bidding["special_rank"] == "not_biddable" and f2 == special:
        return False
    if "to_pure" in bidding:
        if not is_zhai(words, old) and is_zhai(words, new):
            return q2 >= q if bidding["to_pure"] == "same_quantity" else q2 > q - 2
        if is_zhai(words, old) and not is_zhai(words, new):
            wanted = {None: None, "double": q + q, "plus_1": q + 1, "plus_2": q + 2}[bidding.get("from_pure")]
            return wanted is not None and q2 >= wanted
    if bidding["special_rank"] == "convert":
        if f != special and f2 == special:
            # more than half as many, or half as many rounded up
            return 2 * q2 > q if bidding["to_special"] == "floor_half_plus_1" else 2 * q2 >= q
        if f == special and f2 != special:
            return {"double": q2 >= 2 * q, "double_plus_1": q2 > 2 * q, "never": False}[bidding["from_special"]]
        if f == special and f2 == special:
            return q2 > q
    r, r2 = rank(words, f), rank(words, f2)
    more, same, less, higher, level, lower = q2 > q, q2 == q, q2 < q, r2 > r, r2 == r, r2 < r
    match bidding["raise"]:
        case "quantity_first":
            return more or (same and higher)
        case "no_decrease":
            return (more or higher) and not less and not lower
        case "either_increases":
            return more or higher
        case "face_first":
            return higher or (level and more)
        case "one_step_dim":
            return (level and more) or (same and higher)
        case "product":
            return q2 * r2 > q * r
        case other:
            assert other == "max_of_pair"
            return max(q2, r2) > max(q, r)


def is_on_a_die(words: PlainRules, bid: Claim) -> bool:
    quantity, face, *zhai = bid
    if zhai and ("to_pure" not in words["bidding"] or face == words["dice"]["special_face"]):
        return False
    hidden = words["bidding"]["special_rank"] == "not_biddable" and face == words["dice"]["special_face"]
    return quantity >= 1 and 1 <= face <= words["dice"]["faces"] and not hidden
