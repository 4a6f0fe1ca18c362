"""Which dice players see in a special round: obligo closed, and obligo open, or what its opener chooses."""

from __future__ import annotations

from msgspec import UnsetType

from liarsdice.core.rules.choices import Choice


class Visibility(Choice):
    """Which dice players see in a special round, instead of their own.

    `CLOSED`: their own, but only the player whose special round it is and those with one die. `OPEN`: the others'.
    `CHOSEN`: the opener chooses one of the two before anybody looks (`RoundKind`).
    """

    CLOSED = "closed"
    OPEN = "open"
    CHOSEN = "chosen"


class RoundKind(Choice):
    """What the opener of a round chooses before anybody looks at dice: obligo closed, obligo open, or no obligo."""

    CLOSED = "closed"
    OPEN = "open"
    ORDINARY = "ordinary"


def blind_seats(
    visibility: Visibility | RoundKind | UnsetType | None,
    dice: tuple[int, ...],
    stakes: tuple[int, ...],
    special_seat: int | None,
) -> tuple[int, ...]:
    """Return the seats that do not see their own dice, given the dice and the stakes by seat.

    `visibility`: that of the rules, or the kind that the opener chose; nobody is blind without one, in an ordinary
    round, and unless `special_seat` is a seat. Everybody is blind until the opener has chosen.

    >>> blind_seats(Visibility.CLOSED, (1, 3, 1), (1, 3, 1), 0)
    (1,)
    """
    if special_seat is None:
        return ()
    held = tuple(seat for seat, count in enumerate(dice) if count)
    match visibility:
        case Visibility.CLOSED | RoundKind.CLOSED:
            return tuple(seat for seat in held if seat != special_seat and stakes[seat] != 1)
        case Visibility.OPEN | RoundKind.OPEN | Visibility.CHOSEN:
            return held
        case _:
            return ()
