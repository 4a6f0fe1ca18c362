"""A face-off: sums are bid and called on a phone and a computer, in both languages, and matches go to their end."""

from playwright.async_api import expect

from tests.browser.match_player import legal_bids, make_bid, play_match, start_match
from tests.browser.test_obligo import in_turn
from tests.browser.users import DESKTOP, PHONE, NewUser

NO_SIDEWAYS_SCROLLING = "document.documentElement.scrollWidth <= innerWidth"
ONE_DIE = {"bidding.face_off": "sum", "dice.per_player": 1}


async def test_two_players_with_one_die_each_bid_on_the_sum(new_user: NewUser) -> None:
    ann, ben = await new_user("Ann", PHONE), await new_user("Ben", DESKTOP)
    code = await ann.open_table("basic", ONE_DIE | {"loss.lives": 3}, seats=2)
    await ben.join(code)
    await start_match(ann, ben)
    first, second = await in_turn(ann, ben)
    chart = first.action_panel.get_by_role("grid")
    await expect(first.action_panel.get_by_text("Face-off: bids are sums of both dice.")).to_be_visible()
    assert await legal_bids(chart) == [f"{total},0" for total in range(2, 13)]
    await chart.locator("[data-bid='6,0']").press("ArrowRight")
    await first.button("Say a sum of seven").click()
    for user in (ann, ben):
        await expect(user.page.get_by_text("a sum of seven", exact=True).first).to_be_visible()
        assert await user.page.evaluate(NO_SIDEWAYS_SCROLLING)
    assert await legal_bids(second.action_panel.get_by_role("grid")) == [f"{total},0" for total in range(8, 13)]
    await make_bid(second, "12,0")
    await expect(first.action_panel.get_by_role("grid").locator("[data-bid]")).to_have_count(0)
    await first.button("Liar!").click()
    loses = first.action_panel.get_by_role("status").get_by_text("bid a sum of twelve")
    await expect(loses.or_(first.action_panel.get_by_text("Tap again"))).to_be_visible()
    if not await loses.is_visible():
        await first.button("Liar!").click()
    await expect(first.action_panel.get_by_role("status").get_by_text("the dice add up to")).to_be_visible()
    for user in (ann, ben):
        await user.button("Next round").click()
    for user in (ann, ben):
        await expect(user.button("Next round")).to_be_hidden()
    notes = await play_match([ann, ben], seed=2)
    assert len(notes[0].final_order) == 2


async def test_perudo_with_a_face_off_is_played_to_its_end(new_user: NewUser) -> None:
    ann, ben = await new_user("Ann", PHONE), await new_user("Ben", DESKTOP)
    code = await ann.open_table("perudo+face-off", {"dice.per_player": 2}, seats=2)
    await ben.join(code)
    await start_match(ann, ben)
    notes = await play_match([ann, ben], seed=4, challenge="Dudo!", exact="Calza!")
    assert len(notes[0].final_order) == 2


async def test_a_face_off_is_announced_in_spanish(new_user: NewUser) -> None:
    ann, ben = await new_user("Ann", PHONE), await new_user("Ben", DESKTOP)
    code = await ann.open_table("basic", ONE_DIE, seats=2)
    await ben.join(code)
    await start_match(ann, ben)
    first, second = await in_turn(ann, ben)
    await second.page.evaluate("localStorage.setItem('liarsdice.language', 'es')")
    await second.page.reload()
    await expect(second.page.get_by_text("Duelo: se apuesta a la suma de los dos dados.").first).to_be_visible()
    await first.action_panel.get_by_role("grid").locator("[data-bid='5,0']").press("Enter")
    await expect(second.page.get_by_text("una suma de cinco", exact=True).first).to_be_visible()
