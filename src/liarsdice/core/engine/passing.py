"""Who may pass."""

from __future__ import annotations

from liarsdice.core.engine.state import State
from liarsdice.core.rules.meaning import roll_count_to_pass


def pass_refusal(state: State) -> str | None:
    """Return why the seat on turn may not pass; None if it may. Its hand changes nothing: a pass can be false."""
    rules, dice = state.ruleset, state.dice[state.turn]
    if not state.bids:
        return "a round opens with a bid"
    if state.face_off:
        return "nobody passes in a face-off"
    if any(seat == state.turn for seat, _ in state.passes):
        return "each player passes only once a round"
    if not roll_count_to_pass(rules, dice):
        return f"no hand of {dice} dice allows it"
    return None
