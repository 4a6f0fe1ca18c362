"""What every champion does at fixed tables: `python -m tests.bots.neural.champions` keeps it for new ones."""

from __future__ import annotations

import json
from pathlib import Path

from liarsdice.bots.neural.champion import LATEST, LEANINGS, Champion, Temper, model
from liarsdice.core.bids.notation import notate
from liarsdice.core.engine.view import View, view
from liarsdice.core.rules.bids import Bid
from liarsdice.core.rules.presets import FULL
from liarsdice.core.rules.ruleset_io import find_rules
from tests.bots.tables import dealt

KEPT = Path(__file__).with_suffix(".json")
FIVE = ((1, 2, 3, 4, 5), (2, 2, 3, 6, 6), (1, 4, 4, 5, 6))
TABLES: tuple[tuple[str, tuple[tuple[int, ...], ...], tuple[Bid, ...]], ...] = (
    ("perudo", FIVE, ()),
    ("perudo", FIVE, (Bid(3, 6),)),
    ("perudo", FIVE, (Bid(3, 6), Bid(2, 1), Bid(5, 4))),
    ("perudo", ((2, 2, 3), (6,)), (Bid(2, 2),)),
    ("perudo", ((3,), (5,)), (Bid(1, 3),)),
    ("joker", FIVE[:2], (Bid(3, 4), Bid(4, 4))),
    ("openspiel", FIVE[:2], (Bid(2, 5),)),
    ("mustache", FIVE, (Bid(2, 2), Bid(3, 2))),
    ("official", FIVE, (Bid(4, 3),)),
    (FULL, FIVE, ()),
    ("snyd-stairs", FIVE[:2], (Bid(3, 2),)),
)


def views() -> list[View]:
    """What the seat on turn is shown at each table."""
    states = [dealt(find_rules(rules), hands, bids) for rules, hands, bids in TABLES]
    return [view(state, state.turn) for state in states]


def played(number: int) -> list[dict[str, float]]:
    """How likely a champion makes each move at each table, then with each temper at the second one."""
    champion, shown = Champion(model(number)), views()
    weighed = [champion.weighed(one) for one in shown]
    weighed += [Champion(model(number), temper=temper, leaning=LEANINGS[number]).weighed(shown[1]) for temper in Temper]
    return [
        {notate(move) if move else "silence": round(chance, 6) for move, chance in moves.items()} for moves in weighed
    ]


def kept() -> dict[str, list[dict[str, float]]]:
    """The same as it was when each champion was new."""
    found: dict[str, list[dict[str, float]]] = json.loads(KEPT.read_text(encoding="utf-8")) if KEPT.exists() else {}
    return found


if __name__ == "__main__":
    new = {str(number): played(number) for number in range(1, LATEST + 1)}
    KEPT.write_text(json.dumps(new | kept(), indent=1) + "\n", encoding="utf-8")
