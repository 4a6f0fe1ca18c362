"""The penalties of the reference engine: which may be reported, and which dice the dealer picks."""

from __future__ import annotations

from tests.laws.reference_engine import ReferenceState


def may_be_penalised(table: ReferenceState, seat: int, trigger: str, taken: tuple[int, ...], offence: str = "") -> bool:
    """Whether a penalty may be reported: at any time, for anybody with dice, while fewer than a hundred are due.

    The dealer picks dice that go from under a cup.
    """
    price = price_of(table, trigger, offence)
    if price is None or table.phase in ("starter", "over") or seat not in table.alive() or len(table.due) >= 100:
        return False
    if (table.doubled or table.to_choose) and table.rules["penalty_timing"] == "immediate":
        return False  # a player has to answer or to choose first
    if table.rules["penalty_timing"] == "end_of_round" or table.phase == "deal" or table.lives:
        return taken == ()
    dice = min(price, table.dice[seat])
    return len(taken) == dice == len(set(taken)) and all(0 <= place < table.dice[seat] for place in taken)


def price_of(table: ReferenceState, trigger: str, offence: str) -> int | None:
    """What the penalty for this costs; None if the rules have none."""
    listed = table.rules["penalties"]
    prices = [item["dice"] for item in listed if item["trigger"] == trigger and item.get("offence", "") == offence]
    return prices[0] if prices else None
