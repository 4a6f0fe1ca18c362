"""What opponents' bids tell about their hands, in a simple form: an opponent who bids on a face holds more of it.

The bot `inference` is `Threshold(t, BID_CREDIT)`: it decides as the bot `threshold`, but credits each opponent with
`BID_CREDIT` dice of the face of their latest bid. It is a module of its own because the features of the network use the
credits, too.
"""

from __future__ import annotations

from liarsdice.core.engine.view import View
from liarsdice.core.rules.meaning import bids_are_about_own_dice

BID_CREDIT = 0.7
"""Dice of its face that an opponent's latest bid is worth to the bot `inference`."""


def bid_credits(view: View, credit: float) -> dict[int, float]:
    """Return the dice credited to each face: `credit` for every opponent whose latest bid of the round is on it.

    Empty in a round whose face is locked: a bid on the only possible face tells nothing; and in a face-off, whose bids
    are on no face. Where bids are about the bidder's own dice, only the standing bid counts. Bids of players who see no
    dice tell nothing either.
    """
    if not credit or view.face_locked or view.face_off:
        return {}
    credits_by_face: dict[int, float] = {}
    bids = view.bids[-1:] if bids_are_about_own_dice(view.ruleset) else view.bids
    silent = (view.seat,) if view.open_hands else (view.seat, *view.blind)
    latest_face = {seat: bid.face for seat, bid in bids if seat not in silent}
    for face in latest_face.values():
        credits_by_face[face] = credits_by_face.get(face, 0.0) + credit
    return credits_by_face
