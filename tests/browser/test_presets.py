"""The games of Chile, of Chinese bars and of the box are played to their end, on a phone and on a computer."""

from typing import Any

import pytest
from playwright.async_api import expect

from tests.browser.match_player import Player, assert_no_hidden_dice, make_bid, play_match, play_to_the_end, start_match
from tests.browser.users import DESKTOP, PHONE, NewUser, User

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


@pytest.mark.parametrize("rules", ["bar", "bar-strict"])
async def test_the_games_of_bars_are_played_to_their_end(new_user: NewUser, rules: str) -> None:
    users = await seat_users(new_user, rules, {"guards.max_rounds": 3}, "Ann", "Ben")
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


@pytest.mark.parametrize(
    "rules, changes, challenge",
    [
        ("cacho", {"dice.per_player": 2}, "Dudo!"),
        ("bar", {"guards.max_rounds": 2}, "Open!"),
        ("bluff+show-dice", {"dice.per_player": 3, "loss.mode": "fixed"}, "Bluff!"),
        ("perudo+pass-alike", {"dice.per_player": 2}, "Dudo!"),
    ],
    ids=["cacho", "bar", "boxed", "pass"],
)
async def test_champions_play_these_games_to_their_end(
    new_user: NewUser, rules: str, changes: dict[str, Any], challenge: str
) -> None:
    ann = await new_user("Ann", PHONE)
    await ann.open_table(rules, changes, seats=3, bots=["champion"] * 2, begin=True)
    notes = await Player(ann, 1, challenge=challenge, exact="Calz").play()
    assert len(notes.final_order) == 3
    assert_no_hidden_dice(ann)


async def test_the_boxed_game_is_played_to_its_end_with_dice_shown_again_and_again(new_user: NewUser) -> None:
    changes = {"dice.per_player": 4, "dice.faces": 3, "loss.mode": "fixed"}  # many bids that dice count for
    users = await seat_users(new_user, "bluff+show-dice", changes, "Ann", "Ben")
    players = [ShowingPlayer(user, 2, challenge="Bluff!") for user in users]
    notes = await play_to_the_end(players)
    assert len(notes[0].final_order) == 2
    assert sum(player.shown_again for player in players) > 0
