"""Records a reveal for the documentation, frame by frame: the clock of the page moves only between two pictures."""

import io
import tempfile
from pathlib import Path

from PIL import Image
from playwright.async_api import Browser

from tests.browser.match_player import wait_until_removed
from tests.browser.round_steps import raise_bid
from tests.browser.server_without_pauses import PROGRAM
from tests.browser.users import WITHIN_MS, User
from tests.processes import Server

SIZE = (1080, 720)
SHOWN_SIZE = (720, 480)
FRAME_MS = 100
FRAMES = 100
"""Ten seconds: the call, the cups, the stamp, the lost die, and the sentence for as long as it takes to read it."""
QUALITY = 50
MIN_BID_DICE = 5
MAX_TURNS = 60
MOVE_ANIMATIONS = """(ms) => {
  globalThis.times ??= new WeakMap();
  for (const animation of document.getAnimations()) {
    if (animation.playState === "finished") continue;
    const time = times.has(animation) ? times.get(animation) + ms : 0;
    times.set(animation, time);
    animation.pause();
    animation.currentTime = time;
    if (time >= animation.effect.getComputedTiming().endTime) animation.finish();
  }
}"""
"""Moves the animations that the clock of the page does not move. A new one starts at its beginning."""


async def capture_reveal(browser: Browser, path: Path) -> None:
    """Saves an animation of a challenge at a table with three bots."""
    server = Server(Path(tempfile.mkdtemp()) / "tables.db", program=PROGRAM)
    server.start()
    width, height = SIZE
    context = await browser.new_context(viewport={"width": width, "height": height}, color_scheme="dark")
    context.set_default_timeout(WITHIN_MS)
    page = await context.new_page()
    await page.clock.install()
    ines = User("Ines", server, page)
    await ines.open_table("perudo", seats=4, bots=["novice", "threshold", "inference"], begin=True)
    await challenge(ines)
    frames = []
    for _ in range(FRAMES):
        await page.evaluate(MOVE_ANIMATIONS, FRAME_MS)
        image = Image.open(io.BytesIO(await page.screenshot()))
        frames.append(image.convert("RGB").resize(SHOWN_SIZE, Image.Resampling.LANCZOS))
        await page.clock.run_for(FRAME_MS)
    first, *others = frames
    first.save(path, save_all=True, append_images=others, duration=FRAME_MS, loop=0, quality=QUALITY, method=4)
    await context.close()
    server.end()


async def challenge(ines: User) -> None:
    """Bids until Ines may challenge a bid of some dice, and does, with the clock of the page stopped."""
    page = ines.page
    next_button = ines.action_panel.locator(".next .primary")
    chart = ines.action_panel.get_by_role("grid")
    for _ in range(MAX_TURNS):
        await chart.or_(next_button).first.wait_for()
        if await next_button.is_visible():
            handle = await next_button.element_handle()
            await next_button.click()
            await wait_until_removed(handle)
        elif await ines.board.locator(".bid-dice .die").count() >= MIN_BID_DICE:
            await page.clock.pause_at(await page.evaluate("Date.now()"))
            button = ines.action_panel.get_by_role("button", name="Dudo!")
            await button.click()
            if await button.is_visible():
                await button.click()  # a first match asks for a second tap
            await page.locator(".theatre").wait_for()
            return
        else:
            await raise_bid(ines)
    raise AssertionError("Ines never has such a bid to answer")
