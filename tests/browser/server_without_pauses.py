"""`liarsdice serve` with bots and a dealer that act at once, and with reveals that stay until all have seen them.

`python -m tests.browser.server_without_pauses serve --port 0`, or `... --weeks-later=3 serve --port 0` in the future.
"""

import sys

from liarsdice.cli.app import main as run_command
from liarsdice.server.live.table_services import TableServices
from liarsdice.server.table import deadlines

PROGRAM = ("tests.browser.server_without_pauses",)
SERVER_FLAGS = ("--tables-per-minute", "0", "--work-per-minute", "0")
"""The limits for one address, which all users have in common here."""

LONG_MS = 600_000
WEEKS_LATER = "--weeks-later="
WEEK_MS = 7 * 24 * 3_600_000


def main() -> None:
    """Change how long tables wait, and run the command line."""
    deadlines.FIRST_DEAL_MS = deadlines.ROLL_MS = deadlines.ALL_READY_MS = deadlines.REVEAL_UNWATCHED_MS = 0
    deadlines.CALLABLE_BID_MS = deadlines.SPECIAL_ROUND_MS = 0
    deadlines.BOT_MOVE_MS = (0, 1)
    deadlines.ROLL_SHOWN_MS = (0, 0)
    deadlines.REVEAL_MS = deadlines.REVEAL_ALONE_MS = LONG_MS
    if sys.argv[1].startswith(WEEKS_LATER):
        shift_clock(int(sys.argv.pop(1).removeprefix(WEEKS_LATER)))
    run_command()


def shift_clock(weeks: int) -> None:
    """Change the clock of this process, which then is so many weeks ahead."""
    now_ms = TableServices.now_ms
    TableServices.now_ms = lambda self: now_ms(self) + weeks * WEEK_MS  # type: ignore[method-assign]


if __name__ == "__main__":
    main()
