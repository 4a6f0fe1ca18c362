"""What `chart` and `odds` take for granted about a bid and about the dice on the table."""

from __future__ import annotations

from liarsdice.core.bids import Bid, face_order
from liarsdice.core.errors import IllegalActionError
from liarsdice.core.ruleset import Ruleset

USUAL_HANDS = 3


def usual_dice(rules: Ruleset, most: int) -> int:
    """As many dice as three players start with, where nobody says how many there are."""
    return min(USUAL_HANDS * rules.dice.per_player, most)


def need_biddable(bid: Bid, rules: Ruleset, name: str) -> None:
    """Raise `IllegalActionError` where a bid is on a face that the rules called `name` do not let anybody bid."""
    offered = face_order(rules)
    if bid.face not in offered:
        faces = ", ".join(map(str, offered))
        raise IllegalActionError(f"{bid} is no bid in {name}: face {bid.face} may not be bid ({faces} may)")
