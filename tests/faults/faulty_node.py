"""`liarsdice serve` with a wall clock that is wrong, a bus that loses messages, or logs that keep all table talk.

`python -m tests.faults.faulty_node --skew-s 300 --drop-hints 0.2 serve --port 0`
"""

import argparse
import random
import sys
import time

from liarsdice.cli.app import main as run_command
from liarsdice.server.services import Services
from liarsdice.server.table import snapshots

NS_PER_S = 1_000_000_000


def set_wall_clock_wrong(skew_s: float) -> None:
    """Let the wall clock of this process go ahead, or behind; the monotonic clock stays as it is."""
    time_s, time_ns = time.time, time.time_ns
    time.time = lambda: time_s() + skew_s
    time.time_ns = lambda: time_ns() + round(skew_s * NS_PER_S)


def keep_talk() -> None:
    """Delete no old table talk from logs, so that every acknowledged line can be looked for."""
    snapshots.KEPT_ENTRIES = sys.maxsize


def drop_hints(share: float) -> None:
    """Let a share of the messages that this process publishes get lost."""

    async def open_with_losses(services: Services) -> int:
        publish = services.event_bus.publish

        def publish_some(channel: str, key: str, value: str) -> None:
            if random.random() >= share:
                publish(channel, key, value)

        services.event_bus.publish = publish_some  # type: ignore[method-assign]
        return await open_services(services)

    open_services, Services.open = Services.open, open_with_losses  # type: ignore[method-assign,assignment]


def main() -> None:
    """Change what the options say, and run the rest of the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--skew-s", type=float, default=0)
    parser.add_argument("--drop-hints", type=float, default=0)
    parser.add_argument("--keep-talk", action="store_true")
    arguments, command = parser.parse_known_args()
    set_wall_clock_wrong(arguments.skew_s)
    drop_hints(arguments.drop_hints)
    if arguments.keep_talk:
        keep_talk()
    sys.argv[1:] = command
    run_command()


if __name__ == "__main__":
    main()
