"""The HTTP API of reviews: what each decision of a finished match cost, as it is computed.

The docstrings of the handlers appear in the API's description at `/docs`.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator

import msgspec
from litestar import MediaType, Request, Response, get, post
from litestar.background_tasks import BackgroundTask
from litestar.datastructures import State
from litestar.openapi.datastructures import ResponseSpec
from litestar.params import JSONBody
from litestar.response import Stream

from liarsdice.analysis.habits import HabitReport
from liarsdice.server.http.costly_work import VIEW_COST, CostlyWork
from liarsdice.server.http.error_responses import ERRORS
from liarsdice.server.http.networks import client_address
from liarsdice.server.http.review_work import (
    MAX_RECORD_BYTES,
    ReviewStarted,
    WhatIfForm,
    WhatIfProgress,
    habits_body,
)
from liarsdice.server.http.reviews import MatchReviews

MAX_HABITS_BYTES = 4 * 1024 * 1024
HABITS_COST = 30
LINES = "application/x-ndjson"
STREAM_HEADERS = {"x-accel-buffering": "no"}
"""A reverse proxy (nginx) must pass on each line at once."""
REVIEW_RESPONSE = ResponseSpec(
    ReviewStarted,
    media_type=LINES,
    description="Lines of JSON: the match, luck and play, each decision, and the players.",
    generate_examples=False,
)

HABITS_RESPONSE = ResponseSpec(
    HabitReport,
    description="The habits of the player, those that cost most first.",
    generate_examples=False,
)

WHAT_IF_RESPONSE = ResponseSpec(
    WhatIfProgress,
    media_type=LINES,
    description="Lines of JSON: what is known of both moves so far.",
    generate_examples=False,
)


class ReviewOffer(msgspec.Struct, frozen=True):
    """Whether the server reviews matches."""

    offered: bool


def stream_of(lines: AsyncGenerator[bytes]) -> Stream:
    """Return a response with these lines. They are closed however early the reader leaves, which stops their work."""
    return Stream(lines, media_type=LINES, headers=STREAM_HEADERS, background=BackgroundTask(lines.aclose))


@get("/api/reviews", responses=ERRORS, sync_to_thread=False)
def review_offer(state: State) -> ReviewOffer:
    """Return whether the server reviews matches."""
    reviews: MatchReviews = state.reviews
    return ReviewOffer(reviews.at_once > 0)


@post(
    "/api/reviews",
    responses={**ERRORS, 200: REVIEW_RESPONSE},
    status_code=200,
    request_max_body_size=MAX_RECORD_BYTES,
)
async def review(request: Request[object, object, State], state: State) -> Stream:
    """Review a finished match, whose record is the body of the request, and return a line for each decision."""
    reviews: MatchReviews = state.reviews
    costly_work: CostlyWork = state.costly_work
    address = client_address(request)
    with costly_work.admitted(address, VIEW_COST):  # so that an address has few long bodies in memory
        record = await request.body()
    return stream_of(await reviews.lines(address, record))


@post(
    "/api/habits",
    responses={**ERRORS, 200: HABITS_RESPONSE},
    status_code=200,
    request_max_body_size=MAX_HABITS_BYTES,
)
async def habits(request: Request[object, object, State], state: State) -> Response[bytes]:
    """Return the habits of a player in matches that were reviewed; the body of the request is a `HabitsForm`."""
    costly_work: CostlyWork = state.costly_work
    address = client_address(request)
    with costly_work.admitted(address, HABITS_COST):
        form = await request.body()
        report = await costly_work.in_process(address, habits_body, form)
    return Response(report, media_type=MediaType.JSON)


@post(
    "/api/reviews/what-if",
    responses={**ERRORS, 200: WHAT_IF_RESPONSE},
    status_code=200,
    request_max_body_size=2 * MAX_RECORD_BYTES,
)
async def what_if(request: Request[object, object, State], state: State, data: JSONBody[WhatIfForm]) -> Stream:
    """Play another move of a decision on 1,000 times, beside the one that was made, on the same dice."""
    reviews: MatchReviews = state.reviews
    return stream_of(await reviews.what_ifs.open(client_address(request), data))
