"""Passing and doubting a pass, on a phone and a computer, in a match that is played to the end."""

from playwright.async_api import expect

from tests.browser.match_player import legal_bids, make_bid, play_match, start_match
from tests.browser.test_obligo import in_turn
from tests.browser.users import DESKTOP, PHONE, NewUser

CHANGES = {"bidding.pass_dice": 2, "dice.per_player": 2, "bidding.pass_with": ["alike", "all_different"]}
"""Rules under which two dice always allow a pass, so that a doubt of the first one is wrong."""

QUICK = {"exact_call": None, "special_round": None, "labels.challenge": "Liar!"}


async def test_a_pass_leaves_the_bid_and_can_be_doubted(new_user: NewUser) -> None:
    ann, ben = await new_user("Ann", PHONE), await new_user("Ben", DESKTOP)
    code = await ann.open_table("perudo", CHANGES | QUICK, seats=2)
    await ben.join(code)
    await start_match(ann, ben)
    first, second = await in_turn(ann, ben)
    await expect(first.button("Pass Your hand allows it.")).to_be_hidden()
    await make_bid(first, (await legal_bids(first.action_panel.get_by_role("grid")))[0])
    await second.button("Pass Your hand allows it.").click()
    await expect(first.board.locator(".seats .bubble")).to_have_text("says Pass")
    await expect(first.button("Liar!")).to_be_hidden()  # nobody challenges their own bid
    await first.button("Doubt the pass").click()
    loses = f"{second.name} passed with dice that are all"
    await expect(first.action_panel.get_by_role("status").get_by_text(loses)).to_be_visible()
    await expect(first.action_panel.get_by_role("status").get_by_text("so you lose one die")).to_be_visible()
    await expect(second.action_panel.get_by_role("status").get_by_text("You passed with dice")).to_be_visible()
    for user in (ann, ben):
        await user.button("Next round").click()
    for user in (ann, ben):
        await expect(user.button("Next round")).to_be_hidden()
    notes = await play_match([ann, ben], seed=1)
    assert len(notes[0].final_order) == 2
    assert notes[0].final_order == notes[1].final_order
