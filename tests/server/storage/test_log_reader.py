"""The logs of a database can be read without a server."""

from pathlib import Path

import pytest

from liarsdice.core.errors import UnavailableError
from liarsdice.server.storage.log_reader import read_logs
from tests.server.live_tables import make_table, open_registry


async def test_all_logs_are_read_while_a_server_runs(tmp_path: Path) -> None:
    async with open_registry(tmp_path / "db") as registry:
        codes = sorted([(await make_table(registry, "Ann")).code, (await make_table(registry, "Bo")).code])
        stored = [await registry.services.store.load(code) for code in codes]
        logs = list(read_logs(tmp_path / "db"))
    assert logs == [(code, list(table.rows)) for code, table in zip(codes, stored, strict=True) if table]


def test_what_is_no_database_is_refused(tmp_path: Path) -> None:
    (tmp_path / "text").write_text("shopping list " * 100, encoding="utf-8")
    with pytest.raises(UnavailableError, match="there is no database"):
        list(read_logs(tmp_path / "none"))
    with pytest.raises(UnavailableError, match="cannot be read: file is not a database"):
        list(read_logs(tmp_path / "text"))
