"""Writes the figures of the page `/strategy` from the results of `benchmarks.advice`: `make pages`."""

import json
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent
RESULTS = ROOT / "benchmarks" / "results" / "advice.json"
FILE = ROOT / "web" / "src" / "strategy" / "advice.json"

PIECES = {
    "high_bids": ("high_bids", "rather_high_bids"),
    "ceiling_challenges": ("ceiling_challenges",),
    "face_raises": ("face_raises",),
    "more_dice": ("more_dice",),
    "face_raiser_challenges": ("face_raiser_challenges",),
    "fewer_challenges": ("fewer_challenges",),
}
"""The six pieces of advice of rule sheet 001 in its order, and which measurements are about each."""
EVEN = 0.5


def advice_json() -> str:
    """Return the six pieces of advice with their verdicts and their evidence, as the text of `advice.json`."""
    figures: dict[str, dict[str, Any]] = json.loads(RESULTS.read_text(encoding="utf-8"))["figures"]
    pieces = []
    for piece, names in PIECES.items():
        evidence = [_evidence(name, figure) for name, figure in figures.items() if figure["advice"] in names]
        evidence.sort(key=lambda row: ("arena", "solver", "observed").index(row["kind"]))
        pieces.append({"advice": piece, "verdict": _verdict(evidence), "evidence": evidence})
    return json.dumps(pieces, indent=2) + "\n"


def _evidence(name: str, figure: dict[str, Any]) -> dict[str, Any]:
    """Return one measurement. `low` and `high`: the 95% interval, or the bounds of the solver. `fair`: no effect."""
    return {
        "name": name.replace(" ", "_"),
        "kind": figure["kind"],
        "share": figure["share"],
        "low": figure.get("low_95", figure.get("low")),
        "high": figure.get("high_95", figure.get("high")),
        "fair": figure.get("fair", EVEN if figure["kind"] == "solver" else None),
        "count": figure.get("cases", figure.get("matches", 0)),
        "command": figure["command"],
    }


def _verdict(evidence: list[dict[str, Any]]) -> str:
    """Return what the intervals of matches say: true or false, half if some gain and some lose, open if none tells.

    Without matches, the solver decides: whether the player with more dice wins more rounds.
    """
    arena = [row for row in evidence if row["kind"] == "arena"]
    if not arena:
        shares = {row["name"]: row["share"] for row in evidence}
        return "true" if shares["solver_2v1"] > EVEN > shares["solver_1v2"] else "false"
    gains, losses = any(row["low"] > row["fair"] for row in arena), any(row["high"] < row["fair"] for row in arena)
    return "half" if gains and losses else "true" if gains else "false" if losses else "open"


def main() -> None:
    """Write the file."""
    FILE.write_text(advice_json(), encoding="utf-8")


if __name__ == "__main__":
    main()
