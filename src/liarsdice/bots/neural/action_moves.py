"""The moves that the numbers of a network's actions mean in a view."""

from __future__ import annotations

from liarsdice.bots.neural.features import BID_ACTIONS, CHALLENGE, EXACT, QUANTITY_STEPS, SILENT, NetworkInput
from liarsdice.bots.neural.observation import faces_of_pure_bids
from liarsdice.core.actions import Challenge, Exact, PlayerAction, SetDirection
from liarsdice.core.engine.view import View
from liarsdice.core.rules.bids import Bid
from liarsdice.values.rule_features import slot_faces


def decode_action(
    view: View, inputs: NetworkInput, action: int, row: int = 0, pure_faces: frozenset[int] | None = None
) -> PlayerAction | None:
    """Return the move that an action number means in a row of `inputs` (the view's or its like); None is silence.

    `pure_faces`: `faces_of_pure_bids` of the view, if the caller has it already.
    """
    if action < BID_ACTIONS:
        slot, step = divmod(action, QUANTITY_STEPS)
        face = slot_faces(view.ruleset)[slot]
        pure = faces_of_pure_bids(view) if pure_faces is None else pure_faces
        return Bid(int(inputs.quantities[row, slot, step]), face, pure=face in pure)
    if action == CHALLENGE:
        return Challenge()
    if action == EXACT:
        return Exact()
    if action == SILENT:
        return None
    return SetDirection(next(choice for choice in view.may_set_direction if choice is not view.direction))
