"""The names of the sessions of a node in PostgreSQL, from which others learn its machine, its keys and its settings."""

from __future__ import annotations

import os
import secrets
import socket

import msgspec

MAX_MACHINE_LENGTH = 20
MIN_WORDS = 4
"""An earlier release has no digests in its names."""


class NodeRow(msgspec.Struct, frozen=True):
    """A server process that uses a database.

    `keys`, `settings`: the digests of its keys and of the settings that all nodes share, "" if unknown.
    """

    machine: str
    process: str
    keys: str
    settings: str

    def __str__(self) -> str:
        return f"{self.machine} (process {self.process})"


def new_session_name(keys_digest: str, settings_digest: str) -> str:
    """Return a name for the sessions of this process, which no other process has: at most 63 ASCII characters.

    The settings are left out if `keys_digest` is "".
    """
    machine = socket.gethostname().encode("ascii", "replace").decode()[:MAX_MACHINE_LENGTH].replace(" ", "-")
    digests = f"{keys_digest} {settings_digest}" if keys_digest else ""
    return f"liarsdice {machine or '-'} {os.getpid()} {secrets.token_hex(4)} {digests}".rstrip()


def read_session_name(name: str) -> NodeRow | None:
    """Return the node that has a session of this name, None if no node gives itself such a name.

    >>> read_session_name("liarsdice dice.example 4711 0badcafe 01234567 abcdef")
    NodeRow(machine='dice.example', process='4711', keys='01234567', settings='abcdef')
    >>> read_session_name("liarsdice dice.example 4711 0badcafe")
    NodeRow(machine='dice.example', process='4711', keys='', settings='')
    >>> read_session_name("psql")
    """
    words = name.split()
    if len(words) < MIN_WORDS or words[0] != "liarsdice":
        return None
    keys, settings = (*words[MIN_WORDS:], "", "")[:2]
    return NodeRow(words[1], words[2], keys, settings)
