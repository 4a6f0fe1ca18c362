"""What commands about bids read, and take for granted about the dice on the table."""

from __future__ import annotations

from liarsdice.core.errors import IllegalActionError, MalformedError
from liarsdice.core.rules.bids import Bid, face_order
from liarsdice.core.rules.ruleset import Ruleset

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


def read_numbers(text: str, option: str, right: str) -> tuple[int, ...]:
    """Numbers with commas between them. Raises `MalformedError` that names the option, and what is right."""
    parts = [part.strip() for part in text.split(",")] if text.strip() else []
    if any(not (part.isascii() and part.isdigit() and len(part) <= 4) for part in parts):
        raise MalformedError(f"cannot read {option} {text[:40]!r} (numbers with commas between them, such as {right})")
    return tuple(int(part) for part in parts)
