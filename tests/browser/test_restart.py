"""The server dies in the middle of a round and comes back at its address: nobody has to do anything."""

from playwright.async_api import expect

from tests.browser.people import Come
from tests.browser.turns import QUICK_START, bids, calls, go_on, on_turn, table_of, verdict
from tests.processes import Server

BROKEN_OFF = "net::ERR_|WebSocket"
LOST = "The connection is lost. Trying again…"


async def test_after_a_crash_everybody_sits_where_they_sat_with_the_same_dice(come: Come, server: Server) -> None:
    people, _ = await table_of(come, ("Ann", "Ben", "Cyd"), "basic", {"dice.per_player": 2} | QUICK_START)
    first = await on_turn(people)
    await bids(first, 1, 3)
    second = await on_turn(people, after=first)
    before = [await one.hand() for one in people]
    server.kill()
    for person in people:
        person.expect_trouble(BROKEN_OFF)
        await expect(person.page.get_by_text(LOST)).to_be_visible()
    server.start()
    for person in people:
        await expect(person.page.get_by_text(LOST)).to_have_count(0)
    assert [await one.hand() for one in people] == before
    for person in people:
        await expect(person.stage.get_by_text("one three")).to_be_visible()
    assert await on_turn(people) is second
    await calls(second, "Liar!")
    await verdict(first)
    await go_on(people)
    await on_turn(people)


async def test_what_was_asked_for_while_it_was_away_is_done_when_it_is_back(come: Come, server: Server) -> None:
    people, _ = await table_of(come, ("Ann", "Ben"), "basic", {"dice.per_player": 2} | QUICK_START)
    first = await on_turn(people)
    server.kill()
    for person in people:
        person.expect_trouble(BROKEN_OFF)
        await expect(person.page.get_by_text(LOST)).to_be_visible()
    await first.dock.locator("[data-bid='1,4']").click()
    await first.button("Say one four").click()
    server.start()
    await on_turn(people, after=first)
    for person in people:
        await expect(person.stage.get_by_text("one four")).to_be_visible()
