"""What a browser remembers: its matches, a face, and the people of a quick match."""

import json
import re

import pytest
from playwright.async_api import FilePayload, Locator, expect

from tests.browser.match_player import hand_paths, play_match, start_match
from tests.browser.round_steps import (
    QUICK_START,
    bid,
    call,
    continue_match,
    current_player,
    read_verdict,
    start_table,
)
from tests.browser.users import DESKTOP, PHONE, NewUser, User
from tests.processes import Server

SIZES_OF_NEW_TABLE = ((320, 460), (360, 640), PHONE, (844, 390), DESKTOP)
NEW_TABLE_WORDS = {
    "en": ["Variants of", "Name of the game", "Bots", "Open as last time", "Your games", "The link is copied"],
    "es": [
        "Variantes de",
        "Nombre del juego",
        "Bots",
        "Abrir como la última vez",
        "Tus juegos",
        "El enlace está copiado",
    ],
}


async def test_a_browser_keeps_its_matches_and_takes_them_to_another_browser(new_user: NewUser) -> None:
    users, code = await start_table(new_user, ("Ann", "Ben"), "basic", {"dice.per_player": 1} | QUICK_START)
    await play_match(users, seed=8)
    ann, _ = users
    cyd = await new_user("Cyd")
    await cyd.goto("/matches")
    await expect(cyd.page.get_by_text("No match yet")).to_be_visible()

    await ann.goto("/matches")
    await expect(listed_matches(ann)).to_have_count(1)
    await expect(ann.page.get_by_role("region", name="Head to head")).to_contain_text("Ben")
    async with ann.page.expect_download() as saving:
        await ann.button("Save to a file").click()
    saved = (await (await saving.value).path()).read_text(encoding="utf-8")

    for content, message in (
        (saved[:-40], "This file is not a list of matches."),
        (json.dumps(json.loads(saved) | {"version": 9}), "A newer version of the page saved this file."),
        (saved.replace("match_ended", "match_endet"), "Match 1 in this file is damaged"),
    ):
        await open_file(ann, content)
        await expect(ann.page.get_by_role("alert").get_by_text(message)).to_be_visible()
        await expect(listed_matches(ann)).to_have_count(1)
    for message in ("1 match added", "All matches of this file are here already."):
        await open_file(cyd, saved)
        await expect(cyd.page.get_by_text(message)).to_be_visible()
        await expect(listed_matches(cyd)).to_have_count(1)

    await cyd.button("More about The Wet Boot").click()
    await cyd.page.get_by_role("link", name="Replay").click()
    await expect(cyd.page.get_by_text(f"Match 1 at table {code}")).to_be_visible()
    await expect(cyd.page.locator("p.step")).to_contain_text("Ann")

    await cyd.goto("/matches")
    await cyd.button("More about The Wet Boot").click()
    await cyd.page.get_by_role("button", name="Delete", exact=True).click()
    await expect(listed_matches(cyd)).to_have_count(0)
    await cyd.page.reload()
    await expect(cyd.page.get_by_text("No match yet")).to_be_visible()
    await ann.button("Delete all matches").click()
    await ann.button("Delete them").click()
    await expect(listed_matches(ann)).to_have_count(0)
    await ann.goto(f"/t/{code}")
    await expect(ann.heading("Good game")).to_be_visible()
    await ann.goto("/matches")
    await expect(ann.page.get_by_text("No match yet")).to_be_visible()


@pytest.mark.parametrize("language, words", NEW_TABLE_WORDS.items())
async def test_the_last_table_is_opened_again_with_one_tap_and_its_rules_are_a_game_with_a_link(
    new_user: NewUser, language: str, words: list[str]
) -> None:
    variants, game, bots, again, games, link = words
    ann = await new_user("Ann", PHONE, language=language)
    await ann.goto("/new?rules=perudo&dice.per_player=3")
    await ann.page.get_by_text(variants).tap()
    await ann.page.get_by_label(game, exact=True).fill("Rosa's Sunday dice")
    await expect(ann.page.get_by_text(variants)).to_contain_text("Rosa's Sunday dice")
    await ann.page.get_by_role("radio", name=bots).check()
    await ann.page.locator("#open").tap()
    await ann.page.wait_for_url("**/t/*")

    await ann.goto("/new")
    await expect(ann.button(again)).to_have_accessible_name(f"{again} Rosa's Sunday dice · 3 bots")
    own = ann.page.get_by_role("list", name=games)
    who = ann.page.get_by_role("radio", name=bots)
    decisions = (own.get_by_role("radio"), who, ann.button(again))
    for width, height in SIZES_OF_NEW_TABLE:
        await ann.page.set_viewport_size({"width": width, "height": height})
        assert await ann.page.evaluate("document.documentElement.scrollWidth") <= width
        for decision in (*decisions, own.get_by_role("button"), *(await ann.page.locator("summary.fold").all())):
            await decision.click(trial=True)  # it is not under another one
        if (width, height) in (PHONE, DESKTOP):
            await ann.page.evaluate("scrollTo(0, 0)")
            for decision in decisions:
                await expect(decision).to_be_in_viewport(ratio=1)

    await ann.context.grant_permissions(["clipboard-read", "clipboard-write"])
    await own.get_by_role("button", name="Rosa's Sunday dice").click()
    await expect(ann.page.get_by_text(link)).to_be_visible()
    ben = await new_user("Ben")
    await ben.page.goto(await ann.page.evaluate("navigator.clipboard.readText()"))
    await expect(ben.heading("Rosa's Sunday dice")).to_be_visible()
    await expect(ben.page.get_by_text("three dice with faces")).to_be_visible()

    await ann.button(again).press("Enter")
    await ann.page.wait_for_url("**/t/*")
    await expect(ann.page.get_by_role("banner").get_by_role("link", name="Rosa's Sunday dice")).to_be_visible()


async def test_the_same_people_play_again_from_the_list(new_user: NewUser) -> None:
    users, code = await start_table(new_user, ("Ann", "Ben"), "basic", {"dice.per_player": 1} | QUICK_START)
    await play_match(users, seed=9)
    ann, _ = users
    await ann.goto("/matches")
    await ann.button("More about The Wet Boot").click()
    await ann.button("Play again").click()
    await expect(ann.heading("Invite")).to_be_visible()
    await expect(ann.page.get_by_text("1 of 2 is here")).to_be_visible()
    await expect(ann.page.get_by_text("Send the link to Ben to play again.")).to_be_visible()
    assert not ann.page.url.endswith(code)
    await ann.button("Table menu").click()
    sheet = await ann.page.get_by_role("dialog").get_by_role("link", name="Rules of this table").get_attribute("href")
    assert sheet is not None
    assert "%22per_player%22%3A1" in sheet


async def test_a_chosen_face_is_seen_by_everybody_at_every_table(new_user: NewUser) -> None:
    ann, ben = await new_user("Ann"), await new_user("Ben")
    await ann.goto("/matches")
    await ann.page.get_by_text("Your name and face").click()
    faces = ann.page.get_by_role("group", name="Your face")
    await faces.locator("label", has_text="Face 7").click()
    face = await faces.locator("label", has_text="Face 7").locator("svg").inner_html()
    await ben.join(await ann.open_table("basic", seats=2))
    seen = ben.page.get_by_role("region", name="At the table").get_by_role("listitem").filter(has_text="Ann")
    await expect(seen.locator("svg").first).to_have_js_property("innerHTML", face)
    await ann.button("Table menu").click()
    await ann.button("Your face").click()
    await faces.locator("label", has_text="Face 8").click()
    other = await faces.locator("label", has_text="Face 8").locator("svg").inner_html()
    await expect(seen.locator("svg").first).to_have_js_property("innerHTML", other)


async def test_quick_matches_meet_at_one_table_which_bots_fill(new_user: NewUser) -> None:
    ann, ben = await new_user("Ann"), await new_user("Ben")
    for user in (ann, ben):
        await user.goto("/quick")
        await user.page.locator("#rules").select_option("pirates")  # no other test opens such a table in the lobby
        await user.page.get_by_label("Your name").fill(user.name)
        await user.button("Find a table").click()
        await expect(user.heading("Quick match")).to_be_visible()
    await expect(ann.page.get_by_text("2 players here, 2 seats free.")).to_be_visible()
    await expect(ben.page).to_have_url(ann.page.url)
    wait = "([code, ms]) => sessionStorage.setItem('liarsdice.quick', `${code} ${Date.now() + ms}`)"
    for since_ms, told in ((3_600_000, "Somebody may still come."), (-20_000, "Nobody else so far.")):
        await ann.page.evaluate(wait, [ann.page.url[-4:], since_ms])
        await ann.page.reload()
        await expect(ann.page.get_by_text(told)).to_be_visible()
    await ann.button("Fill with bots").click()
    for user in (ann, ben):
        await expect(user.page.get_by_role("banner")).to_contain_text("round 1")


async def test_a_shared_screen_shows_the_table_to_two_phones_and_no_hidden_die(new_user: NewUser) -> None:
    ann, ben = await new_user("Ann", PHONE), await new_user("Ben", PHONE)
    code = await ann.open_table("basic", {"dice.per_player": 2} | QUICK_START, seats=2)
    await ben.join(code)
    screen = await ann.context.new_page()
    frames: list[str] = []
    screen.on("websocket", lambda socket: socket.on("framereceived", lambda frame: frames.append(str(frame))))
    await screen.set_viewport_size({"width": 1920, "height": 1080})
    await screen.goto(f"{ann.server.address}/t/{code}/tv")
    board = screen.get_by_role("region", name="The table", exact=True)
    await expect(screen.get_by_role("img", name="QR code of the invitation")).to_be_visible()
    await expect(screen.get_by_text("Ann starts when all are in")).to_be_visible()
    await ann.button("Start the match").click()
    phones = (ann, ben)
    for phone in phones:
        await phone.goto(f"/t/{code}/cup")
    first = await current_player(phones)
    await expect(screen.locator("p.next")).to_contain_text(f"{first.name}'s turn")
    await bid(first, 1, 3)
    await expect(board.get_by_text("one three").first).to_be_visible()
    await expect(screen.get_by_text("Scan to take a seat")).to_have_count(0)
    for fact in (".bid-text", ".centre .caption", "p.next"):  # is read from four metres
        size = await screen.locator(fact).evaluate("fact => parseFloat(getComputedStyle(fact).fontSize)")
        zoom = await screen.locator(".tv").evaluate("tv => Number(getComputedStyle(tv).zoom)")
        assert size * zoom >= 0.06 * 1080, fact
    second = await current_player(phones, after=first)
    assert [path for frame in frames for path in hand_paths(json.loads(frame)) if path[0] != "own"] == []
    assert all(json.loads(frame).get("own", {"seat": None})["seat"] is None for frame in frames)
    await call(second, "Liar!")
    await expect(board.locator(".hand .die")).to_have_count(4)
    await expect(screen.get_by_role("status").get_by_text("loses one die")).to_be_visible()
    await expect(screen.get_by_text("No bid yet.")).to_have_count(0)
    await expect(ann.page.get_by_text("Cups up! Look at the table.")).to_be_visible()
    await read_verdict(ann)


COLLECT_NOTIFICATIONS = """() => {
  globalThis.notices = [];
  globalThis.Notification = class {
    static permission = "default";
    static async requestPermission() { return (Notification.permission = "granted"); }
    constructor(title, { body }) { notices.push(`${title}: ${body}`); }
    close() { notices.push("closed"); }
  };
}"""
SET_HIDDEN = """hidden => {
  Object.defineProperty(document, "hidden", { configurable: true, value: hidden });
  document.dispatchEvent(new Event("visibilitychange"));
}"""


async def test_a_hidden_page_tells_of_a_turn_by_notification_and_vibration(new_user: NewUser) -> None:
    ann, ben = await new_user("Ann"), await new_user("Ben")
    code = await ann.open_table("basic", {"dice.per_player": 5} | QUICK_START, seats=2)
    await ann.page.evaluate(COLLECT_NOTIFICATIONS)
    await ann.page.evaluate("() => { globalThis.vibrations = 0; navigator.vibrate = () => { vibrations += 1; }; }")
    await ben.join(code)
    await ann.button("Table menu").click()
    await ann.page.get_by_label("Tell me when it is my turn").check()
    await ann.page.keyboard.press("Escape")
    await start_match(ann, ben)
    if await current_player((ann, ben)) is ann:
        await bid(ann, 1, 2)
    assert await ann.page.evaluate("[notices, vibrations]") == [[], 0], "nothing is told to who looks at the page"
    await ann.page.evaluate(SET_HIDDEN, arg=True)
    await bid(ben, 2, 3)
    await ann.page.wait_for_function("() => notices.length === 1")
    assert await ann.page.evaluate("[notices, vibrations]") == [["The Wet Boot: Your turn"], 1]
    assert "Your turn" in await ann.page.title()
    await ann.page.evaluate(SET_HIDDEN, arg=False)
    await ann.page.wait_for_function("() => notices.length === 2")


async def test_a_slow_table_goes_on_after_a_restart_and_the_list_leads_back_to_it(
    new_user: NewUser, server: Server
) -> None:
    users = [await new_user("Ann"), await new_user("Ben")]
    ann, ben = users
    code = await ann.open_table("basic", {"dice.per_player": 2} | QUICK_START, seats=2, clock={"turn_s": 14 * 86_400})
    await ben.join(code)
    await start_match(ann, ben)
    first = await current_player(users)
    await bid(first, 1, 3)
    second = await current_player(users, after=first)
    hand = await second.hand()
    for user in users:
        user.expect_problem("net::ERR_|preload")  # from a page that still loads when the server is killed
        await user.goto("/rules")
    server.kill()
    server.start()
    await first.goto("/matches")
    running = first.page.get_by_role("region", name="Still on").get_by_role("listitem")
    await expect(running).to_contain_text("The Wet Boot")
    await second.goto("/matches")
    running = second.page.get_by_role("region", name="Still on").get_by_role("listitem")
    await expect(running).to_contain_text("your turn")
    await running.get_by_role("link").click()
    await expect(second.heading("Your turn")).to_be_visible()
    assert await second.hand() == hand
    await bid(second, 2, 3)
    await first.goto(f"/t/{code}")
    await call(first, "Liar!")
    await read_verdict(second)
    await continue_match(users)
    await expect(second.page.get_by_role("banner")).to_contain_text("round 2")
    seen_before = json.dumps({code: "1"})  # as if the page had been closed since the match began
    await second.page.evaluate("seen => localStorage.setItem('liarsdice.seen', seen)", seen_before)
    await second.page.reload()
    await second.button("See what happened").click()
    assert re.match(rf"{first.name} was (right|wrong)", await read_verdict(second))
    await expect(second.board.locator(".hand .die")).to_have_count(2)
    await second.button("Back to the table").click()
    await expect(second.board.locator(".hand")).to_have_count(0)
    await second.page.reload()
    await expect(second.dice.first).to_be_visible()
    await expect(second.button("See what happened")).to_have_count(0)


def listed_matches(user: User) -> Locator:
    """The matches in the list of a browser."""
    return user.page.get_by_role("region", name="Latest").get_by_role("listitem").filter(has=user.page.locator("h3"))


async def open_file(user: User, content: str) -> None:
    """Opens a file of matches."""
    file: FilePayload = {"name": "matches.json", "mimeType": "application/json", "buffer": content.encode()}
    await user.page.get_by_label("Open a file").set_input_files(file)


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
