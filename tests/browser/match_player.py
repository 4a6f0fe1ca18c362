"""Plays matches through the page with random actions, and compares what the players see."""

import asyncio
import json
import random
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from playwright.async_api import ElementHandle, Locator, expect

from tests.browser.users import WITHIN_MS, User

P_CALL = 0.35
P_EXACT = 0.3
P_PASS = 0.3
MAX_TURNS = 400
NEXT_STEP = ".action-panel :is(.chart, .options, .next .primary), ol.order"
"""The chart, the choice of the kind of a round, that of an answer, the button after a result, or the final order.

It is no query by role, as a wait repeats it several times a second, and roles need the styles of the whole page.
"""


@dataclass
class MatchNotes:
    """What one player saw: results by round and the final order, both in the third person, and the calls offered."""

    results: dict[int, str] = field(default_factory=dict)
    final_order: list[str] = field(default_factory=list)
    offered_calls: set[str] = field(default_factory=set)


class Player:
    """Plays a match on the page of a user with random actions."""

    p_call = P_CALL

    def __init__(self, user: User, seed: int, *, challenge: str = "Liar!", exact: str = "Exact!") -> None:
        self.user = user
        self.rng = random.Random(f"{seed} {user.name}")
        self.notes = MatchNotes()
        panel = user.action_panel
        self._chart = panel.get_by_role("grid")
        self._calls = panel.get_by_role("button", name=challenge)
        self._liar = self._calls.first  # the last one is that for double stakes, where there is one
        self._question = panel.get_by_role("alert").get_by_text("Tap again")
        self._exact = panel.get_by_role("button", name=exact)
        self._doubt = panel.get_by_role("button", name="Doubt the pass")
        self._pass = panel.get_by_role("button", name=re.compile("^Pass "))
        self._choices = panel.locator(".options button")
        self._next = panel.get_by_role("button", name="Next round")
        self._final = panel.get_by_role("button", name="The final order")
        self._end = user.heading("Good game")
        self._out = False

    async def play(self) -> MatchNotes:
        """Plays until the match is over."""
        next_step = self.user.page.locator(NEXT_STEP)
        for _ in range(MAX_TURNS):
            await next_step.first.wait_for()
            if await self._end.is_visible():
                self.notes.final_order = await self._read_final_order()
                return self.notes
            if self._out and await self._next.is_visible():
                await expect(self._next).to_be_hidden()  # a reveal does not wait for who was out before
                continue
            if await self._choices.first.is_visible():
                await self._click_and_wait(self.rng.choice(await self._choices.all()))
                continue
            for button in (self._next, self._final):
                if await button.is_visible():
                    await self._note_result()
                    await self._click_and_wait(button)
                    break
            else:
                if await self._chart.is_visible():  # what was there may have gone since, as a reveal does by itself
                    await self._move()
        raise AssertionError(f"{self.user.name} does not finish the match")

    async def _move(self) -> None:
        """Bids or calls. The chart is on the page as long as the turn lasts."""
        chart = await self._chart.element_handle()
        await self._note_calls()
        if await self._exact.is_visible() and self.rng.random() < P_EXACT:
            await self._exact.click()
        elif await self._pass.is_visible() and self.rng.random() < P_PASS:
            await self._pass.click()
        elif await self._doubt.is_visible() and (self.rng.random() < self.p_call or not await self._may_go_on()):
            await self._doubt.click()
        elif await self._liar.is_visible() and (self.rng.random() < self.p_call or not await legal_bids(self._chart)):
            button = self.rng.choice((self._calls.first, self._calls.last))
            await button.click()
            if await self._question.is_visible():
                await button.click()
        else:
            await self.bid(self._choose(await legal_bids(self._chart)))
        await wait_until_removed(chart)

    async def _may_go_on(self) -> bool:
        """Whether there is a bid or a challenge to make."""
        return await self._liar.is_visible() or bool(await legal_bids(self._chart))

    async def bid(self, bid: str) -> None:
        """Makes a bid, given as `quantity,face`."""
        await make_bid(self.user, bid)

    def _choose(self, bids: Sequence[str]) -> str:
        """One of the four lowest bids, so that rounds are not too short."""
        return self.rng.choice(sorted(bids, key=lambda bid: [int(n) for n in bid.split(",")])[:4])

    async def _click_and_wait(self, button: Locator) -> None:
        handle = await button.element_handle()
        await button.click()
        await wait_until_removed(handle)

    async def _note_calls(self) -> None:
        for name, button in (("exact", self._exact), ("liar", self._liar)):
            if await button.is_visible():
                self.notes.offered_calls.add(name)

    async def _note_result(self) -> None:
        text = await self.user.action_panel.get_by_role("status").inner_text()
        number = re.search(r"(\d+) rounds?|round (\d+)", await self.user.page.get_by_role("banner").inner_text())
        assert number is not None
        result = in_third_person(text, self.user.name)
        self.notes.results[int(number[1] or number[2])] = result
        self._out = bool(re.search(rf"\b{self.user.name}\b[^.]*\b(is|are) (already )?(out|safe)\b", result))

    async def _read_final_order(self) -> list[str]:
        items = await self.user.page.get_by_role("list", name="Final order").get_by_role("listitem").all()
        return [re.sub(r"\bYou\b", self.user.name, " ".join((await item.inner_text()).split())) for item in items]


async def wait_until_removed(handle: ElementHandle) -> None:
    """Waits until an element is gone, even if an equal one has replaced it."""
    await handle.wait_for_element_state("hidden", timeout=WITHIN_MS)


async def legal_bids(chart: Locator) -> list[str]:
    """The legal bids in the chart, as `quantity,face`."""
    bids: list[str] = await chart.locator("[data-bid]").evaluate_all("cells => cells.map(cell => cell.dataset.bid)")
    return bids


async def make_bid(user: User, bid: str) -> None:
    """Makes a bid, given as `quantity,face`."""
    await user.action_panel.get_by_role("grid").locator(f"[data-bid='{bid}']").click()
    await user.action_panel.get_by_role("button", name=re.compile("^Say ")).click()


def in_third_person(text: str, name: str) -> str:
    """A result as other players read it, with names in alphabetical order."""
    for pattern, replacement in (
        (r"\b[Yy]ou were\b", f"{name} was"),
        (r"\b[Yy]ou lose\b", f"{name} loses"),
        (r"\b[Yy]ou give\b", f"{name} gives"),
        (r"\b[Yy]ou get\b", f"{name} gets"),
        (r"\b[Yy]ou pay\b", f"{name} pays"),
        (r"(?<!and )\b[Yy]ou put\b", f"{name} puts"),
        (r"\b[Yy]ou take\b", f"{name} takes"),
        (r"\bYou are (already )?(out|safe)\b", rf"{name} is \1\2"),
        (r"\bYou already have\b", f"{name} already has"),
        (r"\b[Yy]ou\b", name),
    ):
        text = re.sub(pattern, replacement, text)
    return NAME_LIST.sub(sort_names, " ".join(text.split()))


NAME_LIST = re.compile(r"(\w+(?:, \w+)* and \w+) (lose|give|put|are out|are safe)\b")


def sort_names(match: re.Match[str]) -> str:
    """Sorts a list of names. Each player reads their own name last."""
    names = sorted(re.split(", | and ", match[1]))
    return f"{' and '.join(names)} {match[2]}"


async def play_match(
    users: Sequence[User], seed: int, *, challenge: str = "Liar!", exact: str = "Exact!"
) -> list[MatchNotes]:
    """Plays a match, each user on their own page, and asserts that all saw the same results and final order."""
    return await play_to_the_end([Player(user, seed, challenge=challenge, exact=exact) for user in users])


async def play_to_the_end(players: Sequence[Player]) -> list[MatchNotes]:
    """Lets players finish a match, and asserts that all saw the same results and final order."""
    users = [player.user for player in players]
    all_notes = await asyncio.gather(*(player.play() for player in players))
    complete = max((notes.results for notes in all_notes), key=len)
    assert sum(notes.results == complete for notes in all_notes) > 1, "those who are not out see all rounds"
    for notes in all_notes:
        assert notes.results.items() <= complete.items()
        assert notes.final_order == all_notes[0].final_order
    for user in users:
        assert_no_hidden_dice(user)
    return all_notes


async def start_match(host: User, *guests: User) -> None:
    """Starts the match when all guests are seated."""
    for guest in guests:
        await expect(host.action_panel.get_by_text(guest.name, exact=True)).to_be_visible()
    await host.button("Start the match").click()


def assert_no_hidden_dice(user: User) -> None:
    """Asserts that no message had the hand of another player before a reveal."""
    for frame in user.frames:
        message = json.loads(frame)
        if message["type"] != "update":
            continue
        own = message["own"]
        assert not own.get("hand") or own.get("seat") is not None
        match = message["table"]["match"]
        assert not match or match["verdict"] is None or match["phase"] != "bidding"
        for path in hand_paths({**message, "own": None}):
            assert path[-2:] == ("reveal", "hands") or path[-2:] == ("event", "hands"), path


def hand_paths(value: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:  # noqa: ANN401  JSON
    """The paths of all hands in a message."""
    if isinstance(value, dict):
        for key, inner in value.items():
            if key in ("hand", "hands"):
                yield (*path, key)
            yield from hand_paths(inner, (*path, key))
    elif isinstance(value, list):
        for inner in value:
            yield from hand_paths(inner, path)
