"""Calls out of turn, exact calls, special rounds, the direction of play and penalties."""

from playwright.async_api import expect

from tests.browser.match_player import legal_bids
from tests.browser.round_steps import (
    ONES_ARE_WILD,
    QUICK_START,
    bid,
    call,
    continue_match,
    count_faces,
    current_player,
    dice_held,
    players_in_turn_order,
    read_verdict,
    start_table,
)
from tests.browser.users import NewUser

NAMES = ("Ann", "Ben", "Cyd")
ONE_DIE_A_TIME = {"dice.per_player": 3, "loss.mode": "fixed"}


async def test_whoever_calls_out_of_turn_doubles_the_stakes(new_user: NewUser) -> None:
    users, _ = await start_table(new_user, NAMES, "official", {"dice.per_player": 2} | QUICK_START)
    bidder, current, out_of_turn_caller = await players_in_turn_order(users)
    counts = await count_faces(users, ONES_ARE_WILD)
    face = next(face for face in range(2, 7) if counts[face] < 6)
    await bid(bidder, counts[face] + 1, face)
    await expect(
        out_of_turn_caller.action_panel.get_by_text(f"You may call before {current.name} speaks.")
    ).to_be_visible()
    await call(out_of_turn_caller, "Liar! stakes doubled")
    assert "You were right." in await read_verdict(out_of_turn_caller)
    assert "so, with the stakes doubled, you lose two dice. You are out." in await read_verdict(bidder)
    assert f"{bidder.name} loses two dice. {bidder.name} is out." in await read_verdict(current)
    await continue_match(users)
    await expect(bidder.page.get_by_text("You are out. Stay and watch: the others play on.")).to_be_visible()


async def test_an_exact_call_that_is_right_gives_a_die_back(new_user: NewUser) -> None:
    users, _ = await start_table(new_user, NAMES[:2], "classic+calza", {"dice.per_player": 2} | QUICK_START)
    bidder, caller = await players_in_turn_order(users)
    counts = await count_faces(users)
    face = min(counts, key=lambda face: counts[face])
    await bid(bidder, counts[face] + 1, face)
    await call(caller, "Liar!")
    assert "you lose one die" in await read_verdict(bidder)
    await continue_match(users)

    loser, other = await players_in_turn_order(users)
    assert loser is bidder
    await expect(loser.dice).to_have_count(1)
    assert await dice_held(other, loser) == 1
    counts = await count_faces(users)
    number, face = max((number, face) for face, number in counts.items())
    await bid(loser, 1, 1 if face > 1 or number > 1 else 2)
    await current_player(users, after=loser)
    await bid(other, number, face)
    await current_player(users, after=other)
    await call(loser, "Calza! exactly")
    result = await read_verdict(loser)
    assert "You were right." in result
    assert "exactly" in result
    assert "you get one die back" in result
    await continue_match(users)
    await expect(loser.dice).to_have_count(2)


async def test_a_mustache_round_is_announced_and_all_avatars_have_a_mustache(new_user: NewUser) -> None:
    users, _ = await start_table(new_user, NAMES, "mustache", {"dice.per_player": 2} | QUICK_START)
    bidder, caller, _ = await players_in_turn_order(users)
    await bid(bidder, 1, 6)
    await call(caller, "Liar!")
    loser = caller if "You were wrong" in await read_verdict(caller) else bidder
    await continue_match(users)
    for user in users:
        await expect(user.board.get_by_text("Mustache Round!")).to_be_in_viewport(ratio=1)  # nothing clips it
        text = "You are down to one die." if user is loser else f"{loser.name} is down to one die."
        await expect(user.board.get_by_text(text)).to_be_visible()
        await expect(user.board.get_by_role("list").locator("svg .mustache")).to_have_count(2)
        if user is not loser:
            await user.button("Got it").click()
            await expect(
                user.action_panel.get_by_text("Ones count only as themselves. Nothing is wild.")
            ).to_be_visible()
            await expect(user.action_panel.get_by_text(f"The face is locked: {loser.name} chooses it")).to_be_visible()
    await bid(loser, 1, 3)
    follower = await current_player(users, after=loser)
    legal = await legal_bids(follower.action_panel)
    assert {text.split(",")[1] for text in legal} == {"3"}
    await expect(follower.board.get_by_text("The face is locked")).to_be_visible()


async def test_the_starter_may_choose_the_direction_if_the_rules_allow_it(new_user: NewUser) -> None:
    users, _ = await start_table(new_user, NAMES, "classic+reversa", {"dice.per_player": 1} | QUICK_START)
    starter, _, previous = await players_in_turn_order(users)
    choice = starter.action_panel.get_by_role("group", name="Which way does this round go?")
    await expect(choice.get_by_role("button", name="To your left")).to_have_attribute("aria-pressed", "true")
    for side in ("right", "left", "right"):  # it may be taken back until the bid
        await choice.get_by_role("button", name=f"To your {side}").click()
    await expect(starter.board.get_by_role("listitem").filter(has_text="plays next")).to_contain_text(previous.name)
    await bid(starter, 1, 2)
    await expect(previous.page.get_by_text(f"{starter.name} chooses anticlockwise play.").first).to_be_attached()
    assert await current_player(users, after=starter) is previous


async def test_a_question_in_the_chat_costs_a_die_if_the_others_vote_so(new_user: NewUser) -> None:
    (ann, ben, cyd), _ = await start_table(new_user, NAMES, "chart", ONE_DIE_A_TIME | QUICK_START)
    users = [ann, ben, cyd]
    first, second, _ = await players_in_turn_order(users)
    await ben.page.get_by_label("Say something").fill("Whose turn is it?")
    await ben.page.keyboard.press("Enter")
    for user, words in (
        (ann, "Ben asked whose turn it is"),
        (ben, "You asked whose turn it is"),
        (cyd, "If it is denied, all who have no part in it vote."),
    ):
        await expect(user.page.get_by_role("region", name="Penalty")).to_contain_text(words)
    await ben.button("I did not").click()
    await cyd.page.get_by_role("region", name="Penalty").get_by_role("button", name="Take the die").click()
    await expect(ann.page.get_by_role("region", name="Penalty")).to_contain_text("Votes: 1 for, 0 against.")
    await expect(cyd.page.get_by_role("region", name="Penalty")).to_contain_text("The host decides.")
    await ann.page.get_by_role("region", name="Penalty").get_by_role("button", name="Take the die").click()
    for user in users:
        await expect(user.page.get_by_role("region", name="Penalty")).to_have_count(0)
    await bid(first, 1, 2)
    await current_player(users, after=first)
    await call(second, "Liar!")
    assert "Ben pays a penalty of one die." in await read_verdict(ann)
    assert "You pay a penalty of one die." in await read_verdict(ben)
    await expect(ann.page.get_by_role("list", name="What was said and done")).to_contain_text(
        "Ben pays one die at the end of the round for asking whose turn it is."
    )


async def test_the_only_opponent_may_let_an_offence_pass(new_user: NewUser) -> None:
    (ann, ben), _ = await start_table(new_user, NAMES[:2], "chart", {"dice.per_player": 1} | QUICK_START)
    await current_player([ann, ben])
    await ben.page.get_by_label("Say something").fill("how many dice are left?")
    await ben.page.keyboard.press("Enter")
    await ann.button("Withdraw it").click()
    await expect(ben.page.get_by_role("region", name="Penalty")).to_have_count(0)
    await expect(ben.page.get_by_role("list", name="What was said and done")).to_contain_text("Ben is let off.")
