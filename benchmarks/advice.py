"""The six pieces of advice of rule sheet 001, measured: the figures of the page `/strategy`.

`python -m benchmarks.advice` measures what `results/advice.json` does not have yet, and `python -m benchmarks.advice
NAME` what has this name again. Each measurement is one of three kinds:

- `arena`: a bot that follows the advice to the letter (`benchmarks.advice_bots`) among three that do not, in duplicate.
- `observed`: how often something happens in matches of champions.
- `solver`: the share of rounds that the player who opens wins, exactly solved.

All are by the rules of the preset `classic`, rule sheet 001 without options.
"""

import json
import sys
from collections import Counter
from collections.abc import Callable
from functools import partial

from benchmarks.advice_bots import ADVICE, BASES, SAFE, is_desperate_raise
from benchmarks.figures import RESULTS, Figures, save_figures
from liarsdice.analysis.ratings import wilson_interval
from liarsdice.bots.registry import make_bot
from liarsdice.bots.simple.bid_odds import BidOdds
from liarsdice.core.actions import Challenge
from liarsdice.core.engine.state import State
from liarsdice.core.rules.bids import Bid
from liarsdice.core.rules.presets import preset
from liarsdice.core.rules.tally import tally
from liarsdice.play.match import Dealer, Match
from liarsdice.runtime.public_api import DISTRIBUTION
from liarsdice.solve.round_solver import solve_round
from liarsdice_lab.arena.arena import make_arena, play_deals
from liarsdice_lab.arena.summary import summarize

RULES, SEATS, SEED = "classic", 4, 20_261_122
MATCHES = {"counter": 1_600, "champion": 320}
OBSERVED_MATCHES = 600
SOLVED = ((1, 1), (2, 1), (1, 2))
TARGET = 1e-4
LOW_OPENING = 0.75
"""An opening bid that is less likely than this, going by the opener's dice, counts as high."""
OBSERVED = {
    "comes_back_high": "high_bids",
    "comes_back_low": "high_bids",
    "challenged_with_more_dice": "more_dice",
    "challenged_with_fewer_dice": "more_dice",
    "false_after_raising_the_face": "face_raiser_challenges",
    "false_after_raising_the_number": "face_raiser_challenges",
}
"""What is observed, and the advice that it is about."""
HERE = "python:benchmarks/advice_bots.py"


def measure_arena(advice: str, base: str) -> Figures:
    """Return the win share of a bot with this advice among bots without it."""
    subject, field = f"{HERE}:{advice}_{base}", BASES[base]
    arena = make_arena(preset(RULES).ruleset, [subject], opponents=[field], seats=SEATS, seed=SEED, duplicate=True)
    summary = summarize(arena, list(play_deals(arena, range(arena.deals_for(MATCHES[base])), jobs=1)))
    standing = summary.standings[0]
    low, high = standing.win_share_95
    return {
        "kind": "arena",
        "advice": advice,
        "base": base,
        "matches": summary.matches,
        "share": round(standing.win_share, 4),
        "low_95": round(low, 4),
        "high_95": round(high, 4),
        "fair": standing.fair_share,
        "faults": sum(entry.faults for entry in summary.standings),
        "command": f"liarsdice arena --subject {subject} --opponents {field} --rules {RULES} --seats {SEATS}"
        f" --matches {MATCHES[base]} --duplicate --seed {SEED}",
    }


class Observations:
    """Counts how often things happen that the advice is about, by name."""

    def __init__(self) -> None:
        self.happened, self.cases = Counter[str](), Counter[str]()

    def add(self, name: str, *, holds: bool) -> None:
        """Count one case of a name, in which it happened or not."""
        self.cases[name] += 1
        self.happened[name] += holds

    def add_challenge(self, state: State, opening: str) -> None:
        """Count a challenge of the seat on turn. `opening`: whether the opening bid was high or low."""
        self.add(f"comes_back_{opening}", holds=len(state.bids) >= sum(map(bool, state.dice)))
        bidder, caller = state.bids[-1][0], state.turn
        if state.dice[bidder] != state.dice[caller]:
            more = state.dice[bidder] > state.dice[caller]
            self.add(f"challenged_with_{'more' if more else 'fewer'}_dice", holds=is_standing_bid_true(state))

    def add_raise(self, match: Match) -> None:
        """Count the standing bid if the next player thinks that the bid before it was the highest to be true."""
        shown = match.view(match.state.turn)
        _, before = shown.bids[-2]
        if BidOdds(shown).p_bid(Bid(before.quantity + 1, before.face)) < SAFE:
            kind = "face" if is_desperate_raise(shown, BidOdds(shown)) else "number"
            self.add(f"false_after_raising_the_{kind}", holds=not is_standing_bid_true(match.state))

    def figures(self) -> dict[str, Figures]:
        """Return the share of cases in which each thing happened, with Wilson's 95% interval."""
        return {name: self._figure(name, count) for name, count in sorted(self.cases.items())}

    def _figure(self, name: str, count: int) -> Figures:
        low, high = wilson_interval(self.happened[name], count)
        return {
            "kind": "observed",
            "advice": OBSERVED[name],
            "matches": OBSERVED_MATCHES,
            "cases": count,
            "share": round(self.happened[name] / count, 4),
            "low_95": round(low, 4),
            "high_95": round(high, 4),
            "command": "python -m benchmarks.advice observed",
        }


def is_standing_bid_true(state: State) -> bool:
    """Return whether the standing bid is true, with all cups open."""
    _, bid = state.bids[-1]
    return tally(state.ruleset, state.hands, bid.face, wilds_count=state.wilds_count).count >= bid.quantity


def observe() -> dict[str, Figures]:
    """Return how often things happen that the advice is about, in matches of champions."""
    observations = Observations()
    for number in range(OBSERVED_MATCHES):
        match = Match(preset(RULES).ruleset, tuple("ABCD"), Dealer(SEED + number))
        bots = [make_bot(BASES["champion"], f"{number} {seat}") for seat in range(SEATS)]
        opening = ""
        while not match.is_over:
            if match.waits_for_dealer:
                match.deal()
                continue
            state = match.state
            shown = match.view(state.turn)
            move = bots[state.turn].act(shown)
            assert move is not None
            if isinstance(move, Bid) and not state.bids:
                opening = "high" if BidOdds(shown).p_bid(move) < LOW_OPENING else "low"
            if isinstance(move, Challenge):
                observations.add_challenge(state, opening)
            match.act(state.turn, move)
            if isinstance(move, Bid) and state.bids:
                observations.add_raise(match)
    return observations.figures()


def measure_solver(dice: tuple[int, int]) -> Figures:
    """Return the share of rounds that the player who opens wins if both play perfectly."""
    bounds = solve_round(preset(RULES).ruleset, dice, target=TARGET).bounds
    name = f"{dice[0]}v{dice[1]}"
    return {
        "kind": "solver",
        "advice": "more_dice",
        "dice": name,
        "share": round((2 + bounds.low + bounds.high) / 4, 4),
        "low": round((1 + bounds.low) / 2, 4),
        "high": round((1 + bounds.high) / 2, 4),
        "command": f"liarsdice solve --rules {RULES} --dice {name} --target {TARGET:g}",
    }


def measurements() -> dict[str, Callable[[], dict[str, Figures]]]:
    """Return every measurement by name: a function that makes it and returns its figures by name."""
    solver = {f"solver {first}v{second}": partial(measure_solver, (first, second)) for first, second in SOLVED}
    arenas = {f"{advice} {base}": partial(measure_arena, advice, base) for base in MATCHES for advice in ADVICE}
    single = solver | arenas
    return {"observed": observe} | {
        name: partial(lambda name, measure: {name: measure()}, name, measure) for name, measure in single.items()
    }


def main(*names: str) -> None:
    """Measure everything without a figure, or what has one of these names."""
    file = RESULTS / "advice.json"
    figures: dict[str, Figures] = json.loads(file.read_text(encoding="utf-8"))["figures"] if file.exists() else {}
    done = {"observed"} if OBSERVED.keys() <= figures.keys() else set()
    for name, measure in measurements().items():
        if name in names or (not names and name not in figures.keys() | done):
            figures |= measure()
            save_figures("advice", figures, packages=(DISTRIBUTION, "numpy", "numba"))


if __name__ == "__main__":
    main(*sys.argv[1:])
