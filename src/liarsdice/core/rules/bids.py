"""Bids, and the relation that says which bid beats which.

A bid has no rank of its own, only a relation to the bid before it. Some rule sheets leave pairs of bids that cannot be
compared, and one allows loops if it did not also forbid repeated bids. `beats` is the relation as the rule sheet states
it; the cap, repeats and a locked face are applied where legal moves are listed (`engine.legal`).
"""

from collections.abc import Callable

import msgspec

from liarsdice.core.arguments import require_arguments
from liarsdice.core.errors import BidError, described
from liarsdice.core.rules.choices import FromPure, FromSpecial, Raise, SpecialRank, ToPure, ToSpecial
from liarsdice.core.rules.meaning import has_face_off, has_pure_bids
from liarsdice.core.rules.parts import RuleChoices

SUM_FACE = 0
"""The face of a bid on the sum of all dice in play, as in a face-off (`bid_space.is_face_off`); no die shows it."""


class Bid(
    msgspec.Struct,
    frozen=True,
    tag="bid",
    order=True,
    forbid_unknown_fields=True,
    omit_defaults=True,
    repr_omit_defaults=True,
):
    """The claim that at least `quantity` dice show `face`; if it is `pure`, without wild dice (zhai).

    A bid on the special face has no wild dice in any case, and is not marked as pure. With the face `SUM_FACE`, a bid
    is the claim that all dice in play add up to at least `quantity`.
    """

    quantity: int
    face: int
    pure: bool = False

    def __post_init__(self) -> None:
        if type(self.quantity) is not int or type(self.face) is not int or self.quantity < 1 or self.face < 0:
            raise BidError(
                "a bid has a quantity of at least 1 and a face (0 for the sum of all dice), two whole numbers, as in"
                f" Bid(4, 2), not {described(self.quantity)} and {described(self.face)}"
            )
        if type(self.pure) is not bool:
            raise BidError(f"a bid is pure or not, True or False, not {described(self.pure)}")

    @property
    def is_sum(self) -> bool:
        """Whether the bid is on the sum of all dice in play."""
        return self.face == SUM_FACE

    def __str__(self) -> str:
        if self.is_sum:
            return f"{SUM_WORD}{self.quantity}"
        return f"{self.quantity}x{self.face}{PURE_MARK if self.pure else ''}"


PURE_MARK = "!"
"""The last character of a pure bid as text: `5x4!`."""

SUM_WORD = "sum"
"""The start of a bid on the sum of the dice as text: `sum7`."""

RAISES: dict[Raise, Callable[[int, int, int, int], bool]] = {
    Raise.QUANTITY_FIRST: lambda q, f, q2, f2: q2 > q or (q2 == q and f2 > f),
    Raise.NO_DECREASE: lambda q, f, q2, f2: q2 >= q and f2 >= f and (q2, f2) != (q, f),
    Raise.EITHER_INCREASES: lambda q, f, q2, f2: q2 > q or f2 > f,
    Raise.FACE_FIRST: lambda q, f, q2, f2: f2 > f or (f2 == f and q2 > q),
    Raise.ONE_STEP_DIM: lambda q, f, q2, f2: (f2 == f and q2 > q) or (q2 == q and f2 > f),
    Raise.OTHER_FACE: lambda q, f, q2, f2: q2 > q or (q2 == q and f2 != f),
    Raise.PRODUCT: lambda q, f, q2, f2: q2 * f2 > q * f,
    Raise.MAX_OF_PAIR: lambda q, f, q2, f2: max(q2, f2) > max(q, f),
}
"""Whether (q2, f2) beats (q, f), where q is a quantity and f the rank of a face."""

TO_SPECIAL: dict[ToSpecial, Callable[[int], int]] = {
    ToSpecial.FLOOR_HALF_PLUS_1: lambda q: q // 2 + 1,
    ToSpecial.CEIL_HALF: lambda q: (q + 1) // 2,
}
"""The fewest special dice that beat q dice of an ordinary face."""

FROM_SPECIAL: dict[FromSpecial, Callable[[int], int | None]] = {
    FromSpecial.DOUBLE: lambda k: 2 * k,
    FromSpecial.DOUBLE_PLUS_1: lambda k: 2 * k + 1,
    FromSpecial.NEVER: lambda _: None,
}
"""The fewest ordinary dice that beat k special dice; None if no number does."""

TO_PURE: dict[ToPure, Callable[[int], int]] = {
    ToPure.SAME_QUANTITY: lambda q: q,
    ToPure.ONE_LESS: lambda q: q - 1,
}
"""The fewest dice of a pure bid that beat q dice of a bid that is not pure."""

FROM_PURE: dict[FromPure, Callable[[int], int]] = {
    FromPure.DOUBLE: lambda k: 2 * k,
    FromPure.PLUS_1: lambda k: k + 1,
    FromPure.PLUS_2: lambda k: k + 2,
}
"""The fewest dice of a bid that is not pure that beat k dice of a pure bid."""


def may_be_pure(rules: RuleChoices, face: int) -> bool:
    """Return whether a bid on this face may be marked as pure; one on the special face or a sum never is."""
    return has_pure_bids(rules) and face not in (rules.dice.special_face, SUM_FACE)


def face_order(rules: RuleChoices) -> tuple[int, ...]:
    """Return the faces that may be bid, lowest rank first.

    >>> from liarsdice.core.rules.presets import preset
    >>> face_order(preset("chui-niu").ruleset)
    (2, 3, 4, 5, 6, 1)
    """
    special = rules.dice.special_face
    others = tuple(face for face in range(1, rules.dice.faces + 1) if face != special)
    match rules.bidding.special_rank:
        case SpecialRank.PLAIN:
            return tuple(range(1, rules.dice.faces + 1))
        case SpecialRank.NOT_BIDDABLE:
            return others
        case SpecialRank.CONVERT | SpecialRank.TOP_FACE:
            return (*others, special)


def beats(rules: RuleChoices, old: Bid, new: Bid) -> bool:
    """Return whether the rule sheet ranks `new` above `old`: the relation alone, without cap, repeats or a locked face.

    Raises `MalformedError` for an argument of another kind.

    Only `rules.bidding` and `rules.dice` matter. Any two pairs of whole numbers can be compared, also those that are no
    bids of these rules: the engine asks this for every legal move, so it checks nothing.

    >>> from liarsdice.core.rules.presets import preset
    >>> beats(preset("chart").ruleset, Bid(5, 3), Bid(3, 1))
    True
    """
    try:
        return raise_relation(rules)(old, new)
    except (AttributeError, TypeError):
        require_arguments(beats, (rules, old, new))
        raise


def raise_relation(rules: RuleChoices) -> Callable[[Bid, Bid], bool]:
    """Return `beats` as a function of two bids alone, the old one first, which is faster for many bids."""
    relation = _relation_on_faces(rules)
    if not has_face_off(rules):
        return relation

    def beats_by_sum(old: Bid, new: Bid) -> bool:
        if old.is_sum or new.is_sum:
            return old.is_sum and new.is_sum and new.quantity > old.quantity
        return relation(old, new)

    return beats_by_sum


def _relation_on_faces(rules: RuleChoices) -> Callable[[Bid, Bid], bool]:
    """Return which bid beats which among bids on a face."""
    relation, to_pure = _relation_of_one_kind(rules), rules.bidding.to_pure
    if not isinstance(to_pure, ToPure):
        return relation
    from_pure = rules.bidding.from_pure
    least_pure, special = TO_PURE[to_pure], rules.dice.special_face
    is_unbiddable = rules.bidding.special_rank is SpecialRank.NOT_BIDDABLE
    least_again = FROM_PURE[from_pure] if isinstance(from_pure, FromPure) else None

    def beats_by_kind(old: Bid, new: Bid) -> bool:
        was_pure, is_pure = old.pure or old.face == special, new.pure or new.face == special
        if was_pure == is_pure:
            return relation(old, new)
        if is_pure:
            return new.quantity >= least_pure(old.quantity) and not (new.face == special and is_unbiddable)
        return least_again is not None and new.quantity >= least_again(old.quantity)

    return beats_by_kind


def _relation_of_one_kind(rules: RuleChoices) -> Callable[[Bid, Bid], bool]:
    """Return which bid beats which among bids that are all pure, or all not pure."""
    bidding, special = rules.bidding, rules.dice.special_face
    rank, ranks_above = bidding.special_rank, RAISES[bidding.raise_]
    if rank is SpecialRank.CONVERT and bidding.to_special is not None and bidding.from_special is not None:
        to_special, from_special = TO_SPECIAL[bidding.to_special], FROM_SPECIAL[bidding.from_special]

        def beats_or_converts(old: Bid, new: Bid) -> bool:
            if new.face == special:
                return new.quantity > old.quantity if old.face == special else new.quantity >= to_special(old.quantity)
            if old.face == special:
                needed = from_special(old.quantity)
                return needed is not None and new.quantity >= needed
            return ranks_above(old.quantity, old.face, new.quantity, new.face)

        return beats_or_converts

    special_is_biddable = rank is not SpecialRank.NOT_BIDDABLE
    special_face_rank = rules.dice.faces + 1 if rank is SpecialRank.TOP_FACE else special

    def beats_by_rank(old: Bid, new: Bid) -> bool:
        old_rank = special_face_rank if old.face == special else old.face
        if new.face != special:
            return ranks_above(old.quantity, old_rank, new.quantity, new.face)
        return special_is_biddable and ranks_above(old.quantity, old_rank, new.quantity, special_face_rank)

    return beats_by_rank
