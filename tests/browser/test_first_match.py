"""The first match: a newcomer who follows only what the page says learns to bid and to doubt."""

import re
import time
from dataclasses import dataclass, field

import pytest
from playwright.async_api import expect

from tests.browser.match_player import make_bid, wait_until_removed
from tests.browser.round_steps import read_verdict
from tests.browser.users import PHONE, NewUser, User

MAX_STEPS = 150
WORDS_A_SECOND = 3.3
"""How fast people read a short text on a screen."""
COUNTS = ("zero", "one", "two", "three", "four", "five", "six")
FACES = ("", "ones?", "twos?", "threes?", "fours?", "fives?", "sixe?s?")
NEXT_STEP = ".tutorial .primary, .action-panel [role=note], .action-panel .next .primary, .action-panel ol.order"


@dataclass
class Newcomer:
    """Presses the button of each hint, does what the line above the buttons says, and notes what was learned.

    `understood_after_s`: when a bid that the own dice support and a right doubt were made, None until both are.
    """

    user: User
    hints: list[str] = field(default_factory=list)
    words_read: int = 0
    bid_is_supported: bool = False
    has_doubted_rightly: bool = False
    started_s: float = field(default_factory=time.monotonic)
    understood_after_s: float | None = None

    async def play(self) -> None:
        """Plays until a bid that the own dice support and a doubt that is right, and until the ones are wild."""
        page = self.user.page
        for _ in range(MAX_STEPS):
            await page.locator(NEXT_STEP).first.wait_for()
            if await self._hint_is_due():
                await page.get_by_role("dialog").wait_for()
            if await page.get_by_role("dialog").is_visible():
                await self._follow_hint()
            elif await page.get_by_role("note").is_visible():
                await self._follow_advice()
            elif await page.get_by_role("button", name=re.compile("Next round|The final order")).is_visible():
                self._read([await self.user.action_panel.get_by_role("status").inner_text()])
                await self._press(re.compile("Next round|The final order"))
            elif await self.user.button("Rematch").is_visible():
                await self._press("Rematch")
            if self.understood_after_s is None and self.bid_is_supported and self.has_doubted_rightly:
                self.understood_after_s = time.monotonic() - self.started_s
            if self.understood_after_s is not None and "From now on, ones help" in self.hints:
                return
        raise AssertionError(f"the newcomer has not understood the game: {self}")

    async def _hint_is_due(self) -> bool:
        """Whether a hint comes at this step, so that a newcomer who is faster than the page waits for it."""
        panel = self.user.action_panel
        if await panel.get_by_role("button", name="Next round").is_visible():
            return "Now everything is counted" not in self.hints
        if await panel.get_by_role("button", name="Rematch").is_visible():  # after the confetti
            return "You know the game" not in self.hints
        if not await panel.get_by_role("grid").is_visible():
            return False
        if "You know the game" in self.hints:
            return "From now on, ones help" not in self.hints
        if await panel.get_by_role("button", name="Liar!").is_visible():
            return "Beat it or doubt it" not in self.hints
        return "A bid is about all six dice" not in self.hints

    async def _press(self, name: str | re.Pattern[str]) -> None:
        button = self.user.action_panel.get_by_role("button", name=name)
        handle = await button.element_handle()
        await button.click()
        await wait_until_removed(handle)

    async def begin(self) -> None:
        """Opens the start page, reads its buttons up to the one for newcomers, and presses that."""
        await self.user.goto("/")
        buttons = self.user.page.locator(".intro .start > button")
        await buttons.last.wait_for()
        self._read(await buttons.all_inner_texts())
        await self.user.button(re.compile("New here")).click()

    def _read(self, texts: list[str]) -> None:
        self.words_read += sum(len(text.split()) for text in texts)

    async def _follow_hint(self) -> None:
        dialog = self.user.page.get_by_role("dialog")
        button = dialog.locator(".primary")
        await expect(button).to_be_in_viewport(ratio=1)
        await expect(button).to_be_focused()
        title = await dialog.get_by_role("heading").inner_text()
        self._read([await dialog.inner_text()])
        assert title not in self.hints, "a hint comes once"
        self.hints.append(title)
        if title == "Now you can play anywhere":  # the match is over, and something is still to be learned
            await self.user.button("Rematch").click()
            await expect(dialog).to_be_hidden()
        else:
            handle = await button.element_handle()
            await button.click()
            await wait_until_removed(handle)

    async def _follow_advice(self) -> None:
        tip = self.user.page.get_by_role("note")
        self._read([await tip.inner_text()])
        advice = await tip.locator("b").inner_text()
        chart = await self.user.action_panel.get_by_role("grid").element_handle()
        if "Liar!" in advice:
            await self._press("Liar!")
            self.has_doubted_rightly |= "You were right." in await read_verdict(self.user)
            return
        words = re.fullmatch(r"Say (\w+) (\w+):", advice)
        assert words is not None, advice
        quantity = COUNTS.index(words[1])
        face = next(face for face, pattern in enumerate(FACES) if re.fullmatch(pattern, words[2]))
        hand = await self.user.hand()
        await make_bid(self.user, f"{quantity},{face}")
        await wait_until_removed(chart)
        self.bid_is_supported |= hand.count(face) >= quantity


@pytest.mark.parametrize("size", [(1280, 800), PHONE], ids=["desktop", "phone"])
async def test_a_newcomer_who_follows_the_page_bids_truly_and_doubts_rightly(
    new_user: NewUser, size: tuple[int, int]
) -> None:
    nia = await new_user("Nia", size, newcomer=True)
    newcomer = Newcomer(nia)
    await newcomer.begin()
    await newcomer.play()
    read_s = newcomer.words_read / WORDS_A_SECOND
    print(f"understood after {newcomer.understood_after_s} s, with {read_s:.0f} s of reading")  # noqa: T201  for people
    assert newcomer.understood_after_s is not None
    assert newcomer.hints[:2] == ["These three are yours", "A bid is about all six dice"]
    assert {"Beat it or doubt it", "Now everything is counted", "You know the game"} <= set(newcomer.hints)


async def test_the_hints_of_a_first_match_can_be_switched_off_and_stay_off(new_user: NewUser) -> None:
    ana = await new_user("Ana", PHONE, language="es", newcomer=True)
    await ana.goto("/")
    await ana.button(re.compile("Jugar ya")).click()
    await ana.button("Enséñame").click()
    await expect(ana.page.get_by_role("dialog", name="Estos tres son tuyos")).to_be_visible()
    await ana.button("Seguir").click()
    await expect(ana.page.get_by_role("dialog", name="Una apuesta habla de los seis dados")).to_be_visible()
    await ana.page.reload()
    await expect(ana.page.get_by_role("dialog", name="Una apuesta habla de los seis dados")).to_be_visible()
    await ana.button("Sin pistas").click()
    await expect(ana.page.get_by_role("dialog")).to_be_hidden()
    await ana.page.reload()
    await expect(ana.page.locator("ul.dice")).to_be_visible()
    await expect(ana.page.get_by_role("dialog")).to_be_hidden()
    await expect(ana.page.get_by_role("note")).to_be_hidden()
