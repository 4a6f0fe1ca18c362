"""Rulesets as features of networks, and the faces of dice in slots."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from liarsdice.core.rules.bids import face_order
from liarsdice.core.rules.choices import (
    GainCap,
    HandBonus,
    LossMode,
    NextStarter,
    OnExact,
    Raise,
    WhoCalls,
    WhoCallsExact,
)
from liarsdice.core.rules.ruleset import Ruleset

FloatArray = NDArray[np.float32]

FACE_SLOTS = 6
"""The most faces that features have room for."""


def special_slot(rules: Ruleset) -> int:
    """Return the slot of the special face."""
    return slot_faces(rules).index(rules.dice.special_face)


def slot_faces(rules: Ruleset) -> tuple[int, ...]:
    """Return the face of each slot: the faces that may be bid in their order, then a special face that may not."""
    order = face_order(rules)
    return (*order, *(face for face in range(1, rules.dice.faces + 1) if face not in order))


@lru_cache(maxsize=64)
def rule_features(rules: Ruleset) -> FloatArray:
    """Return a ruleset as features, float32 [rule feature], most of them in 0..1. The array is shared and read-only."""
    exact, special, loss = rules.exact_call, rules.special_round, rules.loss
    features: list[float] = [
        rules.wilds.special_is_wild,
        rules.wilds.needs_natural,
        bool(rules.wilds.suspended_by),
        rules.count.hand_bonus is HandBonus.STAIRS,
        rules.challenge.who is WhoCalls.ANYONE_BUT_BIDDER,
        loss.mode is LossMode.DIFFERENCE,
        loss.fixed / 2,
        loss.exact / 2,
        *(loss.on_exact is choice for choice in OnExact),
        *(rules.next_starter.rule is choice for choice in NextStarter),
        *(rules.bidding.raise_ is choice for choice in Raise),
        rules.bidding.no_repeat,
        rules.turn.starter_may_reverse,
        special is not None,
        special is not None and special.face_locked,
        exact is not None,
        0 if exact is None else exact.success_gain / 2,
        0 if exact is None else exact.failure_loss / 2,
        0 if exact is None else (exact.others_loss + exact.bidder_loss) / 2,
        exact is not None and exact.gain_cap is GainCap.STARTING_DICE,
        exact is not None and exact.who is not WhoCallsExact.NEXT_PLAYER,
        rules.dice.faces / FACE_SLOTS,
        special_slot(rules) == 0,
        special_slot(rules) == rules.dice.faces - 1,
        rules.dice.special_face in face_order(rules),
    ]
    array = np.array(features, np.float32)
    array.flags.writeable = False
    return array
