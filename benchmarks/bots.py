"""How strong the simple bots are, and how fast they play: one bot among others of one kind, in Perudo.

"Plain" is Perudo without Palifico and without the exact call, the setting in which such bots are mostly compared.

Dice, seats and bots come from the seed below: the same commit gives the same shares of wins again.
"""

import time

from benchmarks.measured import Figures, save
from liarsdice import Ruleset, patched, preset
from liarsdice.analysis.simulation import contest

SEED = 2025
MATCHES = 2_000
PERUDO = preset("perudo").ruleset
PLAIN = patched(PERUDO, special_round=None, exact_call=None, bidding__special_may_open=False, wilds__suspended_by=())
FIELDS: tuple[tuple[str, str, str, Ruleset, tuple[int, ...]], ...] = (
    ("inference", "threshold:0.4", "perudo", PERUDO, (2, 3, 4, 6)),
    ("inference", "threshold:0.4", "plain", PLAIN, (2, 3, 4, 6)),
    ("greedy:0.4", "threshold:0.4", "perudo", PERUDO, (2, 4)),
    ("threshold:0.3", "threshold:0.4", "perudo", PERUDO, (2, 4)),
    ("threshold:0.5", "threshold:0.4", "perudo", PERUDO, (2, 4)),
    ("threshold:0.4", "random", "perudo", PERUDO, (2, 4)),
)


def measured(bot: str, others: str, rules: Ruleset, seats: int) -> Figures:
    """Play a bot among others of one kind."""
    table = contest(rules, [bot, *[others] * (seats - 1)], seed=SEED)
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
        f"{bot} among {others}, {name}, {seats} seats": measured(bot, others, rules, seats)
        for bot, others, name, rules, sizes in FIELDS
        for seats in sizes
    }
    save("bots", figures, packages=("liarsdice", "msgspec"))


if __name__ == "__main__":
    main()
