"""A special round that its opener declares, on a phone and a computer."""

from playwright.async_api import expect

from tests.browser.match_player import play_match, start_match
from tests.browser.test_obligo import CHANGES, in_turn, play_first_round
from tests.browser.users import DESKTOP, PHONE, NewUser

DECLARE = "Declare a special round, or just bid."


async def test_an_opener_with_one_die_declares_a_special_round_or_bids(new_user: NewUser) -> None:
    ann, ben = await new_user("Ann", PHONE), await new_user("Ben", DESKTOP)
    code = await ann.open_table("perudo+declared-palifico", CHANGES, seats=2)
    await ben.join(code)
    await start_match(ann, ben)
    await play_first_round(ann, ben)
    opener, other = await in_turn(ann, ben)
    await expect(opener.page.get_by_text(DECLARE)).to_be_visible()
    await expect(other.page.get_by_text(DECLARE)).to_have_count(0)
    await opener.action_panel.get_by_role("button", name="Palifico!").click()
    for user in (ann, ben):
        await user.button("Got it").click()
    await expect(opener.page.get_by_text(DECLARE)).to_have_count(0)
    notes = await play_match([ann, ben], seed=1)
    assert len(notes[0].final_order) == 2
