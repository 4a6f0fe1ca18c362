"""The parts of a result for each player and its turning points: start, dice and moves, with all dice known.

One match tells little about luck: two good judges of the same match differ by up to 14 points. So its number has a wide
interval, which the parts of the moves share: what luck does not count, they do.
"""

from collections.abc import Sequence
from math import hypot

import msgspec

from liarsdice.analysis.luck import ChangeCause, MatchAccount, WinPoint, match_account
from liarsdice.core.events import Event
from liarsdice.core.records.record import recorded_start
from liarsdice.core.rules.rule_costs import is_learned
from liarsdice.core.rules.ruleset import Ruleset
from liarsdice.values.value_network import VALUE_VERSION

JUDGE_ERRORS = {2: 0.13, 3: 0.14, 4: 0.14, 5: 0.14, 6: 0.14}
"""What 95% of the differences between two good sets of values about the luck in a match stay below, by number of seats.

Measured with three sets of values of different training, but not at five.
"""
MAX_TURNING_POINTS = 5
MIN_TURN = 0.05
"""The least change of a share that is a turning point."""
LINE_DIGITS = 4
"""How many digits the shares of the win line have in a `ResultAccount`."""


class PlayerParts(msgspec.Struct, frozen=True):
    """The parts of a player's result: `start + luck + own_play + others_play` is `result`, as shares of the match.

    `luck_error`: half the width of the 95% interval of `luck`; it counts the sampling of deals, and how far good judges
    differ.
    """

    seat: int
    start: float
    luck: float
    luck_error: float
    own_play: float
    others_play: float
    result: float


def parts_of(account: MatchAccount) -> tuple[PlayerParts, ...]:
    """Return the parts of each player's result, by seat."""
    seats = len(account.start)
    parts = []
    for seat, luck in enumerate(account.luck):
        own = account.play[seat][seat]
        others = sum(account.play[other][seat] for other in range(seats) if other != seat)
        error = hypot(account.luck_error[seat], JUDGE_ERRORS[min(seats, max(JUDGE_ERRORS))])
        parts.append(PlayerParts(seat, account.start[seat], luck, error, own, others, account.result[seat]))
    return tuple(parts)


def turning_points(win_line: Sequence[WinPoint], seat: int | None = None) -> tuple[int, ...]:
    """Return the places in the win line of the largest changes, at most `MAX_TURNING_POINTS`, in their order.

    `seat`: whose share changes; None for anybody's.
    """
    sizes = []
    for place, point in enumerate(win_line):
        changes = [abs(after - before) for after, before in zip(point.shares, point.expected, strict=True)]
        sizes.append((max(changes) if seat is None else changes[seat], place))
    largest = sorted((item for item in sizes if item[0] >= MIN_TURN), reverse=True)[:MAX_TURNING_POINTS]
    return tuple(sorted(place for _, place in largest))


class WinStep(msgspec.Struct, frozen=True):
    """A point of the win line with no more than a chart of it needs; see `WinPoint`."""

    cause: ChangeCause
    round_number: int
    seat: int | None
    shares: tuple[float, ...]


class ResultAccount(msgspec.Struct, frozen=True):
    """Luck and play in a match: the `parts` of each player's result by seat, and the win line.

    `turning_points`: by seat, the places in the win line where the share of that seat changed most. `value_version`:
    the version of the values by which all of it goes, 0 for fitted ones.
    """

    parts: tuple[PlayerParts, ...]
    win_line: tuple[WinStep, ...]
    turning_points: tuple[tuple[int, ...], ...]
    value_version: int


def result_account(events: Sequence[Event]) -> ResultAccount:
    """Return luck and play in a finished match, from the events of a record that was read.

    Raises `UnfinishedError` if the match is not over.
    """
    account = match_account(events)
    steps = [
        WinStep(point.cause, point.round_number, point.seat, tuple(round(share, LINE_DIGITS) for share in point.shares))
        for point in account.win_line
    ]
    turns = [turning_points(account.win_line, seat) for seat in range(len(account.start))]
    rules = recorded_start(events).ruleset
    return ResultAccount(parts_of(account), tuple(steps), tuple(turns), value_version(rules))


def value_version(rules: Ruleset) -> int:
    """Return the version of the values by which luck is told under these rules, 0 for fitted ones."""
    return VALUE_VERSION if is_learned(rules) else 0
