"""Measures the values that are fitted under rules which are not simulated, on matches that they were not fitted to.

`python -m benchmarks.fitted_values [--matches N] [RULES ...]` prints, for each ruleset and number of seats, the largest
error of a decile between rounds and after the roll, each with its standard error, the slope of results on luck with
its standard error, the mean luck of the first seat in standard errors, and the mean of |luck|. Under rules that are
simulated it also prints how far fitted values of round ends are from matches that `inference` plays on.
"""

from __future__ import annotations

import argparse
import time

import numpy as np

from benchmarks.round_ends import played_by_champions
from benchmarks.state_values import decile_error
from liarsdice.analysis.fitted_values import fitted_values, play_sampled_match
from liarsdice.analysis.luck import match_account
from liarsdice.analysis.state_valuer import StateValuer
from liarsdice.core.engine.state import Phase, State
from liarsdice.core.rules.presets import preset
from liarsdice.core.rules.rule_costs import is_simulated
from liarsdice.values.round_ends import RoundEnd

RULES = ("bar-strict", "chui-niu+lives", "cacho", "bluff+show-dice", "perudo+pass", "perudo")
SEATS = (2, 4)
SEED = "other matches"
DEALS = 100
"""Deals from which the expected value of a roll comes."""
PLAYED_ON, ROUND_ENDS = 400, 60


def measure(name: str, seats: int, matches: int) -> dict[str, float]:
    """Return the figures of one ruleset and number of seats."""
    rules = preset(name).ruleset
    values = fitted_values(rules, seats)
    luck, results, ends = [], [], list[State]()
    rows: dict[Phase, list[tuple[float, float, int]]] = {Phase.DEAL: [], Phase.BIDDING: []}
    for number in range(matches):
        match = play_sampled_match(rules, seats, f"{SEED}/{number}")
        account = match_account(match.events, StateValuer(number, DEALS, values))
        luck.append(account.luck)
        results.append(account.result)
        for phase, value in ((Phase.DEAL, values.between), (Phase.BIDDING, values.in_round)):
            is_before = phase is Phase.DEAL
            states = [state for state in match.states if state.phase is phase and (is_before or not state.bids)]
            for state, shares in zip(states, value(states), strict=True):
                alive = np.flatnonzero(np.array(state.stakes) > 0).tolist()
                rows[phase] += [(float(shares[seat]), float(match.shares[seat]), number) for seat in alive]
            ends += states if phase is Phase.DEAL else []
    x, y = np.array(luck), np.array(results) - 1 / seats
    slope = float((x * y).sum() / (x * x).sum())
    residuals = (x * (y - slope * x)).sum(axis=1)
    errors = {phase: decile_error(*map(np.array, zip(*found, strict=True))) for phase, found in rows.items()}
    figures = {
        "between": errors[Phase.DEAL][0],
        "between_error": errors[Phase.DEAL][1],
        "rolled": errors[Phase.BIDDING][0],
        "rolled_error": errors[Phase.BIDDING][1],
        "slope": slope,
        "slope_error": float(np.sqrt((residuals**2).sum()) / (x * x).sum()),
        "mean": float(x[:, 0].mean() / (x[:, 0].std(ddof=1) / np.sqrt(matches))),
        "usual": float(np.abs(x).mean()),
    }
    if is_simulated(rules):
        figures["round_ends"] = _round_end_error(ends[1 :: max(len(ends) // ROUND_ENDS, 1)])
    return figures


def _round_end_error(states: list[State]) -> float:
    """Return the root mean square difference from matches that are played on, without what their chance adds."""
    rules, seats = states[0].ruleset, len(states[0].names)
    fitted = fitted_values(rules, seats).between(states)
    none, never = (0,) * seats, (False,) * seats
    ends = [RoundEnd(state.dice, state.starter, -1, state.direction.step, none, never, 0, None) for state in states]
    played = played_by_champions(rules, ends, PLAYED_ON, np.random.default_rng(PLAYED_ON))
    chance = (played * (1 - played)).mean() / PLAYED_ON
    return float(np.sqrt(max(((fitted - played) ** 2).mean() - chance, 0)))


def main() -> None:
    """Print the figures, row by row."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("rules", nargs="*", default=RULES)
    parser.add_argument("--matches", type=int, default=300)
    options = parser.parse_args()
    for name in options.rules:
        for seats in SEATS:
            started = time.process_time()
            row = measure(name, seats, options.matches)
            print(
                f"| {name} | {seats} | {options.matches} | {row['between']:.3f} ± {row['between_error']:.3f}"
                f" | {row['rolled']:.3f} ± {row['rolled_error']:.3f} | {row['slope']:.2f} ± {row['slope_error']:.2f}"
                f" | {row['mean']:+.1f} | {row['usual']:.3f} | {row.get('round_ends', float('nan')):.3f} |"
                f"  {time.process_time() - started:.0f} s",
                flush=True,
            )


if __name__ == "__main__":
    main()
