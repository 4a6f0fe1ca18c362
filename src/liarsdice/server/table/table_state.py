"""A table as its log adds up to: who sits here, how it is set up, and the match that is on. Holds secrets."""

from __future__ import annotations

import msgspec

from liarsdice.core.engine.state import Phase, State
from liarsdice.core.events import StarterRolled
from liarsdice.core.rules.choices import PenaltyTrigger
from liarsdice.server.protocol.messages import News, Stage, Verdict
from liarsdice.server.table.table_config import Options


class Player(msgspec.Struct, frozen=True, kw_only=True):
    """Somebody at the table. `holders` are hashes of the tokens of their devices; a bot has none."""

    id: int
    name: str
    bot: str | None = None
    holders: tuple[str, ...] = ()
    seed: str = ""
    stand_in: bool = False
    gone: bool = False
    muted: bool = False
    bank_ms: int = 0

    @property
    def played_by_bot(self) -> bool:
        """Whether a bot makes this seat's moves now."""
        return self.bot is not None or self.stand_in


class Charge(msgspec.Struct, frozen=True):
    """An accusation that is not settled yet."""

    number: int
    player: int
    trigger: PenaltyTrigger
    denied: bool = False


class MatchState(msgspec.Struct, frozen=True, kw_only=True):
    """The match that is on, or the last one. `mark` counts what happened in it. `server_seed` is secret until the end.

    `out` are seats in the order in which they lost their last die, several at once together.
    """

    number: int
    server_seed: str
    seeds: tuple[str, ...]
    state: State
    mark: int = 0
    rolls: tuple[StarterRolled, ...] = ()
    verdict: Verdict | None = None
    ready: tuple[int, ...] = ()
    out: tuple[int, ...] = ()
    penalty_count: int = 0

    @property
    def over(self) -> bool:
        """Whether it has ended."""
        return self.state.phase is Phase.OVER


class TableState(msgspec.Struct, frozen=True, kw_only=True):
    """Everything about a table. Players sit in the order of `players`, which are the seats of a match.

    `sealed` is the secret seed of the next match. `wishes` are the latest wishes that were granted, with their seq.
    `left_ms`: what was left, when the table was paused, until what `left_of` is the key of (`timing.Due.key`).
    """

    code: str
    options: Options
    seq: int = 0
    players: tuple[Player, ...] = ()
    host: int | None = None
    next_player: int = 1
    paused: bool = False
    left_ms: int | None = None
    left_of: tuple[object, ...] | None = None
    sealed: str = ""
    match: MatchState | None = None
    charges: tuple[Charge, ...] = ()
    next_charge: int = 1
    news: tuple[News, ...] = ()
    wishes: dict[str, int] = {}

    @property
    def stage(self) -> Stage:
        """Where the table is."""
        if self.match is None:
            return Stage.GATHERING
        return Stage.OVER if self.match.over else Stage.PLAYING

    @property
    def playing(self) -> MatchState | None:
        """The match, while it is on."""
        return None if self.match is None or self.match.over else self.match

    def player(self, player: int | None) -> Player | None:
        """A player by id, None where nobody (any more) has it."""
        return next((one for one in self.players if one.id == player), None)

    def seat_of(self, player: int | None) -> int | None:
        """A player's seat in the match, None for everybody else."""
        return next((seat for seat, one in enumerate(self.players) if one.id == player), None)
