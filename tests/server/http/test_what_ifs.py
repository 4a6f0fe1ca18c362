"""Other moves of decisions are played on for many people, a few at once for each address."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest

from liarsdice.analysis.review.results import WhatIfBatch
from liarsdice.core.errors import UnavailableError
from liarsdice.runtime.worker_pool import DeadlineError
from liarsdice.server.errors import RateLimitError, TryAgainError
from liarsdice.server.http.limits import RateLimits
from liarsdice.server.http.reviews import BATCHES, COST, WHAT_IFS_PER_ADDRESS, WhatIfForm, WhatIfs
from tests.server.live_tables import SharedPool

HERE, THERE = "192.0.2.1", "192.0.2.2"
FORM = WhatIfForm(record="", decision=0, move=None)


class FakeWorkers(SharedPool):
    """Answers each call with the same batch; the call with the number `fails_at` takes too long."""

    def __init__(self, fails_at: int = -1) -> None:
        super().__init__(1, max_calls=1, name="fake")
        self._fails_at = fails_at

    async def run(self, *arguments: Any, **_: Any) -> Any:  # type: ignore[override]  # noqa: ANN401  any call
        if arguments[-1] == self._fails_at:
            raise DeadlineError("too slow")
        return WhatIfBatch(50, 20.0, 25.0, 5.0, ())


def what_ifs(fails_at: int = -1, *, work_per_minute: int = 0, offered: bool = True) -> WhatIfs:
    return WhatIfs(RateLimits(work_per_minute=work_per_minute), FakeWorkers(fails_at), offered=offered)


async def test_a_move_is_played_on_in_parts_and_each_adds_to_what_is_known() -> None:
    lines = [json.loads(line) async for line in await what_ifs().open(HERE, FORM)]
    assert [line["comparison"]["deals"] for line in lines] == [50 * number for number in range(1, BATCHES + 1)]
    assert lines[-1]["comparison"]["difference"] == pytest.approx(0.1)


async def test_one_address_has_a_few_in_progress_and_those_that_end_or_are_left_make_room() -> None:
    moves = what_ifs()
    opened = [await moves.open(HERE, FORM) for _ in range(WHAT_IFS_PER_ADDRESS)]
    with pytest.raises(RateLimitError, match="wait until one is finished"):
        await moves.open(HERE, FORM)
    assert await anext(await moves.open(THERE, FORM))
    assert len([line async for line in opened.pop()]) == BATCHES
    opened.append(await moves.open(HERE, FORM))
    del opened
    for _ in range(3):  # the event loop closes what was left
        await asyncio.sleep(0)
    assert await anext(await moves.open(HERE, FORM))


async def test_what_is_refused_leaves_no_place_taken() -> None:
    moves = what_ifs(fails_at=0)
    for _ in range(WHAT_IFS_PER_ADDRESS + 1):
        with pytest.raises(TryAgainError, match="busy"):
            await moves.open(HERE, FORM)
    poor = what_ifs(work_per_minute=COST)
    assert await anext(await poor.open(HERE, FORM))
    for _ in range(WHAT_IFS_PER_ADDRESS + 1):
        with pytest.raises(RateLimitError, match="wait a minute"):
            await poor.open(HERE, FORM)


async def test_a_part_that_takes_too_long_ends_with_a_message() -> None:
    lines = [json.loads(line) async for line in await what_ifs(fails_at=2).open(HERE, FORM)]
    assert [line["type"] for line in lines] == ["progress", "progress", "failed"]


async def test_a_server_without_reviews_says_so() -> None:
    with pytest.raises(UnavailableError, match="offers no reviews"):
        await what_ifs(offered=False).open(HERE, FORM)
