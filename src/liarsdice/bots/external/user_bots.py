"""Bots of your own by name: `python:FILE.py:FACTORY`, `exec:COMMAND` as a process of its own, `network:FILE.npz`.

Names like these run or read what they name. So they are for the command line only, and `registry.make_bot` doesn't know
them: what reads bots' names from anybody else, a server, a file, makes them there.
"""

from __future__ import annotations

import csv
import re
import shlex
import shutil
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import chdir, contextmanager, redirect_stdout, suppress
from functools import cache
from hashlib import sha256
from importlib.util import module_from_spec, spec_from_file_location
from io import StringIO
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING

from liarsdice.bots.external.subprocess_bot import MOVE_LIMIT_S, Program
from liarsdice.bots.protocol import Bot, Visitor
from liarsdice.bots.registry import make_bot
from liarsdice.core.actions import PlayerAction
from liarsdice.core.engine.view import View
from liarsdice.core.errors import MalformedError, UnavailableError

if TYPE_CHECKING:
    from liarsdice.bots.neural.network import Network

OWN = {
    "python:FILE.py:FACTORY": "a bot of yours: FACTORY(seed) in that file makes it",
    "exec:COMMAND": "a program of yours, in any language; exec[2s]:COMMAND gives it 2 seconds a move and not 5",
    "network:FILE.npz": "plays as the champion does, by a network of yours that `liarsdice train` made",
}
"""What each sort of own bot is, by the form of its name."""

PYTHON, NETWORK = "python:", "network:"
EXEC = re.compile(r"exec(?:\[(?P<limit>[^\]]*)\])?:(?P<command>.*)", re.DOTALL)
LIMIT = re.compile(r"(\d{1,6}(?:\.\d{1,6})?)(ms|s)")
LONGEST_LIMIT_S = 3600.0


@contextmanager
def _apart() -> Iterator[None]:
    """Let a user's code run: what it prints goes to standard error, and where it changes folders we stay."""
    with redirect_stdout(sys.stderr), chdir(Path.cwd()):  # standard output is for results
        yield


class FromFile:
    """A bot from a file of the user's."""

    def __init__(self, bot: Bot) -> None:
        self.bot = bot

    def act(self, view: View) -> PlayerAction | None:
        """Let the bot choose."""
        with _apart():
            return self.bot.act(view)

    def arrive(self, view: View) -> None:
        """Let the bot get ready, if it wants to."""
        if isinstance(self.bot, Visitor):
            with _apart():
                self.bot.arrive(view)

    def leave(self, view: View) -> None:
        """Let the bot let go, if it wants to."""
        if isinstance(self.bot, Visitor):
            with _apart():
                self.bot.leave(view)


def any_bot(spec: str, seed: int | str | None = None) -> Bot:
    """A bot by its name: one of the house, or one of your own. Only those that draw lots use the seed.

    An own bot gets a seed that is made from this one and does not tell it: a dealer's may stand in it.

    Raises `UnavailableError` where a name, file or program isn't there or can't be loaded, and `MalformedError` where
    a name can't be read. A process is started when a match begins, and not here.

    >>> any_bot("exec[500ms]:sh examples/bot.sh --bold")
    Program(('sh', 'examples/bot.sh', '--bold'), 0.5, None)
    """
    spec = spec.strip()
    if spec.startswith(PYTHON):
        return _from_file(spec, _untold(seed))
    if spec.startswith(NETWORK):
        return _by_network(spec, seed)
    found = EXEC.fullmatch(spec)
    if found is None:
        return make_bot(spec, seed)
    return Program(_words(spec, found["command"]), _limit_s(spec, found["limit"]), _untold(seed))


def _untold(seed: int | str | None) -> str | None:
    """A seed made from another, which it does not tell; none stays none."""
    return None if seed is None else sha256(f"bot {seed}".encode()).hexdigest()


def is_own(spec: str) -> bool:
    """Whether a name runs a file or a command of the user's, or reads one.

    >>> is_own("exec:node bot.mjs"), is_own("threshold:0.4")
    (True, False)
    """
    return spec.strip().startswith((PYTHON, NETWORK)) or EXEC.fullmatch(spec.strip()) is not None


def listed(bots: str) -> list[str]:
    """The names in a list with commas between them; a name that holds a comma stands in double quotes.

    Within these a double quote is written twice, as in CSV. Quotes inside a name are the command's own. Raises
    `MalformedError` where a quote is not closed.

    >>> listed('threshold:0.4, "exec:./bot --faces 1,2",random')
    ['threshold:0.4', 'exec:./bot --faces 1,2', 'random']
    """
    try:
        rows = list(csv.reader([bots], skipinitialspace=True, strict=True))
    except csv.Error as error:
        raise MalformedError(f"cannot read the list of bots {bots!r}: {error}") from error
    return [name.strip() for name in (rows[0] if rows else []) if name.strip()]


def in_list(bots: Sequence[str]) -> str:
    """Names as the list that `listed` reads.

    >>> in_list(["threshold:0.4", "exec:./bot --faces 1,2"])
    'threshold:0.4,"exec:./bot --faces 1,2"'
    """
    written = StringIO()
    csv.writer(written).writerow(bots)
    return written.getvalue().removesuffix("\r\n")


def files_of(specs: Sequence[str]) -> dict[str, str]:
    """The SHA-256 of each file that the own bots among these names are made of, as far as their names tell."""
    found = {}
    for path in (path for spec in specs if is_own(spec) for path in _files(spec.strip())):
        with suppress(OSError):  # many a word of a command is no file, or none that can be read
            found[path] = sha256(Path(path).read_bytes()).hexdigest()
    return found


def _files(spec: str) -> list[str]:
    if spec.startswith(NETWORK):
        return [spec.removeprefix(NETWORK)]
    found = EXEC.fullmatch(spec)
    return [_path_and_factory(spec)[0]] if found is None else _words(spec, found["command"])


def _words(spec: str, command: str) -> list[str]:
    if sys.platform == "win32":
        raise UnavailableError("bots by exec: need a system with POSIX pipes; use python: here")
    try:
        words = shlex.split(command)
    except ValueError as error:
        raise MalformedError(f"cannot read the command of {spec!r}: {str(error).lower()}") from error
    if not words:
        raise MalformedError(f"exec: needs a command, as in exec:node bot.mjs, not {spec!r}")
    if shutil.which(words[0]) is None:
        raise UnavailableError(f"no program is called {words[0]!r} ({spec})")
    return words


def _limit_s(spec: str, limit: str | None) -> float:
    if limit is None:
        return MOVE_LIMIT_S
    found = LIMIT.fullmatch(limit.strip())
    seconds = float(found[1]) / (1000 if found[2] == "ms" else 1) if found else 0.0
    if not 0 < seconds <= LONGEST_LIMIT_S:
        raise MalformedError(f"a time limit is up to an hour, as in exec[2s]:… or exec[500ms]:…, not {spec!r}")
    return seconds


def _by_network(spec: str, seed: int | str | None) -> Bot:
    from liarsdice.bots.neural.champion import Champion  # noqa: PLC0415  it loads numpy

    path = spec.removeprefix(NETWORK)
    if not path:
        raise MalformedError(f"a bot by a network is written network:FILE.npz, not {spec!r}")
    return Champion(_network(Path(path).resolve()), seed)


@cache
def _network(path: Path) -> Network:
    """The network in a file, read once in each process."""
    from liarsdice.bots.neural.network import read_network  # noqa: PLC0415  it loads numpy

    try:
        return read_network(path)
    except OSError as error:
        raise UnavailableError(f"{path} cannot be read: {error.strerror or error}") from error
    except ValueError as error:
        raise UnavailableError(f"{path} holds no network that plays, such as best.npz of liarsdice train") from error


def _path_and_factory(spec: str) -> tuple[str, str]:
    path, colon, factory = spec.removeprefix(PYTHON).rpartition(":")
    if not colon or not path or not factory.isidentifier():
        raise MalformedError(f"a bot from a file is written python:FILE.py:FACTORY, not {spec!r}")
    return path, factory


def _from_file(spec: str, seed: int | str | None) -> FromFile:
    path, name = _path_and_factory(spec)
    factory: Callable[[int | str | None], Bot] | None = getattr(_module(Path(path).resolve()), name, None)
    if not callable(factory):
        raise UnavailableError(f"{path} has no function {name!r}")
    try:
        with _apart():
            bot = factory(seed)
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # `sys.exit` in the user's code is a failure like any other
        raise UnavailableError(f"{spec} broke down with {type(error).__name__}: {error}") from error
    if not callable(getattr(bot, "act", None)):
        raise MalformedError(f"{spec} made {bot!r:.80}, which has no method act(view)")
    return FromFile(bot)


@cache
def _module(path: Path) -> ModuleType:
    """The file, run once in each process."""
    name = f"liarsdice_own_{sha256(str(path).encode()).hexdigest()[:8]}_{path.stem}"
    plan = spec_from_file_location(name, path) if path.suffix == ".py" and path.is_file() else None
    if plan is None or plan.loader is None:
        raise UnavailableError(f"there is no Python file {path}")
    module = sys.modules[name] = module_from_spec(plan)
    try:
        with _apart():
            plan.loader.exec_module(module)
    except BaseException as error:
        del sys.modules[name]
        if isinstance(error, KeyboardInterrupt):
            raise
        raise UnavailableError(f"cannot load {path}: {type(error).__name__}: {error}") from error
    return module
