"""What people do at a table, drawn by chance from what everybody can see: never from dice in a cup."""

from __future__ import annotations

import random

from liarsdice.core.actions import Challenge, Exact, SetDirection
from liarsdice.core.engine.engine import legal
from liarsdice.core.engine.state import Phase, State
from liarsdice.core.events import Revealed, RoundStarted
from liarsdice.core.rules.bids import Bid
from liarsdice.core.rules.choices import PenaltyTrigger
from liarsdice.server.protocol.encoding import ENCODER
from liarsdice.server.protocol.messages import Do
from liarsdice.server.table import commands as c
from liarsdice.server.table import log_entries as e
from tests.server.worlds import CODE, NAMES, SPECTATOR, STRANGER, World

TALK = ("hello", "whose turn is it?", "how many dice do you have?", "¿a quién le toca?", "five fives", " ", "x" * 281)
PATHS = (
    f"/api/tables/{CODE}",
    f"/api/tables/{CODE.lower()}",
    f"/api/tables/{CODE}/matches/1",
    f"/api/tables/{CODE}/matches/2",
    f"/api/tables/{CODE}/qr.svg",
    "/api/lobby",
    "/api/tables/ZZZZ",
    "/readyz",
)
ODD_BIDS = (Bid(0, 1), Bid(1, 1), Bid(1, 2), Bid(2, 9), Bid(3, 2), Bid(99, 2), Bid(10**30, 1), Bid(1, -1))
ODD_MESSAGES = ("", "[]", '{"type":"hello","have":0}', '{"type":"do","id":"a"}', '{"type":"do","id":"","what":{}}')
MOST_STEPS = 60


class Script:
    """One step after another, the same in every world that looks the same from outside.

    It ends when cups are lifted in round `ends_in` or later; what is told of that step is left out.
    """

    def __init__(self, seed: int, seats: int, ends_in: int) -> None:
        self._rng = random.Random(seed)
        self._seats = NAMES[:seats]
        self._ends_in = ends_in
        self._patience = self._rng.randint(3, 20)

    async def play(self, world: World) -> None:
        await self._do(world, NAMES[0], c.Begin())
        await world.settled()
        for _ in range(MOST_STEPS):
            await self._step(world)
            await world.settled()
            if lifted(world, self._ends_in):
                world.told.pop()
                return
            if world.table().playing is None:
                return

    async def _step(self, world: World) -> None:
        match = world.table().playing
        assert match is not None
        if match.state.phase is Phase.BIDDING and not world.table().paused and self._rng.random() < 0.5:
            await self._play_on(world, match.state, match.mark)
        else:
            await self._beside(world, match.mark)

    async def _play_on(self, world: World, state: State, mark: int) -> None:
        """A legal move. Nobody calls in the round that matters before patience is at an end."""
        moves = legal(state)
        last = state.round_number >= self._ends_in
        self._patience -= last
        calls: list[tuple[int, c.Command]] = [(seat, Challenge()) for seat in moves.challengers]
        calls += [(seat, Exact()) for seat in moves.exact_callers]
        if calls and (not moves.bids or (self._patience < 0 if last else self._rng.random() < 0.4)):
            seat, call = self._rng.choice(calls)
            await self._do(world, self._seats[seat], call, mark)
            return
        assert moves.turn is not None
        if moves.directions and self._rng.random() < 0.5:
            await self._do(world, self._seats[moves.turn], SetDirection(self._rng.choice(moves.directions)), mark)
        elif moves.bids:
            lowest = moves.bids[: 1 + len(moves.bids) // 4]
            await self._do(world, self._seats[moves.turn], self._rng.choice(lowest), mark)

    async def _beside(self, world: World, mark: int) -> None:
        """Anything but a good move: talk, wishes out of turn, stale or forbidden, a look at the lobby, a new page."""
        rng, table = self._rng, world.table()
        anybody = rng.choice((*self._seats, SPECTATOR, STRANGER))
        seated = rng.choice(self._seats)
        player = rng.randrange(len(self._seats) + 2)
        charge = rng.choice([one.number for one in table.charges] or [1])
        match rng.randrange(13):
            case 0 | 1:
                await self._do(world, anybody, c.Say(rng.choice(TALK)))
            case 2:
                await self._do(world, anybody, c.Accuse(player, rng.choice(list(PenaltyTrigger))))
            case 3 | 4:
                who = rng.choice((NAMES[0], seated, anybody))
                await self._do(world, who, c.AnswerPenalty(charge, rng.random() < 0.8))
            case 5:
                await self._do(world, anybody, rng.choice(ODD_BIDS), mark)
            case 6:
                await self._do(world, anybody, rng.choice((Challenge(), Exact(), Bid(1, 2))), mark - 1)
            case 7:
                await self._do(world, rng.choice((SPECTATOR, STRANGER)), rng.choice((Challenge(), Exact())), mark)
            case 8:
                await world.say(anybody, rng.choice(ODD_MESSAGES))
            case 9:
                await world.ask(rng.choice(PATHS))
            case 10:
                manners = (c.Ready(), c.TakeBack(), c.GiveSeed("abc"), c.Mute(player, muted=rng.random() < 0.5))
                await self._do(world, anybody, rng.choice(manners))
            case 11:
                await self._do(world, NAMES[0], c.Pause(not table.paused))
            case _:
                world.look(anybody, rng.choice((0, table.seq, table.seq // 2, table.seq + 9)))
        world.house.ms += rng.randrange(300)
        if table.paused:
            await self._do(world, NAMES[0], c.Pause(paused=False))

    async def _do(self, world: World, name: str, what: c.Command, mark: int = 0) -> None:
        await world.say(name, ENCODER.encode(Do(world.wish(), what, mark)).decode())


def lifted(world: World, since_round: int) -> bool:
    """Whether cups were lifted in a round from that one on."""
    round_number = 0
    for row in world.rows():
        for event in row.entry.events if isinstance(row.entry, e.Played) else ():
            if isinstance(event, RoundStarted):
                round_number = event.number
            if isinstance(event, Revealed) and round_number >= since_round:
                return True
    return False
