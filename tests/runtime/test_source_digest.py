"""A digest of sources changes with any of them, and with nothing else."""

from pathlib import Path

import pytest

from liarsdice.runtime.source_digest import source_digest


def test_a_digest_changes_with_any_of_its_sources(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "digested").mkdir()
    (tmp_path / "digested/__init__.py").write_text("")
    (tmp_path / "digested/one.py").write_text("A = 1\n")
    (tmp_path / "digested/two.py").write_text("B = 1\n")
    monkeypatch.syspath_prepend(tmp_path)
    package, module = source_digest("digested"), source_digest("digested.one")
    (tmp_path / "digested/two.py").write_text("B = 2\n")
    assert source_digest("digested") != package
    assert source_digest("digested.one") == module


def test_a_module_without_sources_has_no_digest() -> None:
    with pytest.raises(ValueError, match=r"liarsdice\.nowhere has no source file"):
        source_digest("liarsdice.nowhere")
