"""Measures what the judge says that moves are worth: against results of matches, and against itself with more deals.

In matches between champions, the value of the move that was made is compared with the share that its player won:
`said` less `won`, in hundredths of a match, with the half 95% interval of the difference over matches; also for the
first decision of each match, and in ten groups by the said value (`worst_tenth`: the largest difference, in standard
errors). For some decisions, the move that ranks first with the usual deals is compared with the best one by 4,000 deals
(`loss`: mean and 95th percentile), and it is counted how often the interval of a value holds that of 4,000 deals
(`covered`). Decisions in solved rounds are left out.
"""

from __future__ import annotations

import argparse
import random
import time
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from benchmarks.figures import Figures, read_figures, save_figures
from liarsdice.analysis.review.assess import needs_engine
from liarsdice.analysis.review.decisions import Decision, decisions_of
from liarsdice.bots.neural.belief import beliefs
from liarsdice.bots.neural.champion import champion_network
from liarsdice.bots.neural.champions import make_champion
from liarsdice.bots.neural.judge import judge
from liarsdice.core.rules.presets import preset, simulated_preset_names
from liarsdice.play.match_runner import play_match
from liarsdice.runtime.public_api import DISTRIBUTION
from liarsdice.values.blueprints import packaged_blueprints
from liarsdice.values.judgement import DEALS, Judgement, Source

SEATS = (2, 3, 4, 5, 6)
SEED = 20_261_129
DECISIONS_OF_A_MATCH = 5
MANY_DEALS = 4000

FloatArray = NDArray[np.float64]


class Said(NamedTuple):
    """The value of a move that was made, the share that its player won, and whether it was the first of the match."""

    value: float
    won: float
    is_first: bool


class Ranked(NamedTuple):
    """What the first move by the usual deals loses by many, and whether each interval holds the value of many deals."""

    loss: float
    covered: list[bool]


def judged(decision: Decision, deals: int) -> Judgement:
    """Return the judgement of a decision, the move that was made among those that are compared."""
    shown = decision.view
    held = beliefs(shown, champion_network(shown.ruleset), packaged_blueprints())
    return judge(shown, decision.round_dice, held, asked=[decision.move], deals=deals)


def match_decisions(name: str, seats: int, match: int) -> tuple[list[Decision], FloatArray]:
    """Return some decisions on turn of a match between champions, its first one among them, and who won which share."""
    bots = [make_champion(seed=f"{SEED}/{match}/{seat}") for seat in range(seats)]
    played = play_match(preset(name).ruleset, bots, seed=f"{SEED}/{name}/{seats}/{match}").match
    won = np.zeros(seats)
    won[list(played.state.winners)] = 1 / len(played.state.winners)
    chosen = [one for one in decisions_of(played.events) if one.view.on_turn and not needs_engine(one)]
    rest = random.Random(match).sample(chosen[1:], min(DECISIONS_OF_A_MATCH - 1, len(chosen) - 1))
    return [chosen[0], *rest], won


def ranked(decision: Decision, usual: Judgement) -> Ranked:
    """Return how a judgement by the usual deals stands by many deals."""
    many = judged(decision, MANY_DEALS)
    values = dict(zip(many.moves, many.values.tolist(), strict=True))
    first = usual.moves[int(usual.values.argmax())]
    rows = zip(usual.moves, usual.values.tolist(), usual.errors.tolist(), strict=True)
    return Ranked(
        max(values.values()) - values[first], [abs(values[move] - value) <= error for move, value, error in rows]
    )


def measure(name: str, seats: int, matches: int, ranked_decisions: int) -> Figures:
    """Return the figures of a preset at a number of seats."""
    said: list[list[Said]] = []
    ranks: list[Ranked] = []
    seconds = []
    for match in range(matches):
        decisions, won = match_decisions(name, seats, match)
        rows = []
        for place, decision in enumerate(decisions):
            began_s = time.process_time()
            judgement = judged(decision, DEALS)
            seconds.append(time.process_time() - began_s)
            if judgement.source is Source.SOLVED:
                continue
            value = float(judgement.values[judgement.moves.index(decision.move)])
            rows.append(Said(value, float(won[decision.seat]), place == 0))
            if judgement.source is Source.PLAYOUTS and len(ranks) < ranked_decisions:
                ranks.append(ranked(decision, judgement))
        said.append(rows)
    flat = [row for rows in said for row in rows]
    first = [row for row in flat if row.is_first]
    groups = np.array_split(np.array(sorted((row.value, row.won) for row in flat)), 10)
    deviations = [abs(float((group[:, 0] - group[:, 1]).mean())) / _error(group[:, 1]) for group in groups]
    by_match = np.array([np.mean([row.value - row.won for row in rows]) for rows in said if rows])
    losses, covered = [one.loss for one in ranks], [is_in for one in ranks for is_in in one.covered]
    return {
        "decisions": len(flat),
        "said": _points([row.value for row in flat]),
        "won": _points([row.won for row in flat]),
        "half_interval": _points([1.96 * by_match.std(ddof=1) / np.sqrt(len(by_match))]),
        "first_said": _points([row.value for row in first]),
        "first_won": _points([row.won for row in first]),
        "worst_tenth": round(max(deviations), 1),
        "loss": _points(losses) if losses else None,
        "loss_95": _points([float(np.quantile(losses, 0.95))]) if losses else None,
        "covered": round(float(np.mean(covered)), 3) if covered else None,
        "cpu_s": round(float(np.median(seconds)), 3),
    }


def _error(won: FloatArray) -> float:
    return max(float(won.std(ddof=1) / np.sqrt(len(won))), 0.01)


def _points(shares: list[float]) -> float:
    return round(100 * float(np.mean(shares)), 2)


def main() -> None:
    """Measure and save the figures, row by row."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rules", default=",".join(simulated_preset_names()))
    parser.add_argument("--seats", default=",".join(map(str, SEATS)))
    parser.add_argument("--matches", type=int, default=500)
    parser.add_argument("--ranked", type=int, default=100, help="how many decisions are judged by 4,000 deals, too")
    options = parser.parse_args()
    figures: dict[str, Figures] = read_figures("judge")
    for name in options.rules.split(","):
        players = preset(name).ruleset.players
        for seats in map(int, options.seats.split(",")):
            if players.min <= seats <= (players.max or seats):
                figures[f"{name}, {seats} seats"] = measure(name, seats, options.matches, options.ranked)
                save_figures("judge", figures, packages=(DISTRIBUTION, "numpy"))


if __name__ == "__main__":
    main()
