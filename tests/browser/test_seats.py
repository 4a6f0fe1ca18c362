"""Seats survive reloads and lost networks and move to other devices; spectators; and what the host may do."""

import re

import pytest
from playwright.async_api import expect

from tests.browser.round_steps import (
    QUICK_START,
    bid,
    call,
    continue_match,
    current_player,
    lose_die,
    players_in_turn_order,
    read_verdict,
    start_table,
)
from tests.browser.screens import MAX_MATCHES, lose_only_die
from tests.browser.users import DESKTOP, PHONE, NewUser

NAMES = ("Ann", "Ben")
CLASSIC = {"dice.per_player": 5} | QUICK_START
LOST = "The connection is lost. Trying again…"


async def test_a_reload_keeps_seat_and_dice(new_user: NewUser) -> None:
    users, _ = await start_table(new_user, NAMES, "basic", CLASSIC)
    player = await current_player(users)
    before = await player.hand()
    assert len(before) == 5
    await player.page.reload()
    await expect(player.heading("Your turn")).to_be_visible()
    assert await player.hand() == before
    await bid(player, 1, 2)
    await current_player(users, after=player)


async def test_a_lost_network_is_shown_and_missed_events_arrive_later(new_user: NewUser) -> None:
    users, _ = await start_table(new_user, NAMES, "basic", CLASSIC)
    first = await current_player(users)
    other = next(user for user in users if user is not first)
    for user in (first, other):
        user.expect_problem("ERR_INTERNET_DISCONNECTED")
    before = await other.hand()
    await other.context.set_offline(True)
    await expect(other.page.get_by_text(LOST)).to_be_visible()
    await expect(first.board.get_by_text("away")).to_be_visible()
    await bid(first, 2, 3)
    await expect(first.page.get_by_text(f"{other.name} is away")).to_be_visible()
    await expect(first.page.get_by_text(re.compile(r"A bot plays in 0:\d\d")).first).to_be_visible()
    await other.context.set_offline(False)
    await expect(other.page.get_by_text(LOST)).to_have_count(0)
    await expect(other.board.get_by_text("two threes")).to_be_visible()
    await expect(other.heading("Your turn")).to_be_visible()
    await expect(first.board.get_by_text("away")).to_have_count(0)
    assert await other.hand() == before


async def test_a_bot_plays_for_who_has_gone_until_they_open_the_table_again(new_user: NewUser) -> None:
    (ann, ben), code = await start_table(new_user, NAMES, "basic", CLASSIC)
    if await current_player([ann, ben]) is ann:
        await bid(ann, 1, 2)
    await current_player([ann, ben], after=ann)
    before = await ben.hand()
    await ben.goto("/")  # as closing the tab does, this ends the connection
    await ann.button("Let a bot play now").click()
    await expect(ann.page.get_by_text("A bot plays for Ben", exact=True)).to_be_visible()
    await expect(ann.board.get_by_role("list").get_by_text("Ben (bot)")).to_be_visible()
    await ben.goto(f"/t/{code}")
    await expect(ann.page.get_by_text("A bot plays for Ben", exact=True)).to_have_count(0)
    await expect(ann.board.get_by_text("Ben (bot)")).to_have_count(0)
    await expect(ben.dice).to_have_count(len(before))
    assert await ben.hand() == before


async def test_a_seat_link_moves_the_seat_to_another_device(new_user: NewUser) -> None:
    users, _ = await start_table(new_user, NAMES, "basic", CLASSIC)
    player = await current_player(users)
    before = await player.hand()
    await player.button("Table menu").click()
    await player.button("My seat on another device").click()
    link = await player.page.get_by_role("textbox", name="My seat on another device").input_value()
    phone = await new_user("phone", PHONE)
    await phone.page.goto(link)
    await expect(phone.heading("Your turn")).to_be_visible()
    assert await phone.hand() == before
    assert "seat=" not in phone.page.url
    await player.page.keyboard.press("Escape")
    await bid(phone, 1, 2)
    await current_player(users, after=player)

    stranger = await new_user("stranger")
    stranger.expect_problem("403")
    await stranger.page.goto(link)
    await expect(stranger.page.get_by_role("alert").get_by_text("You may not do that")).to_be_visible()
    await expect(stranger.dice).to_have_count(0)


async def test_a_spectator_sees_no_dice_before_a_reveal(new_user: NewUser) -> None:
    users, code = await start_table(new_user, NAMES, "basic", CLASSIC)
    player = await current_player(users)
    watcher = await new_user("Cyd")
    await watcher.goto(f"/t/{code}")
    await expect(watcher.page.get_by_text("You are watching.")).to_be_visible()
    await expect(watcher.page.get_by_text("A match is on. You can sit down when it is over.")).to_be_visible()
    await expect(watcher.page.get_by_role("img", name=re.compile("a die showing"))).to_have_count(0)
    await expect(watcher.action_panel.get_by_role("button", name="What do the words mean?")).to_be_visible()
    await expect(watcher.action_panel.get_by_role("button")).to_have_count(1)
    await bid(player, 1, 2)
    await expect(watcher.board.get_by_text("one two")).to_be_visible()
    caller = await current_player(users, after=player)
    await call(caller, "Liar!")
    result = await read_verdict(watcher)
    assert re.match(rf"{caller.name} was (right|wrong)", result)
    await expect(watcher.board.locator(".hand .die")).to_have_count(10)
    await continue_match(users)
    await expect(watcher.board.locator(".hand")).to_have_count(0)


async def test_the_host_mutes_and_removes_players(new_user: NewUser) -> None:
    ann, ben = await new_user("Ann"), await new_user("Ben")
    code = await ann.open_table("basic", seats=3)
    await ben.join(code)
    await ann.action_panel.get_by_role("button", name="Ben: more").click()
    await ann.button("Mute for everybody").click()
    await expect(ben.page.get_by_text("The host has muted you.")).to_be_visible()
    await expect(ben.page.get_by_label("Say something")).to_have_count(0)
    await ann.action_panel.get_by_role("button", name="Ben: more").click()
    await ann.button("Let them speak again").click()
    await ben.button("Nice hand").click()
    await expect(ann.page.get_by_role("list", name="What was said and done")).to_contain_text("Nice hand")
    await ann.action_panel.get_by_role("button", name="Ben: more").click()
    await ann.button("Remove for good").click()
    await expect(ann.action_panel.get_by_text("Ben", exact=True)).to_have_count(0)
    await expect(ben.button("Sit down")).to_be_visible()
    await expect(ben.page.get_by_label("Say something")).to_have_count(0)


async def test_a_removed_player_sits_down_again_only_when_the_host_lets_them(new_user: NewUser) -> None:
    ann, ben = await new_user("Ann"), await new_user("Ben")
    await ben.join(await ann.open_table("basic", seats=3))
    await ann.action_panel.get_by_role("button", name="Ben: more").click()
    await ann.button("Remove for the next match").click()
    ben.expect_problem("403")
    await ben.button("Sit down").click()
    await expect(ben.page.get_by_text("The host has removed you from this table.")).to_be_visible()
    await ann.button("Table menu").click()
    await ann.button("Removed people").click()
    await ann.button("Let Ben return").click()
    await expect(ann.button("Let Ben return")).to_have_count(0)
    await ben.button("Sit down").click()
    await expect(ben.page.get_by_text("Ben (you)")).to_be_visible()


async def test_messages_of_a_hidden_player_are_not_shown(new_user: NewUser) -> None:
    ann, ben = await new_user("Ann"), await new_user("Ben")
    await ben.join(await ann.open_table("basic", seats=2))
    log = ben.page.get_by_role("list", name="What was said and done")
    await ann.button("Bold.").click()
    await expect(log.get_by_text("Bold.")).to_be_visible()
    await ben.action_panel.get_by_role("button", name="Ann: more").click()
    await ben.button("Hide what they say").click()
    await expect(log.get_by_text("Bold.")).to_have_count(0)


SAY_AT_ONCE = """(field, lines) => {
  for (const line of lines) {
    field.value = line;
    field.dispatchEvent(new Event("input"));
    field.form.requestSubmit();
  }
}"""


async def test_a_line_that_was_said_too_soon_after_another_stays_in_its_field(new_user: NewUser) -> None:
    ann = await new_user("Ann")
    await ann.open_table("basic", seats=2)
    field = ann.page.get_by_label("Say something")
    await field.evaluate(SAY_AT_ONCE, ["First.", "Then this."])
    log = ann.page.get_by_role("list", name="What was said and done")
    await expect(log.get_by_text("First.")).to_be_visible()
    await expect(field).to_have_value("Then this.")
    await field.fill("")
    await expect(field).to_have_value("")


async def test_the_host_locks_the_table(new_user: NewUser) -> None:
    ann, ben = await new_user("Ann"), await new_user("Ben")
    await ben.goto(f"/t/{await ann.open_table('basic', seats=3)}")
    await expect(ben.button("Sit down")).to_be_visible()
    await ann.button("Table menu").click()
    await ann.button("Lock the table: nobody new sits down").click()
    await expect(ben.page.get_by_text("The host has locked this table.")).to_be_visible()
    await expect(ben.button("Sit down")).to_have_count(0)
    await ann.button("Table menu").click()
    await ann.button("Unlock the table").click()
    await ben.page.get_by_label("Your name").fill("Ben")
    await ben.button("Sit down").click()
    await expect(ben.page.get_by_text("Ben (you)")).to_be_visible()


async def test_the_host_decides_who_sits_down(new_user: NewUser) -> None:
    ann, ben = await new_user("Ann"), await new_user("Ben")
    await ben.goto(f"/t/{await ann.open_table('basic', seats=3, approval=True)}")
    await ben.page.get_by_label("Your name").fill("Ben")
    await ben.button("Ask for a seat").click()
    await expect(ben.page.get_by_text("You have asked for a seat.")).to_be_visible()
    await expect(ann.page.get_by_text("Ben asks for a seat.")).to_be_visible()
    await ann.button("Give Ben a seat").click()
    await expect(ben.page.get_by_text("Ben (you)")).to_be_visible()
    await expect(ann.action_panel.get_by_text("Ben", exact=True)).to_be_visible()


async def test_phrases_and_emotes_are_seen_at_the_seat_of_who_said_them(new_user: NewUser) -> None:
    users, _ = await start_table(new_user, ("Ann", "Ben"), "basic", QUICK_START)
    ann, ben = await players_in_turn_order(users)
    await ann.button("I don't believe you").click()
    await expect(ben.board.locator(".seats .speech")).to_have_text("I don't believe you")
    await expect(ann.board.locator(".own-dice .talk")).to_have_text("I don't believe you")

    await expect(ben.board.locator(".seats .speech")).to_have_count(0)  # a seat may say one thing a second
    emotes = ann.board.get_by_role("group", name="Emotes")
    await ann.dice.first.hover()
    await ann.page.mouse.down()
    await expect(emotes).to_be_visible()  # the finger is still down
    await ann.page.mouse.up()
    await expect(emotes.get_by_role("button")).to_have_count(6)
    await emotes.get_by_role("button", name="Cheers").click()
    await expect(emotes).to_be_hidden()
    await expect(ben.board.locator(".seats .emote svg")).to_be_visible()
    await expect(ben.page.get_by_role("list", name="What was said and done")).to_contain_text("Cheers")


BOTS = ["novice"] * 4
HANDS_BELOW_THE_COUNT = """() => {
  const count = document.querySelector(".centre").getBoundingClientRect();
  return [...document.querySelectorAll(".seats .seat .hand")].map((hand) => hand.getBoundingClientRect())
    .filter((hand) => hand.bottom > count.top).length;
}"""


async def test_a_player_who_is_out_skips_to_the_end_of_a_match_between_bots(new_user: NewUser) -> None:
    ann = await new_user("Ann", PHONE)
    for _ in range(MAX_MATCHES):
        await ann.open_table("basic", {"dice.per_player": 1}, seats=len(BOTS) + 1, bots=BOTS, begin=True)
        if await lose_only_die(ann) and await ann.board.locator(".seats .hand").count() == len(BOTS):
            break
    assert await ann.page.evaluate(HANDS_BELOW_THE_COUNT) == 0
    await ann.button("Skip to the end").click()
    await expect(ann.heading("Good game")).to_be_visible()
    await expect(ann.page.get_by_role("list", name="Final order").get_by_role("listitem")).to_have_count(len(BOTS) + 1)
    await expect(ann.button("Rematch")).to_be_visible()


async def test_quick_play_is_one_click_and_the_first_bid_comes_within_seconds(new_user: NewUser) -> None:
    ann = await new_user("Ann", everything=True)
    await ann.goto("/")
    await ann.page.evaluate("navigator.serviceWorker.ready.then(() => true)")
    await ann.button(re.compile("Play now")).click()
    await ann.page.wait_for_url("**/t/*")
    await expect(ann.dice).to_have_count(5)
    await expect(ann.heading("Your turn")).to_be_visible()
    await expect(ann.board.get_by_role("button", name=re.compile(": more"))).to_have_count(3)


async def test_quick_play_remembers_its_options(new_user: NewUser) -> None:
    ann = await new_user("Ann")
    await ann.goto("/")
    await ann.page.get_by_text("Change the game, the bots or your name").click()
    await ann.page.get_by_label("Game").select_option("Mustache house rules")
    await ann.page.get_by_label("Bots", exact=True).select_option("1 bot")
    await ann.page.get_by_label("Your name").fill("Ann")
    await ann.button(re.compile("Play now")).click()
    await ann.page.wait_for_url("**/t/*")
    await expect(ann.page.get_by_role("banner").get_by_role("link", name="Mustache house rules")).to_be_visible()
    await expect(ann.board.get_by_role("button", name=re.compile(": more"))).to_have_count(1)
    await ann.goto("/")
    await expect(ann.button(re.compile("Play now")).get_by_text("against one bot")).to_be_visible()


async def test_a_table_with_changed_rules_says_so_in_its_rulebook_and_plays_them(new_user: NewUser) -> None:
    ann = await new_user("Ann")
    await ann.goto("/new")
    await ann.page.get_by_role("radio", name=re.compile("Mustache house rules")).check()
    rulebook = ann.page.get_by_role("group", name="The rules at this table")
    await expect(rulebook).to_contain_text("five dice with faces 1 to 6")
    await expect(rulebook).to_contain_text("Mustache Round")
    await ann.page.get_by_text("Variants of").click()
    await ann.button("Dice each at the start: less").click()
    await expect(rulebook).to_contain_text("four dice with faces 1 to 6")
    changed = ann.page.locator("main [aria-live]").get_by_text(re.compile("^Changed: .*four dice"))
    await expect(changed).to_be_attached()
    round_switch = ann.page.locator("[data-path='special_round']")
    await round_switch.get_by_role("switch").click()
    await expect(rulebook).not_to_contain_text("Mustache Round")
    await round_switch.get_by_role("button", name=re.compile("Undo")).click()
    await expect(rulebook).to_contain_text("Mustache Round")
    await ann.page.get_by_label("Your name").fill("Ann")
    await ann.page.get_by_text("More", exact=True).click()
    await ann.page.get_by_label("Name of the table").fill("The Wet Boot")
    await ann.button("Open the table").click()
    await expect(ann.heading("The Wet Boot")).to_be_visible()
    await expect(ann.page.get_by_text("Ann (you)")).to_be_visible()
    await ann.action_panel.get_by_role("button", name="Add bot").click()
    await ann.button("Start the match").click()
    await expect(ann.dice).to_have_count(4)
    async with ann.context.expect_page() as opened:
        await ann.page.get_by_role("banner").get_by_role("link", name="Mustache house rules").click()
    sheet = await opened.value
    await expect(sheet.get_by_text("four dice with")).to_be_visible()


@pytest.mark.parametrize(
    "language, counted, nothing, variants",
    [
        ("en", "game", "No game has these words", "Variants of"),
        ("es", "juego", "Ningún juego tiene esas palabras", "Variantes de"),
    ],
)
async def test_a_game_is_searched_chosen_and_opened_with_keys_alone(
    new_user: NewUser, language: str, counted: str, nothing: str, variants: str
) -> None:
    ann = await new_user("Ann", PHONE, language=language)
    await ann.goto("/new")
    field = ann.page.get_by_role("searchbox")
    status = ann.page.get_by_role("status").filter(has_text=re.compile(rf"{counted}|{nothing}", re.IGNORECASE))
    cards = ann.page.locator(".preset")
    await field.focus()
    for searched, title in (
        ("Dinamarca", "Snyd"),
        ("denmark", "Snyd"),
        ("SNÝD", "Snyd"),
        ("terno  sena", "Dado Mentiroso"),
        ("ninguna apuesta baja la cara", "Dudo Chimbo 9"),
        ("no bid lowers the face", "Dudo Chimbo 9"),
    ):
        await field.fill(searched)
        await expect(cards.filter(has_text=title).first).to_be_visible()
        await expect(cards.filter(has_text="Perudo of Paco")).to_have_count(0)
        await expect(status).to_contain_text(re.compile(counted, re.IGNORECASE))
    await field.fill("xyzzy")
    await expect(status).to_contain_text(nothing)
    await expect(cards).to_have_count(0)
    await ann.page.keyboard.press("Enter")  # opens no table
    await ann.page.keyboard.press("Escape")
    await expect(field).to_have_value("")
    await expect(status).to_have_count(0)
    await expect(cards).to_have_count(4)

    await ann.page.keyboard.type("Maputo")
    await expect(cards).to_contain_text(["Перудо", "Википедия"])
    await ann.page.keyboard.press("Tab")
    await ann.page.keyboard.press("ArrowDown")
    await expect(ann.page.get_by_text(variants)).to_contain_text("Википедия")
    await field.focus()
    await ann.page.keyboard.press("Escape")
    await expect(cards.filter(has=ann.page.locator(":checked"))).to_contain_text("Википедия")
    await ann.page.locator("#open").press("Enter")
    await ann.page.wait_for_url("**/t/*")
    await expect(ann.page.get_by_role("banner").get_by_role("link", name="Википедия")).to_be_visible()


async def test_conflicting_rules_say_why(new_user: NewUser) -> None:
    ann = await new_user("Ann")
    await ann.goto("/new?rules=classic&bidding.raise=either_increases")
    alert = ann.page.get_by_role("region", name="The rules at this table").get_by_role("alert")
    await expect(alert).to_contain_text("These rules do not work together yet:")
    await expect(alert).to_contain_text("Bids could go round in a loop: 1×2 → 2×1 → 1×2.")
    await expect(ann.button("Open the table")).to_be_disabled()
    await ann.button("Undo all changes").click()
    await expect(alert).to_have_count(0)
    await expect(ann.button("Open the table")).to_be_enabled()
    raise_rule = ann.page.locator("[data-path='bidding.raise']")
    await raise_rule.locator("summary").click()
    options = raise_rule.get_by_role("radio", disabled=True)
    await expect(options).to_have_count(1)  # one relation has loops
    for option in await options.all():
        await expect(option).to_have_accessible_description(
            re.compile(r"Not possible with the other rules\. Bids could go round")
        )


async def test_a_typed_code_opens_the_table(new_user: NewUser) -> None:
    ann, ben = await new_user("Ann"), await new_user("Ben", PHONE)
    code = await ann.open_table("perudo", seats=2)
    await ben.goto("/")
    await ben.page.get_by_label("Have a code?").fill(f" {code[:2].lower()} {code[2:].lower()}")
    await ben.button("Join").tap()
    await ben.page.get_by_label("Your name").fill("Ben")
    await ben.button("Sit down").tap()
    await expect(ben.page.get_by_text("Ben (you)")).to_be_visible()
    await expect(ann.action_panel.get_by_text("Ben", exact=True)).to_be_visible()


async def test_on_a_narrow_phone_the_field_shows_the_whole_code(new_user: NewUser) -> None:
    ana = await new_user("Ana", language="es")
    await ana.goto("/")
    field = ana.page.get_by_label("¿Tienes un código?")
    await field.fill("WXWM")
    for width in (320, 360, 390, 400):
        await ana.page.set_viewport_size({"width": width, "height": 640})
        assert await field.evaluate("field => field.scrollWidth <= field.clientWidth"), width


async def test_an_unknown_code_says_what_to_do(new_user: NewUser) -> None:
    ann = await new_user("Ann")
    await ann.goto("/t/NOSUCH")
    await expect(ann.heading("There is no such table")).to_be_visible()
    ben = await new_user("Ben")
    code = await ben.open_table("perudo", seats=2)
    await ann.page.get_by_label("Have a code?").fill(code)
    await ann.button("Join").click()
    await expect(ann.button("Sit down")).to_be_visible()
    await ann.goto("/t/NOSUCH")
    await ann.page.get_by_role("link", name="Go to the start").click()
    await expect(ann.button(re.compile("Play now"))).to_be_visible()


async def test_the_page_has_the_language_of_the_browser_until_another_is_chosen(new_user: NewUser) -> None:
    ana = await new_user("Ana", language="es-MX")
    await ana.goto("/")
    await expect(ana.button(re.compile("Jugar ya"))).to_be_visible()
    await ana.page.get_by_label("Idioma").select_option("English")
    await expect(ana.button(re.compile("Play now"))).to_be_visible()
    await ana.page.reload()
    await expect(ana.button(re.compile("Play now"))).to_be_visible()
    await expect(ana.page.locator("html")).to_have_attribute("lang", "en")
    await ana.goto("/rules/mustache")
    await expect(ana.page.get_by_text(re.compile("two or more players", re.IGNORECASE))).to_be_visible()
    await ana.page.get_by_label("Language").select_option("Español")
    await expect(ana.page.get_by_text(re.compile("dos personas o más", re.IGNORECASE))).to_be_visible()


PHONES = ((390, 844), (844, 390), (360, 640))
TOO_HIGH = "document.documentElement.scrollHeight - innerHeight"


async def test_guests_accept_another_game_after_a_match_and_every_tab_leads_back_to_their_table(
    new_user: NewUser,
) -> None:
    users, _ = await start_table(new_user, ("Ann", "Ben"), "basic", {"dice.per_player": 1} | QUICK_START)
    ann, ben = users
    await lose_die(ben, users)
    for user in users:
        await user.button("The final order").click()
    await ann.button("Change the table").click()
    await ann.page.get_by_text("Rules: Basic").click()
    await ann.page.get_by_role("radio", name=re.compile("^Perudo")).check()
    await ann.button("Dice each at the start: less").click()
    await expect(ann.page.get_by_text("4 dice each")).to_be_visible()
    await ann.button("Save changes").click()

    await expect(ben.heading("The rules have changed")).to_be_visible()
    await expect(ben.action_panel.locator("del").first).to_contain_text("Basic")
    await expect(ben.action_panel.locator("ins").first).to_contain_text("Perudo")
    await expect(ann.page.get_by_text("Ben has not accepted them yet.")).to_be_visible()
    await ann.button("Rematch").click()
    await expect(ben.page.get_by_text("1 of 2 wants a rematch")).to_be_visible()
    for width, height in (*PHONES, DESKTOP):
        await ben.page.set_viewport_size({"width": width, "height": height})
        await expect(ben.button("Play by these rules")).to_be_in_viewport(ratio=1)
    await ben.button("Play by these rules").click()
    await expect(ben.dice).to_have_count(4)

    tab = await ben.context.new_page()
    for path in ("/", "/rules", "/new"):
        await tab.goto(ben.server.address + path)
        await expect(tab.get_by_role("link", name="Return to your table")).to_be_visible()
    other = await ann.post("/api/tables", {"name": "Ann", "rules": "basic", "changes": {}, "title": "Another"})
    await tab.goto(f"{ben.server.address}/t/{other['code']}")
    await expect(tab.get_by_role("link", name="Return to your table")).to_be_visible()
    await expect(tab.get_by_role("button", name="Sit down")).to_be_visible()
    assert await tab.evaluate(TOO_HIGH) == 0
    await tab.get_by_role("link", name="Return to your table").click()
    await expect(tab.get_by_role("list", name="Your dice").get_by_role("img")).to_have_count(4)
    await expect(tab.get_by_role("link", name="Return to your table")).to_have_count(0)
    await ben.page.go_back()
    await ben.goto("/lobby")
    await expect(ben.page.get_by_role("link", name="Return to your table")).to_be_visible()
