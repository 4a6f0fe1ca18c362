"""All settings of a server in one table, with flag, environment variable, default and description, and their values."""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import msgspec

from liarsdice.core.errors import MalformedError, UnavailableError
from liarsdice.core.rules.choices import Choice

PUBLIC_URL = re.compile(r"(https?://(?:[a-z0-9.-]{1,253}|\[[0-9a-f:.]+\])(?::[0-9]{1,5})?)/?")


def read_public_url(text: str) -> str:
    """Return the origin of a URL, in lower case and without a slash at its end; "" for none.

    Raises `MalformedError` for another text.
    """
    if not text:
        return ""
    match = PUBLIC_URL.fullmatch(text.lower())
    if match is None:
        raise MalformedError(f"--public-url is an address such as https://dice.example, not {text!r}")
    return match[1]


class ProgramAdmission(Choice):
    """Which programs a server admits: none, all of them as guests, or those with a token of its operator.

    A guest makes its own token, as a browser gets one, and may do what people may.
    """

    OFF = "off"
    GUESTS = "guests"
    TOKENS = "tokens"


class TokenScope(Choice):
    """What a token of the operator allows a program: to look at tables, to play at them, or to open tables."""

    READ = "read"
    PLAY = "play"
    OPEN = "open"


SCHEME = re.compile(r"([a-z0-9+]{1,30})://", re.IGNORECASE)
HOST = r"(?:[a-z0-9._-]*|\[[0-9a-f:.]+\])(?::[0-9]{1,5})?"
POSTGRES_URL = re.compile(
    rf"postgres(?:ql)?://(?:[^@/?#]*@)?(?P<hosts>{HOST}(?:,{HOST})*)(?P<name>/[^@/?#]*)?(?:\?[^@#]*)?", re.IGNORECASE
)


class PostgresUrl(msgspec.Struct, frozen=True):
    """The URL of a PostgreSQL database. Printing it shows the host and the database only, never the password.

    >>> PostgresUrl("postgresql://ann:secret@db.example:5432/dice?password=secret")
    postgresql://db.example:5432/dice
    """

    url: str

    @property
    def name(self) -> str:
        """The name of the database, "" if the URL has none."""
        match = POSTGRES_URL.fullmatch(self.url)
        return (match["name"] or "").strip("/") if match else ""

    def __str__(self) -> str:
        match = POSTGRES_URL.fullmatch(self.url)
        return f"postgresql://{match['hosts']}{match['name'] or ''}" if match else "postgresql://"

    __repr__ = __str__


def parse_database_url(url: str) -> Path | PostgresUrl:
    """Return the file of a SQLite URL, or the URL of a PostgreSQL database.

    Raises `MalformedError` for another text, and `UnavailableError` for another kind of database. The errors do not
    contain the text, because it may contain a password.
    """
    scheme = SCHEME.match(url)
    if scheme is None:
        raise MalformedError("--database is an address such as sqlite:////var/lib/liars.db or postgresql://HOST/NAME")
    match scheme[1].lower():
        case "postgresql" | "postgres":
            return _postgres_url(url)
        case "sqlite":
            return _sqlite_path(url)
        case other:
            raise UnavailableError(f"tables are kept in SQLite (sqlite:///PATH) or PostgreSQL, not in {other}")


def require_postgresql() -> None:
    """Raise `UnavailableError` unless the driver of PostgreSQL is installed, which is an extra of the distribution."""
    if find_spec("asyncpg") is None or find_spec("greenlet") is None:
        raise UnavailableError(
            "tables in PostgreSQL need its driver; install it with: pip install 'liarsdice-engine[postgresql]'"
        )


def _postgres_url(url: str) -> PostgresUrl:
    if POSTGRES_URL.fullmatch(url) is None:
        raise MalformedError(
            "--database is an address such as postgresql://USER:PASSWORD@HOST:5432/NAME, in which the signs @ / ? # of"
            " a user name or a password are written as %40 %2F %3F %23"
        )
    return PostgresUrl(url)


def _sqlite_path(url: str) -> Path:
    import sqlalchemy as sa  # noqa: PLC0415  commands that need no database import this module, too

    try:
        path = sa.make_url(url).database
    except (sa.exc.ArgumentError, ValueError) as error:
        raise MalformedError("--database is an address such as sqlite:////var/lib/liars.db") from error
    if not path or path == ":memory:":
        raise MalformedError("--database needs a file: sqlite:///PATH")
    return Path(path)


PREFIX = "LIARSDICE_"


class WebhookMode(Choice):
    """To which receivers webhooks go: none, those of the public internet, or also those on the server's machine."""

    OFF = "off"
    PUBLIC = "public"
    LOOPBACK = "loopback"


class LogLevel(Choice):
    """The lowest level that is logged."""

    DEBUG = "debug"
    INFO = "info"
    WARNING = "warning"
    ERROR = "error"


class Setting(msgspec.Struct, frozen=True):
    """One setting. The flag overrides the environment variable, and the environment variable overrides the default.

    Its value is a number in `bounds`, one of `choices`, or else a text. `shared`: the same for all nodes of a database.
    """

    name: str
    default: str
    help: str
    bounds: tuple[int, int] | None = None
    choices: type[Choice] | None = None
    shared: bool = False

    @property
    def flag(self) -> str:
        """The option on the command line."""
        return f"--{self.name.replace('_', '-')}"

    @property
    def variable(self) -> str:
        """The environment variable."""
        return PREFIX + self.name.upper()

    def read(self, text: str) -> float | str | Choice:
        """Return the value that a text stands for: a whole number unless the setting is `pace`, a choice, or the text.

        Raises `MalformedError` if it is none of the setting's values.
        """
        if self.choices is not None:
            try:
                return self.choices(text.lower())
            except ValueError:
                names = ", ".join(map(str, self.choices))
                raise MalformedError(f"{self.flag} is one of {names}, not {text!r}") from None
        if self.bounds is None:
            return text
        lowest, highest = self.bounds
        try:
            value = float(text) if self.name == "pace" else int(text)
        except ValueError:
            value = lowest - 1
        if not lowest <= value <= highest:
            raise MalformedError(f"{self.flag} is a number from {lowest} to {highest}, not {text!r}")
        return value


MOST_PER_MINUTE = 1_000_000
MOST_CONNECTIONS = 1_000_000
MOST_DAYS = 36_500
MOST_REVIEWS = 64

SETTINGS = (
    Setting("host", "127.0.0.1", "The address to listen on; 0.0.0.0 lets other devices in."),
    Setting("port", "8000", "The port to listen on; 0 takes any free port.", bounds=(0, 65_535)),
    Setting(
        "database",
        "",
        "The database of the tables, as sqlite:///PATH or postgresql://USER:PASSWORD@HOST:PORT/NAME. By default it is"
        " server.db in $XDG_STATE_HOME/liarsdice (~/.local/state/liarsdice). Give a password in the environment only,"
        " because other accounts of the machine can read the command line.",
    ),
    Setting(
        "key_file",
        "",
        "The file of the secret key that signs the records of matches; it is created if it is missing. By default it is"
        " beside the database, with .signing-key added to its name, and for PostgreSQL it is postgresql.signing-key in"
        " $XDG_STATE_HOME/liarsdice.",
    ),
    Setting(
        "push_keys",
        "",
        "The file of the secret key of web push, which tells players of slow tables that it is their turn; it is"
        " created if it is missing. Without it nothing is pushed. The server then sends requests to the push services"
        " of browsers. It needs --public-url.",
    ),
    Setting(
        "webhooks",
        "off",
        "Whether programs may have their turns told to a URL: off, public (https at public addresses) or loopback (also"
        " http at 127.0.0.1, for programs on this machine). The server then sends requests to those URLs.",
        choices=WebhookMode,
        shared=True,
    ),
    Setting(
        "pace",
        "1",
        "A factor on the pauses that let people follow the match, from 0 (no pauses) to 10.",
        bounds=(0, 10),
        shared=True,
    ),
    Setting(
        "tables_per_minute",
        "60",
        "How many tables one address may open in a minute; 0 means no limit. Behind a reverse proxy on another"
        " machine, set FORWARDED_ALLOW_IPS to the proxies whose client addresses are trusted.",
        bounds=(0, MOST_PER_MINUTE),
        shared=True,
    ),
    Setting(
        "connections_per_minute",
        "600",
        "How many times one address may connect to tables in a minute; 0 means no limit. It may make four times as many"
        " connections of any kind, as many as in 15 seconds at once, unless it is a trusted reverse proxy.",
        bounds=(0, MOST_PER_MINUTE),
        shared=True,
    ),
    Setting(
        "connections_per_address",
        "200",
        "How many connections one address may have open at once; 0 means no limit. A trusted reverse proxy may have any"
        " number; the limit then holds for each of its clients that is connected to a table.",
        bounds=(0, MOST_CONNECTIONS),
        shared=True,
    ),
    Setting(
        "max_connections",
        "0",
        "How many connections may be open in all; 0 means as many as the process may have open files, less a reserve"
        " of 64. More are answered with status 503.",
        bounds=(0, MOST_CONNECTIONS),
    ),
    Setting(
        "work_per_minute",
        "3000",
        "How much costly work one address may ask for in a minute, such as rulebooks, records and QR codes, in units of"
        " about 10 ms of processor time; 0 means no limit.",
        bounds=(0, MOST_PER_MINUTE),
        shared=True,
    ),
    Setting(
        "requests_per_minute",
        "6000",
        "How many requests one address may send in a minute; each 64 KB of responses count as another one. 0 means no"
        " limit.",
        bounds=(0, MOST_PER_MINUTE),
        shared=True,
    ),
    Setting(
        "reviews_at_once",
        "1",
        "How many reviews of finished matches are computed at the same time, each by one processor core at the lowest"
        " priority; the others wait. Changed rules are simulated there, too. 0 offers neither.",
        bounds=(0, MOST_REVIEWS),
    ),
    Setting(
        "public_url",
        "",
        "The URL under which players reach the server, such as https://dice.example. Links use it, and the server"
        " refuses requests that name another host.",
        shared=True,
    ),
    Setting(
        "keep_days",
        "0",
        "For how many days a table is kept after its last change; then the server deletes it with the records of its"
        " matches. 0 keeps all tables.",
        bounds=(0, MOST_DAYS),
        shared=True,
    ),
    Setting(
        "seats_per_address",
        "3",
        "How many seats people at one address may take at a table that the lobby shows; 0 means no limit, also on how"
        " many listed tables an address may open. Behind a proxy that tells no addresses, everybody has the same one.",
        bounds=(0, MOST_PER_MINUTE),
        shared=True,
    ),
    Setting(
        "programs",
        "guests",
        "Which programs play here: off (none), guests (also with a token of their own), or tokens (only with one from"
        " liarsdice admin token).",
        choices=ProgramAdmission,
        shared=True,
    ),
    Setting(
        "log_level",
        "info",
        "The lowest level that is logged to standard error: debug, info, warning or error.",
        choices=LogLevel,
    ),
)

DIGEST_LENGTH = 6


class Settings(msgspec.Struct, frozen=True):
    """The settings of one server, checked.

    `port` 0: any free port. `pace` multiplies the pauses that are made for people to follow. The limits per minute and
    `connections_per_address` are for each client address; 0: no limit. `max_connections` 0: as many as files may be
    open. `reviews_at_once` 0: no reviews. `push_keys` None: no web push.
    `key_base`: what the files of keys are named after, the file of the database if there is one. `public_url`: ""
    for any host. `keep_days` 0: for ever.
    """

    host: str
    port: int
    database: Path | PostgresUrl
    key_base: Path
    key_file: Path
    push_keys: Path | None
    webhooks: WebhookMode
    pace: float
    tables_per_minute: int
    connections_per_minute: int
    connections_per_address: int
    max_connections: int
    work_per_minute: int
    requests_per_minute: int
    reviews_at_once: int
    public_url: str
    keep_days: int
    seats_per_address: int
    programs: ProgramAdmission
    log_level: LogLevel


def read_settings(flags: Mapping[str, object], environment: Mapping[str, str] | None = None) -> Settings:
    """Return the settings from flags (None: not given), environment variables (default: `os.environ`) and defaults.

    Raises `MalformedError` for a value that cannot be, and `UnavailableError` for a kind of database without a store.
    """
    variables = os.environ if environment is None else environment
    texts = {setting.name: _setting_text(setting, flags, variables) for setting in SETTINGS}
    if texts["push_keys"] and not texts["public_url"]:
        raise MalformedError("--push-keys needs --public-url, at which push services find whoever runs the server")
    folder = _state_folder(variables)
    database = parse_database_url(texts["database"]) if texts["database"] else folder / "server.db"
    key_base = _real_file(database) if isinstance(database, Path) else folder / "postgresql"
    values: dict[str, Any] = {setting.name: setting.read(texts[setting.name]) for setting in SETTINGS}  # of any field
    values |= {
        "database": database,
        "key_base": key_base,
        "key_file": Path(texts["key_file"]) if texts["key_file"] else signing_key_path(key_base),
        "push_keys": Path(texts["push_keys"]) if texts["push_keys"] else None,
        "public_url": read_public_url(texts["public_url"]),
    }
    return Settings(**values)


def shared_settings_digest(settings: Settings) -> str:
    """Return a short text that is the same for servers with the same values of the shared settings."""
    values = [str(getattr(settings, setting.name)) for setting in SETTINGS if setting.shared]
    return hashlib.sha256(repr(values).encode()).hexdigest()[:DIGEST_LENGTH]


def _real_file(path: Path) -> Path:
    """Return the file that a path names through symbolic links, if it is one, so that it has one set of keys."""
    return path.resolve() if path.is_symlink() else path


def signing_key_path(database: Path) -> Path:
    """Return where the key that signs records is unless a setting names another file: beside the database."""
    return database.with_name(f"{database.name}.signing-key")


def _setting_text(setting: Setting, flags: Mapping[str, object], variables: Mapping[str, str]) -> str:
    flag = flags.get(setting.name)
    return variables.get(setting.variable, setting.default) if flag is None else str(flag)


def _state_folder(environment: Mapping[str, str]) -> Path:
    state = environment.get("XDG_STATE_HOME") or str(Path.home() / ".local" / "state")
    return Path(state) / "liarsdice"
