"""Whose dice a player may see, by the rules as their file says them; written without the engine."""

from liarsdice.core.engine.state import State
from tests.laws.reference_engine import plain_rules


def seats_seen_by(state: State, viewer: int | None, chosen: str = "ordinary") -> set[int]:
    """The seats whose dice a viewer may see in the round that is dealt next, by the rules as their file says them.

    `chosen`: the kind of the round if its opener chooses that, "nobody" while nobody looks.
    """
    if viewer is None or not state.dice[viewer]:
        return set()
    rules = plain_rules(state.ruleset)
    special, kind = rules["special_round"], rules["dice"].get("visibility")
    if kind == "blind":
        return set()
    if kind == "others":
        return {seat for seat, held in enumerate(state.dice) if held and seat != viewer}
    if special is None:
        return {viewer}
    kind = special.get("visibility") if state.special_seat is not None else None
    if special.get("visibility") == "chosen":
        kind = chosen
    if kind == "nobody":
        return set()
    if kind == "open":
        return {seat for seat, held in enumerate(state.dice) if held and seat != viewer}
    left = (state.lives or state.dice)[viewer]
    return set() if kind == "closed" and viewer != state.special_seat and left > 1 else {viewer}
