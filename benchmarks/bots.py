"""How strong the simple bots are, and how fast they play: one bot among others of one kind, in Perudo.

Dice, seats and bots come from the seed below: the same commit gives the same shares of wins again.
"""

import time

from benchmarks.measured import Figures, save
from liarsdice import preset
from liarsdice.analysis.simulate import contest

RULES = "perudo"
SEED = 2025
MATCHES = 2_000
FIELDS = (
    ("inference", "threshold:0.4", (2, 3, 4, 6)),
    ("greedy:0.4", "threshold:0.4", (2, 4)),
    ("threshold:0.4", "random", (2, 4)),
    ("inference", "random", (2, 4)),
)


def measured(bot: str, others: str, seats: int) -> Figures:
    """Play a bot among others of one kind."""
    table = contest(preset(RULES).ruleset, [bot, *[others] * (seats - 1)], seed=SEED)
    standings, started = table.nothing_yet(), time.process_time()
    for number in range(MATCHES):
        standings = standings.plus(table.play(number))
    seconds = time.process_time() - started
    score = standings.scores[0]
    low, high = score.win_share_95
    return {
        "matches": MATCHES,
        "win_share": round(score.win_share, 4),
        "low_95": round(low, 4),
        "high_95": round(high, 4),
        "fair_share": round(1 / seats, 4),
        "rounds_per_match": round(standings.rounds / MATCHES, 2),
        "faults": sum(one.faults for one in standings.scores),
        "matches_per_cpu_s": round(MATCHES / seconds, 1),
    }


def main() -> None:
    """Measure every field at every size."""
    figures = {
        f"{bot} among {others}, {RULES}, {seats} seats": measured(bot, others, seats)
        for bot, others, sizes in FIELDS
        for seats in sizes
    }
    save("bots", figures, packages=("liarsdice", "msgspec"))


if __name__ == "__main__":
    main()
