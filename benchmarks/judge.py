"""Measures what the judge says that moves are worth: against results of matches, and against itself with more deals.

In matches between champions, or of a mixed field, the value of the move that was made is compared with the share that
its player won: `said` less `won`, in hundredths of a match, with the half 95% interval of the difference over matches;
`round_difference`: the value less that of the end which the round came to, which varies less; `trend`: the slope of
results on values, 1 if values neither exaggerate nor flatten. For some decisions, the move that ranks first with the
usual deals is compared with the best one by 4,000 deals, also among probable bids that were not compared (`loss`: mean
and 95th percentile), and it is counted how often the interval of a value holds that of 4,000 deals (`covered`).
Decisions in solved rounds are left out. The rows of groups count the decisions of all cells of a run.
"""

from __future__ import annotations

import argparse
import random
import time
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from benchmarks.figures import Figures, read_figures, save_figures
from liarsdice.analysis.review.assess import needs_engine
from liarsdice.analysis.review.decisions import Decision, decisions_of
from liarsdice.bots.neural.belief import beliefs
from liarsdice.bots.neural.champion import champion_network
from liarsdice.bots.neural.judge import judge, network_moves, safe_bids
from liarsdice.bots.neural.playouts import round_end_of
from liarsdice.bots.registry import make_bot
from liarsdice.core.actions import Deal
from liarsdice.core.records.record import recorded_actions
from liarsdice.core.rules.presets import preset
from liarsdice.play.match_runner import play_match
from liarsdice.runtime.public_api import DISTRIBUTION
from liarsdice.values.blueprints import packaged_blueprints
from liarsdice.values.judgement import DEALS, Z_95, Judgement, Source
from liarsdice.values.round_ends import RoundEnd, learned_values, winners_share

SEATS = (2, 3, 4, 5, 6)
SHEETS = ("chart", "classic", "basic", "mustache", "official", "perudo")
FIELD = ("regular", "sharp", "threshold", "inference", "champion")
SEED = 20_261_129
DECISIONS_OF_A_MATCH = 6
MANY_DEALS, PROMISING = 4000, 8
WHOLE = 16
"""In so many decisions of a cell, the moves that are clearly worth less than the first are judged again, too."""

FloatArray = NDArray[np.float64]


class Said(NamedTuple):
    """The value of a move that was made, and what became of it.

    `end`: the value of the end of the round, `won`: the share that the player won. `alive`: how many players had dice,
    `dice`: the share of the dice of the match that were left.
    """

    value: float
    end: float
    won: float
    is_first: bool
    alive: int
    dice: float


class Ranked(NamedTuple):
    """What the first move by the usual deals loses by many, and whether each interval holds the value of many deals."""

    loss: float
    covered: list[bool]


class Sampled(NamedTuple):
    """Some decisions of a match, and what became of them: the end of each round, and the share that each seat won."""

    decisions: list[Decision]
    ends: list[RoundEnd]
    won: FloatArray


def judged(decision: Decision, deals: int) -> Judgement:
    """Return the judgement of a decision, the move that was made among those that are compared."""
    shown = decision.view
    held = beliefs(shown, champion_network(shown.ruleset), packaged_blueprints())
    return judge(shown, decision.round_dice, held, asked=[decision.move], deals=deals)


def sampled(name: str, seats: int, match: int, *, is_mixed: bool) -> Sampled:
    """Return some decisions on turn of a match, its first one among them."""
    rng = random.Random(match)
    players = rng.choices(FIELD, k=seats) if is_mixed else ["champion"] * seats
    bots = [make_bot(player, f"{SEED}/{match}/{seat}") for seat, player in enumerate(players)]
    played = play_match(preset(name).ruleset, bots, seed=f"{SEED}/{name}/{seats}/{match}").match
    states = [state for state, _, action in recorded_actions(played.events) if isinstance(action, Deal)]
    ends = [round_end_of(state) for state in (*states, played.state)]
    chosen = [one for one in decisions_of(played.events) if one.view.on_turn and not needs_engine(one)]
    rest = rng.sample(chosen[1:], min(DECISIONS_OF_A_MATCH - 1, len(chosen) - 1))
    return Sampled([chosen[0], *rest], ends, winners_share(ends[-1].winners or ()))


def ranked(decision: Decision, usual: Judgement, *, is_whole: bool) -> Ranked:
    """Return how a judgement by the usual deals stands by many deals.

    `is_whole`: whether all of its moves are judged again, else those alone that are not clearly worth less.
    """
    shown = decision.view
    held = beliefs(shown, champion_network(shown.ruleset), packaged_blueprints())
    place = int(usual.values.argmax())
    near = [move for at, move in enumerate(usual.moves) if not _is_behind(*usual.behind(at, place))]
    considered = [move for move in network_moves(shown, decision.round_dice) if move not in usual.moves]
    if others := safe_bids(shown, considered, held):
        found = judge(shown, decision.round_dice, held, asked=others, only_asked=True, deals=DEALS, seed=SEED)
        leads = usual.values[place] - found.values
        margins = np.hypot(usual.errors[place], found.errors)
        near += [found.moves[at] for at in np.argsort(leads)[:PROMISING] if not _is_behind(leads[at], margins[at])]
    moves = list(dict.fromkeys([*usual.moves, *near])) if is_whole else near
    if len(moves) == 1:
        return Ranked(0.0, [])
    many = judge(shown, decision.round_dice, held, asked=moves, only_asked=True, deals=MANY_DEALS)
    values = dict(zip(many.moves, many.values.tolist(), strict=True))
    rows = zip(usual.moves, usual.values.tolist(), usual.errors.tolist(), strict=True) if is_whole else ()
    return Ranked(
        max(values.values()) - values[usual.moves[place]],
        [abs(values[move] - value) <= error for move, value, error in rows],
    )


def _is_behind(lead: float, margin: float) -> bool:
    """Return whether a lead is larger than twice the half of its 95% interval."""
    return lead > 2 * margin


def measure(
    name: str, seats: int, matches: int, ranked_decisions: int, *, is_mixed: bool
) -> tuple[Figures, list[list[Said]]]:
    """Return the figures of a preset at a number of seats, and what was said, by match."""
    said: list[list[Said]] = []
    ranks: list[Ranked] = []
    seconds = []
    rules = preset(name).ruleset
    all_dice = rules.dice.per_player * seats
    for match in range(matches):
        decisions, ends, won = sampled(name, seats, match, is_mixed=is_mixed)
        end_shares = learned_values(rules, seats).shares(ends)
        rows = []
        for place, decision in enumerate(decisions):
            began_s = time.process_time()
            judgement = judged(decision, DEALS)
            seconds.append(time.process_time() - began_s)
            if judgement.source is Source.SOLVED:
                continue
            shown, seat = decision.view, decision.seat
            value = float(judgement.values[judgement.moves.index(decision.move)])
            end, share = float(end_shares[shown.round_number, seat]), float(won[seat])
            alive = sum(held > 0 for held in shown.dice)
            rows.append(Said(value, end, share, place == 0, alive, sum(shown.dice) / all_dice))
            if judgement.source is Source.PLAYOUTS and len(ranks) < ranked_decisions and match % 2:
                ranks.append(ranked(decision, judgement, is_whole=len(ranks) < WHOLE))
        said.append(rows)
    values, won_shares = (
        np.array([getattr(row, field) for rows in said for row in rows]) for field in ("value", "won")
    )
    trend, covariances = np.polyfit(values, won_shares, 1, cov=True)
    losses, covered = [one.loss for one in ranks], [is_in for one in ranks for is_in in one.covered]
    first = compared([[row for row in rows if row.is_first] for rows in said])
    figures = compared(said) | {
        "first_said": first["said"],
        "first_won": first["won"],
        "trend": round(float(trend[0]), 2),
        "trend_half_interval": round(Z_95 * float(np.sqrt(covariances[0, 0])), 2),
        "loss": _points(losses) if losses else None,
        "loss_95": _points([float(np.quantile(losses, 0.95))]) if losses else None,
        "covered": round(float(np.mean(covered)), 3) if covered else None,
        "cpu_s": round(float(np.median(seconds)), 3),
    }
    return figures, said


def compared(said: list[list[Said]]) -> Figures:
    """Return how values that were said, by match, compare with what was won, and with the ends of rounds."""
    rows = [row for rows in said for row in rows]
    return {
        "decisions": len(rows),
        "said": _points([row.value for row in rows]),
        "won": _points([row.won for row in rows]),
        "half_interval": _half_interval([[row.value - row.won for row in rows] for rows in said]),
        "round_difference": _points([row.value - row.end for row in rows]),
        "round_half_interval": _half_interval([[row.value - row.end for row in rows] for rows in said]),
    }


def groups(said: list[list[Said]]) -> dict[str, Figures]:
    """Return how values compare with results by the said value, players alive, dice left, and first decisions."""
    limits = np.quantile([row.value for rows in said for row in rows], np.arange(1, 10) / 10)
    keys: dict[str, Callable[[Said], int]] = {
        "tenth {} of the values": lambda row: 1 + int(np.searchsorted(limits, row.value)),
        "{} players alive": lambda row: row.alive,
        "{} quarters of the dice left": lambda row: int(np.ceil(4 * row.dice)),
        "first decisions": lambda row: 1 if row.is_first else 0,
    }
    found = {}
    for text, key in keys.items():
        for value in sorted({key(row) for rows in said for row in rows} - {0}):
            found[text.format(value)] = compared([[row for row in rows if key(row) == value] for rows in said])
    return found


def _half_interval(by_match: list[list[float]]) -> float:
    """Return half of the 95% interval of the mean over all decisions, whose matches are independent, in points."""
    sums = np.array([sum(rows) for rows in by_match if rows])
    counts = np.array([len(rows) for rows in by_match if rows])
    deviations = sums - counts * sums.sum() / counts.sum()
    return round(100 * Z_95 * float(np.sqrt((deviations**2).sum())) / int(counts.sum()), 2)


def _points(shares: list[float]) -> float:
    return round(100 * float(np.mean(shares)), 2)


def main() -> None:
    """Measure and save the figures, row by row."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rules", default=",".join(SHEETS))
    parser.add_argument("--seats", default=",".join(map(str, SEATS)))
    parser.add_argument("--matches", type=int, default=400)
    parser.add_argument("--ranked", type=int, default=100, help="how many decisions are judged by 4,000 deals, too")
    parser.add_argument("--mixed", action="store_true", help="matches of a mixed field in place of champions")
    options = parser.parse_args()
    figures: dict[str, Figures] = read_figures("judge")
    field = ", mixed field" if options.mixed else ""
    said: list[list[Said]] = []
    for seats in map(int, options.seats.split(",")):
        for name in options.rules.split(","):
            players = preset(name).ruleset.players
            if players.min <= seats <= (players.max or seats):
                cell, rows = measure(name, seats, options.matches, options.ranked, is_mixed=options.mixed)
                said += rows
                figures[f"{name}, {seats} seats{field}"] = cell
                figures |= {f"{group}{field}": row for group, row in groups(said).items()}
                save_figures("judge", figures, packages=(DISTRIBUTION, "numpy"))


if __name__ == "__main__":
    main()
