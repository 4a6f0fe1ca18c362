"""Rules that a table may add, on a phone and a computer."""

import asyncio
import re
from collections.abc import Callable
from typing import Any

import pytest
from playwright.async_api import Locator, expect

from tests.browser.match_player import Player, legal_bids, make_bid, play_match, start_match
from tests.browser.round_steps import bid, call, current_player, read_verdict
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


@pytest.mark.parametrize(
    "rules, always",
    [("perudo+obligo-open", None), ("perudo+obligo-closed", None), ("perudo", "others"), ("perudo", "blind")],
)
async def test_players_see_no_dice_of_their_own(new_user: NewUser, rules: str, always: str | None) -> None:
    """In an obligo, or from the first round on where the rules say so."""
    ann, ben = await new_user("Ann", PHONE), await new_user("Ben", DESKTOP)
    code = await ann.open_table(rules, CHANGES | ({"dice.visibility": always} if always else {}), seats=2)
    await ben.join(code)
    await start_match(ann, ben)
    if not always:
        await play_first_round(ann, ben)
    opener, other = await in_turn(ann, ben)
    await opener.page.set_viewport_size({"width": 390, "height": 640})
    if not always:
        await expect(opener.page.locator(".plank .btn")).to_be_in_viewport(ratio=1)
    is_open = rules.endswith("open") or always == "others"
    for user in (opener, other) if is_open or always else (other,):
        await expect(user.page.get_by_text(COVERED)).to_be_visible()
        await expect(user.dice).to_have_count(0)
        assert await user.page.get_by_text(COVERED).evaluate(IN_LOWER_HALF)
        await expect(user.board.locator(".seats .hand")).to_have_count(1 if is_open else 0)
    await other.goto(f"/t/{code}/cup")
    await expect(other.page.get_by_text(COVERED)).to_be_visible()
    await other.goto(f"/t/{code}")
    if rules.endswith("closed"):
        await expect(opener.dice).to_have_count(1)


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


PHONE_WIDTH = 360


def zhai_switch(user: User) -> Locator:
    return user.page.get_by_role("button", name="Zhai", exact=True)


async def test_a_pure_bid_is_made_behind_a_switch_and_told_as_zhai(new_user: NewUser) -> None:
    ann, ben = await new_user("Ann"), await new_user("Ben")
    for user in (ann, ben):
        await user.page.set_viewport_size({"width": PHONE_WIDTH, "height": 740})
    code = await ann.open_table("chui-niu+fei", seats=2)
    await ben.join(code)
    await start_match(ann, ben)
    first, second = await first_with(zhai_switch, ann, ben)
    await zhai_switch(first).click()
    await expect(first.button("threes from 2")).to_be_visible()
    assert await first.page.evaluate("document.documentElement.scrollWidth") <= PHONE_WIDTH
    await first.button("threes from 2").click()
    await first.button("Say two threes zhai").click()
    await expect(second.page.get_by_text("two threes zhai").first).to_be_visible()
    await expect(zhai_switch(second)).to_have_attribute("aria-pressed", "true")
    await expect(second.button("threes from 3")).to_be_visible()
    await zhai_switch(second).click()
    await second.button("threes from 4").click()
    await second.button("Say four threes").click()
    await expect(first.button("threes from 5")).to_be_visible()


async def test_a_challenge_for_double_stakes_is_made_with_its_own_button(new_user: NewUser) -> None:
    ann, ben = await new_user("Ann"), await new_user("Ben")
    for user in (ann, ben):
        await user.page.set_viewport_size({"width": PHONE_WIDTH, "height": 740})
    code = await ann.open_table("chui-niu+bar-strict", seats=2)
    await ben.join(code)
    await start_match(ann, ben)
    first, second = await first_with(zhai_switch, ann, ben)
    await zhai_switch(first).click()
    await first.button("sixes from 2").click()
    await first.button("Say two sixes zhai").click()
    double = second.page.get_by_role("button", name="stakes doubled")
    await expect(double).to_be_visible()
    assert await second.page.evaluate("document.documentElement.scrollWidth") <= PHONE_WIDTH
    await double.click()
    if await second.action_panel.get_by_text("Tap again").is_visible():  # the bid is nearly certain
        await double.click()
    await first.button("Accept").click()
    await expect(first.page.get_by_text("with the stakes doubled").first).to_be_visible()


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


async def test_a_face_off_is_announced_in_spanish(new_user: NewUser) -> None:
    ann, ben = await new_user("Ann", PHONE), await new_user("Ben", DESKTOP)
    code = await ann.open_table("basic", ONE_DIE, seats=2)
    await ben.join(code)
    await start_match(ann, ben)
    first, second = await in_turn(ann, ben)
    await second.page.evaluate("localStorage.setItem('liarsdice.language', 'es')")
    await second.page.reload()
    await expect(second.page.get_by_text("Duelo: se apuesta a la suma de los dos dados.").first).to_be_visible()
    for _ in ("chosen", "made"):
        await first.action_panel.get_by_role("grid").locator("[data-bid='5,0']").press("Enter")
    await expect(second.page.get_by_text("una suma de cinco", exact=True).first).to_be_visible()


async def test_a_match_with_dice_that_differ_by_seat_is_played_to_its_end(new_user: NewUser) -> None:
    ann, ben = await new_user("Ann"), await new_user("Ben")
    await ann.page.set_viewport_size({"width": PHONE_WIDTH, "height": 740})
    await ben.page.set_viewport_size({"width": 1280, "height": 800})
    code = await ann.open_table("basic+mixed-dice", seats=2)
    await ben.join(code)
    await start_match(ann, ben)
    for user, own, other in ((ann, 4, 6), (ben, 6, 4)):
        await expect(user.page.get_by_text(f"Your dice have {own} faces.")).to_be_visible()
        await expect(user.page.get_by_text(f"d{other}", exact=True)).to_be_visible()
        await expect(user.page.get_by_text(f"dice with {other} faces")).to_be_attached()
    assert await ann.page.evaluate("document.documentElement.scrollWidth") <= PHONE_WIDTH
    notes = await asyncio.gather(*(Player(user, 1).play() for user in (ann, ben)))
    assert notes[0].final_order == notes[1].final_order


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


PASSES_CHANGES = {"bidding.pass_dice": 2, "dice.per_player": 2, "bidding.pass_with": ["alike", "all_different"]}
"""Rules under which two dice always allow a pass, so that a doubt of the first one is wrong."""

QUICK = {"exact_call": None, "special_round": None, "labels.challenge": "Liar!"}


async def test_a_pass_leaves_the_bid_and_can_be_doubted(new_user: NewUser) -> None:
    ann, ben = await new_user("Ann", PHONE), await new_user("Ben", DESKTOP)
    code = await ann.open_table("perudo", PASSES_CHANGES | QUICK, seats=2)
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


@pytest.mark.parametrize(
    "rules, changes, challenge",
    [
        ("perudo+obligo-chosen", CHANGES, "Liar!"),
        ("perudo+declared-palifico", CHANGES, "Liar!"),
        ("perudo+face-off", {"dice.per_player": 2}, "Dudo!"),
        ("perudo", PASSES_CHANGES | QUICK, "Liar!"),
        ("classic+calza", {"dice.per_player": 2, "loss.lives": 3, "loss.ante": 1}, "Liar!"),
    ],
    ids=["obligo", "palifico", "face-off", "pass", "pot"],
)
async def test_a_match_by_optional_rules_is_played_to_its_end(
    new_user: NewUser, rules: str, changes: dict[str, Any], challenge: str
) -> None:
    ann, ben = await new_user("Ann", PHONE), await new_user("Ben", DESKTOP)
    code = await ann.open_table(rules, changes, seats=2)
    await ben.join(code)
    await start_match(ann, ben)
    notes = await play_match([ann, ben], seed=1, challenge=challenge, exact="Calza!")
    assert len(notes[0].final_order) == 2


SIGN = "die => getComputedStyle(die, '::after').content"


def dice_to_show(user: User) -> Locator:
    return user.action_panel.get_by_role("button", name="Show a")


@pytest.mark.parametrize("kept", [False, True])
async def test_dice_are_shown_with_a_bid_and_stay_in_the_open(new_user: NewUser, kept: bool) -> None:
    """The bidder rolls the others again, or keeps them as they are."""
    ann, ben = await new_user("Ann"), await new_user("Ben")
    for user in (ann, ben):
        await user.page.set_viewport_size({"width": PHONE_WIDTH, "height": 740})
    code = await ann.open_table("bluff+show-dice", {"bidding.show_dice": "counting_kept"} if kept else {}, seats=2)
    await ben.join(code)
    await start_match(ann, ben)
    first, second = await first_with(lambda user: user.button("threes from 1"), ann, ben)
    for face in ("stars", "twos", "threes", "fours", "fives", "sixes"):
        await first.button(f"{face} from 1").click()
        if await dice_to_show(first).count():
            break
    assert await first.page.evaluate("document.documentElement.scrollWidth") <= PHONE_WIDTH
    await dice_to_show(first).first.click()
    await expect(dice_to_show(first).first).to_have_attribute("aria-pressed", "true")
    assert await first.page.locator("#main .die.d1").first.evaluate(SIGN) == '"★"'  # as the boxed game has it
    await expect(first.page.get_by_text("Show, and roll 4 dice again:")).to_have_count(0 if kept else 1)
    dealt = sorted(await first.hand())
    await first.page.get_by_role("button", name="and show one").click()
    in_the_open = second.page.get_by_role("list", name="In the open")
    await expect(in_the_open.get_by_role("listitem")).to_have_count(1)
    await expect(second.page.get_by_text(" and shows one ").first).to_be_attached()
    if kept:
        assert sorted(await first.hand()) == dealt
    assert await second.page.evaluate("document.documentElement.scrollWidth") <= PHONE_WIDTH


SIZES = [(360, 740), (1280, 800)]


async def double_the_first_bid(new_user: NewUser, width: int, height: int) -> tuple[User, User]:
    """Two players, of whom the second has doubled a challenge of the first one's bid."""
    ann, ben = await new_user("Ann"), await new_user("Ben")
    for user in (ann, ben):
        await user.page.set_viewport_size({"width": width, "height": height})
    code = await ann.open_table("chui-niu+counter-pi", seats=2)
    await ben.join(code)
    await start_match(ann, ben)
    bidder, challenger = await in_turn(ann, ben)
    await bidder.action_panel.locator("[data-bid]:not([disabled])").first.click()
    await bidder.button(re.compile("^Say ")).click()
    double = challenger.page.get_by_role("button", name="stakes doubled")
    await double.click()
    if await challenger.action_panel.get_by_text("Tap again").is_visible():  # the bid is nearly certain
        await double.click()
    return bidder, challenger


@pytest.mark.parametrize("width, height", SIZES)
async def test_a_doubled_call_is_redoubled_and_accepted(new_user: NewUser, width: int, height: int) -> None:
    bidder, challenger = await double_the_first_bid(new_user, width, height)
    await expect(bidder.action_panel.get_by_text("calls for double stakes")).to_be_visible()
    await expect(bidder.button("Fold")).to_be_visible()
    assert await bidder.page.evaluate("document.documentElement.scrollWidth") <= width
    await bidder.button("Double again").click()
    await expect(bidder.action_panel.get_by_text("You double the stakes again.")).to_be_visible()
    await expect(challenger.button("Double again")).to_have_count(0)
    await challenger.button("Accept").click()
    await expect(bidder.page.get_by_text("with the stakes four times as high").first).to_be_visible()


@pytest.mark.parametrize("width, height", SIZES)
async def test_a_fold_shows_no_dice_and_the_next_round_follows(new_user: NewUser, width: int, height: int) -> None:
    bidder, challenger = await double_the_first_bid(new_user, width, height)
    await bidder.button("Fold").click()
    for user, text in (
        (bidder, "You fold, so nobody shows any dice."),
        (challenger, "folds, so nobody shows any dice."),
    ):
        await expect(user.action_panel.get_by_text(text)).to_be_visible()
    await expect(bidder.page.get_by_text("You lose one die and have four left.").first).to_be_visible()
    assert (await in_turn(bidder, challenger))[0] is bidder


@pytest.mark.parametrize("size", [DESKTOP, PHONE], ids=["desktop", "phone"])
async def test_a_penalty_of_the_table_is_set_in_the_form_and_paid_at_the_table(
    new_user: NewUser, size: tuple[int, int]
) -> None:
    ann, ben, eve = await new_user("Ann", size), await new_user("Ben"), await new_user("Eve", size)
    await ann.goto("/new?rules=basic&first_starter.method=random&dice.per_player=4")
    await ann.page.get_by_label("Your name").fill("Ann")
    await ann.page.get_by_text("Variants of").click()
    await ann.page.locator("summary", has_text="Penalties").click()
    await ann.page.get_by_label("A penalty of your own").fill("lifting a cup early")
    await ann.button("Add").click()
    await ann.button("Cost of “lifting a cup early”: more").click()
    rulebook = ann.page.get_by_role("group", name="The rules at this table")
    await expect(rulebook).to_contain_text("“lifting a cup early” costs two dice.")
    assert await ann.page.evaluate("document.documentElement.scrollWidth") <= size[0]
    await ann.button("Open the table").click()
    await expect(ann.board).to_be_visible()
    for guest in (ben, eve):
        await guest.join(ann.page.url.rsplit("/", 1)[-1])
    await start_match(ann, ben, eve)
    users = [ann, ben, eve]
    first = await current_player(users)
    second = users[(users.index(first) + 1) % 3]
    await ann.board.get_by_role("button", name="Ben").click()
    await ann.button("Penalty: “lifting a cup early”").click()
    await expect(ben.page.get_by_role("region", name="Penalty")).to_contain_text("lifting a cup early")
    await ben.button("I did not").click()
    if size == PHONE:  # the chat, where Eve votes, is closed there
        question = eve.page.get_by_text("Does Ben owe a penalty? Accused by Ann. Votes: 0 for, 0 against.")
        await eve.page.get_by_role("paragraph").filter(has=question).get_by_role("button", name="Decide").click()
    await expect(eve.page.get_by_role("region", name="Penalty")).to_contain_text("Accused by Ann.")
    await eve.page.get_by_role("region", name="Penalty").get_by_role("button", name="Take the dice").click()
    await expect(ben.page.get_by_role("region", name="Penalty")).to_have_count(0)
    if size == PHONE:
        await eve.page.keyboard.press("Escape")
    await bid(first, 1, 2)
    await current_player(users, after=first)
    await call(second, "Liar!")
    assert "Ben pays a penalty of two dice." in await read_verdict(ann)


async def test_penalties_are_set_in_spanish(new_user: NewUser) -> None:
    ann = await new_user("Ana", PHONE, language="es")
    await ann.goto("/new?rules=chui-niu%2Blives")
    await ann.page.get_by_text("Variantes de").click()
    await ann.page.locator("summary", has_text="Multas").click()
    await ann.page.get_by_label("Una multa propia").fill("levantar antes")
    await ann.page.keyboard.press("Enter")
    await ann.button("Lo que cuesta «levantar antes»: más").click()
    rulebook = ann.page.get_by_role("group", name="Las reglas de esta mesa")
    await expect(rulebook).to_contain_text("«levantar antes» cuesta dos vidas.")
    await ann.button("Quitar «levantar antes»").click()
    await expect(rulebook).not_to_contain_text("levantar antes")


@pytest.mark.parametrize("who", ["next_player", "bidder"])
async def test_a_claim_that_a_bid_is_exact_stands_and_is_doubted(new_user: NewUser, who: str) -> None:
    ann, ben = await new_user("Ann", PHONE), await new_user("Ben", DESKTOP)
    changes = {"dice.per_player": 2, "exact_call.claim": who, "exact_call.min_players": 2, "guards.max_rounds": 9}
    await ben.join(await ann.open_table("perudo", changes, seats=2))
    await start_match(ann, ben)
    first, second = await in_turn(ann, ben)
    await make_bid(first, (await legal_bids(first.action_panel.get_by_role("grid")))[0])
    claimant, doubter = (first, second) if who == "bidder" else (second, first)
    await claimant.action_panel.locator(".exact-call").click()
    await expect(doubter.board.get_by_text("says: exactly")).to_be_visible()
    await expect(doubter.action_panel.locator(".exact-call")).to_have_count(0)
    await expect(claimant.action_panel.get_by_text("Your claim stands.")).to_be_visible()
    await doubter.button("Dudo!").click()
    if await doubter.action_panel.get_by_role("alert").get_by_text("Tap again").is_visible():
        await doubter.button("Dudo!").click()
    await expect(claimant.button("Next round")).to_be_visible()
