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
ENDS_MISPLACED = """async (shake) => {
  await eval(shake)();
  const flat = [...document.querySelectorAll(".tray .dice .die")];
  while (document.querySelectorAll(".throw .cube").length !== flat.length) await new Promise(requestAnimationFrame);
  for (const animation of document.getAnimations()) {
    animation.pause();
    animation.currentTime = animation.effect.getComputedTiming().endTime;
  }
  const thrown = [...document.querySelectorAll(".cube .resting .die")];
  const boxes = [flat, thrown].map((dice) => dice.map((die) => die.getBoundingClientRect()));
  const sides = ["left", "top", "width", "height"];
  const hidden = [...document.querySelectorAll(".cube .side:not(.resting)")];
  return [
    ...(thrown.length === flat.length ? [] : [`${thrown.length} dice are thrown, not ${flat.length}`]),
    ...boxes[0].flatMap((die, index) =>
      sides
        .filter((side) => Math.abs(die[side] - boxes[1][index]?.[side]) > 1)
        .map((side) => `${side} of die ${index}`)),
    ...hidden.filter((side) => side.checkVisibility({ visibilityProperty: true })).map(() => "a side that is hidden"),
  ];
}"""
"""Shakes the phone, shows the end of the throw, and returns what is wrong there; a throw waits for no second call."""


async def wait_for_dice(new_user: NewUser, size: tuple[int, int]) -> User:
    """Seats a user with bots, and waits until there are dice that can be thrown."""
    ann = await new_user("Ann", size)
    await ann.open_table("perudo", seats=3, bots=["novice", "novice"], begin=True)
    await ann.action_panel.get_by_role("grid").wait_for()
    await ann.heading("Your turn").click()  # the device vibrates only for a user who has touched the page
    await ann.page.evaluate(RECORD_VIBRATION)
    await ann.page.emulate_media(reduced_motion="no-preference")
    await expect(ann.page.locator(".throw")).to_have_count(0)
    return ann


async def test_a_phone_that_is_shaken_rolls_the_dice_that_were_dealt_and_vibrates(new_user: NewUser) -> None:
    ann = await wait_for_dice(new_user, PHONE)
    await ann.page.evaluate(SHAKE)
    await ann.page.locator(".throw").wait_for()
    hand = await ann.hand()
    assert await ann.page.evaluate("vibrations.length") == 1
    await ann.page.locator(".throw").wait_for(state="detached")
    assert await ann.hand() == hand
    await ann.page.emulate_media(reduced_motion="reduce")


@pytest.mark.parametrize("size", [(1280, 800), PHONE], ids=["desktop", "phone"])
async def test_thrown_dice_come_to_rest_where_the_flat_dice_lie(new_user: NewUser, size: tuple[int, int]) -> None:
    ann = await wait_for_dice(new_user, size)
    assert await ann.page.evaluate(ENDS_MISPLACED, SHAKE) == []
    await ann.page.emulate_media(reduced_motion="reduce")
