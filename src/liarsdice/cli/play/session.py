"""A session of `liarsdice play`: the first match by the options, then rematches, each with a record of its own."""

from __future__ import annotations

import secrets
import shlex
from collections.abc import Sequence
from pathlib import Path

import msgspec

from liarsdice.bots.external.user_bots import format_bot_list, is_user_bot, parse_bot_list
from liarsdice.cli.arguments import PlayOptions
from liarsdice.cli.play.match_driver import MatchDriver, NextStep
from liarsdice.cli.play.saved_match import (
    SavedMatch,
    Seats,
    assign_seats,
    default_seats,
    latest_unfinished,
    new_path,
    read_seats,
    replace_bots,
    unused_path,
)
from liarsdice.core.engine.engine import match_started
from liarsdice.core.errors import LiarsDiceError, UnavailableError
from liarsdice.core.rules.ruleset import Ruleset
from liarsdice.core.rules.ruleset_io import find_rules
from liarsdice.play.match import Dealer, Match

DEFAULT_RULES = "classic+aces+palifico+calza"
"""The rules of line mode without --rules: those of the classic boxed set with its usual options."""

MENU = {
    "chart": "wild ones; you lose as many dice as you are off",
    "classic": "no wild dice, one die lost a round: the easiest",
    DEFAULT_RULES: "classic with wild aces, Palifico! and Calza!",
    "basic": "classic without its variations",
    "mustache": "no part of a bid may go down; Mustache Rounds",
    "official": "anyone may call out of turn, for double stakes",
    "official-strict": "official, but the number of dice never goes down",
    "perudo": "the boxed game: wild pacos, Calza!, Palifico!",
    "cacho": "Chilean: blind last dice, early doubts cost two",
    "bluff": "wild stars; you lose as many dice as you are off",
    "red-dead": "a right “Spot on!” costs all others a die",
    "pirates": "wild skulls that are never bid; nothing goes down",
    "snyd": "Danish, without wild dice",
    "snyd-joker": "Danish: wild ones that are never bid",
    "snyd-stairs": "Danish: a hand 1, 2, 3 counts as one more die",
    "chui-niu": "Chinese: ones rank highest, wild until bid",
    "bar": "Chinese bars: drinks, zhai, fei and pi",
    "bar-strict": "the same, and dice count as they lie",
    "openspiel": "one round only; sixes are wild",
    "joker": "wild ones that rank lowest and may be bid",
}
"""The rules that a player can choose, each with its description."""
NAME_WIDTH = 16


def menu_line(rules: str) -> str:
    """Return rules of the menu with their description. A plus after the name stands for all its options."""
    name, plus, _ = rules.partition("+")
    return f"{name + plus:{NAME_WIDTH}} {MENU[rules]}"


class Session:
    """Starts the matches of one session.

    `path` is the record of the latest match, `notices` are messages to show before the first one. `wins`: the matches
    of the series that each seat has won.
    """

    def __init__(self, options: PlayOptions) -> None:
        self.options = options
        self.path: Path | None = None
        self.notices: list[str] = []
        self.wins: list[int] = []

    @property
    def needs_rules(self) -> bool:
        """Whether the player has to choose the rules."""
        return self.options.rules is None and not self.options.resume

    def start(self, chosen_rules: str | None = None) -> MatchDriver:
        """Start or resume the first match. `chosen_rules` applies if no option names the rules."""
        options = self.options
        if options.resume:
            return self._resume()
        rules = find_rules(options.rules or chosen_rules or DEFAULT_RULES)
        seed = secrets.token_hex(8) if options.seed is None else str(options.seed)
        seats, names = assign_seats(rules, options.name, parse_bot_list(options.bots or ""), options.seats, seed)
        return self._start_match(options.record or new_path(rules.labels.game), seats, rules, names)

    def rematch(self, driver: MatchDriver) -> MatchDriver:
        """Start another match with the same rules, players and bots, but other dice."""
        view = driver.view
        seats = msgspec.structs.replace(driver.seats, seed=f"{driver.seats.seed}+")
        first_path = self.options.record or self.options.file
        path = unused_path(first_path) if first_path else new_path(view.ruleset.labels.game)
        return self._start_match(path, seats, view.ruleset, view.names)

    def series_lines(self, driver: MatchDriver) -> list[str]:
        """Count a match that is over, once, and return a line that says how the series stands; none without a series.

        A match that several players win counts for nobody. The match after the last of a series is the first of the
        next one.
        """
        view, best_of = driver.view, self.options.best_of
        if best_of == 1:
            return []
        if not self.wins or 2 * max(self.wins) > best_of:
            self.wins = [0] * len(view.names)
        if len(view.winners) == 1:
            self.wins[view.winners[0]] += 1
        names = [driver.narrator.list_name(seat) for seat in range(len(view.names))]
        score = ", ".join(f"{name} {wins}" for name, wins in zip(names, self.wins, strict=True))
        ends = [
            f" {name} {'win' if seat == driver.you else 'wins'} the series."
            for seat, (name, wins) in enumerate(zip(names, self.wins, strict=True))
            if 2 * wins > best_of
        ]
        return [f"Best of {best_of}: {score}.{''.join(ends)}"]

    def resume_hint(self, driver: MatchDriver | None) -> str:
        """Return a sentence that tells how to resume the match, or an empty string if it is over."""
        if driver is None or driver.next_step is NextStep.OVER:
            return ""
        has_own_file = self.options.record or self.options.file
        words = ["liarsdice", "play", "--resume", *([str(self.path)] if has_own_file else [])]
        if any(map(is_user_bot, driver.seats.bots)):
            words += ["--bots", _bot_list(driver.seats)]
        return f"The match is saved. To continue it: {shlex.join(words)}\n"

    def _start_match(self, path: Path, seats: Seats, rules: Ruleset, names: Sequence[str]) -> MatchDriver:
        order = Dealer(f"{seats.seed}/seats").seat(rules, range(len(names)))
        bots = tuple(seats.bots[place] for place in order)
        seats = msgspec.structs.replace(seats, you=order.index(seats.you), bots=bots)
        self.wins = [self.wins[place] for place in order] if self.wins else []
        event = match_started(rules, [names[place] for place in order])
        match = Match(event.ruleset, event.names, Dealer(seats.seed))
        driver = MatchDriver(match, seats, SavedMatch.create(path, seats, event))
        self.path = path
        return driver

    def _resume(self) -> MatchDriver:
        self.path = self.options.file or latest_unfinished()
        saved_match, record, notice = SavedMatch.resume(self.path)
        if notice is not None:
            self.notices.append(notice)
        seats = read_seats(self.path, record)
        if seats is None:
            seats = default_seats(record.state.names, secrets.token_hex(8))
            name = record.state.names[seats.you]
            self.notices.append(f"no matching file says who sat where: you are {name}, against the usual bots")
        try:
            seats = self._with_bots(seats)
        except LiarsDiceError:
            saved_match.close()
            raise
        return MatchDriver(Match.from_record(record, Dealer(seats.seed)), seats, saved_match)

    def _with_bots(self, seats: Seats) -> Seats:
        """Return the seats with the bots of --bots. A user's bot is a program, so a file alone never starts it."""
        specs = parse_bot_list(self.options.bots or "")
        if any(map(is_user_bot, seats.bots)) and not specs:
            raise UnavailableError(
                "the match has a bot of your own, and a file must not start one (name the bots again:"
                f" --bots {shlex.quote(_bot_list(seats))})"
            )
        return replace_bots(seats, specs) if specs else seats


def _bot_list(seats: Seats) -> str:
    """Return the bots of the match as `--bots` accepts them."""
    return format_bot_list([spec for spec in seats.bots if spec])
