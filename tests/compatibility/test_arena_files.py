"""Arena files of version 0.1.0 give the same figures, and interrupted ones continue."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from liarsdice.analysis.arena import Arena, DealResult, make_arena, play_deal
from liarsdice.analysis.arena_file import ArenaFile
from liarsdice.analysis.summary import summarize
from liarsdice.core.rules.choices import StarterMethod
from liarsdice.core.rules.overlay import patched
from liarsdice.core.rules.ruleset_io import find_rules
from tests.compatibility.readings import FILES, Plain, expected

EXPECTED = expected("arenas")
ENGINE = "0.1.0"
"""The version that played: a file goes on only with the version that began it, which the test therefore names."""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a copy of the files, as the working directory: an arena names files of bots in it."""
    copy = Path(shutil.copytree(FILES / "arenas", tmp_path / "arenas"))
    (copy / "lazy.txt").rename(copy / "lazy.py")
    monkeypatch.chdir(copy)
    return copy


def make_named_arena(name: str) -> Arena:
    """Return the arena of a command line."""
    if name == "finished":
        rules = patched(find_rules("perudo"), first_starter__method=StarterMethod.CHOSEN)  # as it was then
        return make_arena(rules, ["threshold:0.4", "novice", "random"], seats=3, seed=4, duplicate=True)
    opponents = ["threshold:0.4", "python:lazy.py:make"]
    return make_arena(
        find_rules("chart"), ["network:network.npz"], opponents=opponents, seats=3, seed=5, duplicate=True
    )


def kept_deals(name: str) -> list[DealResult]:
    with ArenaFile(Path(f"{name}.jsonl"), make_named_arena(name), ENGINE) as kept:
        return list(kept.deals.values())


def figures(of: Arena, deals: list[DealResult]) -> Plain:
    """Return what deals add up to as JSON values."""
    summary = summarize(of, deals)
    return {
        "numbers": [deal.number for deal in deals],
        "seconds": [deal.seconds for deal in deals],
        "matches": summary.matches,
        "rounds": summary.rounds,
        "matches_per_s": summary.matches_per_s,
        "told": list(summary.warnings),
        "bots": [
            {
                "bot": standing.bot,
                "seats": standing.seats,
                "wins": standing.wins,
                "win_share": standing.win_share,
                "place_shares": list(standing.place_shares),
                "mean_place": standing.mean_place,
                "decisions": standing.decisions,
                "median_ms": standing.median_ms,
                "p99_ms": standing.p99_ms,
                "faults": standing.faults,
            }
            for standing in summary.standings
        ],
    }


@pytest.mark.parametrize("name", EXPECTED)
def test_the_deals_of_a_file_add_up_to_the_same_figures(name: str) -> None:
    assert figures(make_named_arena(name), kept_deals(name)) == EXPECTED[name]


def test_an_interrupted_arena_continues() -> None:
    with ArenaFile(Path("broken_off.jsonl"), make_named_arena("broken_off"), ENGINE) as kept:
        assert list(kept.deals) == EXPECTED["broken_off"]["numbers"] == [0, 1]
        kept.append(play_deal(make_named_arena("broken_off"), 2))
    assert [deal.number for deal in kept_deals("broken_off")] == EXPECTED["whole"]["numbers"]
    before, after = (FILES / "arenas" / "broken_off.jsonl").read_bytes(), Path("broken_off.jsonl").read_bytes()
    assert after.startswith(before[: before.rindex(b"\n") + 1])
    assert json.loads(after.splitlines()[-1])["number"] == 2
