"""Runs `liarsdice play`: in full screen or line by line, with rematches, and says how to resume."""

from __future__ import annotations

import os
import sys
from io import TextIOWrapper
from typing import get_args

from liarsdice.cli.arguments import PlayOptions
from liarsdice.cli.play.line_mode import LineMode, QuitRequested, read_line
from liarsdice.cli.play.session import Session
from liarsdice.cli.stdio import EXIT_INTERRUPTED
from liarsdice.core.errors import MalformedError
from liarsdice.server.table.table_config import BestOf


def run(options: PlayOptions) -> int:
    """Play and return the exit status: 0, 130 after Ctrl-C, or 1 if nobody reads the output.

    Raises `MalformedError` if the options contradict each other.
    """
    _check_options(options)
    session = Session(options)
    if options.plain or not _on_terminal():
        return _play_line_by_line(session)
    return _play_full_screen(session)


def _on_terminal() -> bool:
    """Whether a full screen can be shown: it draws on stderr and reads stdin, and the result is printed on stdout."""
    streams = (sys.stdin, sys.stdout, sys.stderr)
    return all(stream.isatty() for stream in streams) and os.environ.get("TERM") != "dumb"


def _check_options(options: PlayOptions) -> None:
    if options.file is not None and not options.resume:
        raise MalformedError(f"a file can only be given to continue it: liarsdice play --resume {options.file}")
    if options.best_of not in get_args(BestOf):
        raise MalformedError(f"a series is the best of 3, 5 or 7 matches, or 1 for none, not of {options.best_of}")
    changed = [name for name in ("rules", "seats", "seed", "record") if getattr(options, name) is not None]
    if options.resume and changed:
        raise MalformedError(f"--resume continues the match as it is; leave out --{changed[0]}")


def _play_line_by_line(session: Session) -> int:
    driver = session.start()
    for notice in session.notices:
        print(f"! {notice}")
    if isinstance(sys.stdin, TextIOWrapper):
        sys.stdin.reconfigure(errors="replace")
    try:
        rematch = True
        while rematch:
            LineMode(driver).play()
            print("".join(f"{line}\n" for line in session.series_lines(driver)), end="")
            driver.close()
            rematch = read_line("A rematch? [y/N] ").lower() in {"y", "yes"}
            driver = session.rematch(driver) if rematch else driver
    except QuitRequested:
        print(session.resume_hint(driver), end="")
    except KeyboardInterrupt:
        print(f"\n{session.resume_hint(driver)}", end="")
        return EXIT_INTERRUPTED
    except BrokenPipeError:  # the reader has gone, and the interpreter must not flush stdout again at exit
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    return 0


def _play_full_screen(session: Session) -> int:
    from liarsdice.cli.play.screen import PlayApp

    app = PlayApp(session)
    app.run()
    print("".join(f"{line}\n" for line in app.closing_lines) + session.resume_hint(app.driver), end="")
    if app.failure is not None:
        raise app.failure
    return app.return_code or 0
