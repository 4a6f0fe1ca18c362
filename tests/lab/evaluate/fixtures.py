"""Decisions, deals and evaluations for the tests of this folder."""

from __future__ import annotations

import sys
from pathlib import Path

from liarsdice.analysis.review.results import Source
from liarsdice.core.rules.presets import preset
from liarsdice_lab.arena.arena import ArenaMatch, DealResult
from liarsdice_lab.evaluate.evaluation import (
    DecisionCost,
    Evaluation,
    ModelSettings,
    TranscriptDecision,
    make_evaluation,
)
from liarsdice_lab.evaluate.language_model import Attempt, AttemptOutcome, ModelDecision

ODDS_MODEL = Path(__file__).parents[3] / "examples" / "odds_model.py"
COMMAND = f"{sys.executable} -I -S {ODDS_MODEL}"


def evaluation(*opponents: str, rules: str = "perudo", review_deals: int = 30, seats: int = 2) -> Evaluation:
    """An evaluation of the stand-in that goes by odds."""
    model = ModelSettings(name="odds", command=COMMAND, with_odds=True)
    ruleset = preset(rules).ruleset
    return make_evaluation(model, ruleset, opponents or ("novice",), seats=seats, review_deals=review_deals)


def decision(
    *outcomes: AttemptOutcome,
    cost: float | None = None,
    source: Source = Source.PLAYOUTS,
    tokens: int | None = None,
    latency_ms: float = 10.0,
) -> TranscriptDecision:
    """A decision with attempts of these outcomes, by default a legal one."""
    attempts = tuple(
        Attempt(
            outcome,
            None if outcome is AttemptOutcome.NO_ANSWER else "text",
            latency_ms,
            prompt_tokens=tokens,
            completion_tokens=tokens,
        )
        for outcome in outcomes or (AttemptOutcome.LEGAL,)
    )
    made = ModelDecision(
        round_number=1,
        bid_count=0,
        on_turn=True,
        prompt="turn",
        attempts=attempts,
        move="1x2",
        is_fallback=attempts[-1].outcome is not AttemptOutcome.LEGAL,
    )
    return TranscriptDecision(made, None if cost is None else DecisionCost(cost, 0.01, source, "1x2"))


def deal(number: int, *wins: bool, adjusted: bool = True) -> DealResult:
    """A deal of two seats, in whose first match the model had seat 0, in the second seat 1."""
    matches = []
    for seat, won in enumerate(wins):
        seating = (0, 1) if seat == 0 else (1, 0)
        winner = seat if won else 1 - seat
        places = (1, 2) if winner == 0 else (2, 1)
        luck = 0.1 * (number % 3) * (1 if won else -1) * (1 if seat == 0 else -1)
        matches.append(ArenaMatch(seating, places, (0, 0), 5, (luck, -luck) if adjusted else ()))
    return DealResult(number, tuple(matches), (), 1.0, ({}, {}))
