"""Bots of networks in files, and bots that search: who can be hunted and who can search."""

from __future__ import annotations

from hashlib import sha256
from pathlib import Path

import pytest

from liarsdice.bots.external.user_bots import file_digests, is_user_bot, load_bot
from liarsdice.bots.neural.champion import champion_network
from liarsdice.bots.neural.hunter import Hunter, Searcher
from liarsdice.core.engine.view import view
from liarsdice.core.errors import MalformedError, UnavailableError
from liarsdice.core.rules.presets import preset
from tests.bots.positions import dealt_state


@pytest.fixture
def network_file(tmp_path: Path) -> Path:
    path = tmp_path / "best.npz"
    champion_network().save(path)
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


def test_the_name_of_a_searcher_may_set_its_budget(network_file: Path) -> None:
    for name in ("search[50]:champion", f"search[400]:network:{network_file}", " search[ 7 ]:champion@5 "):
        assert is_user_bot(name)
        assert isinstance(load_bot(name, 1), Searcher)
    assert list(file_digests([f"search[400]:network:{network_file}"])) == [str(network_file)]
    for budget in ("", "0", "fast", "-5", "10001", "200ms"):
        with pytest.raises(MalformedError, match="a budget is 1 to 10000"):
            load_bot(f"search[{budget}]:champion")


def test_a_small_budget_computes_a_coarser_blueprint() -> None:
    shown = view(dealt_state(preset("basic").ruleset, ((1, 2, 2), (3, 3, 5))), 0)
    probs = []
    for name in ("search[5]:champion", "search:champion", "search[100]:champion"):
        searcher = load_bot(name, 1)
        assert isinstance(searcher, Searcher)
        probs.append(searcher.champion.action_probs(shown))
    assert probs[0] != probs[1] == probs[2]
