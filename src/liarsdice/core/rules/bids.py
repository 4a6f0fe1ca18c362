"""Bids, and the relation that says which bid beats which.

Bids have no rank of their own, only a relation to the one before: some rule sheets leave bids that can't be compared,
and one would go round in circles but for its ban on repeats. `beats` is that relation as the
rule sheet has it; what else an engine must mind, a cap, repeats, a locked face, is added where moves are listed.
"""

from __future__ import annotations

from collections.abc import Callable

import msgspec

from liarsdice.core.rules.choices import Cap, FromSpecial, HandBonus, MinOpen, Raise, SpecialRank, ToSpecial
from liarsdice.core.rules.ruleset import Bidding, Dice, Ruleset


class Bid(msgspec.Struct, frozen=True, tag="bid", order=True, forbid_unknown_fields=True):
    """The claim that at least `quantity` dice show `face`."""

    quantity: int
    face: int

    def __str__(self) -> str:
        return f"{self.quantity}x{self.face}"


RAISES: dict[Raise, Callable[[int, int, int, int], bool]] = {
    Raise.QUANTITY_FIRST: lambda q, f, q2, f2: q2 > q or (q2 == q and f2 > f),
    Raise.NO_DECREASE: lambda q, f, q2, f2: q2 >= q and f2 >= f and (q2, f2) != (q, f),
    Raise.EITHER_INCREASES: lambda q, f, q2, f2: q2 > q or f2 > f,
    Raise.FACE_FIRST: lambda q, f, q2, f2: f2 > f or (f2 == f and q2 > q),
    Raise.ONE_STEP_DIM: lambda q, f, q2, f2: (f2 == f and q2 > q) or (q2 == q and f2 > f),
    Raise.PRODUCT: lambda q, f, q2, f2: q2 * f2 > q * f,
    Raise.MAX_OF_PAIR: lambda q, f, q2, f2: max(q2, f2) > max(q, f),
}
"""Whether (q2, f2) beats (q, f), by quantity and rank of the face."""

TO_SPECIAL: dict[ToSpecial, Callable[[int], int]] = {
    ToSpecial.FLOOR_HALF_PLUS_1: lambda q: q // 2 + 1,
    ToSpecial.CEIL_HALF: lambda q: (q + 1) // 2,
}
"""Fewest special dice that beat q ordinary ones."""

FROM_SPECIAL: dict[FromSpecial, Callable[[int], int | None]] = {
    FromSpecial.DOUBLE: lambda k: 2 * k,
    FromSpecial.DOUBLE_PLUS_1: lambda k: 2 * k + 1,
    FromSpecial.NEVER: lambda _: None,
}
"""Fewest ordinary dice that beat k special ones; None: no number does."""


UNCAPPED_QUANTITY = 1_000
"""The most that may be bid where the rules set no cap: far above any table, and it bounds what a number can cost."""


def face_order(rules: Ruleset) -> tuple[int, ...]:
    """The faces that may be bid, lowest first.

    >>> from liarsdice.core.rules.presets import preset
    >>> face_order(preset("chui-niu").ruleset)
    (2, 3, 4, 5, 6, 1)
    """
    return biddable_faces(rules.bidding, rules.dice)


def biddable_faces(bidding: Bidding, dice: Dice) -> tuple[int, ...]:
    """`face_order` for the two parts of a ruleset that decide it."""
    special = dice.special_face
    others = tuple(face for face in range(1, dice.faces + 1) if face != special)
    match bidding.special_rank:
        case SpecialRank.PLAIN:
            return tuple(range(1, dice.faces + 1))
        case SpecialRank.NOT_BIDDABLE:
            return others
        case SpecialRank.CONVERT | SpecialRank.TOP_FACE:
            return (*others, special)


def beats(rules: Ruleset, old: Bid, new: Bid) -> bool:
    """Whether the rule sheet ranks `new` above `old`: the relation alone, without cap, repeats or a locked face.

    >>> from liarsdice.core.rules.presets import preset
    >>> beats(preset("chart").ruleset, Bid(5, 3), Bid(3, 1))
    True
    """
    return outranks(rules.bidding, rules.dice, old, new)


def outranks(bidding: Bidding, dice: Dice, old: Bid, new: Bid) -> bool:
    """`beats` for the two parts of a ruleset that decide it, which can be asked before the ruleset is whole."""
    special = dice.special_face
    rank = bidding.special_rank
    to, back = bidding.to_special, bidding.from_special
    if rank is SpecialRank.CONVERT and to is not None and back is not None and special in (old.face, new.face):
        if old.face == new.face:
            return new.quantity > old.quantity
        if new.face == special:
            return new.quantity >= TO_SPECIAL[to](old.quantity)
        least = FROM_SPECIAL[back](old.quantity)
        return least is not None and new.quantity >= least
    if rank is SpecialRank.NOT_BIDDABLE and new.face == special:
        return False
    top = dice.faces + 1 if rank is SpecialRank.TOP_FACE else special
    return RAISES[bidding.raise_](
        old.quantity,
        top if old.face == special else old.face,
        new.quantity,
        top if new.face == special else new.face,
    )


def ordinary_quantity(rules: Ruleset, bid: Bid) -> int:
    """The row of a chart in which a bid stands: its quantity, or the most ordinary dice that converted ones beat.

    >>> from liarsdice.core.rules.presets import preset
    >>> ordinary_quantity(preset("chart").ruleset, Bid(3, 1))
    5
    """
    bidding = rules.bidding
    convert = bidding.to_special if bidding.special_rank is SpecialRank.CONVERT else None
    if convert is None or bid.face != rules.dice.special_face:
        return bid.quantity
    needed = TO_SPECIAL[convert]
    return next(q for q in range(2 * bid.quantity, 0, -1) if needed(q) <= bid.quantity)


def highest_quantity(rules: Ruleset, dice: tuple[int, ...]) -> int | None:
    """The largest quantity that may be bid with these dice per seat; None: no limit.

    With stairs it is the largest count that can come up, which is more than the dice on the table.
    """
    match rules.bidding.cap:
        case None:
            return None
        case Cap.DICE_IN_PLAY:
            bonus = sum(0 < held <= rules.dice.faces for held in dice)
            return sum(dice) + (bonus if rules.count.hand_bonus is HandBonus.STAIRS else 0)
        case int() as cap:
            return cap


def lowest_opening(rules: Ruleset, dice: tuple[int, ...]) -> int:
    """The smallest quantity of an opening bid, never above the cap, so that an opener always has a bid."""
    wanted = rules.bidding.min_open
    least = sum(held > 0 for held in dice) if isinstance(wanted, MinOpen) else wanted
    cap = highest_quantity(rules, dice)
    return least if cap is None else min(least, cap)
