"""The processor time of single decisions of a bot, which other programs on the machine do not lengthen.

`python -m benchmarks.decision_time champion perudo 2 --matches 100` plays so many matches of this bot against itself,
and keeps all other figures. The first decisions of a process count, too: they read networks and blueprints. `--fresh`
plays each match in a process of its own, so that each computes the blueprints that it needs.
"""

import argparse
import time
from collections.abc import Iterable
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

from benchmarks.figures import Figures, read_figures, save_figures
from liarsdice.bots.external.user_bots import load_bot
from liarsdice.core.rules.ruleset_io import find_rules
from liarsdice.play.match_runner import play_match
from liarsdice.runtime.public_api import DISTRIBUTION
from liarsdice_lab.tournaments.arena import TimedBot, TimeHistogram, merge_times, quantile_ms

MATCHES = 100


def match_times(bot: str, rules: str, seats: int, matches: Iterable[int]) -> TimeHistogram:
    """Return the processor times that the bot takes to decide in some matches, on turn or out of turn."""
    bots = [TimedBot(load_bot(bot, seat), time.process_time_ns) for seat in range(seats)]
    for match in matches:
        play_match(find_rules(rules), bots, seed=match)
    return merge_times(timed.times for timed in bots)


def fresh_times(bot: str, rules: str, seats: int, matches: int) -> TimeHistogram:
    """Return the same, with a process for each match."""
    with ProcessPoolExecutor(1, mp_context=get_context("spawn"), max_tasks_per_child=1) as pool:
        runs = [pool.submit(match_times, bot, rules, seats, (match,)) for match in range(matches)]
        return merge_times(run.result() for run in runs)


def measure(bot: str, rules: str, seats: int, matches: int, *, fresh: bool) -> Figures:
    """Return quantiles of the processor times."""
    times = fresh_times(bot, rules, seats, matches) if fresh else match_times(bot, rules, seats, range(matches))
    quantiles = {"median_ms": 0.5, "p99_ms": 0.99, "most_ms": 1.0}
    return {
        "matches": matches,
        "decisions": sum(times.values()),
        **{name: round(quantile_ms(times, share) or 0, 2) for name, share in quantiles.items()},
    }


def main() -> None:
    """Measure and save the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("bot")
    parser.add_argument("rules")
    parser.add_argument("seats", type=int)
    parser.add_argument("--matches", type=int, default=MATCHES)
    parser.add_argument("--fresh", action="store_true", help="each match in a process of its own")
    arguments = parser.parse_args()
    figures: dict[str, Figures] = read_figures("decision_time")
    bot, rules, seats = arguments.bot, arguments.rules, arguments.seats
    title = f"{bot} {rules} {seats}{' fresh' * arguments.fresh}"
    figures[title] = measure(bot, rules, seats, arguments.matches, fresh=arguments.fresh)
    save_figures("decision_time", figures, packages=(DISTRIBUTION, "numpy"))


if __name__ == "__main__":
    main()
