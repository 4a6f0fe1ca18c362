"""A seat is a player's for the whole evening: through reloads, dead networks, and on other devices."""

import re

from playwright.async_api import expect

from tests.browser.people import PHONE, Come
from tests.browser.turns import QUICK_START, bids, calls, go_on, on_turn, table_of, verdict

NAMES = ("Ann", "Ben")
CLASSIC = {"dice.per_player": 5} | QUICK_START
LOST = "The connection is lost. Trying again…"


async def test_who_reloads_in_mid_turn_has_the_same_seat_and_the_same_dice(come: Come) -> None:
    people, _ = await table_of(come, NAMES, "basic", CLASSIC)
    player = await on_turn(people)
    before = await player.hand()
    assert len(before) == 5
    await player.page.reload()
    await expect(player.heading("Your turn")).to_be_visible()
    assert await player.hand() == before
    await bids(player, 1, 2)
    await on_turn(people, after=player)


async def test_who_loses_the_network_is_told_and_comes_back_to_what_happened(come: Come) -> None:
    people, _ = await table_of(come, NAMES, "basic", CLASSIC)
    first = await on_turn(people)
    other = next(one for one in people if one is not first)
    for person in (first, other):
        person.expect_trouble("ERR_INTERNET_DISCONNECTED")
    before = await other.hand()
    await other.context.set_offline(True)
    await expect(other.page.get_by_text(LOST)).to_be_visible()
    await expect(first.stage.get_by_text("away")).to_be_visible()
    await bids(first, 2, 3)
    await other.context.set_offline(False)
    await expect(other.page.get_by_text(LOST)).to_have_count(0)
    await expect(other.stage.get_by_text("two threes")).to_be_visible()
    await expect(other.heading("Your turn")).to_be_visible()
    await expect(first.stage.get_by_text("away")).to_have_count(0)
    assert await other.hand() == before


async def test_a_private_link_takes_the_seat_to_another_device(come: Come) -> None:
    people, _ = await table_of(come, NAMES, "basic", CLASSIC)
    player = await on_turn(people)
    before = await player.hand()
    await player.button("Table menu").click()
    await player.button("My seat on another device").click()
    link = await player.page.get_by_role("textbox", name="My seat on another device").input_value()
    phone = await come("phone", PHONE)
    await phone.page.goto(link)
    await expect(phone.heading("Your turn")).to_be_visible()
    assert await phone.hand() == before
    assert "seat=" not in phone.page.url
    await player.page.keyboard.press("Escape")
    await bids(phone, 1, 2)
    await on_turn(people, after=player)

    stranger = await come("stranger")
    stranger.expect_trouble("403")
    await stranger.page.goto(link)
    await expect(stranger.page.get_by_role("alert").get_by_text("not yours")).to_be_visible()
    await expect(stranger.dice).to_have_count(0)


async def test_a_spectator_sees_no_dice_before_cups_are_lifted(come: Come) -> None:
    people, code = await table_of(come, NAMES, "basic", CLASSIC)
    player = await on_turn(people)
    watcher = await come("Cyd")
    await watcher.goto(f"/t/{code}")
    await expect(watcher.page.get_by_text("You are watching.")).to_be_visible()
    await expect(watcher.page.get_by_text("A match is on. You can sit down when it is over.")).to_be_visible()
    await expect(watcher.page.get_by_role("img", name=re.compile("a die showing"))).to_have_count(0)
    await expect(watcher.dock.get_by_role("button")).to_have_count(0)
    await bids(player, 1, 2)
    await expect(watcher.stage.get_by_text("one two")).to_be_visible()
    caller = await on_turn(people, after=player)
    await calls(caller, "Liar!")
    told = await verdict(watcher)
    assert re.match(rf"{caller.name} was (right|wrong)", told)
    await expect(watcher.stage.locator(".hand .die")).to_have_count(10)
    await go_on(people)
    await expect(watcher.stage.locator(".hand")).to_have_count(0)


async def test_the_host_mutes_and_sends_away(come: Come) -> None:
    ann, ben = await come("Ann"), await come("Ben")
    code = await ann.open_table("basic", seats=3)
    await ben.join(code)
    await ann.dock.get_by_role("button", name="Ben: more").click()
    await ann.button("Mute for everybody").click()
    await expect(ben.page.get_by_text("The host has muted you.")).to_be_visible()
    await expect(ben.page.get_by_label("Say something")).to_have_count(0)
    await ann.dock.get_by_role("button", name="Ben: more").click()
    await ann.button("Let them speak again").click()
    await ben.button("Nice hand").click()
    await expect(ann.page.get_by_role("list", name="What was said and done")).to_contain_text("Nice hand")
    await ann.dock.get_by_role("button", name="Ben: more").click()
    await ann.button("Remove from the table").click()
    await expect(ann.dock.get_by_text("Ben", exact=True)).to_have_count(0)
    await expect(ben.button("Sit down")).to_be_visible()
    await expect(ben.page.get_by_label("Say something")).to_have_count(0)


async def test_who_hides_somebody_reads_them_no_more(come: Come) -> None:
    ann, ben = await come("Ann"), await come("Ben")
    await ben.join(await ann.open_table("basic", seats=2))
    log = ben.page.get_by_role("list", name="What was said and done")
    await ann.button("Bold.").click()
    await expect(log.get_by_text("Bold.")).to_be_visible()
    await ben.dock.get_by_role("button", name="Ann: more").click()
    await ben.button("Hide what they say").click()
    await expect(log.get_by_text("Bold.")).to_have_count(0)
