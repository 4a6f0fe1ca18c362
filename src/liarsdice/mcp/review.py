"""Reviews of finished matches, which the server computes and this reads line by line, as text for an agent."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import suppress

import httpx
import msgspec

from liarsdice.client.calls import headers, refusal_of
from liarsdice.core.actions import PlayerAction
from liarsdice.core.bids.odds import percent
from liarsdice.core.errors import LiarsDiceError, UnavailableError, counted
from liarsdice.core.rules.bids import Bid
from liarsdice.core.rules.ruleset import Ruleset
from liarsdice.core.text.narration import DecisionReason, Narrator, reason_sentences
from liarsdice.core.text.turn_text import move_text

LISTED = 5
"""How many of the costliest decisions a review names."""

LINE_TIMEOUT_S = 120.0
MAX_REVIEWS = 4
"""How many reviews of an agent are kept."""


class _Match(msgspec.Struct):
    names: tuple[str, ...]
    ruleset: Ruleset
    decisions: tuple[msgspec.Raw, ...]


class _Started(msgspec.Struct, tag="started"):
    match: _Match


class _Waiting(msgspec.Struct, tag="waiting"):
    ahead: int


class _Account(msgspec.Struct, tag="account"):
    pass


class _DecisionReview(msgspec.Struct):
    """A decision with what it cost as a share of the match (0..1), and the best move."""

    round_number: int
    seat: int
    hand: tuple[int, ...]
    bid: Bid | None
    move: PlayerAction | None
    cost: float
    best: PlayerAction | None
    reason: DecisionReason | None


class _Decision(msgspec.Struct, tag="decision"):
    review: _DecisionReview


class _Player(msgspec.Struct):
    seat: int
    decisions: int
    costly: int
    cost: float
    accuracy: float


class _Finished(msgspec.Struct, tag="finished"):
    players: tuple[_Player, ...]


class _Failed(msgspec.Struct, tag="failed"):
    text: str


_Line = _Started | _Waiting | _Account | _Decision | _Finished | _Failed
_DECODER: msgspec.json.Decoder[_Line] = msgspec.json.Decoder(_Line)


class MatchReview:
    """A review in progress. `done` is set at its end; `error` says then why there is none, None if there is one."""

    def __init__(self) -> None:
        self.names: tuple[str, ...] = ()
        self.rules = Ruleset()
        self.expected = 0
        self.decisions: list[_DecisionReview] = []
        self.players: tuple[_Player, ...] = ()
        self.error: LiarsDiceError | None = None
        self.done = asyncio.Event()

    def add(self, line: str) -> None:
        """Add a line of the server's answer. Raises `UnavailableError` if the review failed or is no review."""
        try:
            message = _DECODER.decode(line)
        except msgspec.DecodeError as error:
            raise UnavailableError("the server's review cannot be read by this version") from error
        match message:
            case _Started(match):
                self.names, self.rules, self.expected = match.names, match.ruleset, len(match.decisions)
            case _Decision(review):
                self.decisions.append(review)
            case _Finished(players):
                self.players = players
            case _Failed(text):
                raise UnavailableError(f"the server gave the review up: {text}")
            case _Waiting() | _Account():
                pass

    def text(self, name: str | None) -> str:
        """Return the review for the player with a name, or how far it is. Raises the error that ended it."""
        if self.error is not None:
            raise self.error
        if not self.done.is_set():
            return f"{len(self.decisions)} of {self.expected or '?'} decisions are reviewed. Call review again."
        return "\n".join(self._lines(self.names.index(name) if name in self.names else None))

    def _lines(self, seat: int | None) -> Iterator[str]:
        yield "What each player's decisions cost, as a share of the match; accuracy is 0 to 100:"
        for player in self.players:
            you = " (you)" if player.seat == seat else ""
            accuracy = min(player.accuracy, 99) if player.cost else 100
            yield (
                f"- {self.names[player.seat]}{you}: accuracy {accuracy:.0f}, {player.costly} of"
                f" {counted(player.decisions, 'decision')} with a choice cost {percent(player.cost, 1)} in all"
            )
        own = sorted((item for item in self.decisions if item.seat == seat and item.cost > 0), key=_by_cost)
        if own:
            yield "Your costliest decisions:"
        for item in own[:LISTED]:
            dice = " ".join(map(str, item.hand))
            standing = f"standing bid {item.bid}" if item.bid is not None else "no bid yet"
            yield (
                f"- round {item.round_number}, dice {dice}, {standing}: you played {move_text(item.move)},"
                f" {move_text(item.best)} is better by {percent(item.cost, 1)}"
            )
            if item.reason is not None:
                yield f"  {' '.join(reason_sentences(item.reason, Narrator(self.rules, self.names, seat)))}"


class MatchReviews:
    """The reviews that one agent asked for, from the server at `url` with the agent's token.

    `transport`: what sends the requests, for tests.
    """

    def __init__(self, url: str, token: str, transport: httpx.AsyncBaseTransport | None = None) -> None:
        self._http = httpx.AsyncClient(
            base_url=url.rstrip("/"), headers=headers(token), timeout=LINE_TIMEOUT_S, transport=transport
        )
        self._reviews: dict[tuple[str, int], MatchReview] = {}
        self._tasks: set[asyncio.Task[None]] = set()

    async def close(self) -> None:
        """End the reviews that are in progress."""
        for task in self._tasks:
            task.cancel()
        await self._http.aclose()

    async def text(self, code: str, number: int, name: str | None, wait_s: float) -> str:
        """Return the review of a match for the player with a name, or how far it is after `wait_s` seconds.

        Raises `RefusedError` if the server refuses, and `UnavailableError` if it gives the review up. The next call
        begins again then.
        """
        key = (code, number)
        review = self._reviews.get(key)
        if review is None:
            review = self._reviews[key] = MatchReview()
            while len(self._reviews) > MAX_REVIEWS:
                del self._reviews[next(iter(self._reviews))]
            task = asyncio.create_task(self._run(review, code, number))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)
        with suppress(TimeoutError):
            await asyncio.wait_for(review.done.wait(), wait_s)
        if review.error is not None:
            self._reviews.pop(key, None)
        return review.text(name)

    async def _run(self, review: MatchReview, code: str, number: int) -> None:
        """Read a review to its end; an error is kept in it."""
        try:
            record = await self._http.get(f"/api/tables/{code}/matches/{number}")
            if not record.is_success:
                raise refusal_of(record.status_code, record.content)
            async with self._http.stream("POST", "/api/reviews", content=record.content) as response:
                if not response.is_success:
                    raise refusal_of(response.status_code, await response.aread())
                async for line in response.aiter_lines():
                    review.add(line)
            if not review.players:
                raise UnavailableError("the server broke the review off; ask again")
        except LiarsDiceError as error:
            review.error = error
        except httpx.HTTPError as error:
            review.error = UnavailableError(f"the server gives no answer: {type(error).__name__}; ask again")
        finally:
            review.done.set()


def _by_cost(review: _DecisionReview) -> float:
    return -review.cost
