"""Legal moves as one line of text: bids as ranges of quantities of each face, then other moves and silence."""

from __future__ import annotations

from collections.abc import Iterable

from liarsdice.core.actions import PlayerAction
from liarsdice.core.bids.bid_ranges import BidRange, bid_ranges
from liarsdice.core.bids.notation import notate
from liarsdice.core.engine.view import View
from liarsdice.core.rules.bid_space import UNCAPPED_QUANTITY, bid_space
from liarsdice.core.rules.bids import Bid

SILENT = "silent"
"""How silence is written: the answer of a seat that is asked out of turn and lets the bid stand."""


def move_text(move: PlayerAction | None) -> str:
    """Return a move as text, such as `5x4`, `liar` or `silent` for None."""
    return SILENT if move is None else notate(move)


def moves_text(moves: Iterable[PlayerAction | None], unlimited: Iterable[tuple[int, bool]] = ()) -> str:
    """Return moves as text, bids as ranges of quantities of each face; None is silence.

    `unlimited`: faces, each with whether bids are pure, on which all higher bids than the listed ones are legal, too.

    >>> from liarsdice.core.actions import Challenge
    >>> moves_text([Bid(2, 2), Bid(3, 2), Bid(2, 3), Bid(4, 3), Challenge(), None], unlimited=[(3, False)])
    '2x2 to 3x2, 2x3, 4x3 or more, liar, silent'
    """
    listed = tuple(moves)
    ranges = sorted(
        bid_ranges(move for move in listed if isinstance(move, Bid)), key=lambda r: (r.face, r.pure, r.lowest)
    )
    endless = {(r.face, r.pure): r for r in ranges if (r.face, r.pure) in {*unlimited}}  # the highest of each kind
    bids = [_range_text(r, endless=endless.get((r.face, r.pure)) is r) for r in ranges]
    return ", ".join([*bids, *(move_text(move) for move in listed if not isinstance(move, Bid))])


def _range_text(bids: BidRange, *, endless: bool) -> str:
    lowest, highest = (Bid(quantity, bids.face, bids.pure) for quantity in (bids.lowest, bids.highest))
    if endless:
        return f"{lowest} or more"
    return str(lowest) if lowest == highest else f"{lowest} to {highest}"


def legal_moves_text(view: View) -> str:
    """Return the legal moves of the viewing seat as text, with silence where it is asked out of turn; "" without moves.

    >>> from liarsdice.core.engine.engine import start
    >>> from liarsdice.core.engine.view import view
    >>> from liarsdice.core.rules.presets import preset
    >>> legal_moves_text(view(start(preset("basic").ruleset, ("Ann", "Bo")), 0))
    ''
    """
    silence = (None,) if view.allows(None) else ()
    return moves_text(
        (*view.may_bid, *_unlisted_bids(view), *view.moves[len(view.may_bid) :], *silence), _unlimited_kinds(view)
    )


def _unlisted_bids(view: View) -> list[Bid]:
    """Return legal bids that the view does not list, so that those of each kind go on from the highest one.

    Without a limit on quantities, a bid that was made and may not be repeated is a gap between the listed bids and the
    highest one of the round; and all bids on a face can be higher than those that are listed.
    """
    if not view.unlimited:
        return []
    listed = max((bid.quantity for bid in view.may_bid), default=0)
    highest = max((bid.quantity for _, bid in view.bids), default=0)
    bids = [bid for bid in bid_space(view.ruleset).all_bids(listed + 1, highest + 1) if view.allows(bid)]
    known = {(bid.face, bid.pure) for bid in (*view.may_bid, *bids)}
    for kind in _unlimited_kinds(view) - known:
        higher = (Bid(quantity, *kind) for quantity in range(listed + 1, UNCAPPED_QUANTITY + 1))
        bids.append(next(bid for bid in higher if view.allows(bid)))
    return bids


def _unlimited_kinds(view: View) -> set[tuple[int, bool]]:
    """Return the kinds of bids of which the listed ones go on up to the highest quantity that can be bid."""
    kinds = bid_space(view.ruleset).kinds if view.unlimited else ()
    return {kind for kind in kinds if view.allows(Bid(UNCAPPED_QUANTITY, *kind))}
