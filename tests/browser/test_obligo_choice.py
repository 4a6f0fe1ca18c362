"""The kind of a special round, which its opener chooses, on a phone and a computer."""

import pytest
from playwright.async_api import expect

from tests.browser.match_player import play_match, start_match
from tests.browser.test_obligo import CHANGES, COVERED, first_with, play_first_round
from tests.browser.users import DESKTOP, PHONE, NewUser, User

ASK = "Which kind of round is it? Nobody has looked yet."
WAIT = "The opener says first which kind of round it is."


async def opener_and_other(*users: User) -> tuple[User, User]:
    """The user who chooses the kind of the round, and the other one."""
    return await first_with(lambda user: user.action_panel.get_by_text(ASK), *users)


@pytest.mark.parametrize(
    "kind, opener_dice, other_dice",
    [("Closed", 1, 0), ("Open", 0, 0), ("Ordinary", 1, 2)],
    ids=str,
)
async def test_an_opener_with_one_die_chooses_before_anybody_looks(
    new_user: NewUser, kind: str, opener_dice: int, other_dice: int
) -> None:
    ann, ben = await new_user("Ann", PHONE), await new_user("Ben", DESKTOP)
    code = await ann.open_table("perudo+obligo-chosen", CHANGES, seats=2)
    await ben.join(code)
    await start_match(ann, ben)
    await play_first_round(ann, ben)
    opener, other = await opener_and_other(ann, ben)
    for user in (opener, other):
        await expect(user.page.get_by_text(WAIT)).to_be_visible()
        await expect(user.dice).to_have_count(0)
    await expect(other.page.get_by_text(ASK)).to_have_count(0)
    await opener.action_panel.get_by_role("button", name=kind).click()
    if kind != "Ordinary":
        for user in (opener, other):
            await user.button("Got it").click()
    for user, count in ((opener, opener_dice), (other, other_dice)):
        await expect(user.dice).to_have_count(count)
        await expect(user.page.get_by_text(COVERED)).to_have_count(0 if count else 1)
        await expect(user.board.locator(".seats .hand")).to_have_count(1 if kind == "Open" else 0)
    notes = await play_match([ann, ben], seed=1)
    assert len(notes[0].final_order) == 2
