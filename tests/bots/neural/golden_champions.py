"""The move probabilities of the champion and the baselines at fixed tables, stored when each was new.

`python -m tests.bots.neural.golden_champions` adds those of new ones to the file.
"""

import json
from pathlib import Path

from liarsdice.bots.neural.champion import Temper
from liarsdice.bots.neural.champions import BASELINES, make_baseline, make_champion
from liarsdice.core.bids.notation import notate
from liarsdice.core.engine.view import View, view
from liarsdice.core.rules.bids import Bid
from liarsdice.core.rules.presets import FULL
from liarsdice.core.rules.ruleset_io import find_rules
from tests.bots.positions import dealt_state

GOLDEN_FILE = Path(__file__).with_suffix(".json")
NAMES = "champion", *BASELINES
FULL_HANDS = ((1, 2, 3, 4, 5), (2, 2, 3, 6, 6), (1, 4, 4, 5, 6))
TABLES: tuple[tuple[str, tuple[tuple[int, ...], ...], tuple[Bid, ...]], ...] = (
    ("perudo", FULL_HANDS, ()),
    ("perudo", FULL_HANDS, (Bid(3, 6),)),
    ("perudo", FULL_HANDS, (Bid(3, 6), Bid(2, 1), Bid(5, 4))),
    ("perudo", ((2, 2, 3), (6,)), (Bid(2, 2),)),
    ("perudo", ((3,), (5,)), (Bid(1, 3),)),
    ("joker", FULL_HANDS[:2], (Bid(3, 4), Bid(4, 4))),
    ("openspiel", FULL_HANDS[:2], (Bid(2, 5),)),
    ("mustache", FULL_HANDS, (Bid(2, 2), Bid(3, 2))),
    ("official", FULL_HANDS, (Bid(4, 3),)),
    (FULL, FULL_HANDS, ()),
    ("snyd-stairs", FULL_HANDS[:2], (Bid(3, 2),)),
)


def views() -> list[View]:
    """Return the view of the seat on turn at each table."""
    states = [dealt_state(find_rules(rules), hands, bids) for rules, hands, bids in TABLES]
    return [view(state, state.turn) for state in states]


def move_probs(name: str) -> list[dict[str, float]]:
    """Return a bot's probability of each move, by notation, at each table; the champion's with each temper, too."""
    shown = views()
    if name in BASELINES:
        moves = [make_baseline(name).action_probs(seen) for seen in shown]
    else:
        moves = [make_champion().action_probs(seen) for seen in shown]
        moves += [make_champion(temper=temper).action_probs(shown[1]) for temper in Temper]
    return [{notate(move) if move else "silence": round(prob, 6) for move, prob in probs.items()} for probs in moves]


def golden_move_probs() -> dict[str, list[dict[str, float]]]:
    """Return the stored result of `move_probs` by the name of the bot."""
    text = GOLDEN_FILE.read_text(encoding="utf-8") if GOLDEN_FILE.exists() else "{}"
    stored: dict[str, list[dict[str, float]]] = json.loads(text)
    return stored


if __name__ == "__main__":
    new = {name: move_probs(name) for name in NAMES}
    GOLDEN_FILE.write_text(json.dumps(new | golden_move_probs(), indent=1) + "\n", encoding="utf-8")
