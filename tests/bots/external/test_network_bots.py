"""Bots of networks in files, and bots that search: who can be hunted and who can search."""

from __future__ import annotations

from hashlib import sha256
from pathlib import Path

import pytest

from liarsdice.bots.external.user_bots import file_digests, load_bot
from liarsdice.bots.neural.champion import champion_network
from liarsdice.bots.neural.hunter import Hunter
from liarsdice.bots.neural.searcher import Searcher
from liarsdice.core.errors import MalformedError, UnavailableError


@pytest.fixture
def network_file(tmp_path: Path) -> Path:
    path = tmp_path / "best.npz"
    champion_network(1).save(path)
    return path


@pytest.mark.parametrize("prefix, kind", [("hunter", Hunter), ("search", Searcher)])
def test_a_champion_or_a_network_can_be_hunted_and_can_search(network_file: Path, prefix: str, kind: type) -> None:
    for name in (f"{prefix}:champion@5", f"{prefix}:network:{network_file}"):
        assert isinstance(load_bot(name, 1), kind)
    assert file_digests([f"{prefix}:network:{network_file}", f"{prefix}:champion"]) == {
        str(network_file): sha256(network_file.read_bytes()).hexdigest()
    }


@pytest.mark.parametrize(
    "prefix, complaint",
    [
        ("hunter", "a hunter knows a champion without a temper or a network"),
        ("search", "only a champion without a temper or a network can search"),
    ],
)
def test_other_bots_can_be_neither_hunted_nor_search(prefix: str, complaint: str) -> None:
    for name in ("threshold", "champion:bold", "sharp"):
        with pytest.raises(MalformedError, match=complaint):
            load_bot(f"{prefix}:{name}")
    with pytest.raises(UnavailableError, match="no bot is called"):
        load_bot(f"{prefix}:")
