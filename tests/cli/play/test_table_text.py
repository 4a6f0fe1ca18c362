"""Texts that the line mode and the full screen share."""

from __future__ import annotations

import subprocess
import sys

import msgspec

from liarsdice.cli.play.table_text import mustache_symbol, placings_text
from liarsdice.core.events import Eliminated, RoundStarted
from liarsdice.core.rules.presets import preset
from liarsdice.core.text.narration import Narrator
from tests.cli.play.test_chart import view_after


def test_only_rules_that_name_their_special_round_after_a_mustache_have_one() -> None:
    assert mustache_symbol(preset("mustache").ruleset) == ":{"
    assert mustache_symbol(preset("perudo").ruleset) == ""


def test_the_placings_name_the_winner_first() -> None:
    view = msgspec.structs.replace(view_after("chart"), winners=(1,), dice=(0, 3))
    started = RoundStarted(number=1, starter=0, dice=(5, 5), direction=view.direction)
    narrator = Narrator(view.ruleset, view.names, 0)
    assert placings_text(view, [started, Eliminated(0)], narrator) == "1. Bo  2. You"


def test_the_line_mode_loads_no_terminal_library() -> None:
    script = "import sys, liarsdice.cli.play.line_mode; sys.exit(bool({'textual', 'rich'} & sys.modules.keys()))"
    assert subprocess.run([sys.executable, "-c", script], check=False, timeout=60).returncode == 0
