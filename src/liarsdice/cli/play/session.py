"""The matches of one evening: the first as the command line asks for it, then rematches, each with its own save."""

from __future__ import annotations

import secrets
import shlex
from pathlib import Path

import msgspec

from liarsdice.bots.external.user_bots import in_list, is_own, listed
from liarsdice.cli.play.match_driver import Awaits, Game
from liarsdice.cli.play.ruleset_menu import BEGINNERS
from liarsdice.cli.play.saved_match import Save, Seats, latest_unfinished, new_path, numbered, read_seats
from liarsdice.cli.play.seats import PLAYER, seat_all, seats_of, with_bots
from liarsdice.core.engine.engine import seated
from liarsdice.core.errors import LiarsDiceError, UnavailableError
from liarsdice.core.events import MatchStarted
from liarsdice.core.rules.ruleset_io import find_rules
from liarsdice.play.dealer import Dealer
from liarsdice.play.match import Match


class Options(msgspec.Struct, frozen=True, kw_only=True):
    """What the command line said; None where it said nothing."""

    rules: str | None = None
    seats: int | None = None
    bots: str | None = None
    seed: int | None = None
    record: Path | None = None
    name: str = PLAYER
    resume: bool = False
    file: Path | None = None
    plain: bool = False
    fast: bool = False


class Evening:
    """Makes the matches of one evening. `path` is where the latest is kept, `notices` what to tell before the first."""

    def __init__(self, options: Options) -> None:
        self.options = options
        self.path: Path | None = None
        self.notices: list[str] = []

    @property
    def asks_rules(self) -> bool:
        """Whether the rules are still to be chosen."""
        return self.options.rules is None and not self.options.resume

    def begin(self, rules_name: str | None = None) -> Game:
        """The first match; `rules_name` is what the player chose where nothing else says."""
        options = self.options
        if options.resume:
            return self._resumed()
        rules = find_rules(options.rules or rules_name or BEGINNERS)
        seed = secrets.token_hex(8) if options.seed is None else str(options.seed)
        seats, names = seat_all(rules, options.name, listed(options.bots or ""), options.seats, seed)
        begin = seated(rules, names)
        return self._open(options.record or new_path(rules.labels.game), seats, begin)

    def rematch(self, game: Game) -> Game:
        """Another match by the same rules with the same people, and with other dice."""
        view = game.view
        seats = msgspec.structs.replace(game.seats, seed=f"{game.seats.seed}+")
        given = self.options.record or self.options.file
        path = numbered(given) if given else new_path(view.ruleset.labels.game)
        return self._open(path, seats, seated(view.ruleset, view.names))

    def goodbye(self, game: Game | None) -> str:
        """What to say to somebody who leaves."""
        if game is None or game.awaits is Awaits.OVER:
            return ""
        given = self.options.record or self.options.file
        words = ["liarsdice", "play", "--resume", *([str(self.path)] if given else [])]
        if any(map(is_own, game.seats.bots)):
            words += ["--bots", _others(game.seats)]
        return f"The match is kept. Go on with: {shlex.join(words)}\n"

    def _open(self, path: Path, seats: Seats, begin: MatchStarted) -> Game:
        match = Match(begin.ruleset, begin.names, Dealer(seats.seed))
        game = Game(match, seats, Save.create(path, seats, begin))
        self.path = path
        return game

    def _resumed(self) -> Game:
        self.path = self.options.file or latest_unfinished()
        save, record, cut = Save.resume(self.path)
        if cut is not None:
            self.notices.append(cut)
        seats = read_seats(self.path, record)
        if seats is None:
            seats = seats_of(record.state.names, secrets.token_hex(8))
            name = record.state.names[seats.you]
            self.notices.append(f"no file that fits says who sat where: you are {name}, among the usual bots")
        try:
            seats = self._with_bots(seats)
        except LiarsDiceError:
            save.close()
            raise
        return Game(Match.resumed(record, Dealer(seats.seed)), seats, save)

    def _with_bots(self, seats: Seats) -> Seats:
        """The seats with the bots that the command line names. Bots of one's own are never started by a file alone."""
        specs = listed(self.options.bots or "")
        if any(map(is_own, seats.bots)) and not specs:
            raise UnavailableError(
                "a bot of your own sits there, and no file may start one (name the bots again:"
                f" --bots {shlex.quote(_others(seats))})"
            )
        return with_bots(seats, specs) if specs else seats


def _others(seats: Seats) -> str:
    """The bots at the table as `--bots` takes them."""
    return in_list([spec for spec in seats.bots if spec])
