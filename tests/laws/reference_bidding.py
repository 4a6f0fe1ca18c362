"""The bids that the reference engine allows: which of them may be made now, and how high they go."""

from __future__ import annotations

from tests.laws.reference_bids import Claim, highest_face, is_on_a_die, is_on_the_sum, is_zhai, ranks_above
from tests.laws.reference_engine import ReferenceState


def max_quantity(table: ReferenceState) -> int:
    """The highest quantity that may be bid; each hand that can count one die more than it has adds one.

    Where the rules have no cap, no number is read that is larger than a thousand.
    """
    if table.is_face_off():
        return sum(highest_face(table.rules, seat) for seat in table.alive())
    wanted = table.rules["bidding"]["cap"]
    if wanted != "dice_in_play":
        return 1_000 if wanted is None else int(wanted)
    most = max(table.dice) if table.rules["count"]["scope"] == "bidder" else sum(table.dice)
    if table.rules["count"]["hand_bonus"] == "stairs":
        most += len([seat for seat in table.alive() if table.dice[seat] <= highest_face(table.rules, seat)])
    if table.rules["count"]["hand_bonus"] == "alike":
        most += 2 * len([seat for seat in table.alive() if table.dice[seat] == table.rules["dice"]["per_player"]])
    return most


def may_bid(table: ReferenceState, seat: int, bid: Claim) -> bool:
    bidding, (quantity, face, *_) = table.rules["bidding"], bid
    special, most = table.rules["dice"]["special_face"], max_quantity(table)
    if table.phase != "bidding" or table.doubled or table.to_choose or seat != table.turn() or quantity > most:
        return False
    limit = table.rules["guards"]["max_bids_per_round"]
    if limit is not None and len(table.bids) >= limit:
        return False
    if table.is_face_off():
        return is_on_the_sum(bid) and quantity > (table.bids[-1][1][0] if table.bids else 1)
    if not is_on_a_die(table.rules, bid):
        return False
    if not table.bids:
        opening = bidding["special_may_open"]
        if face == special and not (table.special_of is not None if opening == "special_round_only" else opening):
            return False
        return _opens(table, bid, most)
    old = table.bids[-1][1]
    special_round = table.rules["special_round"]
    if table.special_of is not None and special_round["face_locked"] and face != old[1]:
        exempt = table.had_before if special_round["lock_exempt"] == "had_special" else []
        if seat not in exempt:
            return False
    if bidding["no_repeat"] and bid in [made for _, made in table.bids]:
        return False
    return ranks_above(table.rules, old, bid)


def _opens(table: ReferenceState, bid: Claim, most: int) -> bool:
    """Whether a quantity may open: the minimum is at most the cap, and the maximum at least the minimum.

    Bids on the special face have the minimum of their own, or that of zhai bids, or that of all.
    """
    bidding, (quantity, face, *_) = table.rules["bidding"], bid
    least = bidding["min_open"]
    if "to_pure" in bidding and is_zhai(table.rules, bid):
        least = bidding.get("min_open_pure", least)
    if face == table.rules["dice"]["special_face"]:
        least = bidding.get("min_open_special", least)
    seated = len(table.alive())
    by_players = {"players": seated, "players_plus_1": seated + 1, "players_plus_2": seated + 2}
    by_players["players_times_1_5"] = seated + seated // 2 + seated % 2
    least = min(by_players.get(least, least), most)
    if quantity < least:
        return False
    return bidding["max_open"] is None or quantity <= max(least, bidding["max_open"])
