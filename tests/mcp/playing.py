"""An agent that plays by the texts of the tools alone, for tests."""

import re
from collections.abc import Awaitable, Callable

LEGAL = re.compile(r"^Your legal moves: (.+)\.$", re.MULTILINE)
STANDING = re.compile(r"Standing bid: (\d+)x\d+")
DICE = re.compile(r"Dice in play: (\d+)")
OVER = "The match is over. Winners"

Call = Callable[..., Awaitable[str]]
"""Calls a tool by its name, with its arguments."""


def choose(text: str) -> str:
    """The move of a careful player: the lowest bid, or a challenge of more than half of the dice."""
    legal, dice, standing = LEGAL.search(text), DICE.search(text), STANDING.search(text)
    assert legal is not None, text
    assert dice is not None, text
    if standing is not None and 2 * int(standing[1]) > int(dice[1]):
        return "I call: [liar]"
    return f"Let me see. [{legal[1].split(',')[0].split(' ')[0]}]"


async def play(call: Call, code: str) -> list[str]:
    """Play until the match is over; return every text that the agent was told."""
    told: list[str] = []
    while True:
        told.append(await call("wait_for_turn", code=code))
        if OVER in told[-1]:
            return told
        told.append(await call("act", code=code, move=choose(told[-1])))
