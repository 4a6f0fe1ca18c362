"""Seats survive reloads and lost networks and move to other devices; spectators; and what the host may do."""

import re

from playwright.async_api import expect

from tests.browser.round_steps import QUICK_START, bid, call, continue_match, current_player, read_verdict, start_table
from tests.browser.users import PHONE, NewUser

NAMES = ("Ann", "Ben")
CLASSIC = {"dice.per_player": 5} | QUICK_START
LOST = "The connection is lost. Trying again…"


async def test_a_reload_keeps_seat_and_dice(new_user: NewUser) -> None:
    users, _ = await start_table(new_user, NAMES, "basic", CLASSIC)
    player = await current_player(users)
    before = await player.hand()
    assert len(before) == 5
    await player.page.reload()
    await expect(player.heading("Your turn")).to_be_visible()
    assert await player.hand() == before
    await bid(player, 1, 2)
    await current_player(users, after=player)


async def test_a_lost_network_is_shown_and_missed_events_arrive_later(new_user: NewUser) -> None:
    users, _ = await start_table(new_user, NAMES, "basic", CLASSIC)
    first = await current_player(users)
    other = next(user for user in users if user is not first)
    for user in (first, other):
        user.expect_problem("ERR_INTERNET_DISCONNECTED")
    before = await other.hand()
    await other.context.set_offline(True)
    await expect(other.page.get_by_text(LOST)).to_be_visible()
    await expect(first.board.get_by_text("away")).to_be_visible()
    await bid(first, 2, 3)
    await other.context.set_offline(False)
    await expect(other.page.get_by_text(LOST)).to_have_count(0)
    await expect(other.board.get_by_text("two threes")).to_be_visible()
    await expect(other.heading("Your turn")).to_be_visible()
    await expect(first.board.get_by_text("away")).to_have_count(0)
    assert await other.hand() == before


async def test_a_seat_link_moves_the_seat_to_another_device(new_user: NewUser) -> None:
    users, _ = await start_table(new_user, NAMES, "basic", CLASSIC)
    player = await current_player(users)
    before = await player.hand()
    await player.button("Table menu").click()
    await player.button("My seat on another device").click()
    link = await player.page.get_by_role("textbox", name="My seat on another device").input_value()
    phone = await new_user("phone", PHONE)
    await phone.page.goto(link)
    await expect(phone.heading("Your turn")).to_be_visible()
    assert await phone.hand() == before
    assert "seat=" not in phone.page.url
    await player.page.keyboard.press("Escape")
    await bid(phone, 1, 2)
    await current_player(users, after=player)

    stranger = await new_user("stranger")
    stranger.expect_problem("403")
    await stranger.page.goto(link)
    await expect(stranger.page.get_by_role("alert").get_by_text("You may not do that")).to_be_visible()
    await expect(stranger.dice).to_have_count(0)


async def test_a_spectator_sees_no_dice_before_a_reveal(new_user: NewUser) -> None:
    users, code = await start_table(new_user, NAMES, "basic", CLASSIC)
    player = await current_player(users)
    watcher = await new_user("Cyd")
    await watcher.goto(f"/t/{code}")
    await expect(watcher.page.get_by_text("You are watching.")).to_be_visible()
    await expect(watcher.page.get_by_text("A match is on. You can sit down when it is over.")).to_be_visible()
    await expect(watcher.page.get_by_role("img", name=re.compile("a die showing"))).to_have_count(0)
    await expect(watcher.action_panel.get_by_role("button", name="What do the words mean?")).to_be_visible()
    await expect(watcher.action_panel.get_by_role("button")).to_have_count(1)
    await bid(player, 1, 2)
    await expect(watcher.board.get_by_text("one two")).to_be_visible()
    caller = await current_player(users, after=player)
    await call(caller, "Liar!")
    result = await read_verdict(watcher)
    assert re.match(rf"{caller.name} was (right|wrong)", result)
    await expect(watcher.board.locator(".hand .die")).to_have_count(10)
    await continue_match(users)
    await expect(watcher.board.locator(".hand")).to_have_count(0)


async def test_the_host_mutes_and_removes_players(new_user: NewUser) -> None:
    ann, ben = await new_user("Ann"), await new_user("Ben")
    code = await ann.open_table("basic", seats=3)
    await ben.join(code)
    await ann.action_panel.get_by_role("button", name="Ben: more").click()
    await ann.button("Mute for everybody").click()
    await expect(ben.page.get_by_text("The host has muted you.")).to_be_visible()
    await expect(ben.page.get_by_label("Say something")).to_have_count(0)
    await ann.action_panel.get_by_role("button", name="Ben: more").click()
    await ann.button("Let them speak again").click()
    await ben.button("Nice hand").click()
    await expect(ann.page.get_by_role("list", name="What was said and done")).to_contain_text("Nice hand")
    await ann.action_panel.get_by_role("button", name="Ben: more").click()
    await ann.button("Remove for good").click()
    await expect(ann.action_panel.get_by_text("Ben", exact=True)).to_have_count(0)
    await expect(ben.button("Sit down")).to_be_visible()
    await expect(ben.page.get_by_label("Say something")).to_have_count(0)


async def test_a_removed_player_sits_down_again_only_when_the_host_lets_them(new_user: NewUser) -> None:
    ann, ben = await new_user("Ann"), await new_user("Ben")
    await ben.join(await ann.open_table("basic", seats=3))
    await ann.action_panel.get_by_role("button", name="Ben: more").click()
    await ann.button("Remove for the next match").click()
    ben.expect_problem("403")
    await ben.button("Sit down").click()
    await expect(ben.page.get_by_text("The host has removed you from this table.")).to_be_visible()
    await ann.button("Table menu").click()
    await ann.button("Removed people").click()
    await ann.button("Let Ben return").click()
    await expect(ann.button("Let Ben return")).to_have_count(0)
    await ben.button("Sit down").click()
    await expect(ben.page.get_by_text("Ben (you)")).to_be_visible()


async def test_messages_of_a_hidden_player_are_not_shown(new_user: NewUser) -> None:
    ann, ben = await new_user("Ann"), await new_user("Ben")
    await ben.join(await ann.open_table("basic", seats=2))
    log = ben.page.get_by_role("list", name="What was said and done")
    await ann.button("Bold.").click()
    await expect(log.get_by_text("Bold.")).to_be_visible()
    await ben.action_panel.get_by_role("button", name="Ann: more").click()
    await ben.button("Hide what they say").click()
    await expect(log.get_by_text("Bold.")).to_have_count(0)


async def test_the_host_locks_the_table(new_user: NewUser) -> None:
    ann, ben = await new_user("Ann"), await new_user("Ben")
    await ben.goto(f"/t/{await ann.open_table('basic', seats=3)}")
    await expect(ben.button("Sit down")).to_be_visible()
    await ann.button("Table menu").click()
    await ann.button("Lock the table: nobody new sits down").click()
    await expect(ben.page.get_by_text("The host has locked this table.")).to_be_visible()
    await expect(ben.button("Sit down")).to_have_count(0)
    await ann.button("Table menu").click()
    await ann.button("Unlock the table").click()
    await ben.page.get_by_label("Your name").fill("Ben")
    await ben.button("Sit down").click()
    await expect(ben.page.get_by_text("Ben (you)")).to_be_visible()


async def test_the_host_decides_who_sits_down(new_user: NewUser) -> None:
    ann, ben = await new_user("Ann"), await new_user("Ben")
    await ben.goto(f"/t/{await ann.open_table('basic', seats=3, approval=True)}")
    await ben.page.get_by_label("Your name").fill("Ben")
    await ben.button("Ask for a seat").click()
    await expect(ben.page.get_by_text("You have asked for a seat.")).to_be_visible()
    await expect(ann.page.get_by_text("Ben asks for a seat.")).to_be_visible()
    await ann.button("Give Ben a seat").click()
    await expect(ben.page.get_by_text("Ben (you)")).to_be_visible()
    await expect(ann.action_panel.get_by_text("Ben", exact=True)).to_be_visible()
