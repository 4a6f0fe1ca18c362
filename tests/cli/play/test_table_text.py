"""Texts that the line mode and the full screen share."""

from __future__ import annotations

import subprocess
import sys

import msgspec

from liarsdice.cli.play.table_text import (
    counts_text,
    late_call_message,
    mustache_symbol,
    placings_text,
    wilds_off_message,
)
from liarsdice.core.events import Challenged, Eliminated, RoundStarted
from liarsdice.core.rules.bids import Bid
from liarsdice.core.rules.presets import preset
from liarsdice.core.text.narrator import Narrator
from tests.cli.play.test_chart import view_after


def test_only_rules_that_name_their_special_round_after_a_mustache_have_one() -> None:
    assert mustache_symbol(preset("mustache").ruleset) == ":{"
    assert mustache_symbol(preset("perudo").ruleset) == ""


def test_the_placings_name_the_winner_first() -> None:
    view = msgspec.structs.replace(view_after("chart"), winners=(1,), dice=(0, 3))
    started = RoundStarted(number=1, starter=0, dice=(5, 5), direction=view.direction)
    narrator = Narrator(view.ruleset, view.names, 0)
    assert placings_text(view, [started, Eliminated(0)], narrator) == "1. Bo  2. You"


def test_a_late_caller_reads_that_they_risk_nothing() -> None:
    narrator = Narrator(preset("official").ruleset, ("Ann", "Bo", "Cy"), 0)
    first = Challenged(1, 2, Bid(2, 1), out_of_turn=True)
    assert late_call_message(first, narrator) == "Bo called first, so that call counts and you risk nothing."
    in_turn = Challenged(1, 2, Bid(2, 1))
    assert late_call_message(in_turn, narrator) == "Bo called in turn, so that call counts and you risk nothing."


def test_a_bid_that_ends_the_wilds_is_announced_with_their_label() -> None:
    assert wilds_off_message(preset("perudo").ruleset) == "Pacos are not wild for the rest of this round."


def test_the_line_mode_loads_no_terminal_library() -> None:
    script = "import sys, liarsdice.cli.play.line_mode; sys.exit(bool({'textual', 'rich'} & sys.modules.keys()))"
    assert subprocess.run([sys.executable, "-c", script], check=False, timeout=60).returncode == 0


def test_the_faces_of_the_dice_are_listed_where_they_differ() -> None:
    usual = view_after("basic")
    mixed = msgspec.structs.replace(usual, ruleset=preset("basic+mixed-dice").ruleset)
    narrator = Narrator(mixed.ruleset, mixed.names, 0)
    assert counts_text(mixed.dice, mixed, narrator).endswith("Faces: You 4, Bo 6.")
    assert "Faces" not in counts_text(usual.dice, usual, narrator)
