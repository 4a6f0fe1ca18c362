"""What makes these tables special: calls out of turn, exact calls, special rounds, turned tables, penalties."""

from playwright.async_api import expect

from tests.browser.people import Come
from tests.browser.turns import (
    ONES_ARE_WILD,
    QUICK_START,
    bids,
    calls,
    counts,
    go_on,
    held,
    in_turn,
    on_turn,
    table_of,
    verdict,
)

NAMES = ("Ann", "Ben", "Cyd")
ONE_DIE_A_TIME = {"dice.per_player": 3, "loss.mode": "fixed"}


async def test_whoever_calls_out_of_turn_doubles_the_stakes(come: Come) -> None:
    people, _ = await table_of(come, NAMES, "official", {"dice.per_player": 2} | QUICK_START)
    bidder, on_turn_now, early = await in_turn(people)
    there = await counts(people, ONES_ARE_WILD)
    face = next(face for face in range(2, 7) if there[face] < 6)
    await bids(bidder, there[face] + 1, face)
    await expect(early.dock.get_by_text(f"You may call before {on_turn_now.name} speaks.")).to_be_visible()
    await calls(early, "Liar! stakes doubled")
    assert "You were right." in await verdict(early)
    assert "so with the stakes doubled, you lose two dice. You are out." in await verdict(bidder)
    assert f"{bidder.name} loses two dice. {bidder.name} is out." in await verdict(on_turn_now)
    await go_on(people)
    await expect(bidder.page.get_by_text("You are out. Stay and watch: the others play on.")).to_be_visible()


async def test_an_exact_call_that_is_right_gives_a_die_back(come: Come) -> None:
    people, _ = await table_of(come, NAMES[:2], "classic+calza", {"dice.per_player": 2} | QUICK_START)
    bidder, caller = await in_turn(people)
    there = await counts(people)
    face = min(there, key=lambda face: there[face])
    await bids(bidder, there[face] + 1, face)
    await calls(caller, "Liar!")
    assert "you lose one die" in await verdict(bidder)
    await go_on(people)

    loser, other = await in_turn(people)
    assert loser is bidder
    await expect(loser.dice).to_have_count(1)
    assert await held(other, loser) == 1
    there = await counts(people)
    number, face = max((number, face) for face, number in there.items())
    await bids(loser, 1, 1 if face > 1 or number > 1 else 2)
    await on_turn(people, after=loser)
    await bids(other, number, face)
    await on_turn(people, after=other)
    await calls(loser, "Calza! exactly")
    told = await verdict(loser)
    assert "You were right." in told
    assert "exactly" in told
    assert "you get one die back" in told
    await go_on(people)
    await expect(loser.dice).to_have_count(2)


async def test_a_mustache_round_is_announced_to_all_and_everybody_wears_one(come: Come) -> None:
    people, _ = await table_of(come, NAMES, "mustache", {"dice.per_player": 2} | QUICK_START)
    bidder, caller, _ = await in_turn(people)
    await bids(bidder, 1, 6)
    await calls(caller, "Liar!")
    loser = caller if "You were wrong" in await verdict(caller) else bidder
    await go_on(people)
    for person in people:
        await expect(person.stage.get_by_text("Mustache Round!")).to_be_visible()
        who = "You are down to one die." if person is loser else f"{loser.name} is down to one die."
        await expect(person.stage.get_by_text(who)).to_be_visible()
        await expect(person.stage.get_by_role("list").locator("svg .moustache")).to_have_count(2)
        if person is not loser:
            await expect(person.dock.get_by_text("Ones count for themselves only. Nothing is wild.")).to_be_visible()
            await expect(person.dock.get_by_text(f"The face is locked. {loser.name} names it")).to_be_visible()
    await bids(loser, 1, 3)
    follower = await on_turn(people, after=loser)
    lit = await follower.dock.locator("[data-bid]").evaluate_all("cells => cells.map(cell => cell.dataset.bid)")
    assert {bid.split(",")[1] for bid in lit} == {"3"}
    await expect(follower.stage.get_by_text("The face is locked")).to_be_visible()


async def test_where_the_rules_allow_it_the_starter_turns_the_table(come: Come) -> None:
    people, _ = await table_of(come, NAMES, "classic+reversa", {"dice.per_player": 1} | QUICK_START)
    starter, _, before_them = await in_turn(people)
    choice = starter.dock.get_by_role("group", name="Which way does this round go?")
    await expect(choice.get_by_role("button", name="To your left")).to_have_attribute("aria-pressed", "true")
    await choice.get_by_role("button", name="To your right").click()
    await expect(before_them.page.get_by_text(f"{starter.name} lets play go anticlockwise.").first).to_be_attached()
    await bids(starter, 1, 2)
    assert await on_turn(people, after=starter) is before_them


async def test_a_question_in_the_chat_costs_a_die_when_the_host_says_so(come: Come) -> None:
    (ann, ben, cyd), _ = await table_of(come, NAMES, "chart", ONE_DIE_A_TIME | QUICK_START)
    people = [ann, ben, cyd]
    first, second, _ = await in_turn(people)
    await ben.page.get_by_label("Say something").fill("Whose turn is it?")
    await ben.page.keyboard.press("Enter")
    for person, words in (
        (ann, "Ben asked whose turn it is"),
        (ben, "You asked whose turn it is"),
        (cyd, "The host decides."),
    ):
        await expect(person.page.get_by_role("region", name="Penalty")).to_contain_text(words)
    await ann.page.get_by_role("region", name="Penalty").get_by_role("button", name="Take the die").click()
    for person in people:
        await expect(person.page.get_by_role("region", name="Penalty")).to_have_count(0)
    await bids(first, 1, 2)
    await on_turn(people, after=first)
    await calls(second, "Liar!")
    assert "Ben pays a penalty of one die." in await verdict(ann)
    assert "You pay a penalty of one die." in await verdict(ben)
    await expect(ann.page.get_by_role("list", name="What was said and done")).to_contain_text("Ben pays one die for it")


async def test_the_host_may_let_a_question_pass(come: Come) -> None:
    (ann, ben), _ = await table_of(come, NAMES[:2], "chart", {"dice.per_player": 1} | QUICK_START)
    await on_turn([ann, ben])
    await ben.page.get_by_label("Say something").fill("how many dice are left?")
    await ben.page.keyboard.press("Enter")
    await ann.button("Let it pass").click()
    await expect(ben.page.get_by_role("region", name="Penalty")).to_have_count(0)
    await expect(ben.page.get_by_role("list", name="What was said and done")).to_contain_text("Ben is let off.")
