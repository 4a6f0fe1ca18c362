"""The list of tables has one aligned line for each table."""

from liarsdice.cli.server.table_list import table_lines
from liarsdice.server.storage.administration import TableRow


def test_a_line_says_when_a_table_changed_and_what_it_waits_for() -> None:
    changed_ms, due_ms = 1_790_000_000_000, 1_790_000_060_000
    lines = table_lines(
        [TableRow("ABCD", 1_234, True, due_ms, changed_ms), TableRow("EFGH", 7, False, None, changed_ms)]
    )
    assert [line.split() for line in lines[1:]] == [
        ["ABCD", "1,234", "yes", "2026-09-21", "14:14", "2026-09-21", "14:13"],
        ["EFGH", "7", "no", "none", "2026-09-21", "14:13"],
    ]
    assert len({len(line) for line in lines}) == 1
