"""What a table remembers of the requests that were handled."""

import random

import pytest

from liarsdice.server.table import log_entries as e
from liarsdice.server.table import reducer as known
from liarsdice.server.table.reducer import replay_log
from tests.server.live_tables import START_MS, make_config

PEOPLE = ("ann", "bo", "cy")


def remembered(rows: list[e.LogRow]) -> list[str]:
    table = replay_log(rows)
    assert table is not None
    return list(table.handled_requests)


def expected_requests(rows: list[e.LogRow]) -> list[str]:
    """The definition: not too old, and among the latest of all or among the latest of its sender."""
    requests = [(row.seq, row.request_id) for row in rows if row.request_id]
    last_seq = requests[-1][0] if requests else 0
    young = [key for seq, key in requests if seq >= last_seq - known.MAX_REQUEST_AGE]
    latest = set(young[-known.MAX_HANDLED_REQUESTS :])
    for person in PEOPLE:
        latest.update([key for key in young if key.startswith(f"{person}:")][-known.MAX_REQUESTS_OF_ONE :])
    return [key for key in young if key in latest]


@pytest.mark.parametrize("seed", range(30))
def test_a_table_remembers_the_latest_requests_of_all_and_of_each(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """It also remembers the same ones if the log has lost the entries before the oldest of them, as with old talk."""
    monkeypatch.setattr(known, "MAX_HANDLED_REQUESTS", 6)
    monkeypatch.setattr(known, "MAX_REQUESTS_OF_ONE", 2)
    monkeypatch.setattr(known, "MAX_REQUEST_AGE", 40)
    rng = random.Random(seed)
    opened = e.LogRow(1, START_MS, "", e.Opened("ABCD", make_config()))
    joined = e.LogRow(2, START_MS, "", e.Joined(1, "Ann", "token"))
    rows = [opened, joined]
    for seq in range(3, 120):
        person = rng.choices(PEOPLE, (1, 20, 3))[0]
        request_id = f"{person}:r{seq}" if rng.random() < 0.7 else ""
        rows.append(e.LogRow(seq, START_MS + seq, request_id, e.Spoke(1, "hm")))
        found = remembered(rows)
        assert found == expected_requests(rows)
        oldest = next((row.seq for row in rows if found and row.request_id == found[0]), seq)
        kept = [opened, joined, *(row for row in rows[2:] if row.seq >= oldest or rng.random() < 0.5)]
        assert remembered(kept) == found
