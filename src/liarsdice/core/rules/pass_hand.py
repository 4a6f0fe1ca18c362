"""The hands with which a player may pass: five alike, five different, and a full house."""

from __future__ import annotations

from liarsdice.core.rules.choices import Choice


class PassHand(Choice):
    """A hand with which its player may pass; dice count as they lie, wild ones as any other.

    `FULL_HOUSE`: five dice, three of one face and two of another.
    """

    ALIKE = "alike"
    ALL_DIFFERENT = "all_different"
    FULL_HOUSE = "full_house"
