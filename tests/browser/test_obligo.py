"""Special rounds in which players do not look at their dice, played to the end on a phone and a computer."""

import asyncio
from collections.abc import Callable

import pytest
from playwright.async_api import Locator, expect

from tests.browser.match_player import legal_bids, make_bid, play_match, start_match
from tests.browser.users import DESKTOP, PHONE, NewUser, User

CHANGES = {"dice.per_player": 2, "special_round.min_players": 2, "exact_call": None, "labels.challenge": "Liar!"}
IN_LOWER_HALF = """text => {
  const board = text.closest("section").getBoundingClientRect();
  return text.getBoundingClientRect().top > board.top + board.height / 2;
}"""
COVERED = "You may not look at your dice in this round."


async def in_turn(*users: User) -> tuple[User, User]:
    """The user who may bid first, and the other one."""
    return await first_with(lambda user: user.action_panel.get_by_role("grid"), *users)


async def first_with(locate: Callable[[User], Locator], *users: User) -> tuple[User, User]:
    """Wait until one of two users sees an element, and return that user and the other one."""
    waits = [asyncio.create_task(locate(user).wait_for()) for user in users]
    done, others = await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
    for wait in others:
        wait.cancel()
    await asyncio.gather(*waits, return_exceptions=True)
    first = users[waits.index(done.pop())]
    return first, next(user for user in users if user is not first)


async def play_first_round(*users: User) -> None:
    """Plays the first round: somebody bids, and the next one calls, so that one of the two is down to one die."""
    first, second = await in_turn(*users)
    await make_bid(first, (await legal_bids(first.action_panel.get_by_role("grid")))[0])
    await second.button("Liar!").click()
    if await second.action_panel.get_by_role("alert").get_by_text("Tap again").is_visible():
        await second.button("Liar!").click()
    for user in users:
        await user.button("Next round").click()


@pytest.mark.parametrize("rules", ["perudo+obligo-open", "perudo+obligo-closed"])
async def test_players_see_no_dice_of_their_own_in_an_obligo(new_user: NewUser, rules: str) -> None:
    ann, ben = await new_user("Ann", PHONE), await new_user("Ben", DESKTOP)
    code = await ann.open_table(rules, CHANGES, seats=2)
    await ben.join(code)
    await start_match(ann, ben)
    await play_first_round(ann, ben)
    opener, other = await in_turn(ann, ben)
    is_open = rules.endswith("open")
    for user in (opener, other) if is_open else (other,):
        await expect(user.page.get_by_text(COVERED)).to_be_visible()
        await expect(user.dice).to_have_count(0)
        assert await user.page.get_by_text(COVERED).evaluate(IN_LOWER_HALF)
        await expect(user.board.locator(".seats .hand")).to_have_count(1 if is_open else 0)
    await other.goto(f"/t/{code}/cup")
    await expect(other.page.get_by_text(COVERED)).to_be_visible()
    await other.goto(f"/t/{code}")
    if not is_open:
        await expect(opener.dice).to_have_count(1)
    notes = await play_match([ann, ben], seed=1)
    assert len(notes[0].final_order) == 2
