"""The public names of the client's package, and what it says where its extra is missing."""

from __future__ import annotations

import sys

import pytest

import liarsdice.client


def test_every_public_name_is_there_and_the_list_is_sorted() -> None:
    assert liarsdice.client.__all__ == sorted(liarsdice.client.__all__)
    assert all(getattr(liarsdice.client, name) is not None for name in liarsdice.client.__all__)
    assert not hasattr(liarsdice.client, "Server")


@pytest.mark.parametrize("name", ["Client", "AsyncClient"])
def test_without_the_extra_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.setitem(sys.modules, "httpx", None)  # importing it fails from now on
    for module in ("client", "async_client"):
        monkeypatch.delitem(sys.modules, f"liarsdice.client.{module}", raising=False)
    monkeypatch.delitem(vars(liarsdice.client), name, raising=False)
    with pytest.raises(
        ModuleNotFoundError, match=rf"{name}: this needs httpx: pip install 'liarsdice-engine\[client\]'"
    ):
        getattr(liarsdice.client, name)
