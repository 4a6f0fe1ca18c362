"""Tables of text for the terminal."""

from __future__ import annotations

from rich.table import Table

from liarsdice.cli.stdio import align_columns, render_table


def test_the_first_column_is_aligned_to_the_left_and_the_others_to_the_right() -> None:
    rows = [("bot", "wins", "share"), ("threshold:0.4", "7", "70.0%"), ("random", "13", "3.0%")]
    assert align_columns(rows) == [
        "bot            wins  share",
        "threshold:0.4     7  70.0%",
        "random           13   3.0%",
    ]


def test_a_rich_table_has_no_trailing_spaces_and_fits_the_width() -> None:
    table = Table(box=None, pad_edge=False)
    table.add_column("name")
    table.add_column("about")
    table.add_row("random", "any legal move with equal probability, whatever the dice")
    lines = render_table(table, 30).splitlines()
    assert len(lines) > 2
    assert all(line == line.rstrip() and len(line) <= 30 for line in lines)
    assert lines[0].split() == ["name", "about"]
