"""States of a table as the messages that show them: a page shows one without a match being played."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from msgspec.structs import replace

from liarsdice.core.actions import Action, Challenge, ChooseStarter, Deal, Pass, Penalise, RollForStart
from liarsdice.core.engine.engine import decide, legal
from liarsdice.core.engine.state import State, next_seat
from liarsdice.core.rules.bids import Bid
from liarsdice.core.rules.choices import PenaltyTrigger, StarterMethod
from liarsdice.core.rules.overlay import nest, with_changes
from liarsdice.core.rules.presets import preset
from liarsdice.core.rules.ruleset import Ruleset
from liarsdice.server.protocol.encoding import ENCODER, TableFrames
from liarsdice.server.protocol.messages import Presence
from liarsdice.server.table import log_entries as e
from liarsdice.server.table.log_entries import AccusationDenied, Accused
from liarsdice.server.table.reducer import apply_row
from liarsdice.server.table.table_config import MAX_PLAYERS, Clock, TableConfig
from liarsdice.server.table.table_state import TableState

TITLE = "Zum wilden Wolfgang von Württemberg 1848"
NAME = "Wilhelmina-Wolfgang Württemberg-Wimmer"
HOST, GUEST = 1, 2
TURN_MS = 287_000
TURN = "whose turn it is"
"""The fact that a heading tells, or the estimates with a first move and a button for the move that is looked at."""
ESTIMATES = ".training .tabs button:last-child"
ONE_DIE = {"dice.per_player": 1}
TWO_DICE = {"dice.per_player": 2, "loss.mode": "fixed"}
OFFENCE = "lifting a cup too early"
PENALTIES = {"penalties": [{"trigger": "commits_offence", "offence": OFFENCE, "dice": 2}]}


def rules_of(rules: str, changes: dict[str, Any]) -> Ruleset:
    """The rules of a preset with changes by path."""
    return with_changes(preset(rules).ruleset, nest(changes))


class ScriptedTable:
    """A table whose log a test writes. All names are as long as names can be. Seat 0, the host's, opens a match."""

    def __init__(self, rules: str, seats: int, *, people: int | None = None, free: int = 0, **options: Any) -> None:  # noqa: ANN401  as TableConfig
        ruleset = rules_of(rules, options.pop("changes", {}))
        options = dict[str, Any](title=TITLE, clock=Clock(300, 120), hints=True) | options
        config = TableConfig(ruleset=ruleset, rules_name=rules, seats=seats + free, **options)
        self._table = apply_row(None, e.LogRow(1, 0, "", e.Opened("", config)))
        for seat in range(seats):
            name = f"{NAME} {chr(ord('A') + seat)}"
            is_person = people is None or seat < people
            self.write(e.Joined(seat + 1, name, f"{seat}") if is_person else e.BotJoined(seat + 1, name, "inference"))
        self.write(e.HostChanged(HOST))

    @property
    def table(self) -> TableState:
        """The state of the table."""
        return self._table

    @property
    def state(self) -> State:
        """The state of the match."""
        assert self._table.match is not None
        return self._table.match.state

    def write(self, *entries: e.LogEntry) -> ScriptedTable:
        """Appends entries to the log."""
        for entry in entries:
            self._table = apply_row(self._table, e.LogRow(self._table.seq + 1, 0, "", entry))
        return self

    def act(self, seat: int | None, action: Action) -> ScriptedTable:
        """Lets a seat, or the dealer (None), act."""
        return self.write(e.Played(tuple(decide(self.state, seat, action)), seat))

    def roll(self) -> ScriptedTable:
        """Begins a match and finds out who opens it."""
        self.write(e.SeedCommitted(""), e.MatchBegan(1))
        start = self.state.ruleset.first_starter
        if start.method is not StarterMethod.HIGH_ROLL:
            return self.act(None, ChooseStarter(0))
        others = ((seat % 5 + 1,) * start.dice for seat in range(1, len(self.state.names)))
        return self.act(None, RollForStart(((6,) * start.dice, *others)))

    def deal(self) -> ScriptedTable:
        """Deals a round, and begins a match if none is on. All faces come in turn."""
        if self._table.ongoing_match is None:
            self.roll()
        dice = self.state.ruleset.dice
        hands = tuple(
            tuple((seat + place) % dice.faces_at(seat) + 1 for place in range(held))
            for seat, held in enumerate(self.state.dice)
        )
        return self.act(None, Deal(hands))

    def bid(self, share: float = 0) -> ScriptedTable:
        """Lets the player on turn make the lowest bid that is not on ones, or one as far up as `share` of them are."""
        bids = [bid for bid in legal(self.state).bids if not bid.pure and (bid.is_sum or bid.face != 1)]
        return self.act(self.state.turn, bids[int(share * (len(bids) - 1))])

    def bid_until(self, seat: int, share: float = 0.6) -> ScriptedTable:
        """Lets everybody bid until it is a seat's turn. The bid before that is high and has a long name."""
        while not self.state.bids or self.state.turn != seat:
            after = next_seat(self.state.dice, self.state.turn, self.state.direction)
            self.bid(share if after == seat else 0)
        return self

    def call(self, action: Action | None = None) -> ScriptedTable:
        """Lets the player on turn call."""
        return self.act(self.state.turn, action or Challenge())

    def lose(self, seat: int) -> ScriptedTable:
        """Lets a seat lose a round by the highest bid, which is false."""
        if self.state.turn != seat:
            self.bid_until(seat, share=0)
        return self.bid(share=1).call()


@dataclass(frozen=True)
class Scene:
    """A state of a table as a player sees it; `player` None: a spectator.

    `earlier`: a state that the page has seen before. Then the connection is `lost`, or something is clicked (`click`).
    `trains`: there are estimates, and they are open.
    """

    table: ScriptedTable
    player: int | None = HOST
    earlier: TableState | None = None
    lost: bool = False
    click: str = ""
    trains: bool = False

    def frames(self) -> list[str]:
        """The messages of the server that show it."""
        present = tuple(player.id for player in self.table.table.players)
        states = [self.table.table] if self.earlier is None else [self.earlier, self.table.table]
        sent = [ENCODER.encode(Presence(present, 3))]
        for state in states:
            frames = TableFrames(state, TURN_MS)
            sent += [frames.setup, frames.update(self.player, 0)]
        return [frame.decode() for frame in sent]

    def facts(self) -> dict[str, tuple[str, str]]:
        """What the player decides by: a selector for each fact, and a text that it contains."""
        table = self.table.table
        match, seat = table.ongoing_match, table.seat_of(self.player)
        if match is not None and match.verdict is not None and not self.click:
            facts = {"the dice of the bidder, whose cup is the last": (".seats > :last-child .hand .die", "")}
            if match.verdict.caller != seat:
                facts["the dice of the caller"] = (".seats .caller .hand .die", "")
            return facts
        if match is None or match.verdict is not None or not match.state.hands:
            return {}
        state = match.state
        facts = {TURN: (".action-panel h2", "")}
        if self.trains:
            facts = {TURN: (".training li:first-child button, .training .btn.big", "")}
        if state.special_seat is not None and not state.bids and not self.click:
            return facts  # the announcement of the special round lies above the others
        facts["what is in play"] = (".centre .in-play", "" if state.face_off else str(sum(state.dice)))
        if state.ruleset.wilds.special_is_wild and not state.face_off:
            wilds = ".centre .wilds:not(.note)" if state.wilds_count else ".centre .wilds.note"
            facts["whether ones are wild"] = (wilds, "")
        if state.alive_count > 2 and (seat is None or state.dice[seat]):
            facts["who is next"] = (".seats .arrow", "")
        if state.bidder is not None:
            facts["the bid"] = (".centre .bid-text", "")
            facts["the bidder"] = (".centre .caption", "" if state.bidder == seat else state.names[state.bidder])
        if seat is not None and state.dice[seat]:
            facts["what the player holds"] = (".own-dice .dice .die, .covered svg", "")
        return facts

    def estimates(self) -> dict[str, Any]:
        """The answer to `GET /api/tables/{code}/training`: eight moves and what each other seat may hold."""
        match = self.table.table.ongoing_match
        assert match is not None
        percents = [5, 15, 30, 25, 20, 5]
        state, tells = match.state, {"before": percents, "after": percents[::-1]}
        worth = {"error": 45, "played": 10, "right": 96, "tells": tells}
        bids = [{"type": "bid", "quantity": bid.quantity, "face": bid.face} for bid in legal(state).bids[:7]]
        moves = [*bids, {"type": "challenge"}] if state.bids else bids
        bid = {"role": "best", "bid": bids[0], "held": 2, "reading": None, "p_exact": 0.2}
        reason = {"challenge": False, "exact": False, "less_room": True, "p_loses": [0.6, 0.3], "p_gains": None}
        stands = {"p_stands": 0.44, "p_challenged": 0.1}
        return {
            "number": match.number,
            "turn_id": match.turn_id,
            "source": "playouts",
            "likely": 40 if state.bids else None,
            "likely_by_bids": 58 if state.bids else None,
            "exact_by_bids": 12 if state.bids else None,
            "counts": [{"seat": seat} | tells for seat in range(1, len(state.dice))],
            "moves": [{"move": move, "value": 500 - rank, "rank": rank} | worth for rank, move in enumerate(moves, 1)],
            "reason": {"other": 1, "reason": {"seat": 0, "bids": [bid | stands], "rival": None} | reason},
        }


def gathering(seats: int) -> ScriptedTable:
    table = ScriptedTable("mustache", seats - 1, free=1, approval=True)
    return table.write(e.SeatRequested(1, f"{NAME} Z", "z"))


def over(seats: int) -> ScriptedTable:
    """A table after a match that seat 0 has won, with one more person if there is room."""
    table = ScriptedTable("basic", seats, free=min(MAX_PLAYERS - seats, 2), changes=ONE_DIE)
    for seat in range(1, seats):
        table.deal().lose(seat)
    return table if seats == MAX_PLAYERS else table.write(e.Joined(seats + 1, f"{NAME} Z", "z"))


def with_other_rules(table: ScriptedTable) -> ScriptedTable:
    config = replace(table.table.config, ruleset=rules_of("perudo", {}), rules_name="perudo")
    return table.write(e.ConfigChanged(config))


def special(seats: int) -> ScriptedTable:
    return ScriptedTable("mustache", seats, changes=TWO_DICE).deal().lose(seats - 1).deal()


def opened_on_ones(seats: int, **options: Any) -> ScriptedTable:  # noqa: ANN401  as TableConfig
    """A round in which ones are not wild, as it was opened on them."""
    return ScriptedTable("official", seats, changes=PENALTIES, **options).deal().act(0, Bid(1, 1))


def out(seats: int, people: int) -> ScriptedTable:
    """A round after the host is out."""
    table = ScriptedTable("basic", seats, people=people, open_cups=True, changes=TWO_DICE)
    return table.deal().lose(0).deal().lose(0).deal().bid().bid()


def revealed(seats: int) -> ScriptedTable:
    return ScriptedTable("perudo", seats, people=seats).deal().bid_until(0).call()


def last_reveal(seats: int) -> Scene:
    table = ScriptedTable("basic", seats, changes=ONE_DIE | {"end": "first_player_out"}).deal().bid_until(0, 1)
    before = table.table
    return Scene(table.call(), earlier=before, click=".action-panel .next .btn")


def bar(seats: int) -> ScriptedTable:
    """A round for lives in which a penalty is due."""
    table = ScriptedTable("chui-niu+bar-strict", seats, changes=PENALTIES | {"loss.lives": 5}).deal()
    return table.act(0, Penalise(PenaltyTrigger.COMMITS_OFFENCE, offence=OFFENCE))


SCENES: dict[str, Callable[[int], Scene]] = {
    "gathering, host": lambda seats: Scene(gathering(seats)),
    "gathering, guest": lambda seats: Scene(gathering(seats), None if seats == 2 else GUEST),
    "gathering, newcomer": lambda seats: Scene(gathering(seats), None),
    "changed rules, host": lambda seats: Scene(with_other_rules(ScriptedTable("mustache", seats))),
    "changed rules, guest": lambda seats: Scene(with_other_rules(ScriptedTable("mustache", seats)), GUEST),
    "over, host": lambda seats: Scene(over(seats)),
    "over, guest": lambda seats: Scene(over(seats), GUEST),
    "over, newcomer": lambda seats: Scene(over(seats), None),
    "over, changed rules, host": lambda seats: Scene(with_other_rules(over(seats))),
    "over, changed rules, guest": lambda seats: Scene(with_other_rules(over(seats)), GUEST),
    "rolling": lambda seats: Scene(ScriptedTable("official", seats).roll()),
    "open": lambda seats: Scene(ScriptedTable("classic+reversa", seats).deal()),
    "special round": lambda seats: Scene(special(seats)),
    "special round, closed announcement": lambda seats: Scene(special(seats), click=".plank .btn"),
    "face-off": lambda _: Scene(
        ScriptedTable("basic", 2, changes=ONE_DIE | {"bidding.face_off": "sum"}).deal().bid_until(0)
    ),
    "special round, bid": lambda seats: Scene(special(seats).bid_until(0)),
    "turn": lambda seats: Scene(ScriptedTable("official", seats).deal().bid_until(0)),
    "turn, ones not wild": lambda seats: Scene(opened_on_ones(seats).bid_until(0)),
    "turn, exact call": lambda seats: Scene(ScriptedTable("perudo+pass", seats).deal().bid_until(0)),
    "turn, odds": lambda seats: Scene(
        ScriptedTable("perudo+pass", seats).deal().bid_until(0), click=".bid-picker header [aria-pressed=false]"
    ),
    "turn, bar": lambda seats: Scene(bar(seats).bid_until(0)),
    "turn, dice to show": lambda seats: Scene(ScriptedTable("bluff+show-dice", seats).deal().bid_until(0)),
    "turn, after a pass": lambda seats: Scene(ScriptedTable("perudo+pass", seats).deal().bid().act(1, Pass())),
    "waiting": lambda seats: Scene(opened_on_ones(seats).bid_until(0).bid()),
    "calling early": lambda seats: Scene(opened_on_ones(seats).bid_until(0), 3 if seats > 2 else GUEST),
    "accused": lambda seats: Scene(
        opened_on_ones(seats).bid_until(0).write(Accused(1, 2, PenaltyTrigger.COMMITS_OFFENCE, OFFENCE, 3)), GUEST
    ),
    "accusation, host": lambda seats: Scene(
        opened_on_ones(seats)
        .bid_until(0)
        .write(Accused(1, 2, PenaltyTrigger.COMMITS_OFFENCE, OFFENCE, 3), AccusationDenied(1))
    ),
    "paused": lambda seats: Scene(opened_on_ones(seats).bid_until(0).write(e.Paused(TURN_MS))),
    "a bot plays": lambda seats: Scene(opened_on_ones(seats).bid_until(0).write(e.StandInChanged(HOST, bot=True))),
    "lost connection": lambda seats: Scene(opened_on_ones(seats).bid_until(0), lost=True),
    "answer to a double": lambda seats: Scene(bar(seats).bid_until(0).bid(0.7).act(1, Challenge(double=True))),
    "kind of round": lambda seats: Scene(
        ScriptedTable("perudo+obligo-chosen", seats, changes=TWO_DICE | {"next_starter.rule": "loser"})
        .deal()
        .lose(0)
        .deal()
    ),
    "declaration": lambda seats: Scene(
        ScriptedTable("perudo+declared-palifico", seats, changes=TWO_DICE).deal().lose(0).deal()
    ),
    "closed cups": lambda seats: Scene(
        ScriptedTable("perudo+obligo-closed", seats, changes=TWO_DICE).deal().lose(seats - 1).deal().bid_until(0)
    ),
    "reveal": lambda seats: Scene(revealed(seats)),
    "reveal, spectator": lambda seats: Scene(revealed(seats), None),
    "last reveal": last_reveal,
    "out": lambda seats: Scene(out(max(seats, 3), seats)),
    "out, bots play on": lambda seats: Scene(out(max(seats, 3), 1)),
    "spectator": lambda seats: Scene(opened_on_ones(seats).bid_until(0), None),
    "training": lambda seats: Scene(ScriptedTable("official", seats, training=True).deal().bid_until(0)),
    "training, estimates": lambda seats: Scene(
        ScriptedTable("official", seats, training=True).deal().bid_until(0), click=ESTIMATES, trains=True
    ),
    "training, ones not wild": lambda seats: Scene(
        opened_on_ones(seats, training=True).bid_until(0), click=ESTIMATES, trains=True
    ),
}
"""Every state of the panel, by the number of seats."""
