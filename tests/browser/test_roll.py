"""A roll: the phone is shaken, the cup rattles, the phone vibrates, and dice that were dealt before tumble out."""

import pytest
from playwright.async_api import expect

from tests.browser.users import PHONE, NewUser, User

RECORD_VIBRATION = """() => {
  globalThis.vibrations = [];
  navigator.vibrate = (pattern) => vibrations.push(pattern);
}"""
SHAKE = """async () => {
  for (let movement = 0; movement < 5; movement += 1) {
    const acceleration = { x: movement % 2 ? 25 : -25, y: 3, z: 0 };
    dispatchEvent(new DeviceMotionEvent("devicemotion", { acceleration }));
    await new Promise(requestAnimationFrame);
  }
}"""
MISPLACED = """() => {
  const boxes = (selector) => [...document.querySelectorAll(selector)].map((die) => die.getBoundingClientRect());
  const [flat, thrown] = [boxes(".tray .dice .die"), boxes(".cube .resting .die")];
  if (flat.length !== thrown.length) return [`${thrown.length} dice are thrown, not ${flat.length}`];
  const sides = ["left", "top", "width", "height"];
  return flat.flatMap((die, index) =>
    sides.filter((side) => Math.abs(die[side] - thrown[index][side]) > 1).map((side) => `${side} of die ${index}`));
}"""
SHOW_THE_END = """() => {
  for (const animation of document.getAnimations()) {
    animation.pause();
    animation.currentTime = animation.effect.getComputedTiming().endTime;
  }
}"""


async def roll(new_user: NewUser, size: tuple[int, int]) -> User:
    """Lets a user shake the phone at a table of bots, and waits for the throw."""
    ann = await new_user("Ann", size)
    await ann.open_table("perudo", seats=3, bots=["novice", "novice"], begin=True)
    await ann.action_panel.get_by_role("grid").wait_for()
    await ann.heading("Your turn").click()  # the device vibrates only for a user who has touched the page
    await ann.page.evaluate(RECORD_VIBRATION)
    await ann.page.emulate_media(reduced_motion="no-preference")
    await expect(ann.page.locator(".throw")).to_have_count(0)
    await ann.page.evaluate(SHAKE)
    await ann.page.locator(".throw").wait_for()
    return ann


async def test_a_phone_that_is_shaken_rolls_the_dice_that_were_dealt_and_vibrates(new_user: NewUser) -> None:
    ann = await roll(new_user, PHONE)
    hand = await ann.hand()
    assert await ann.page.evaluate("vibrations.length") == 1
    await ann.page.locator(".throw").wait_for(state="detached")
    assert await ann.hand() == hand
    await ann.page.emulate_media(reduced_motion="reduce")


@pytest.mark.parametrize("size", [(1280, 800), PHONE], ids=["desktop", "phone"])
async def test_thrown_dice_come_to_rest_where_the_flat_dice_lie(new_user: NewUser, size: tuple[int, int]) -> None:
    ann = await roll(new_user, size)
    await expect(ann.page.locator(".throw .cube")).to_have_count(await ann.dice.count())
    await ann.page.evaluate(SHOW_THE_END)
    assert await ann.page.evaluate(MISPLACED) == []
    hidden = ann.page.locator(".cube .side:not(.resting)")
    assert not await hidden.evaluate_all(
        "sides => sides.some((side) => side.checkVisibility({ visibilityProperty: true }))"
    )
    await ann.page.emulate_media(reduced_motion="reduce")
