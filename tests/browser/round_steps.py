"""Steps of a round: bid, call, read the result. Tests know the dice of all users."""

import asyncio
import re
from collections.abc import Sequence
from typing import Any

from playwright.async_api import expect

from tests.browser.match_player import legal_bids, make_bid, start_match, wait_until_removed
from tests.browser.users import NewUser, User

ONES_ARE_WILD, NOTHING_IS_WILD = 1, 0
QUICK_START = {"first_starter.method": "chosen", "first_starter.dice": 1}


async def start_table(
    new_user: NewUser,
    names: Sequence[str],
    rules: str,
    changes: dict[str, Any],
    **form: Any,  # noqa: ANN401  as TableForm
) -> tuple[list[User], str]:
    """Starts a match with one user for each name, the first as host. Returns the users and the table code."""
    host, *guests = [await new_user(name) for name in names]
    code = await host.open_table(rules, changes, seats=len(names), **form)
    for guest in guests:
        await guest.join(code)
    await start_match(host, *guests)
    return [host, *guests], code


async def current_player(users: Sequence[User], after: User | None = None) -> User:
    """Waits for a turn, of another user than `after`, and returns the user whose turn it is."""
    watcher = users[0]
    others = [f"{user.name}'s turn" for user in users if user not in (watcher, after)]
    own = [] if watcher is after else ["Your turn"]
    heading = watcher.action_panel.get_by_role("heading", name=re.compile("|".join([*own, *others])))
    text = await heading.inner_text()
    current = next((user for user in users if text == f"{user.name}'s turn"), watcher)
    await expect(current.action_panel.get_by_role("grid")).to_be_visible()
    return current


async def players_in_turn_order(users: Sequence[User]) -> list[User]:
    """The users clockwise from the current player."""
    index = users.index(await current_player(users))
    return [*users[index:], *users[:index]]


async def bid(user: User, quantity: int, face: int) -> None:
    """Makes a bid and waits for the end of the turn."""
    chart = await user.action_panel.get_by_role("grid").element_handle()
    await make_bid(user, f"{quantity},{face}")
    await wait_until_removed(chart)


async def raise_bid(user: User) -> tuple[int, int]:
    """Makes the lowest legal bid that is not of ones. Returns its quantity and face."""
    quantity, face = min(pair for pair in await _legal_pairs(user) if pair[1] != 1)
    await bid(user, quantity, face)
    return quantity, face


async def _legal_pairs(user: User) -> list[tuple[int, int]]:
    chart = user.action_panel.get_by_role("grid")
    await chart.locator("[data-bid]").first.wait_for()
    texts = await legal_bids(chart)
    return [(int(quantity), int(face)) for quantity, face in (text.split(",") for text in texts)]


async def call(user: User, words: str) -> None:
    """Clicks the call button whose name starts with these words, twice if the page asks for it."""
    button = user.action_panel.get_by_role("button", name=re.compile("^" + r"\s*".join(map(re.escape, words.split()))))
    await button.click()
    if await user.action_panel.get_by_text("Tap again to call it all the same.").is_visible():
        await button.click()


async def count_faces(users: Sequence[User], wild: int = NOTHING_IS_WILD) -> dict[int, int]:
    """How many dice of all users count for each face."""
    dice = [die for hand in await asyncio.gather(*(user.hand() for user in users)) for die in hand]
    return {face: sum(die in (face, wild) for die in dice) for face in range(1, 7)}


async def read_verdict(user: User) -> str:
    """Waits for the result of a call and returns its text."""
    status = user.action_panel.get_by_role("status")
    await expect(status).to_contain_text(re.compile("right|wrong"))
    return " ".join((await status.inner_text()).split())


async def lose_die(
    loser: User, users: Sequence[User], *, wild: int = NOTHING_IS_WILD, standing: tuple[int, int] | None = None
) -> None:
    """Plays a round that `loser` loses: by doubt of a true bid, or by a false bid that the next player doubts.

    Where every bid is true, because all dice count for all faces, `loser` makes one that the next player raises.
    """
    player = await current_player(users)
    while True:
        counts = await count_faces(users, wild)
        if player is loser:
            if standing is not None and standing[0] <= counts[standing[1]]:
                break
            false_bids = [pair for pair in await _legal_pairs(loser) if pair[0] > counts[pair[1]]]
            if false_bids:
                await bid(loser, *false_bids[0])
                player = await current_player(users, after=loser)
                break
        standing = await raise_bid(player)
        player = await current_player(users, after=player)
    await call(player, "Liar!")
    await read_verdict(loser)


async def continue_match(users: Sequence[User]) -> None:
    """Lets all users continue to the next round."""
    for user in users:
        await user.action_panel.get_by_role("button", name="Next round").click()


async def dice_held(viewer: User, other: User) -> int:
    """The number of dice on the name tag of another user."""
    seat = viewer.board.get_by_role("listitem").filter(has=viewer.button(f"{other.name}: more"))
    match = re.search(r"\d+", await seat.locator(".name-tag .count").inner_text())
    return int(match[0]) if match else 0
