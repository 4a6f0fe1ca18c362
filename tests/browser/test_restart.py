"""The server is killed in a round and restarted at the same address. The pages recover by themselves."""

from playwright.async_api import expect

from tests.browser.round_steps import QUICK_START, bid, call, continue_match, current_player, read_verdict, start_table
from tests.browser.users import NewUser
from tests.processes import Server

NETWORK_ERRORS = "net::ERR_|WebSocket"
LOST = "The connection is lost. Trying again…"


async def test_after_a_crash_all_users_have_their_seats_and_dice(new_user: NewUser, server: Server) -> None:
    users, _ = await start_table(new_user, ("Ann", "Ben", "Cyd"), "basic", {"dice.per_player": 2} | QUICK_START)
    first = await current_player(users)
    await bid(first, 1, 3)
    second = await current_player(users, after=first)
    before = [await user.hand() for user in users]
    server.kill()
    for user in users:
        user.expect_problem(NETWORK_ERRORS)
        await expect(user.page.get_by_text(LOST)).to_be_visible()
    server.start()
    for user in users:
        await expect(user.page.get_by_text(LOST)).to_have_count(0)
    assert [await user.hand() for user in users] == before
    for user in users:
        await expect(user.board.get_by_text("one three")).to_be_visible()
    assert await current_player(users) is second
    await call(second, "Liar!")
    await read_verdict(first)
    await continue_match(users)
    await current_player(users)


async def test_a_bid_made_during_the_outage_is_sent_after_it(new_user: NewUser, server: Server) -> None:
    users, _ = await start_table(new_user, ("Ann", "Ben"), "basic", {"dice.per_player": 2} | QUICK_START)
    first = await current_player(users)
    server.kill()
    for user in users:
        user.expect_problem(NETWORK_ERRORS)
        await expect(user.page.get_by_text(LOST)).to_be_visible()
    await first.action_panel.locator("[data-bid='1,4']").click()
    await first.button("Say one four").click()
    server.start()
    await current_player(users, after=first)
    for user in users:
        await expect(user.board.get_by_text("one four")).to_be_visible()
