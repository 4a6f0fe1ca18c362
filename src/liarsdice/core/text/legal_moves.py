"""Legal moves as one line of text: bids as ranges of quantities of each face, then calls, directions and silence."""

from __future__ import annotations

from collections.abc import Iterable

from liarsdice.core.actions import PlayerAction
from liarsdice.core.bids.notation import notate
from liarsdice.core.engine.view import View
from liarsdice.core.rules.bid_limits import UNCAPPED_QUANTITY
from liarsdice.core.rules.bids import Bid, face_order

SILENT = "silent"
"""How silence is written: the answer of a seat that is asked out of turn and lets the bid stand."""


def move_text(move: PlayerAction | None) -> str:
    """Return a move as text, such as `5x4`, `liar` or `silent` for None."""
    return SILENT if move is None else notate(move)


def moves_text(moves: Iterable[PlayerAction | None], unlimited_faces: Iterable[int] = ()) -> str:
    """Return moves as text, bids as ranges of quantities of each face; None is silence.

    `unlimited_faces`: faces on which all higher bids than the listed ones are legal, too.

    >>> from liarsdice.core.actions import Challenge
    >>> moves_text([Bid(2, 2), Bid(3, 2), Bid(2, 3), Bid(4, 3), Challenge(), None], unlimited_faces=[3])
    '2x2 to 3x2, 2x3, 4x3 or more, liar, silent'
    """
    ranges: dict[int, list[list[int]]] = {}
    others: list[str] = []
    for move in moves:
        if not isinstance(move, Bid):
            others.append(move_text(move))
            continue
        of_face = ranges.setdefault(move.face, [])
        if of_face and of_face[-1][-1] == move.quantity - 1:
            of_face[-1][1:] = [move.quantity]
        else:
            of_face.append([move.quantity])
    bids = [
        " to ".join(f"{quantity}x{face}" for quantity in quantities)
        if face not in unlimited_faces or quantities is not of_face[-1]
        else f"{quantities[0]}x{face} or more"
        for face, of_face in sorted(ranges.items())
        for quantities in of_face
    ]
    return ", ".join(bids + others)


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
        (*view.may_bid, *_unlisted_bids(view), *view.moves[len(view.may_bid) :], *silence), _unlimited_faces(view)
    )


def _unlisted_bids(view: View) -> list[Bid]:
    """Return the legal bids between those that the view lists and the highest bid of the round.

    Without a limit on quantities, a bid that was made and may not be repeated is a gap there.
    """
    if not view.unlimited:
        return []
    listed = max((bid.quantity for bid in view.may_bid), default=0)
    highest = max((bid.quantity for _, bid in view.bids), default=0)
    faces = face_order(view.ruleset)
    bids = (Bid(quantity, face) for quantity in range(listed + 1, highest + 2) for face in faces)
    return [bid for bid in bids if view.allows(bid)]


def _unlimited_faces(view: View) -> set[int]:
    """Return the faces on which the listed bids go on up to the highest quantity that can be bid."""
    faces = face_order(view.ruleset) if view.unlimited else ()
    return {face for face in faces if view.allows(Bid(UNCAPPED_QUANTITY, face))}
