"""A player who goes by what the page offers, and notes what everybody at the table should have seen alike."""

import asyncio
import json
import random
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from playwright.async_api import ElementHandle, Locator, expect

from tests.browser.people import WITHIN_MS, Person

P_CALL = 0.35
P_EXACT = 0.3
LONGEST_TURNS = 400


@dataclass
class Evening:
    """What one player saw of a match: verdicts by round, and the final order, in the third person."""

    verdicts: dict[int, str] = field(default_factory=dict)
    order: list[str] = field(default_factory=list)
    seen: set[str] = field(default_factory=set)


class Player:
    """Plays a whole match on somebody's page, by chance."""

    def __init__(self, person: Person, seed: int, *, exact: str = "Exact!") -> None:
        self.person = person
        self.chance = random.Random(f"{seed} {person.name}")
        self.evening = Evening()
        dock = person.dock
        self._chart = dock.get_by_role("grid")
        self._liar = dock.get_by_role("button", name="Liar!")
        self._exact = dock.get_by_role("button", name=exact)
        self._next = dock.get_by_role("button", name="Next round")
        self._final = dock.get_by_role("button", name="The final order")
        self._end = person.heading("Good game")

    async def play(self) -> Evening:
        """Do what the page offers until the match is over."""
        something = self._chart.or_(self._next).or_(self._final).or_(self._end)
        for _ in range(LONGEST_TURNS):
            await something.first.wait_for()
            if await self._end.is_visible():
                self.evening.order = await self._final_order()
                return self.evening
            for button in (self._next, self._final):
                if await button.is_visible():
                    await self._note_verdict()
                    await self._done(button, button)
                    break
            else:
                await self._move()
        raise AssertionError(f"{self.person.name} plays for ever")

    async def _move(self) -> None:
        """Bid or call; the chart is there for as long as it is our turn."""
        chart = await self._chart.element_handle()
        await self._note_move()
        if await self._exact.is_visible() and self.chance.random() < P_EXACT:
            await self._exact.click()
        elif await self._liar.is_visible() and (self.chance.random() < P_CALL or not await lit(self._chart)):
            await self._liar.click()
        else:
            await say(self.person, self._choice(await lit(self._chart)))
        await gone(chart)

    def _choice(self, bids: Sequence[str]) -> str:
        """One of the lowest few, so that rounds last."""
        return self.chance.choice(sorted(bids, key=lambda bid: [int(n) for n in bid.split(",")])[:4])

    async def _done(self, button: Locator, watched: Locator) -> None:
        handle = await watched.element_handle()
        await button.click()
        await gone(handle)

    async def _note_move(self) -> None:
        for word, button in (("exact", self._exact), ("liar", self._liar)):
            if await button.is_visible():
                self.evening.seen.add(word)

    async def _note_verdict(self) -> None:
        told = await self.person.dock.get_by_role("status").inner_text()
        number = re.search(r"(\d+) rounds?|round (\d+)", await self.person.page.get_by_role("banner").inner_text())
        assert number is not None
        self.evening.verdicts[int(number[1] or number[2])] = third_person(told, self.person.name)

    async def _final_order(self) -> list[str]:
        items = await self.person.page.get_by_role("list", name="Final order").get_by_role("listitem").all()
        return [re.sub(r"\bYou\b", self.person.name, " ".join((await item.inner_text()).split())) for item in items]


async def gone(handle: ElementHandle) -> None:
    """Wait until a part of the page has been taken away; another like it may stand there already."""
    await handle.wait_for_element_state("hidden", timeout=WITHIN_MS)


async def lit(chart: Locator) -> list[str]:
    """The bids that may be made, as `quantity,face`."""
    bids: list[str] = await chart.locator("[data-bid]").evaluate_all("cells => cells.map(cell => cell.dataset.bid)")
    return bids


async def say(person: Person, bid: str) -> None:
    """Choose a lit bid and say it."""
    await person.dock.get_by_role("grid").locator(f"[data-bid='{bid}']").click()
    await person.dock.get_by_role("button", name=re.compile("^Say ")).click()


def third_person(told: str, name: str) -> str:
    """A verdict as somebody else would read it, without the order of names."""
    for said, meant in (
        (r"\b[Yy]ou were\b", f"{name} was"),
        (r"\b[Yy]ou lose\b", f"{name} loses"),
        (r"\b[Yy]ou give\b", f"{name} gives"),
        (r"\b[Yy]ou get\b", f"{name} gets"),
        (r"\b[Yy]ou pay\b", f"{name} pays"),
        (r"\bYou are out\b", f"{name} is out"),
        (r"\b[Yy]ou\b", name),
    ):
        told = re.sub(said, meant, told)
    return SEVERAL.sub(in_order, " ".join(told.split()))


SEVERAL = re.compile(r"(\w+(?:, \w+)* and \w+) (lose|are out)\b")


def in_order(found: re.Match[str]) -> str:
    """Names in the order of the alphabet, as everybody names oneself last."""
    names = sorted(re.split(", | and ", found[1]))
    return f"{' and '.join(names)} {found[2]}"


async def play_out(people: Sequence[Person], seed: int, *, exact: str = "Exact!") -> list[Evening]:
    """Play a match to its end, everybody on their own page; everybody must have seen the same."""
    players = [Player(person, seed, exact=exact) for person in people]
    evenings = await asyncio.gather(*(player.play() for player in players))
    first, *others = evenings
    assert first.verdicts
    for other in others:
        assert other.verdicts == first.verdicts
        assert other.order == first.order
    for person in people:
        assert_secret(person)
    return evenings


async def begin(host: Person, *guests: Person) -> None:
    """Start the match once everybody sits."""
    for guest in guests:
        await expect(host.dock.get_by_text(guest.name, exact=True)).to_be_visible()
    await host.button("Start the match").click()


def assert_secret(person: Person) -> None:
    """No frame told a hand but one's own, until cups were lifted."""
    for frame in person.frames:
        message = json.loads(frame)
        if message["type"] != "update":
            continue
        own = message["own"]
        assert not own.get("hand") or own.get("seat") is not None
        match = message["table"]["match"]
        assert not match or match["verdict"] is None or match["phase"] != "bidding"
        for path in hands({**message, "own": None}):
            assert path[-2:] == ("reveal", "hands") or path[-2:] == ("event", "hands"), path


def hands(value: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:  # noqa: ANN401  JSON
    """Where in a message hands are told."""
    if isinstance(value, dict):
        for key, inner in value.items():
            if key in ("hand", "hands"):
                yield (*path, key)
            yield from hands(inner, (*path, key))
    elif isinstance(value, list):
        for inner in value:
            yield from hands(inner, path)
