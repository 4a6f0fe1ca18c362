"""The strength and speed of the simple bots: one bot among others of one kind, in Perudo.

"Plain" is Perudo without Palifico and without the exact call, the setting of most comparisons of such bots. All random
results follow from the seed below: the same commit gives the same win shares again.
"""

import time

from benchmarks.figures import Figures, save_figures
from liarsdice import Ruleset, patched
from liarsdice.analysis.simulation import make_simulation
from liarsdice.core.rules.presets import preset
from liarsdice.runtime.optional_dependencies import DISTRIBUTION

SEED = 2025
MATCHES = 2_000
PERUDO = preset("perudo").ruleset
PLAIN = patched(PERUDO, special_round=None, exact_call=None, bidding__special_may_open=False, wilds__suspended_by=())
MATCH_UPS: tuple[tuple[str, str, str, Ruleset, tuple[int, ...]], ...] = (
    ("inference", "threshold:0.4", "perudo", PERUDO, (2, 3, 4, 6)),
    ("inference", "threshold:0.4", "plain", PLAIN, (2, 3, 4, 6)),
    ("greedy:0.4", "threshold:0.4", "perudo", PERUDO, (2, 4)),
    ("threshold:0.3", "threshold:0.4", "perudo", PERUDO, (2, 4)),
    ("threshold:0.5", "threshold:0.4", "perudo", PERUDO, (2, 4)),
    ("threshold:0.4", "random", "perudo", PERUDO, (2, 4)),
)


def measure(bot: str, others: str, rules: Ruleset, seats: int) -> Figures:
    """Play a bot among others of one kind, and return its figures."""
    simulation = make_simulation(rules, [bot, *[others] * (seats - 1)], seed=SEED)
    result, started_s = simulation.empty_result(), time.process_time()
    for number in range(MATCHES):
        result += simulation.play(number)
    seconds = time.process_time() - started_s
    score = result.scores[0]
    low, high = score.win_share_95
    return {
        "matches": MATCHES,
        "win_share": round(score.win_share, 4),
        "low_95": round(low, 4),
        "high_95": round(high, 4),
        "fair_share": round(1 / seats, 4),
        "rounds_per_match": round(result.rounds / MATCHES, 2),
        "faults": sum(bot_score.faults for bot_score in result.scores),
        "matches_per_cpu_s": round(MATCHES / seconds, 1),
    }


def main() -> None:
    """Measure every match-up at every number of seats, and save the figures."""
    figures = {
        f"{bot} among {others}, {name}, {seats} seats": measure(bot, others, rules, seats)
        for bot, others, name, rules, sizes in MATCH_UPS
        for seats in sizes
    }
    save_figures("bots", figures, packages=(DISTRIBUTION, "msgspec"))


if __name__ == "__main__":
    main()
