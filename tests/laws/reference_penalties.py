"""The penalties of the reference engine: which may be reported, and which dice the dealer picks."""

from __future__ import annotations

from tests.laws.reference_engine import ReferenceState


def may_be_penalised(table: ReferenceState, seat: int, trigger: str, taken: tuple[int, ...]) -> bool:
    """Whether a penalty may be reported: at any time, for anybody with dice, while fewer than a hundred are due.

    The dealer picks dice that go from under a cup.
    """
    prices = [penalty["dice"] for penalty in table.rules["penalties"] if penalty["trigger"] == trigger]
    if not prices or table.phase in ("starter", "over") or seat not in table.alive() or len(table.due) >= 100:
        return False
    if (table.doubled or table.to_choose) and table.rules["penalty_timing"] == "immediate":
        return False  # a player has to answer or to choose first
    if table.rules["penalty_timing"] == "end_of_round" or table.phase == "deal" or table.lives:
        return taken == ()
    dice = min(prices[0], table.dice[seat])
    return len(taken) == dice == len(set(taken)) and all(0 <= place < table.dice[seat] for place in taken)
