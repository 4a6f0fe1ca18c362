"""Sitting down and getting up: full screen or line by line, and what is said to somebody who leaves."""

from __future__ import annotations

import os
import sys
from io import TextIOWrapper

from liarsdice.cli.exit_status import INTERRUPTED
from liarsdice.cli.play.line_mode import PlainTable, Quit, read_line
from liarsdice.cli.play.session import Evening, Options
from liarsdice.core.errors import MalformedError


def run(options: Options) -> int:
    """Play; the exit status."""
    _check(options)
    evening = Evening(options)
    if options.plain or not _on_terminal():
        return _plain(evening)
    return _full_screen(evening)


def _on_terminal() -> bool:
    """Whether a full screen can be shown: it is drawn on stderr, read from stdin, and its story goes to stdout."""
    streams = (sys.stdin, sys.stdout, sys.stderr)
    return all(stream.isatty() for stream in streams) and os.environ.get("TERM") != "dumb"


def _check(options: Options) -> None:
    if options.file is not None and not options.resume:
        raise MalformedError(f"a file is named to go on with: liarsdice play --resume {options.file}")
    asked = [name for name in ("rules", "seats", "seed", "record") if getattr(options, name) is not None]
    if options.resume and asked:
        raise MalformedError(f"--resume goes on with the match as it is, without --{asked[0]}")


def _plain(evening: Evening) -> int:
    game = evening.begin()
    for notice in evening.notices:
        print(f"! {notice}")
    if isinstance(sys.stdin, TextIOWrapper):
        sys.stdin.reconfigure(errors="replace")
    try:
        again = True
        while again:
            PlainTable(game).play()
            game.close()
            again = read_line("A rematch? [y/N] ").lower() in {"y", "yes"}
            game = evening.rematch(game) if again else game
    except Quit:
        print(evening.goodbye(game), end="")
    except KeyboardInterrupt:
        print(f"\n{evening.goodbye(game)}", end="")
        return INTERRUPTED
    except BrokenPipeError:  # nobody listens any more; the exit must not try to flush what is left
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    return 0


def _full_screen(evening: Evening) -> int:
    from liarsdice.cli.play.screen import PlayApp

    app = PlayApp(evening)
    app.run()
    print("".join(f"{line}\n" for line in app.story) + evening.goodbye(app.game), end="")
    if app.failure is not None:
        raise app.failure
    return app.return_code or 0
