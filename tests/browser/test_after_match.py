"""After a match: review, replay, verification of the dice, and a rematch."""

import re

from playwright.async_api import FilePayload, expect

from tests.browser.round_steps import QUICK_START, current_player, lose_die, start_table
from tests.browser.users import DESKTOP, PHONE, NewUser, User


async def test_players_read_the_review_watch_the_replay_verify_the_dice_and_play_a_rematch(new_user: NewUser) -> None:
    users, code = await start_table(new_user, ("Ann", "Ben"), "basic", {"dice.per_player": 1} | QUICK_START)
    ann, ben = users
    await lose_die(ben, users)
    await expect(ben.dice).to_have_count(1)  # the die that Ben has lost is there until he goes on
    for user in users:
        await user.button("The final order").click()

    await expect(ann.heading("Dice over time")).to_be_visible()
    async with ann.page.expect_download() as download:
        await ann.button("Save picture").click()
    picture = await (await download.value).path()
    assert picture.read_bytes().startswith(b"\x89PNG")

    await ann.page.get_by_role("link", name="Review").click()
    title = ann.page.get_by_role("heading", level=1)
    await expect(title).to_contain_text(re.compile(r"(You|Ben) won\.\s+.*decisions? cost "))
    await ann.page.keyboard.press("End")
    await ann.page.keyboard.press("Enter")
    await expect(ann.heading("What each move was worth")).to_be_visible()
    await expect(ann.page.locator(".scene .cup")).to_have_count(1)
    await ann.page.keyboard.press("l")
    await expect(ann.page.locator(".scene .cup")).to_have_count(0)
    await ann.goto(f"/t/{code}")

    await ann.page.get_by_role("link", name="Replay").click()
    await expect(ann.heading("Replay")).to_be_visible()
    await expect_play_button_on_a_phone(ann)
    step = ann.page.locator("p.step")
    first = await step.inner_text()
    await ann.page.keyboard.press("ArrowRight")
    await expect(step).not_to_have_text(first)
    await ann.button("Round 1").click()
    await ann.page.keyboard.press("ArrowRight")
    await expect(ann.board.locator(".seat > .cup")).to_have_count(2)
    await expect(ann.page.get_by_role("img", name=re.compile("a die showing"))).to_have_count(0)
    await ann.page.get_by_label("Show all cups").check()
    await expect(ann.page.get_by_role("img", name=re.compile("a die showing"))).to_have_count(2)
    await ann.page.keyboard.press("End")
    await expect(step).to_contain_text(re.compile("wins"))

    await ann.page.get_by_role("link", name="Verify the dice").click()
    await expect(ann.heading("Every die is as promised")).to_be_visible()
    await expect(ann.page.get_by_text("2 players added seeds of their own.")).to_be_visible()
    record = await ann.context.request.get(f"{ann.server.address}/api/tables/{code}/matches/1")
    changed = re.sub(r'("hands":\[\[)(\d)', lambda die: f"{die[1]}{int(die[2]) % 6 + 1}", await record.text())
    file: FilePayload = {"name": "match.jsonl", "mimeType": "text/plain", "buffer": changed.encode()}
    await ann.page.get_by_label("Choose a file").set_input_files(file)
    await expect(ann.heading("Something does not match")).to_be_visible()

    await ben.button("Rematch").click()
    await ann.goto(f"/t/{code}")
    assert await current_player(users) in users
    for user in users:
        await expect(user.page.get_by_role("banner")).to_contain_text("round 1")
        assert len(await user.hand()) == 1


async def expect_play_button_on_a_phone(user: User) -> None:
    """Shows the replay in the window of a phone, and expects its main button to be visible without scrolling."""
    for size in (PHONE, DESKTOP):
        await user.page.set_viewport_size({"width": size[0], "height": size[1]})
        await expect(user.page.get_by_role("button", name="Play", exact=True)).to_be_in_viewport(ratio=1)
