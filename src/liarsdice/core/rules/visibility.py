"""Which dice players see in a special round: obligo closed, and obligo open."""

from __future__ import annotations

from liarsdice.core.rules.choices import Choice


class Visibility(Choice):
    """Which dice players see in a special round, instead of their own.

    `CLOSED`: their own, but only the player whose special round it is and those with one die. `OPEN`: the others'.
    """

    CLOSED = "closed"
    OPEN = "open"


def blind_seats(
    visibility: object, dice: tuple[int, ...], stakes: tuple[int, ...], special_seat: int | None
) -> tuple[int, ...]:
    """Return the seats that do not see their own dice, given the dice and the stakes by seat.

    `visibility`: that of the rules; nobody is blind unless it is a `Visibility` and `special_seat` is a seat.

    >>> blind_seats(Visibility.CLOSED, (1, 3, 1), (1, 3, 1), 0)
    (1,)
    """
    if special_seat is None or not isinstance(visibility, Visibility):
        return ()
    held = tuple(seat for seat, count in enumerate(dice) if count)
    match visibility:
        case Visibility.CLOSED:
            return tuple(seat for seat in held if seat != special_seat and stakes[seat] != 1)
        case Visibility.OPEN:
            return held
