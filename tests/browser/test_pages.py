"""Matches from their beginning to the page after their end, and the pages around them."""

import re
from typing import Any

import pytest
from playwright.async_api import FilePayload, Locator, expect

from liarsdice.core.rules.presets import PRESETS
from liarsdice.core.text.rulebook import LANGUAGES
from tests.browser.match_player import Player, make_bid, play_match, play_to_the_end, start_match
from tests.browser.round_steps import QUICK_START, call, current_player, lose_die, raise_bid, read_verdict, start_table
from tests.browser.screen_steps import open_page
from tests.browser.test_accessibility import find_faults
from tests.browser.users import DESKTOP, PHONE, NewUser, User

PAGE = re.compile(rb"/Type\s*/Page\b")
KEEP_SHEET = """() => {
  const sheet = document.querySelector("article.sheet").cloneNode(true);
  sheet.classList.add("printed");
  (globalThis.sheets ??= []).push(sheet);
}"""
SHOW_SHEETS = """(index) => {
  const pages = sheets.filter((_, place) => index === null || place === index).map((sheet) => {
    const page = document.createElement("div");
    page.style.breakAfter = "page";
    page.append(sheet.cloneNode(true));
    return page;
  });
  document.body.replaceChildren(...pages);
}"""


async def count_pages(reader: User, index: int | None = None) -> int:
    """The number of pages on which all kept sheets print, or one of them, each from the top of a page."""
    await reader.page.evaluate(SHOW_SHEETS, index)
    pdf = await reader.page.pdf(format="A4", prefer_css_page_size=True, print_background=False)
    return len(PAGE.findall(pdf))


@pytest.mark.parametrize("language", LANGUAGES)
async def test_every_rule_sheet_prints_on_one_page(new_user: NewUser, language: str) -> None:
    reader = await new_user("Ann", language=language, drawn=True)
    for name in PRESETS:
        await open_page(f"{reader.server.address}/rules/{name}", shown="article h2")(reader.page)
        await reader.page.evaluate(KEEP_SHEET)
    if await count_pages(reader) != len(PRESETS):
        page_counts = {name: await count_pages(reader, index) for index, name in enumerate(PRESETS)}
        assert {name: count for name, count in page_counts.items() if count != 1} == {}
        raise AssertionError("the sheets do not print on one page each, but each alone does")


async def test_the_rules_lead_to_measured_advice_and_to_charts_for_them(new_user: NewUser) -> None:
    ann = await new_user("Ann")
    await ann.goto("/rules/classic")
    await ann.page.get_by_role("link", name="Strategy, measured").click()
    await expect(ann.page.get_by_role("heading", name=re.compile("^“"))).to_have_count(6)
    await expect(ann.page.get_by_role("img", name=re.compile("^Without wild dice"))).to_be_visible()
    await ann.page.get_by_label("Rules").select_option("perudo")
    await expect(ann.page.get_by_role("img", name=re.compile("^With wild dice"))).to_be_visible()


RULE_SHEETS: list[tuple[str, dict[str, Any]]] = [
    ("chart", {"dice.per_player": 2}),
    ("classic+aces+palifico+calza+reversa", {"dice.per_player": 2}),
    ("basic", {"dice.per_player": 2, "loss.lives": 2}),
]


@pytest.mark.parametrize(
    "rules, changes",
    RULE_SHEETS,
    ids=[rules + (" for lives" if "loss.lives" in changes else "") for rules, changes in RULE_SHEETS],
)
async def test_three_users_play_a_match_and_see_the_same(
    new_user: NewUser, rules: str, changes: dict[str, Any]
) -> None:
    ann, ben, cyd = await new_user("Ann"), await new_user("Ben"), await new_user("Cyd")
    code = await ann.open_table(rules, changes, seats=3)
    await ben.join(code)
    await cyd.join(code)
    await start_match(ann, ben, cyd)
    all_notes = await play_match([ann, ben, cyd], seed=1, exact="Calza!")
    assert re.search(r"(Ann|Ben|Cyd) (was|were) (right|wrong)", all_notes[0].results[1])
    assert len(all_notes[0].final_order) == 3
    await expect(ann.button("Rematch")).to_be_visible()


HEIGHT_IN_LINES = "line => line.getBoundingClientRect().height / parseFloat(getComputedStyle(line).lineHeight)"


async def expect_note(user: User, word: Locator, sentence: str) -> None:
    """Opens the explanation of a word by the keyboard, and closes it again."""
    await word.focus()
    await user.page.keyboard.press("Enter")
    note = user.page.locator("[popover]")
    await expect(note).to_have_text(sentence)
    await expect(note).to_be_focused()
    await expect(note).to_be_in_viewport(ratio=1)
    await expect(word).to_have_attribute("aria-expanded", "true")
    await user.page.keyboard.press("Escape")
    await expect(note).to_have_count(0)
    await expect(word).to_be_focused()


async def test_the_words_of_the_rules_are_explained_by_keyboard_in_each_language(new_user: NewUser) -> None:
    for language, palifico, paco in (
        (
            "en",
            "Palifico is played by rules of its own, because a player is down to one die.",
            "Pacos: the dice that show 1, which count as any face while they are wild.",
        ),
        (
            "es",
            "Palifico se juega con reglas propias, porque a alguien solo le queda un dado.",
            "Pacos: los dados que muestran 1, que cuentan como cualquier cara mientras son comodines.",
        ),
    ):
        user = await new_user("Ann", language=language)
        await user.goto("/rules/perudo")
        await expect_note(user, user.page.locator("article button", has_text="Palifico").first, palifico)
        await expect_note(user, user.page.locator("article button", has_text="pacos").first, paco)


async def test_the_words_on_buttons_and_in_the_log_are_explained_on_a_phone(new_user: NewUser) -> None:
    ann = await new_user("Ann", PHONE, drawn=True)
    rules = {"dice.per_player": 2} | QUICK_START
    await ann.open_table("perudo", rules, seats=2, bots=["random"], begin=True)
    next_button = ann.action_panel.locator(".next .btn")
    chart, dudo = ann.action_panel.get_by_role("grid"), ann.action_panel.get_by_role("button", name="Dudo!")
    await chart.wait_for()
    await ann.button("What do the words mean?").tap()
    note = ann.page.get_by_role("dialog", name="What do the words mean?")
    await expect(note).to_contain_text("Dudo! claims that the bid is too high")
    await expect(note).to_contain_text("Calza! claims that the bid is exactly right")
    assert await find_faults(ann.page) == []
    await ann.page.keyboard.press("Escape")
    while not await next_button.is_visible():
        await chart.or_(next_button).first.wait_for()
        if await dudo.is_visible():
            await call(ann, "Dudo!")
            await next_button.first.wait_for()
        elif await chart.is_visible():
            handle = await chart.element_handle()
            await make_bid(ann, "1,2")
            await handle.wait_for_element_state("hidden")
    await read_verdict(ann)
    await ann.button("Table talk").tap()
    log = ann.page.get_by_role("list", name="What was said and done")
    word = log.get_by_role("button", name="Dudo!")
    call_line = log.get_by_role("listitem").filter(has=ann.button("Dudo!")).first
    assert await call_line.evaluate(HEIGHT_IN_LINES) < 1.5, "a word breaks no line"
    await word.first.tap()
    await expect(ann.page.locator("dialog [popover]")).to_contain_text("Dudo! claims that the bid is too high")
    assert await find_faults(ann.page) == []


async def test_the_puzzle_of_the_day_is_answered_by_keyboard_and_remembered(new_user: NewUser) -> None:
    ann = await new_user("Ann", drawn=True)
    await ann.goto("/puzzles")
    await expect(ann.page.get_by_role("heading", name="What would you do?")).to_be_visible()
    assert await find_faults(ann.page) == []
    await ann.page.keyboard.press("1")
    await expect(
        ann.page.get_by_role("heading", name=re.compile("better than the next best|points behind"))
    ).to_be_focused()
    await expect(ann.page.get_by_role("heading", name="What each move wins")).to_be_visible()
    assert await find_faults(ann.page) == []
    await ann.page.reload()
    right = ann.page.get_by_role("listitem").filter(has_text=re.compile("✓|✕"))
    await expect(right).to_have_count(1)


async def test_puzzles_of_a_theme_are_asked_on_a_phone_in_spanish(new_user: NewUser) -> None:
    ana = await new_user("Ana", PHONE, language="es", drawn=True)
    await ana.goto("/puzzles")
    await ana.page.get_by_role("button", name="Abrir").click()
    await ana.page.get_by_role("group", name="Tu jugada").get_by_role("button").first.click()
    await expect(ana.page.get_by_role("heading", name="Lo que gana cada jugada")).to_be_visible()
    assert await find_faults(ana.page) == []
    await ana.page.get_by_role("button", name="El problema de hoy").click()
    await expect(ana.page.get_by_role("heading", name="¿Qué harías?")).to_be_visible()


async def test_the_puzzle_of_the_day_is_answered_without_a_network_by_a_page_that_never_showed_one(
    new_user: NewUser,
) -> None:
    ann = await new_user("Ann", everything=True)
    ann.expect_problem("ERR_INTERNET_DISCONNECTED|Failed to fetch")
    await ann.goto("/")
    await ann.page.evaluate("navigator.serviceWorker.ready.then(() => true)")
    await ann.context.set_offline(True)
    (worker,) = ann.context.service_workers
    assert await worker.evaluate("fetch('/icon.svg').then(() => 'online', () => 'offline')") == "offline"
    await ann.goto("/puzzles")
    await expect(ann.heading("What would you do?")).to_be_visible()
    await ann.page.keyboard.press("1")
    await expect(ann.heading("What each move wins")).to_be_visible()
    await ann.page.reload()
    await expect(ann.page.get_by_role("listitem").filter(has_text=re.compile("✓|✕"))).to_have_count(1)


async def open_training(user: User) -> None:
    """Open a training table with two bots, and wait for the estimates of the user's own turn."""
    await user.open_table("perudo", seats=3, bots=["novice", "novice"], begin=True, training=True)
    await user.button("Training").click()
    await expect(estimates(user).get_by_text("What it would tell them")).to_be_visible()
    await expect(estimates(user)).to_have_attribute("aria-busy", "false")


def estimates(user: User) -> Locator:
    return user.page.get_by_role("region", name="Training", exact=True)


async def test_a_player_looks_at_a_move_and_makes_it(new_user: NewUser) -> None:
    ann = await new_user("Ann")
    await open_training(ann)
    panel = estimates(ann)
    moves = panel.get_by_role("button", name=re.compile(r"%"))
    await expect(panel.get_by_role("button", name=re.compile(r"%"), pressed=True)).to_have_count(1)
    await moves.nth(1).click()
    await expect(moves.nth(1)).to_have_attribute("aria-pressed", "true")
    await expect(panel.get_by_text(re.compile("They would think|It tells them|You show nothing"))).to_be_visible()
    await ann.button("Your move").click()
    await expect(panel).to_have_count(0)


async def test_estimates_come_again_at_the_next_turn(new_user: NewUser) -> None:
    ann, ben = await new_user("Ann"), await new_user("Ben")
    code = await ann.open_table("perudo", QUICK_START, seats=2, training=True)
    await ben.join(code)
    await start_match(ann, ben)
    if await current_player([ann, ben]) is ben:
        await raise_bid(ben)
    await ann.button("Training").click()
    bids = estimates(ann).locator(".moves button", has_not_text="!")
    for _ in range(2):
        await bids.first.click()
        await estimates(ann).locator(".big:not(:disabled)").click()
        await raise_bid(ben)
    await expect(estimates(ann)).to_have_attribute("aria-busy", "false")
    await expect(bids.first).to_be_visible()
    await expect(estimates(ann).locator(".big")).to_be_enabled()


async def test_everybody_at_the_table_sees_that_it_is_for_training(new_user: NewUser) -> None:
    ann, ben = await new_user("Ann"), await new_user("Ben")
    code = await ann.open_table("perudo", seats=3, training=True)
    await ben.join(code)
    await expect(ben.page.get_by_role("banner").get_by_text("training")).to_be_visible()


NO_SIDEWAYS_SCROLLING = "document.documentElement.scrollWidth <= innerWidth"


class ShowingPlayer(Player):
    """A player who calls the highest bid only and shows a die with every bid that allows it.

    `shown_again` counts those that came to others in the open.
    """

    p_call = 0
    shown_again = 0

    async def bid(self, bid: str) -> None:
        """Makes a bid, given as `quantity,face`, and shows the first die that may be shown."""
        panel = self.user.action_panel
        await panel.get_by_role("grid").locator(f"[data-bid='{bid}']").click()
        dice = panel.get_by_role("button", name="Show a")
        if await dice.count() > 0 and await dice.first.is_enabled():
            await dice.first.click()
            await expect(dice.first).to_have_attribute("aria-pressed", "true")
            assert await self.user.page.evaluate(NO_SIDEWAYS_SCROLLING)
            self.shown_again += await self.user.board.locator(".own-dice .in-the-open").count() > 0
        await make_bid(self.user, bid)


async def seat_users(new_user: NewUser, rules: str, changes: dict[str, Any], *names: str) -> list[User]:
    """Seats users at a table, the first and the third with a phone, and starts the match."""
    users = [await new_user(name, (PHONE, DESKTOP)[index % 2]) for index, name in enumerate(names)]
    host, *guests = users
    code = await host.open_table(rules, changes, seats=len(users))
    for guest in guests:
        await guest.join(code)
    await start_match(host, *guests)
    return users


async def test_cacho_is_played_to_its_end(new_user: NewUser) -> None:
    users = await seat_users(new_user, "cacho", {"dice.per_player": 2}, "Ann", "Ben", "Cyd")
    notes = await play_match(users, seed=3, challenge="Dudo!", exact="Calzo!")
    assert len(notes[0].final_order) == 3


async def test_a_game_of_bars_is_played_to_its_end(new_user: NewUser) -> None:
    users = await seat_users(new_user, "bar-strict", {"guards.max_rounds": 3}, "Ann", "Ben")
    notes = await play_match(users, seed=1, challenge="Open!")
    assert len(notes[0].final_order) == 2
    assert "drink" in " ".join(notes[0].results.values())


async def test_a_match_for_points_ends_once_somebody_has_them(new_user: NewUser) -> None:
    users = await seat_users(new_user, "chui-niu+points", {"loss.lives": 2}, "Ann", "Ben")
    notes = await play_match(users, seed=1, challenge="Open!")
    assert "point" in " ".join(notes[0].results.values())
    assert 2 <= len(notes[0].results) <= 3
    assert len(notes[0].final_order) == 2


async def test_bids_about_the_own_dice_are_played_until_one_player_has_enough(new_user: NewUser) -> None:
    users = await seat_users(new_user, "basic+aetolia", {"dice.per_player": 4}, "Ann", "Ben")
    notes = await play_match(users, seed=1)
    assert len(notes[0].final_order) == 2


async def test_winners_put_dice_away_until_one_player_alone_has_some(new_user: NewUser) -> None:
    users = await seat_users(new_user, "snyd+all-but-loser", {"dice.per_player": 2}, "Ann", "Ben", "Cleo")
    notes = await play_match(users, seed=1)
    told = " ".join(notes[0].results.values())
    assert re.search(r"puts? one die away( each)?\..* (is|are) safe\.", told)
    assert not re.search(r"\bloses?\b|\bout\b", told)
    assert len(notes[0].final_order) == 3


async def test_the_boxed_game_is_played_to_its_end_with_dice_shown_again_and_again(new_user: NewUser) -> None:
    changes = {"dice.per_player": 4, "dice.faces": 3, "loss.mode": "fixed"}  # many bids that dice count for
    users = await seat_users(new_user, "bluff+show-dice", changes, "Ann", "Ben")
    players = [ShowingPlayer(user, 2, challenge="Bluff!") for user in users]
    notes = await play_to_the_end(players)
    assert len(notes[0].final_order) == 2
    assert sum(player.shown_again for player in players) > 0


async def test_players_read_the_review_watch_the_replay_verify_the_dice_and_play_on_to_the_end_of_a_series(
    new_user: NewUser,
) -> None:
    changes = {"dice.per_player": 1} | QUICK_START
    users, code = await start_table(new_user, ("Ann", "Ben"), "basic", changes, best_of=3)
    ann, ben = users
    await lose_die(ben, users)
    await expect(ben.dice).to_have_count(1)  # the die that Ben has lost is there until he goes on
    for user in users:
        await user.button("The final order").click()

    await expect(ann.heading("Dice over time")).to_be_visible()
    await save_picture_and_film(ann)

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
    await ann.button("Film of the best moment").click()
    await expect(ann.page.get_by_role("img", name=re.compile("The count was"))).to_be_visible()
    await ann.button("Close").click()

    for name in ("To the table", "Replay", "Verify the dice"):
        await ann.page.get_by_role("link", name=name).click()
    await expect(ann.heading("Every die is as promised")).to_be_visible()
    await expect(ann.page.get_by_text("2 players added seeds of their own.")).to_be_visible()
    record = await ann.context.request.get(f"{ann.server.address}/api/tables/{code}/matches/1")
    changed = re.sub(r'("hands":\[\[)(\d)', lambda die: f"{die[1]}{int(die[2]) % 6 + 1}", await record.text())
    file: FilePayload = {"name": "match.jsonl", "mimeType": "text/plain", "buffer": changed.encode()}
    await ann.page.get_by_label("Choose a file").set_input_files(file)
    await expect(ann.heading("Something does not match")).to_be_visible()

    await play_series_to_its_end(ann, ben, code)


async def play_series_to_its_end(ann: User, ben: User, code: str) -> None:
    """Goes on to the second match of a series, which Ann wins like the first."""
    users = [ann, ben]
    await ben.button("Next match").click()
    await ann.goto(f"/t/{code}")
    await expect(ann.action_panel).to_contain_text("Best of 3: You 1, Ben 0")
    await ann.button("Next match").click()
    assert await current_player(users) in users
    for user in users:
        await expect(user.page.get_by_role("banner")).to_contain_text("round 1")
        assert len(await user.hand()) == 1
    await expect(ben.page.get_by_role("banner")).to_contain_text("Best of 3: Ann 1, You 0")
    await expect(ben.board.get_by_title("Matches won: 1")).to_be_visible()
    await lose_die(ben, users)
    for user, result in ((ann, "You win the series"), (ben, "Ann wins the series")):
        await user.button("The final order").click()
        await expect(user.board.get_by_text(result)).to_be_visible()
        await expect(user.button("New series")).to_be_visible()


SHARE_LATE = """() => {
  globalThis.shared = [];
  navigator.canShare = () => true;
  navigator.share = async ({ files: [file] }) => {
    shared.push([file.name, file.size]);
    if (shared.length === 1) throw new DOMException("too long after the click", "NotAllowedError");
  };
}"""
"""A device that shares files, but not without a click."""


async def save_picture_and_film(user: User) -> None:
    """Saves the picture of a result, and saves and sends the film of its best moment, which is stopped at first."""
    async with user.page.expect_download() as download:
        await user.button("Save picture").click()
    picture = await (await download.value).path()
    assert picture.read_bytes().startswith(b"\x89PNG")

    await user.page.evaluate(SHARE_LATE)
    await user.button("The best moment as a film").click()
    dialog = user.page.get_by_role("dialog", name="The best moment")
    save = dialog.get_by_role("button", name="Save film")
    await save.click()
    await dialog.get_by_text(re.compile("Drawing it, frame .* of 180")).wait_for()
    assert await find_faults(user.page) == []
    await dialog.get_by_role("button", name="Stop").click()
    async with user.page.expect_download() as download:
        await save.click()
    film = await download.value
    data = (await film.path()).read_bytes()
    if film.suggested_filename.endswith(".mp4"):
        times = data.index(b"mvhd") + 24  # version 1: after two dates of 8 bytes
        scale, length = int.from_bytes(data[times : times + 4]), int.from_bytes(data[times + 4 : times + 12])
        assert data[4:8] == b"ftyp"
        assert length >= 5.9 * scale
    else:
        assert data.startswith(b"\x1aE\xdf\xa3")  # WebM of a recorder does not say how long it is
    assert len(data) > 30_000
    await expect(dialog.get_by_text(f"Saved: {film.suggested_filename}")).to_be_visible()
    send = dialog.get_by_role("button", name="Send film")
    await send.click()
    await dialog.get_by_text("The film is ready: press Send once more.").wait_for()
    await send.click()
    await expect(dialog.get_by_text("The film is ready")).to_have_count(0)
    assert await user.page.evaluate("shared") == [[film.suggested_filename, len(data)]] * 2
    await dialog.get_by_role("button", name="Close").click()


async def expect_play_button_on_a_phone(user: User) -> None:
    """Shows the replay in the window of a phone, and expects its main button to be visible without scrolling."""
    for size in (PHONE, DESKTOP):
        await user.page.set_viewport_size({"width": size[0], "height": size[1]})
        await expect(user.page.get_by_role("button", name="Play", exact=True)).to_be_in_viewport(ratio=1)
