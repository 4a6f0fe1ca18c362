"""Other moves of a decision, which are played on beside the one that was made, as lines of JSON while it goes on."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import aclosing

import structlog

from liarsdice.analysis.review.results import WhatIf, WhatIfBatch
from liarsdice.core.errors import UnavailableError
from liarsdice.runtime.worker_pool import WorkerPool, WorkerPoolError
from liarsdice.server.errors import RateLimitError, TryAgainError
from liarsdice.server.http.address_limits import AddressCounter
from liarsdice.server.http.rate_limits import RateLimits
from liarsdice.server.http.review_work import ReviewFailed, WhatIfForm, WhatIfProgress, encode_line, what_if_part
from liarsdice.server.protocol.error_codes import ErrorCode

LOG = structlog.get_logger()
MAX_PER_ADDRESS = 4
BATCHES, COST = 20, 60
"""Into how many calls the playouts of another move are divided, and what they cost (`RateLimits.check_work`)."""
DECISION_DEADLINE_S = 90.0
"""The first decision after an installation compiles the simulator, which takes most of a minute on a busy machine."""
NO_REVIEWS = "this server offers no reviews; the command `liarsdice review` makes them from the record of a match"


class WhatIfs:
    """All other moves that are played on, a few at once for each address. Used on the event loop only.

    `workers`: the processes of reviews. `offered`: whether the server offers reviews.
    """

    def __init__(self, rate_limits: RateLimits, workers: WorkerPool, *, offered: bool) -> None:
        self._rate_limits, self._workers, self._offered = rate_limits, workers, offered
        self._by_address = AddressCounter(MAX_PER_ADDRESS)

    async def open(self, address: str, form: WhatIfForm) -> AsyncGenerator[bytes]:
        """Return the lines about another move, which come while it is played on.

        Raises `UnavailableError` if the server offers no reviews, `RateLimitError` if the budget of the address is used
        up or it has too many in progress, `TryAgainError` if no process answers in time, and as `what_if_part`.
        """
        if not self._offered:
            raise UnavailableError(NO_REVIEWS)
        lines = self._lines(address, form)
        first = await anext(lines)  # what cannot be played on is refused before the answer begins
        return continued(first, lines)

    async def _lines(self, address: str, form: WhatIfForm) -> AsyncGenerator[bytes]:
        """Yield the lines about another move. Raises as `open`, before the first line only."""
        if not self._by_address.add(address):
            raise RateLimitError("your address plays other moves on already; wait until one is finished")
        try:
            self._rate_limits.check_work(address, COST)
            known = WhatIf()
            for batch in range(BATCHES):
                try:
                    found = await self._play_on(form, batch)
                except WorkerPoolError as error:
                    if not batch:
                        raise TryAgainError("the server is busy; try again in a moment") from error
                    LOG.warning("what_if_failed", error=type(error).__name__)
                    yield encode_line(ReviewFailed(ErrorCode.TRY_AGAIN, "that took too long; try again"))
                    return
                yield encode_line(WhatIfProgress(known.add(found), found.deals * BATCHES))
        finally:
            self._by_address.remove(address)

    async def _play_on(self, form: WhatIfForm, batch: int) -> WhatIfBatch:
        arguments = (form.record.encode(), form.decision, form.move, batch)
        return await self._workers.run(what_if_part, *arguments, deadline_s=DECISION_DEADLINE_S)


async def continued(first: bytes, lines: AsyncGenerator[bytes]) -> AsyncGenerator[bytes]:
    """Yield the first line and those after it, and close the generator with this one."""
    async with aclosing(lines):
        yield first
        async for line in lines:
            yield line
