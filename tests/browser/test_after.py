"""After a match: once more with the same people, the match step by step, and its dice worked out again."""

import re

from playwright.async_api import FilePayload, expect

from tests.browser.people import Come
from tests.browser.playing import play_out
from tests.browser.turns import QUICK_START, on_turn, table_of


async def test_the_same_people_play_once_more_watch_the_match_and_verify_its_dice(come: Come) -> None:
    people, code = await table_of(come, ("Ann", "Ben"), "basic", {"dice.per_player": 1} | QUICK_START)
    await play_out(people, seed=7)
    ann, ben = people

    await ann.page.get_by_role("link", name="Replay").click()
    await expect(ann.heading("Replay")).to_be_visible()
    now = ann.page.locator("p.step")
    first = await now.inner_text()
    await ann.page.keyboard.press("ArrowRight")
    await expect(now).not_to_have_text(first)
    await ann.button("Round 1").click()
    await ann.page.keyboard.press("ArrowRight")
    await expect(ann.page.get_by_text("1 die under the cup")).to_have_count(2)
    await expect(ann.page.get_by_role("img", name=re.compile("a die showing"))).to_have_count(0)
    await ann.page.get_by_label("Show all cups").check()
    await expect(ann.page.get_by_role("img", name=re.compile("a die showing"))).to_have_count(2)
    await ann.page.keyboard.press("End")
    await expect(now).to_contain_text(re.compile("wins"))

    await ann.page.get_by_role("link", name="Verify the dice").click()
    await expect(ann.heading("Every die is as it was promised")).to_be_visible()
    await expect(ann.page.get_by_text("2 players added seeds of their own.")).to_be_visible()
    record = await ann.context.request.get(f"{ann.server.address}/api/tables/{code}/matches/1")
    changed = re.sub(r'("hands":\[\[)(\d)', lambda die: f"{die[1]}{int(die[2]) % 6 + 1}", await record.text())
    file: FilePayload = {"name": "match.jsonl", "mimeType": "text/plain", "buffer": changed.encode()}
    await ann.page.get_by_label("Choose a file").set_input_files(file)
    await expect(ann.heading("Something does not match")).to_be_visible()

    await ben.button("Rematch").click()
    await ann.goto(f"/t/{code}")
    assert await on_turn(people) in people
    for person in people:
        await expect(person.page.get_by_role("banner")).to_contain_text("round 1")
        assert len(await person.hand()) == 1
