"""Texts that the line mode and the full screen share."""

from __future__ import annotations

import subprocess
import sys

import msgspec

from liarsdice.cli.play.line_mode import (
    count_text,
    counts_text,
    late_call_message,
    mustache_symbol,
    placings_text,
    show_help,
    wilds_off_message,
)
from liarsdice.core.events import Challenged, Eliminated, Revealed, RoundStarted
from liarsdice.core.rules.bids import SUM_FACE, Bid
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


def test_the_count_of_a_reveal_is_that_of_a_face_or_of_a_sum() -> None:
    rules = preset("perudo+face-off").ruleset
    sums = Revealed(Bid(8, SUM_FACE), ((4,), (3,)), ((0,), (0,)), (4, 3), 7, bid_true=False, wilds_counted=False)
    assert count_text(rules, sums, 4) == "sum of both dice: 8 bid, 4 counted"
    fours = Revealed(Bid(2, 4), ((4,), (1,)), ((0,), (0,)), (1, 1), 2, bid_true=True, wilds_counted=True)
    assert count_text(rules, fours, 2) == "fours: 2 bid, 2 counted [pacos count too]"
    not_wild = msgspec.structs.replace(fours, wilds_counted=False)
    assert count_text(rules, not_wild, 1) == "fours: 2 bid, 1 counted [pacos do not count]"


def test_the_help_names_bids_on_sums_only_where_there_are_some() -> None:
    assert [line.split()[0] for line in show_help(preset("perudo+face-off").ruleset)] == ["sum7"]
    assert show_help(preset("perudo").ruleset) == []
