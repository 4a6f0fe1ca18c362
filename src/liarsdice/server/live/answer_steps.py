"""Lets the moves of bots appear at fixed times after they were asked for, so that nobody sees how long a bot thought.

Some bots decide faster with some dice than with others, so that their time to think would tell about hidden dice.
"""

from __future__ import annotations

import asyncio
import math
from collections.abc import Awaitable
from typing import TypeVar

T = TypeVar("T")


async def at_answer_step(answer: Awaitable[T], step_s: float) -> T:
    """Return the result of `answer` a whole number of steps after the call, one at least.

    Nearly all bots answer within one step, so that nearly all moves take the same time. `step_s`: the length of a step
    in seconds; 0 waits for nothing but the answer. Raises what `answer` raises, at once.
    """
    clock = asyncio.get_running_loop().time
    asked_s = clock()
    result = await answer
    if step_s:
        await asyncio.sleep(wait_s(clock() - asked_s, step_s))
    return result


def wait_s(passed_s: float, step_s: float) -> float:
    """Return how long it is until the next step ends; the first step is over no sooner than any other.

    >>> wait_s(0.0, 0.25), wait_s(0.0625, 0.25), wait_s(0.375, 0.25)
    (0.25, 0.1875, 0.125)
    """
    return max(1, math.ceil(passed_s / step_s)) * step_s - passed_s
