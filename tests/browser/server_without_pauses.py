"""`liarsdice serve` with bots and a dealer that act at once, and with reveals that stay until all have seen them.

`python -m tests.browser.server_without_pauses serve --port 0`
"""

from liarsdice.cli.app import main as run_command
from liarsdice.server.table import deadlines

PROGRAM = ("tests.browser.server_without_pauses",)
SERVER_FLAGS = ("--tables-per-minute", "0", "--work-per-minute", "0")
"""The limits for one address, which all users have in common here."""

LONG_MS = 600_000


def main() -> None:
    """Change how long tables wait, and run the command line."""
    deadlines.FIRST_DEAL_MS = deadlines.ROLL_MS = deadlines.ALL_READY_MS = deadlines.REVEAL_UNWATCHED_MS = 0
    deadlines.CALLABLE_BID_MS = deadlines.SPECIAL_ROUND_MS = 0
    deadlines.BOT_MOVE_MS = (0, 1)
    deadlines.ROLL_SHOWN_MS = (0, 0)
    deadlines.REVEAL_MS = deadlines.REVEAL_ALONE_MS = LONG_MS
    run_command()


if __name__ == "__main__":
    main()
