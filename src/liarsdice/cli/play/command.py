"""Sitting down and getting up: from the options of the command line to a match, and to a save that waits."""

from __future__ import annotations

import os
import secrets
import sys
from io import TextIOWrapper
from pathlib import Path

import msgspec

from liarsdice.analysis.dealer import Dealer
from liarsdice.analysis.match import Match
from liarsdice.cli.play.choosing import BEGINNERS
from liarsdice.cli.play.game import Awaits, Game
from liarsdice.cli.play.plain import PlainTable, Quit, read_line
from liarsdice.cli.play.save import Save, latest_unfinished, new_path, numbered, read_seats
from liarsdice.cli.play.seating import YOU, seat_all, seats_of
from liarsdice.core.engine import seated
from liarsdice.core.errors import MalformedError, UnavailableError
from liarsdice.core.files import find_rules

INTERRUPTED = 130
"""The exit status of a program that Ctrl-C ended."""


class Options(msgspec.Struct, frozen=True, kw_only=True):
    """What the command line said; None where it said nothing."""

    rules: str | None = None
    seats: int | None = None
    bots: str | None = None
    seed: int | None = None
    record: Path | None = None
    name: str = YOU
    resume: bool = False
    file: Path | None = None
    plain: bool = False
    fast: bool = False


class Tables:
    """Makes the matches of one evening, each with a save of its own."""

    def __init__(self, options: Options) -> None:
        self.options = options
        self.count = 0
        self.path: Path | None = None

    def new_game(self, rules_name: str | None = None) -> Game:
        """Everybody sits down for a new match."""
        options = self.options
        self.count += 1
        rules = find_rules(rules_name or options.rules or BEGINNERS)
        seed = secrets.token_hex(8) if options.seed is None else str(options.seed)
        specs = [spec.strip() for spec in (options.bots or "").split(",") if spec.strip()]
        first = f"{seed}/{self.count}" if self.count > 1 else seed
        seats, names = seat_all(rules, options.name, specs, options.seats, first)
        begin = seated(rules, names)
        match = Match(rules, names, Dealer(first))
        path = options.record or new_path(rules.labels.game)
        self.path = numbered(path) if self.count > 1 else path
        return Game(match, seats, Save.create(self.path, seats, begin))

    def resumed(self) -> Game:
        """The match of a record goes on."""
        self.path = self.options.file or latest_unfinished()
        save, record = Save.resume(self.path)
        seats = read_seats(self.path, record) or seats_of(record.state.names, secrets.token_hex(8))
        game = Game(Match.resumed(record, Dealer(seats.seed)), seats, save)
        if game.awaits is Awaits.OVER:
            game.close()
            raise UnavailableError(f"the match in {self.path} is over (start a new one: liarsdice play)")
        return game

    def goodbye(self, game: Game | None) -> str:
        """What to say to somebody who leaves."""
        if game is None or game.awaits is Awaits.OVER:
            return ""
        given = self.options.record or self.options.file or self.count > 1
        return f"The match is kept. Go on with: liarsdice play --resume{f' {self.path}' if given else ''}\n"


def run(options: Options) -> int:
    """Play; the exit status."""
    _check(options)
    tables = Tables(options)
    if options.plain or not _on_terminal():
        return _plain(tables)
    return _full_screen(tables)


def _on_terminal() -> bool:
    """Whether a full screen can be shown: it is drawn on stderr, read from stdin, and its story goes to stdout."""
    streams = (sys.stdin, sys.stdout, sys.stderr)
    return all(stream.isatty() for stream in streams) and os.environ.get("TERM") != "dumb"


def _check(options: Options) -> None:
    if options.file is not None and not options.resume:
        raise MalformedError(f"a file is named to go on with: liarsdice play --resume {options.file}")
    asked = [name for name in ("rules", "seats", "bots", "seed", "record") if getattr(options, name) is not None]
    if options.resume and asked:
        raise MalformedError(f"--resume goes on with the match as it is, without --{asked[0]}")


def _plain(tables: Tables) -> int:
    game = tables.resumed() if tables.options.resume else tables.new_game()
    for stream in (sys.stdin, sys.stdout):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="replace")
    try:
        again = True
        while again:
            PlainTable(game).play()
            game.close()
            again = read_line("A rematch? [y/N] ").lower() in {"y", "yes"}
            game = tables.new_game() if again else game
    except Quit:
        print(tables.goodbye(game), end="")
    except KeyboardInterrupt:
        print(f"\n{tables.goodbye(game)}", end="")
        return INTERRUPTED
    except BrokenPipeError:  # nobody listens any more; the exit must not try to flush what is left
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    return 0


def _full_screen(tables: Tables) -> int:
    from liarsdice.cli.play.screen import PlayApp

    options = tables.options
    app = PlayApp(
        tables.new_game,
        game=tables.resumed() if options.resume else None,
        ask_rules=options.rules is None,
        fast=options.fast,
    )
    app.run()
    print("".join(f"{line}\n" for line in app.story) + tables.goodbye(app.game), end="")
    if app.failure is not None:
        raise app.failure
    return app.return_code or 0
