"""The name of a node's sessions says where it runs, and which keys and settings it has."""

import os
import socket

import pytest

from liarsdice.server.settings import PostgresUrl
from liarsdice.server.storage.node_names import NodeRow, new_session_name, read_session_name
from liarsdice.server.storage.postgres import PostgresStore

MAX_LENGTH = 63
"""PostgreSQL cuts off longer names."""


def test_a_name_tells_the_node_and_fits_whatever_the_machine_is_called(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "getpid", lambda: 4_194_304)
    for machine in ("dice.example", "a long name of a machine in the cellar", "würfel", ""):
        monkeypatch.setattr(socket, "gethostname", lambda machine=machine: machine)
        name = new_session_name("0" * 8, "abcdef")
        assert len(name) <= MAX_LENGTH
        node = read_session_name(name)
        assert node is not None
        assert (node.process, node.keys, node.settings) == ("4194304", "0" * 8, "abcdef")


def test_two_processes_never_have_the_same_name() -> None:
    assert new_session_name("", "") != new_session_name("", "")


def test_names_of_an_earlier_release_have_no_settings() -> None:
    assert read_session_name("liarsdice dice 7 0badcafe 01234567") == NodeRow("dice", "7", "01234567", "")
    assert read_session_name("liarsdice admin") is None


async def test_nodes_learn_who_has_other_settings_where_all_need_the_same(postgres_url: PostgresUrl) -> None:
    digests = [("0" * 8, "abcdef")] * 2 + [("0" * 8, "123456"), ("", "")]
    stores = [PostgresStore(postgres_url, keys_digest=keys, settings_digest=settings) for keys, settings in digests]
    for store in stores:
        await store.open(0)
    name = f"{socket.gethostname()[:20]} (process {os.getpid()})"
    differing = [[*await store.nodes_with_other_settings()] for store in stores[:3]]
    assert differing == [[name], [name], [name, name]]
    for store in stores:
        await store.close()
