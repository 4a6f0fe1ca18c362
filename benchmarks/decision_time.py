"""The processor time of single decisions of a bot, which other programs on the machine do not lengthen.

`python -m benchmarks.decision_time champion perudo 2 --matches 100` plays so many matches of this bot against itself,
and keeps all other figures. The first decisions of a process count, too: they read networks and blueprints.
"""

import argparse
import json
import time

from benchmarks.figures import RESULTS, Figures, save_figures
from liarsdice.analysis.timing import TimedBot, merge_times, quantile_ms
from liarsdice.bots.external.user_bots import load_bot
from liarsdice.core.rules.ruleset_io import find_rules
from liarsdice.play.match_runner import play_match
from liarsdice.runtime.optional_dependencies import DISTRIBUTION

MATCHES = 100


def measure(bot: str, rules: str, seats: int, matches: int) -> Figures:
    """Return quantiles of the processor time that the bot takes to decide, on turn or out of turn."""
    bots = [TimedBot(load_bot(bot, seat), time.process_time_ns) for seat in range(seats)]
    for match in range(matches):
        play_match(find_rules(rules), bots, seed=match)
    times = merge_times(timed.times for timed in bots)
    quantiles = {"median_ms": 0.5, "p99_ms": 0.99, "most_ms": 1.0}
    return {
        "bot": bot,
        "rules": rules,
        "seats": seats,
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
    arguments = parser.parse_args()
    path = RESULTS / "decision_time.json"
    figures: dict[str, Figures] = json.loads(path.read_text(encoding="utf-8"))["figures"] if path.exists() else {}
    bot, rules, seats = arguments.bot, arguments.rules, arguments.seats
    figures[f"{bot} {rules} {seats}"] = measure(bot, rules, seats, arguments.matches)
    save_figures("decision_time", figures, packages=(DISTRIBUTION, "numpy"))


if __name__ == "__main__":
    main()
