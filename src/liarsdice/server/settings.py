"""Every setting of a server, in one table: its flag, its environment variable, its default, and what it is for."""

from __future__ import annotations

import logging
import os
from collections.abc import Mapping
from pathlib import Path

import msgspec

from liarsdice.core.errors import MalformedError, UnavailableError

PREFIX = "LIARSDICE_"


class Setting(msgspec.Struct, frozen=True):
    """One setting. The flag wins over the environment variable, and that over the default."""

    name: str
    default: str
    help: str

    @property
    def flag(self) -> str:
        """Its option on the command line."""
        return f"--{self.name.replace('_', '-')}"

    @property
    def variable(self) -> str:
        """Its environment variable."""
        return PREFIX + self.name.upper()


SETTINGS = (
    Setting("host", "127.0.0.1", "The address to listen on; 0.0.0.0 lets other devices in."),
    Setting("port", "8000", "The port to listen on; 0 takes any free one."),
    Setting(
        "database",
        "",
        "Where tables are kept, as sqlite:///PATH; without it, server.db in $XDG_STATE_HOME/liarsdice"
        " (~/.local/state/liarsdice).",
    ),
    Setting("pace", "1", "Multiplies the pauses made for people to follow, 0 to 10; 0 makes none."),
    Setting(
        "tables_per_minute",
        "60",
        "How many tables one address may open in a minute; 0 is any number. Behind a reverse proxy on another machine,"
        " FORWARDED_ALLOW_IPS says whose word on addresses is taken.",
    ),
    Setting(
        "connections_per_minute",
        "600",
        "How many times one address may connect to tables in a minute; 0 is any number.",
    ),
    Setting("log_level", "info", "What is logged to standard error: debug, info, warning or error."),
)
MOST_PER_MINUTE = 1_000_000
LEVELS = {"debug": logging.DEBUG, "info": logging.INFO, "warning": logging.WARNING, "error": logging.ERROR}


class Settings(msgspec.Struct, frozen=True):
    """The settings of one server, checked."""

    host: str
    port: int
    database: Path
    pace: float
    tables_per_minute: int
    connections_per_minute: int
    log_level: str


def read_settings(flags: Mapping[str, object], environment: Mapping[str, str] | None = None) -> Settings:
    """Settings from flags (None: not given), the environment, and defaults. Raises `MalformedError`."""
    known = os.environ if environment is None else environment
    found = {
        one.name: str(flags[one.name]) if flags.get(one.name) is not None else known.get(one.variable, one.default)
        for one in SETTINGS
    }
    level = found["log_level"].lower()
    if level not in LEVELS:
        raise MalformedError(f"--log-level is one of {', '.join(LEVELS)}, not {found['log_level']!r}")
    return Settings(
        host=found["host"],
        port=int(_number("port", found["port"], 0, 65_535)),
        database=_sqlite_path(found["database"], known),
        pace=_number("pace", found["pace"], 0, 10),
        tables_per_minute=int(_number("tables_per_minute", found["tables_per_minute"], 0, MOST_PER_MINUTE)),
        connections_per_minute=int(
            _number("connections_per_minute", found["connections_per_minute"], 0, MOST_PER_MINUTE)
        ),
        log_level=level,
    )


def _number(name: str, text: str, least: float, most: float) -> float:
    try:
        value = float(text) if name == "pace" else int(text)
    except ValueError:
        value = least - 1
    if not least <= value <= most:
        raise MalformedError(f"--{name.replace('_', '-')} is a number from {least} to {most}, not {text!r}")
    return value


def _sqlite_path(url: str, environment: Mapping[str, str]) -> Path:
    if not url:
        state = environment.get("XDG_STATE_HOME") or str(Path.home() / ".local" / "state")
        return Path(state) / "liarsdice" / "server.db"
    import sqlalchemy as sa  # noqa: PLC0415  the table of settings is read where no database is needed

    try:
        parsed = sa.make_url(url)
    except sa.exc.ArgumentError as error:
        raise MalformedError(f"--database is an address such as sqlite:////var/lib/liars.db, not {url!r}") from error
    if parsed.get_backend_name() != "sqlite":
        raise UnavailableError(f"tables are kept in SQLite (sqlite:///PATH), not yet in {parsed.get_backend_name()}")
    if not parsed.database or parsed.database == ":memory:":
        raise MalformedError("--database needs a file: sqlite:///PATH")
    return Path(parsed.database)
