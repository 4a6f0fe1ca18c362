"""Users' own bots by name: `python:FILE.py:FACTORY`, `plugin:NAME`, `exec:COMMAND` as a program, `network:FILE.npz`.

Such a name runs or reads what it names, so only the command line understands it, through `load_bot`. The server and
others that get names from elsewhere use `registry.make_bot`: built-in bots alone. A hunter would be too slow for them.
"""

from __future__ import annotations

import csv
import math
import re
import secrets
import shlex
import shutil
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import chdir, contextmanager, redirect_stdout, suppress
from functools import cache
from hashlib import sha256
from importlib.util import module_from_spec, spec_from_file_location
from io import StringIO
from numbers import Real
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING

from liarsdice.bots.external.subprocess_bot import DEFAULT_MOVE_LIMIT_S, SubprocessBot
from liarsdice.bots.protocol import Bot, MatchLifecycle, require_bot
from liarsdice.bots.registry import make_bot
from liarsdice.core.actions import PlayerAction
from liarsdice.core.engine.view import View
from liarsdice.core.errors import MalformedError, UnavailableError, described
from liarsdice.core.rules.tally import Hand
from liarsdice.core.sources import BOT_GROUP, PLUGIN, load_plugin, plugins

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

USER_BOT_FORMS = {
    "python:FILE.py:FACTORY": "your own bot in Python, made by FACTORY(seed) in that file",
    "plugin:NAME": "a bot of an installed package, made by the entry point NAME(seed) of its group liarsdice.bots",
    "exec:COMMAND": "your own program in any language; exec[2s]:COMMAND gives it 2 seconds for a move instead of 5",
    "network:FILE.npz": "plays like the champion, by your own network from `liarsdice train`",
    "blueprint:FILE.ldb": "plays like the champion, and the rounds in a file of `liarsdice train blueprint` by it",
    "hunter:BOT": "knows the probabilities of a champion or network, as in hunter:champion@5, and searches for the best"
    " answer to them: it shows how much can be won by knowing a bot, and takes about 50 ms for a move",
    "search:BOT": "plays the likely moves of a champion or network out before it chooses, as in search:champion, while"
    " three or more players are left: stronger there, and up to 0.2 s for a move; with two players and up to six"
    " dice it computes a balanced strategy of the round; search[400]:BOT works four times as much, search[25]:BOT less",
}
"""The description of each kind of user's bot, by the form of its name."""

PYTHON, NETWORK, BLUEPRINT, HUNTER = "python:", "network:", "blueprint:", "hunter:"
SEARCH = re.compile(r"search(?:\[(?P<budget>[^\]]*)\])?:(?P<bot>.*)", re.DOTALL)
EXEC = re.compile(r"exec(?:\[(?P<limit>[^\]]*)\])?:(?P<command>.*)", re.DOTALL)
TIME_LIMIT = re.compile(r"(\d{1,6}(?:\.\d{1,6})?)(ms|s)")
MAX_MOVE_LIMIT_S = 3600.0


class UserCodeBot:
    """A bot of a user's code. What it prints goes to standard error; it cannot change our working folder.

    `name`: what `load_bot` made it from.
    """

    def __init__(self, bot: Bot, name: str) -> None:
        self.bot = bot
        self.name = name

    def __repr__(self) -> str:
        return f"load_bot({self.name!r})"

    def act(self, view: View) -> PlayerAction | None:
        """Let the bot choose."""
        with _isolated():
            return self.bot.act(view)

    def on_start(self, view: View) -> None:
        """Pass the start of the match on to a bot that implements `MatchLifecycle`."""
        if isinstance(self.bot, MatchLifecycle):
            with _isolated():
                self.bot.on_start(view)

    def on_end(self, view: View) -> None:
        """Pass the end of the match on to a bot that implements `MatchLifecycle`."""
        if isinstance(self.bot, MatchLifecycle):
            with _isolated():
                self.bot.on_end(view)


SUM_TOLERANCE = 0.001
"""How far from 1 the sum of probabilities may be, which a user's code may have rounded."""


class UserPolicyBot(UserCodeBot):
    """A bot of a user's code with a method `action_probs(view)`, as `NamesActionProbs` describes.

    `memory` (`PolicyBot.memory`): that of the user's bot, or else None.
    """

    def __init__(self, bot: Bot, name: str) -> None:
        super().__init__(bot, name)
        self.memory: int | None = getattr(bot, "memory", None)

    def action_probs(self, view: View) -> Mapping[PlayerAction | None, float]:
        """Return the bot's probabilities. Raises `UnavailableError` if it raises or returns something else."""
        try:
            with _isolated():
                probs: object = self.bot.action_probs(view)  # type: ignore[attr-defined] # only such a bot is wrapped
        except Exception as error:
            raise UnavailableError(f"action_probs of {self.name} raised {type(error).__name__}: {error}") from error
        if not (isinstance(probs, Mapping) and all(isinstance(p, Real) and float(p) >= 0 for p in probs.values())):
            raise UnavailableError(
                f"action_probs of {self.name} returned {described(probs)}, not a dict of a probability for each move"
            )
        for move in probs.keys() - {None, *view.moves}:
            raise UnavailableError(f"action_probs of {self.name} names {described(move)}, which is not in view.moves")
        if not math.isclose(total := float(sum(probs.values())), 1, abs_tol=SUM_TOLERANCE):
            raise UnavailableError(f"action_probs of {self.name} names probabilities with the sum {total:g}, not 1")
        return probs

    def probs_by_hand(
        self, views: Sequence[View], hands: Sequence[Hand], actions: Sequence[PlayerAction]
    ) -> NDArray[np.float64]:
        """Return `PolicyBot.probs_by_hand`, float64 [view, action, hand]."""
        from liarsdice.bots.policy import probs_one_by_one  # noqa: PLC0415  it loads numpy

        return probs_one_by_one(self, views, hands, actions)


@contextmanager
def _isolated() -> Iterator[None]:
    """Send what a user's code prints to standard error, and restore the working folder after it."""
    with redirect_stdout(sys.stderr), chdir(Path.cwd()):  # standard output is for results
        yield


def load_bot(spec: str, seed: int | str | None = None) -> Bot:
    """Return a bot by its name, built-in or a user's own. Bots that play by chance take their numbers from the seed.

    A user's bot gets a hash of the seed, 64 hexadecimal digits, from which it cannot infer the seed: the dealer's may
    be part of it. Without a seed, the digits are random. A process is not started here but when a match starts.

    Raises `UnavailableError` if a name, file or program does not exist or cannot be loaded, and `MalformedError` if a
    name is not well-formed.

    >>> load_bot("exec[500ms]:sh examples/bot.sh --bold", 1)
    SubprocessBot(('sh', 'examples/bot.sh', '--bold'), 0.5, '5899...')
    """
    spec = spec.strip()
    if spec.startswith(PYTHON):
        return _load_python_bot(spec, _hashed_seed(seed))
    if spec.startswith(PLUGIN):
        with _isolated():
            factory = load_plugin(BOT_GROUP, spec)
        return _made_bot(spec, factory, _hashed_seed(seed))
    if spec.startswith((NETWORK, BLUEPRINT, HUNTER)) or SEARCH.fullmatch(spec):
        return _load_network_bot(spec, seed)
    match = EXEC.fullmatch(spec)
    if match is None:
        return make_bot(spec, seed)
    return SubprocessBot(
        split_command(spec, match["command"]), _parse_limit_s(spec, match["limit"]), _hashed_seed(seed)
    )


def _load_network_bot(spec: str, seed: int | str | None) -> Bot:
    from liarsdice.bots.external import network_bots  # noqa: PLC0415  it loads numpy

    if spec.startswith(NETWORK):
        return network_bots.network_champion(spec, seed)
    if spec.startswith(BLUEPRINT):
        return network_bots.champion_with_blueprints(spec, seed)
    if spec.startswith(HUNTER):
        return network_bots.hunter_of(spec, load_bot(spec.removeprefix(HUNTER), seed), seed)
    search = SEARCH.fullmatch(spec)
    assert search is not None  # no other name comes here
    return network_bots.searcher_of(spec, load_bot(search["bot"], seed), seed, search["budget"])


def _hashed_seed(seed: int | str | None) -> str:
    """Return 64 hexadecimal digits that depend on a seed but do not reveal it; random ones without a seed."""
    return secrets.token_hex(32) if seed is None else sha256(f"bot {seed}".encode()).hexdigest()


def is_user_bot(spec: str) -> bool:
    """Return whether a name is that of a user's bot, which runs or reads a file or a command.

    >>> is_user_bot("exec:node bot.mjs"), is_user_bot("threshold:0.4")
    (True, False)
    """
    return spec.strip().startswith((PYTHON, PLUGIN, NETWORK, BLUEPRINT, HUNTER)) or any(
        form.fullmatch(spec.strip()) for form in (SEARCH, EXEC)
    )


def parse_bot_list(text: str) -> list[str]:
    """Return the names in a comma-separated list. A name with a comma is in double quotes, as in CSV.

    Inside these a double quote is doubled; other quotes belong to the command. Raises `MalformedError` if a quote is
    not closed.

    >>> parse_bot_list('threshold:0.4, "exec:./bot --faces 1,2",random')
    ['threshold:0.4', 'exec:./bot --faces 1,2', 'random']
    """
    try:
        rows = list(csv.reader([text], skipinitialspace=True, strict=True))
    except csv.Error as error:
        raise MalformedError(f"cannot read the list of bots {text!r}: {error}") from error
    return [name.strip() for name in (rows[0] if rows else []) if name.strip()]


def format_bot_list(specs: Sequence[str]) -> str:
    """Return names as a list that `parse_bot_list` reads.

    >>> format_bot_list(["threshold:0.4", "exec:./bot --faces 1,2"])
    'threshold:0.4,"exec:./bot --faces 1,2"'
    """
    line = StringIO()
    csv.writer(line).writerow(specs)
    return line.getvalue().removesuffix("\r\n")


def file_digests(specs: Sequence[str]) -> dict[str, str]:
    """Return the SHA-256 of each file that users' bots among these names consist of, as far as the names show.

    In place of the files of a plugin, the name and version of its package stand beside its name.
    """
    digests = {}
    for path in (path for spec in specs if is_user_bot(spec) for path in _possible_files(spec.strip())):
        with suppress(OSError):  # most words of a command are no files, and some files are not readable
            digests[path] = sha256(Path(path).read_bytes()).hexdigest()
    packages = plugins(BOT_GROUP) if any(spec.startswith(PLUGIN) for spec in specs) else {}
    return digests | {name: package for name, package in packages.items() if name in specs}


def _possible_files(spec: str) -> list[str]:
    """Return the words in the name of a user's bot that may be files."""
    if spec.startswith(PLUGIN):
        return []
    if spec.startswith((NETWORK, BLUEPRINT)):
        return [spec.removeprefix(NETWORK).removeprefix(BLUEPRINT)]
    if spec.startswith(HUNTER) or SEARCH.fullmatch(spec):
        target = spec.partition(":")[2].strip()
        return _possible_files(target) if is_user_bot(target) else []
    match = EXEC.fullmatch(spec)
    return [_path_and_factory(spec)[0]] if match is None else split_command(spec, match["command"])


def split_command(spec: str, command: str) -> list[str]:
    """Split a command into words as a POSIX shell would; `spec` is what an error quotes.

    Raises `MalformedError` for a command that cannot be split, and `UnavailableError` if its program does not exist.
    """
    if sys.platform == "win32":
        raise UnavailableError("programs need a system with POSIX pipes; use python: here")
    try:
        words = shlex.split(command)
    except ValueError as error:
        raise MalformedError(f"cannot read the command of {spec!r}: {str(error).lower()}") from error
    if not words:
        raise MalformedError(f"a command needs a program, as in node bot.mjs, not {spec!r}")
    if shutil.which(words[0]) is None:
        raise UnavailableError(f"no program is called {words[0]!r} ({spec})")
    return words


def _parse_limit_s(spec: str, limit: str | None) -> float:
    if limit is None:
        return DEFAULT_MOVE_LIMIT_S
    match = TIME_LIMIT.fullmatch(limit.strip())
    seconds = float(match[1]) / (1000 if match[2] == "ms" else 1) if match else 0.0
    if not 0 < seconds <= MAX_MOVE_LIMIT_S:
        raise MalformedError(f"a time limit is up to an hour, as in exec[2s]:… or exec[500ms]:…, not {spec!r}")
    return seconds


def _path_and_factory(spec: str) -> tuple[str, str]:
    path, colon, factory = spec.removeprefix(PYTHON).rpartition(":")
    if not colon or not path or not factory.isidentifier():
        raise MalformedError(f"a bot from a file is written python:FILE.py:FACTORY, not {spec!r}")
    return path, factory


def _load_python_bot(spec: str, seed: str) -> UserCodeBot:
    path, name = _path_and_factory(spec)
    factory: Callable[[str], Bot] | None = getattr(_load_module(Path(path).resolve()), name, None)
    if not callable(factory):
        raise UnavailableError(f"{path} has no function {name!r}")
    return _made_bot(spec, factory, seed)


def _made_bot(spec: str, factory: Callable[[str], Bot], seed: str) -> UserCodeBot:
    """Return the bot that a user's factory makes.

    Raises `UnavailableError` if it raises, and `MalformedError` if it makes no bot.
    """
    try:
        with _isolated():
            bot = factory(seed)
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # `sys.exit` in the user's code is a failure like any other
        raise UnavailableError(f"{spec} raised {type(error).__name__}: {error}") from error
    require_bot(bot, spec)
    names_probs = callable(getattr(bot, "action_probs", None))
    return UserPolicyBot(bot, spec) if names_probs else UserCodeBot(bot, spec)


@cache
def _load_module(path: Path) -> ModuleType:
    """Return a Python file as a module, run once per process."""
    name = f"liarsdice_own_{sha256(str(path).encode()).hexdigest()[:8]}_{path.stem}"
    spec = spec_from_file_location(name, path) if path.suffix == ".py" and path.is_file() else None
    if spec is None or spec.loader is None:
        raise UnavailableError(f"there is no Python file {path}")
    module = sys.modules[name] = module_from_spec(spec)
    try:
        with _isolated():
            spec.loader.exec_module(module)
    except BaseException as error:
        del sys.modules[name]
        if isinstance(error, KeyboardInterrupt):
            raise
        raise UnavailableError(f"cannot load {path}: {type(error).__name__}: {error}") from error
    return module
