"""A review that the server computes line by line becomes a text, also while it goes on and when it fails."""

from typing import Any

import httpx
import msgspec
import pytest

from liarsdice.core.actions import Challenge
from liarsdice.core.errors import LiarsDiceError, UnavailableError
from liarsdice.core.rules.bids import Bid
from liarsdice.core.rules.presets import preset
from liarsdice.core.text.narration import BidReason, DecisionReason, ReasonRole
from liarsdice.mcp.review import MatchReview, MatchReviews


def line(tag: str, **fields: Any) -> str:  # noqa: ANN401  each field has a type of its own
    return msgspec.json.encode({"type": tag, **fields}).decode()


REASON = DecisionReason(0, (BidReason(ReasonRole.MADE, Bid(4, 4), 3, 0.9, 0.1, None),), challenge=True, exact=False)


def decision(seat: int, cost: float, bid: Bid | None = None) -> str:
    review = {
        "round_number": 3,
        "seat": seat,
        "hand": [4, 1, 4],
        "bid": bid,
        "move": Challenge(),
        "best": Bid(5, 4),
        "cost": cost,
        "reason": REASON if cost else None,
    }
    return line("decision", review=review, observations=[])


LINES = (
    line("waiting", ahead=1),
    line("started", match={"names": ["Ann", "Bo"], "ruleset": preset("basic").ruleset, "decisions": [{}] * 3}),
    line("account", account={}),
    decision(0, 0.08, Bid(4, 4)),
    decision(1, 0.0003),
    decision(0, 0.0),
    line(
        "finished",
        players=[
            {"seat": 0, "name": "Ann", "decisions": 2, "costly": 1, "cost": 0.08, "error": 0.01, "accuracy": 30.1},
            {"seat": 1, "name": "Bo", "decisions": 1, "costly": 1, "cost": 0.0003, "error": 0.01, "accuracy": 99.9},
        ],
    ),
)


def transport(lines: tuple[str, ...] | int) -> httpx.MockTransport:
    """A server with a record of any match, and a review of these lines or a refusal with this status."""

    def answer(request: httpx.Request) -> httpx.Response:
        if request.method == "GET":
            return httpx.Response(200, text="record\n")
        assert request.content == b"record\n"
        if isinstance(lines, int):
            return httpx.Response(lines, json={"code": "too_fast", "text": "wait a minute"})
        return httpx.Response(200, text="\n".join(lines) + "\n")

    return httpx.MockTransport(answer)


async def reviewed(lines: tuple[str, ...] | int, name: str | None = "Ann") -> str:
    reviews = MatchReviews("http://test", "token", transport(lines))
    try:
        return await reviews.text("KQXM", 1, name, 5.0)
    finally:
        await reviews.close()


async def test_a_review_names_the_own_costliest_decisions() -> None:
    assert (await reviewed(LINES)).splitlines() == [
        "What each player's decisions cost, as a share of the match; accuracy is 0 to 100:",
        "- Ann (you): accuracy 30, 1 of 2 decisions with a choice cost 8.0% in all",
        "- Bo: accuracy 99, 1 of 1 decision with a choice cost under 0.1% in all",
        "Your costliest decisions:",
        "- round 3, dice 4 1 4, standing bid 4x4: you played liar, 5x4 is better by 8.0%",
        "  Three of your dice count for four fours: that bid stands 90 times in 100.",
    ]
    assert "(you)" not in await reviewed(LINES, name=None)


@pytest.mark.parametrize(
    "lines, complaint",
    [
        (429, "wait a minute"),
        ((*LINES[:3], line("failed", code="try_again", text="it took too long")), "it took too long"),
        (LINES[:4], "broke the review off"),
        (("<html>",), "cannot be read"),
    ],
)
async def test_a_review_that_fails_says_why(lines: tuple[str, ...] | int, complaint: str) -> None:
    with pytest.raises(LiarsDiceError, match=complaint):
        await reviewed(lines)


def test_a_review_in_progress_says_how_far_it_is() -> None:
    review = MatchReview()
    assert review.text("Ann") == "0 of ? decisions are reviewed. Call review again."
    for text in LINES[:4]:
        review.add(text)
    assert review.text("Ann") == "1 of 3 decisions are reviewed. Call review again."
    with pytest.raises(UnavailableError):
        review.add("{}")
