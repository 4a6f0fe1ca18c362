"""The interface of a bot: which bots have lifecycle methods."""

from __future__ import annotations

from liarsdice.bots.external.subprocess_bot import SubprocessBot
from liarsdice.bots.protocol import Bot, MatchLifecycle
from liarsdice.bots.registry import bot_names, make_bot
from liarsdice_lab.arena.arena import TimedBot


def test_bots_that_hold_a_process_are_told_of_the_start_and_end() -> None:
    bots: list[Bot] = [SubprocessBot(["sh"]), TimedBot(SubprocessBot(["sh"]))]
    assert all(isinstance(bot, MatchLifecycle) for bot in bots)


def test_built_in_bots_hold_nothing() -> None:
    assert not any(isinstance(make_bot(name), MatchLifecycle) for name in bot_names())
