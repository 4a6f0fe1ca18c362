"""Runs a module as `python -m` does, in a process that is forked from one that has imported the server already.

The imports take most of the time in which a server starts. A forked program has a process, streams, an environment and
an exit status of its own, so it can be killed and suspended like any other.
"""

import multiprocessing
import os
import resource
import runpy
import secrets
import sys
import traceback
from collections.abc import Mapping, Sequence
from contextlib import suppress
from multiprocessing.connection import Connection
from pathlib import Path

from tests import chance

STDIN, STDOUT, STDERR = range(3)
FORKS = multiprocessing.get_context("forkserver")
FORKS.set_forkserver_preload(
    [
        "liarsdice.cli.app",
        "liarsdice.cli.play.line_mode",
        "liarsdice.cli.server.serve",
        "liarsdice.server.bus.postgres_bus",
        "liarsdice.server.storage.postgres",
        # what libraries import only when a server starts
        "alembic.command",
        "anyio._backends._asyncio",
        "confusable_homoglyphs.confusables",
        "litestar.middleware.response_cache",
        "litestar.plugins.attrs",
        "litestar.plugins.pydantic",
        "sqlalchemy.dialects.postgresql.asyncpg",
        "sqlalchemy.dialects.sqlite",
        "uvicorn.lifespan.on",
        "uvicorn.loops.auto",
    ]
)


class ForkedProgram:
    """A module that runs with arguments and an environment. `stdin` is what it reads, and `stdout` what it prints.

    `log`: the file to which its standard error is appended; None: it goes to `stdout`, too. It may open as many files
    as this process now.
    """

    def __init__(self, words: Sequence[str], environment: Mapping[str, str], log: Path | None) -> None:
        (output, said), (told, entry) = FORKS.Pipe(duplex=False), FORKS.Pipe(duplex=False)
        open_files = resource.getrlimit(resource.RLIMIT_NOFILE)
        arguments = (list(words), dict(environment), Path.cwd(), open_files, log and log.absolute(), (told, said))
        self._process = FORKS.Process(target=_run, args=(*arguments, secrets.token_hex()))
        self._process.start()
        self.stdin = os.fdopen(os.dup(entry.fileno()), "wb")
        self.stdout = os.fdopen(os.dup(output.fileno()), encoding="utf-8")
        for connection in (output, said, told, entry):
            connection.close()

    @property
    def pid(self) -> int:
        """The id of the process."""
        assert self._process.pid is not None
        return self._process.pid

    @property
    def is_running(self) -> bool:
        """Whether the process has not ended."""
        return self._process.exitcode is None

    def terminate(self) -> None:
        """Send SIGTERM to the process."""
        self._process.terminate()

    def end(self) -> None:
        """Kill the process, unless it has ended by itself."""
        self._process.kill()
        self._process.join()

    def close(self) -> None:
        """Kill the process, unless it has ended by itself, and close the streams."""
        self.end()
        for stream in (self.stdin, self.stdout):
            with suppress(BrokenPipeError):
                stream.close()

    def wait(self, timeout_s: float) -> int:
        """Return the exit status, negative for a signal, when it has ended. Raises `TimeoutError`."""
        self._process.join(timeout_s)
        if self._process.exitcode is None:
            raise TimeoutError(f"process {self.pid} has not ended within {timeout_s} s")
        return self._process.exitcode


def run_with_streams(words: Sequence[str], folder: Path, files: Mapping[int, str | None], timeout_s: float) -> int:
    """Run a module with arguments in a folder and return its exit status, negative for a signal.

    `files`: by number, the file that each stream is, None if it is closed. Raises `TimeoutError`.
    """
    process = FORKS.Process(target=_run_with_streams, args=(list(words), folder, dict(files)))
    process.start()
    process.join(timeout_s)
    if process.exitcode is None:
        process.kill()
        raise TimeoutError(f"{words} has not ended within {timeout_s} s")
    return process.exitcode


def _run_with_streams(words: list[str], folder: Path, files: dict[int, str | None]) -> None:
    """Run a module; make its streams, and write at the end what they still hold, as the interpreter does."""
    os.chdir(folder)
    for number, file in files.items():
        if file is not None:
            opened = os.open(file, os.O_RDONLY if number == STDIN else os.O_WRONLY | os.O_CREAT)
            os.dup2(opened, number)
            os.close(opened)
    for number in [number for number, file in files.items() if file is None]:
        os.close(number)
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        errors = "backslashreplace" if number == STDERR else "strict"
        stream = files[number] and os.fdopen(number, "w" if number else "r", -1, "utf-8", errors, closefd=False)
        setattr(sys, name, stream)
    sys.argv[:] = words
    status = 0
    try:
        runpy.run_module(words[0], run_name="__main__", alter_sys=True)
    except SystemExit as ended:
        status = int(ended.code or 0)
    for last in (sys.stdout, sys.stderr):
        try:
            if last is not None and not last.closed:
                last.flush()
        except OSError:
            traceback.print_exc()
            status = 120
    os._exit(status)


def _run(
    words: list[str],
    environment: dict[str, str],
    folder: Path,
    open_files: tuple[int, int],
    log: Path | None,
    streams: tuple[Connection, Connection],
    chance_seed: str,
) -> None:
    """Run a module with arguments (in the forked process)."""
    chance.install()
    chance.reseed(chance_seed)
    os.environ.clear()
    os.environ.update(environment)
    os.chdir(folder)
    resource.setrlimit(resource.RLIMIT_NOFILE, open_files)
    for connection, number in zip(streams, (STDIN, STDOUT), strict=True):
        os.dup2(connection.fileno(), number)
        connection.close()
    if log is None:
        os.dup2(STDOUT, STDERR)
    else:
        with log.open("a") as errors:
            os.dup2(errors.fileno(), STDERR)
    sys.stdin = os.fdopen(STDIN, encoding="utf-8", closefd=False)
    sys.stdout = os.fdopen(STDOUT, "w", encoding="utf-8", closefd=False)
    sys.stderr = os.fdopen(STDERR, "w", 1, "utf-8", "backslashreplace", closefd=False)
    sys.argv[:] = words
    runpy.run_module(words[0], run_name="__main__", alter_sys=True)
