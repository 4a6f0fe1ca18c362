"""The kinds of players."""

from __future__ import annotations

import pytest

from liarsdice.bots.registry import bot_names, make_bot
from liarsdice.values.features import PLAYER_KINDS, UNKNOWN_KIND, kind_number


def test_every_built_in_bot_is_of_a_kind_and_every_kind_is_a_bot() -> None:
    assert all(kind_number(name) != UNKNOWN_KIND for name in bot_names())
    for number, kind in enumerate(PLAYER_KINDS):
        make_bot(kind.value)
        assert kind_number(kind.value) == number


@pytest.mark.parametrize("bot", ["network:mine.npz", "/home/ann/bot.py", ""])
def test_other_bots_are_of_no_kind(bot: str) -> None:
    assert kind_number(bot) == UNKNOWN_KIND
