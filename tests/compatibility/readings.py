"""The stored files, and what a state reads as in plain values under names that no renaming changes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from liarsdice.core.engine.state import State
from liarsdice.core.engine.view import View, view

FILES = Path(__file__).parent / "files"
Plain = dict[str, object]


def expected(folder: str) -> dict[str, Any]:
    """Return what version 0.1.0 read from the files of a folder: `expected.json` in it."""
    found: dict[str, Any] = json.loads((FILES / folder / "expected.json").read_text(encoding="utf-8"))
    return found


def lost(stored: object, rewritten: object, path: str = "") -> list[str]:
    """Return the paths of stored JSON values that are absent or different in what is written again.

    A field that is only in `rewritten` is no loss: later versions may add fields.
    """
    if isinstance(stored, dict) and isinstance(rewritten, dict):
        return [
            where
            for name, value in stored.items()
            for where in (lost(value, rewritten[name], f"{path}.{name}") if name in rewritten else [f"{path}.{name}"])
        ]
    if isinstance(stored, list) and isinstance(rewritten, list) and len(stored) == len(rewritten):
        pairs = zip(stored, rewritten, strict=True)
        return [where for index, (old, new) in enumerate(pairs) for where in lost(old, new, f"{path}[{index}]")]
    return [] if stored == rewritten else [path]


def plain_views(state: State) -> list[Plain]:
    """Return a spectator's view, then by seat what that seat sees differently."""
    public = plain_view(view(state, None))
    seats = [plain_view(view(state, seat)) for seat in range(len(state.names))]
    return [public, *({name: value for name, value in seat.items() if public[name] != value} for seat in seats)]


def plain_view(seen: View) -> Plain:
    """Return a view as JSON values."""
    bids, reveal = [str(bid) for bid in seen.may_bid], seen.revealed
    return {
        "seat": seen.seat,
        "hand": list(seen.hand),
        "names": list(seen.names),
        "dice": list(seen.dice),
        "phase": seen.phase.value,
        "rolling": list(seen.rolling),
        "round": seen.round_number,
        "direction": seen.direction.value,
        "direction_chosen": seen.direction_chosen,
        "starter": seen.starter,
        "turn": seen.turn,
        "top": seen.max_quantity,
        "bids": [f"{seat}: {bid}" for seat, bid in seen.bids],
        "wilds_count": seen.wilds_count,
        "special_seat": seen.special_seat,
        "had_special": list(seen.had_special),
        "exempt": list(seen.exempt),
        "exact_calls": list(seen.exact_calls),
        "penalties": [f"{penalty.seat}: {penalty.trigger.value} {penalty.dice}" for penalty in seen.penalties],
        "revealed": None
        if reveal is None
        else {
            "bid": str(reveal.bid),
            "hands": [list(hand) for hand in reveal.hands],
            "marked": [list(positions) for positions in reveal.marked],
            "counted": list(reveal.counted),
            "count": reveal.count,
            "bid_true": reveal.bid_true,
            "wilds_counted": reveal.wilds_counted,
        },
        "winners": list(seen.winners),
        "end_reason": None if seen.end_reason is None else seen.end_reason.value,
        "may_bid": f"{len(bids)}: {bids[0]} to {bids[-1]}" if bids else "",
        "unlimited": seen.unlimited,
        "may_challenge": seen.may_challenge,
        "may_call_exact": seen.may_call_exact,
        "may_set_direction": [direction.value for direction in seen.may_set_direction],
    }
