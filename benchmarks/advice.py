"""The six pieces of advice of rule sheet 001, measured: the figures of the page `/strategy`.

`python -m benchmarks.advice` measures everything again, and `python -m benchmarks.advice NAME` what has this name. Each
measurement is one of three kinds:

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
from pathlib import Path
from typing import Any

from benchmarks.advice_bots import ADVICE, BASES, SAFE, is_desperate_raise
from liarsdice.analysis.ratings import wilson_interval
from liarsdice.bots.registry import make_bot
from liarsdice.bots.simple.bid_odds import BidOdds
from liarsdice.core.actions import Challenge
from liarsdice.core.engine.state import State
from liarsdice.core.rules.bids import Bid
from liarsdice.core.rules.presets import preset
from liarsdice.core.rules.tally import tally
from liarsdice.play.match import Dealer, Match
from liarsdice.solve.round_solver import solve_round
from liarsdice_lab.tournaments.arena import make_arena, play_deals, summarize

FILE = Path(__file__).parents[1] / "web" / "src" / "strategy" / "advice.json"
RULES, SEATS, SEED = "classic", 4, 20_261_122
MATCHES = {"counter": 1_600, "champion": 320}
OBSERVED_MATCHES = 600
SOLVED = ((1, 1), (2, 1), (1, 2))
TARGET = 1e-4
LOW_OPENING = 0.75
"""An opening bid that is less likely than this, going by the opener's dice, counts as high."""
ARENA_PIECES = {name: name for name in ADVICE} | {"rather_high_bids": "high_bids"}
"""The piece of advice that each advised bot is about."""
OBSERVED = {
    "comes_back_high": "high_bids",
    "comes_back_low": "high_bids",
    "challenged_with_more_dice": "more_dice",
    "challenged_with_fewer_dice": "more_dice",
    "false_after_raising_the_face": "face_raiser_challenges",
    "false_after_raising_the_number": "face_raiser_challenges",
}
"""What is observed, and the advice that it is about."""
EVEN = 0.5
HERE = "python:benchmarks/advice_bots.py"

Evidence = dict[str, Any]
"""One measurement: `low` to `high` is its 95% interval, or the bounds of the solver; `fair` is what no effect gives."""


def measure_arena(advice: str, base: str) -> Evidence:
    """Return the win share of a bot with this advice among bots without it."""
    subject, field = f"{HERE}:{advice}_{base}", BASES[base]
    arena = make_arena(preset(RULES).ruleset, [subject], opponents=[field], seats=SEATS, seed=SEED, duplicate=True)
    summary = summarize(arena, list(play_deals(arena, range(arena.deals_for(MATCHES[base])), jobs=1)))
    standing = summary.standings[0]
    low, high = standing.win_share_95
    return {
        "name": f"{advice}_{base}",
        "kind": "arena",
        "share": round(standing.win_share, 4),
        "low": round(low, 4),
        "high": round(high, 4),
        "fair": standing.fair_share,
        "count": summary.matches,
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

    def evidence(self) -> list[Evidence]:
        """Return the share of cases in which each thing happened, with Wilson's 95% interval."""
        return [self._evidence(name, count) for name, count in sorted(self.cases.items())]

    def _evidence(self, name: str, count: int) -> Evidence:
        low, high = wilson_interval(self.happened[name], count)
        return {
            "name": name,
            "kind": "observed",
            "share": round(self.happened[name] / count, 4),
            "low": round(low, 4),
            "high": round(high, 4),
            "fair": None,
            "count": count,
            "command": "python -m benchmarks.advice observed",
        }


def is_standing_bid_true(state: State) -> bool:
    """Return whether the standing bid is true, with all cups open."""
    _, bid = state.bids[-1]
    return tally(state.ruleset, state.hands, bid.face, wilds_count=state.wilds_count).count >= bid.quantity


def observe() -> list[Evidence]:
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
    return observations.evidence()


def measure_solver(dice: tuple[int, int]) -> Evidence:
    """Return the share of rounds that the player who opens wins if both play perfectly."""
    bounds = solve_round(preset(RULES).ruleset, dice, target=TARGET).bounds
    name = f"{dice[0]}v{dice[1]}"
    return {
        "name": f"solver_{name}",
        "kind": "solver",
        "share": round((2 + bounds.low + bounds.high) / 4, 4),
        "low": round((1 + bounds.low) / 2, 4),
        "high": round((1 + bounds.high) / 2, 4),
        "fair": EVEN,
        "count": 0,
        "command": f"liarsdice solve --rules {RULES} --dice {name} --target {TARGET:g}",
    }


def verdict(evidence: list[Evidence]) -> str:
    """Return what the intervals of matches say: true or false, half if some gain and some lose, open if none tells.

    Without matches, the solver decides: whether the player with more dice wins more rounds.
    """
    arena = [row for row in evidence if row["kind"] == "arena"]
    if not arena:
        shares = {row["name"]: row["share"] for row in evidence}
        return "true" if shares["solver_2v1"] > EVEN > shares["solver_1v2"] else "false"
    gains, losses = any(row["low"] > row["fair"] for row in arena), any(row["high"] < row["fair"] for row in arena)
    return "half" if gains and losses else "true" if gains else "false" if losses else "open"


def save(piece: str, measured: Evidence) -> None:
    """Save a measurement about a piece of advice in place of the one with its name, and the verdict."""
    pieces = json.loads(FILE.read_text(encoding="utf-8"))
    entry = next(entry for entry in pieces if entry["advice"] == piece)
    rows = {row["name"]: row for row in entry["evidence"]} | {measured["name"]: measured}
    entry["evidence"] = list(rows.values())
    entry["verdict"] = verdict(entry["evidence"])
    FILE.write_text(json.dumps(pieces, indent=2) + "\n", encoding="utf-8")
    print(measured, flush=True)


def main(*names: str) -> None:
    """Measure everything, or what has one of these names."""
    single: dict[str, tuple[str, Callable[[], Evidence]]] = {
        f"solver_{first}v{second}": ("more_dice", partial(measure_solver, (first, second))) for first, second in SOLVED
    }
    for base in MATCHES:
        for advice, piece in ARENA_PIECES.items():
            single[f"{advice}_{base}"] = piece, partial(measure_arena, advice, base)
    for name, (piece, measure) in single.items():
        if not names or name in names:
            save(piece, measure())
    if not names or "observed" in names:
        for row in observe():
            save(OBSERVED[row["name"]], row)


if __name__ == "__main__":
    main(*sys.argv[1:])
