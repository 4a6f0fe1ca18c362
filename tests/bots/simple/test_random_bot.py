"""The random bot: every move is possible, calls out of turn are rare, and unlimited bids stay low."""

from __future__ import annotations

from liarsdice.bots.simple.simple_bots import Random
from liarsdice.core.actions import Challenge
from liarsdice.core.engine.view import view
from liarsdice.core.rules.bids import Bid
from liarsdice.core.rules.overlay import patched
from liarsdice.core.rules.presets import preset
from tests.bots.positions import position

BASIC = preset("basic").ruleset
OFFICIAL = preset("official").ruleset
TWO_HANDS = ((4, 4), (2, 3))


def test_the_random_bot_draws_from_all_of_its_moves() -> None:
    state = position(preset("classic+reversa").ruleset, TWO_HANDS)
    bot = Random(1)
    drawn = {bot.act(view(state, 0)) for _ in range(1_000)}
    assert drawn == set(view(state, 0).moves)


def test_the_random_bot_seldom_calls_out_of_turn() -> None:
    state = position(OFFICIAL, ((2, 3), (2, 3), (2, 3)), "1x6")
    bot = Random(1)
    calls = sum(bot.act(view(state, 2)) is not None for _ in range(1_000))
    assert 20 <= calls <= 90


def test_the_random_bot_keeps_to_the_dice_on_the_table_where_quantities_have_no_limit() -> None:
    rules = patched(BASIC, bidding__cap=None, guards__max_bids_per_round=20)
    bot = Random(1)
    opening = view(position(rules, TWO_HANDS), 0)
    assert max(bid.quantity for bid in (bot.act(opening) for _ in range(200)) if isinstance(bid, Bid)) == 4
    beyond = view(position(rules, TWO_HANDS, "900x6"), 1)
    assert {bot.act(beyond) for _ in range(200)} == {Challenge(), *(Bid(901, face) for face in range(1, 7))}
