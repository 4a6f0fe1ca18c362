"""A random script of what people do at a table. It depends only on what everybody can see, never on hidden dice."""

import random

from liarsdice.core.actions import (
    AnswerDouble,
    Challenge,
    ChallengePass,
    DeclareSpecial,
    Exact,
    Pass,
    Reroll,
    SetDirection,
)
from liarsdice.core.engine.engine import legal
from liarsdice.core.engine.state import Phase, State
from liarsdice.core.events import Revealed, RoundStarted
from liarsdice.core.rules.bids import Bid
from liarsdice.server.protocol.encoding import ENCODER
from liarsdice.server.protocol.messages import CommandRequest
from liarsdice.server.table import commands as c
from liarsdice.wire import PlayoutSpeed
from tests.laws.random_rulesets import PUNISHED
from tests.server.twin_tables import CODE, NAMES, SPECTATOR, STRANGER, TwinTable

QUESTIONS = ("whose turn is it?", "how many dice do you have?", "¿a quién le toca?")
EMOTES = ("😂", "🍻")
TALK = (*QUESTIONS, *EMOTES, "hello", "five fives", " ", "x" * 281)
PATHS = (
    f"/api/tables/{CODE}",
    f"/api/tables/{CODE.lower()}",
    f"/api/tables/{CODE}/matches/1",
    f"/api/tables/{CODE}/matches/2",
    f"/api/tables/{CODE}/matches/1/summary",
    f"/api/tables/{CODE}/training",
    f"/api/tables/{CODE}/qr.svg",
    "/api/lobby",
    "/api/tables/ZZZZ",
    "/readyz",
)
ODD_BIDS = (Bid(1, 0), Bid(1, 1), Bid(1, 2), Bid(2, 9), Bid(3, 2), Bid(99, 2), Bid(10**30, 1))
ODD_MESSAGES = (
    "",
    "[]",
    '{"type":"hello","last_seq":0}',
    '{"type":"do","id":"a"}',
    '{"type":"do","id":"","command":{}}',
    '{"type":"do","id":"b","command":{"type":"bid","quantity":0,"face":1}}',
    '{"type":"do","id":"c","command":{"type":"bid","quantity":1,"face":-1}}',
)
PUSH_ENDPOINT = "https://fcm.googleapis.com/x"
MAX_STEPS = 60


class RandomScript:
    """A script that does the same at two tables that look the same from outside.

    It ends with the first reveal in round `last_round` or later; what is received in that step is dropped.
    """

    def __init__(self, seed: int, seats: int, last_round: int) -> None:
        self._rng = random.Random(seed)
        self._names = NAMES[:seats]
        self._last_round = last_round
        self._bids_before_call = self._rng.randint(3, 20)

    async def play(self, twin: TwinTable) -> None:
        await self._submit(twin, NAMES[0], c.Begin())
        await twin.end_step()
        for _ in range(MAX_STEPS):
            await self._step(twin)
            await twin.end_step()
            if was_revealed(twin, self._last_round):
                twin.received.pop()
                return
            if twin.table().ongoing_match is None:
                return

    async def _step(self, twin: TwinTable) -> None:
        match = twin.table().ongoing_match
        assert match is not None
        if match.state.phase is Phase.BIDDING and not twin.table().paused and self._rng.random() < 0.5:
            await self._make_move(twin, match.state, match.turn_id)
        else:
            await self._do_something_else(twin, match.turn_id)

    async def _make_move(self, twin: TwinTable, state: State, turn_id: int) -> None:
        """Make a legal move. In the last round nobody calls before a number of bids."""
        moves = legal(state)
        last = state.round_number >= self._last_round
        self._bids_before_call -= last
        calls: list[tuple[int, c.Command]] = [(seat, Challenge()) for seat in moves.challengers]
        calls += [(seat, Challenge(double=True)) for seat in moves.doublers]
        calls += [(seat, Exact()) for seat in moves.exact_callers]
        if moves.may_challenge_pass and moves.turn is not None:
            calls.append((moves.turn, ChallengePass()))
        if calls and (not moves.bids or (self._bids_before_call < 0 if last else self._rng.random() < 0.4)):
            seat, call = self._rng.choice(calls)
            await self._submit(twin, self._names[seat], call, turn_id)
            return
        assert moves.turn is not None
        if moves.answers:
            answer = AnswerDouble(self._rng.choice(moves.answers))
            await self._submit(twin, self._names[moves.turn], answer, turn_id)
        elif moves.directions and self._rng.random() < 0.5:
            turn = SetDirection(self._rng.choice(moves.directions))
            await self._submit(twin, self._names[moves.turn], turn, turn_id)
        elif moves.may_declare and self._rng.random() < 0.5:
            await self._submit(twin, self._names[moves.turn], DeclareSpecial(), turn_id)
        elif moves.may_reroll and self._rng.random() < 0.5:
            await self._submit(twin, self._names[moves.turn], Reroll(), turn_id)
        elif moves.may_pass and self._rng.random() < 0.5:
            await self._submit(twin, self._names[moves.turn], Pass(), turn_id)
        elif moves.bids:
            lowest = moves.bids[: 1 + len(moves.bids) // 4]
            await self._submit(twin, self._names[moves.turn], self._rng.choice(lowest), turn_id)

    async def _do_something_else(self, twin: TwinTable, turn_id: int) -> None:
        """Talk, give a command that is out of turn, stale or forbidden, look something up, or connect again."""
        rng, table = self._rng, twin.table()
        anybody = rng.choice((*self._names, SPECTATOR, STRANGER))
        seated = rng.choice(self._names)
        player = rng.randrange(len(self._names) + 2)
        accusation = rng.choice([known.number for known in table.accusations] or [1])
        match rng.randrange(13):
            case 0 | 1:
                await self._submit(twin, anybody, c.Say(rng.choice(TALK)))
            case 2:
                await self._submit(twin, anybody, c.Accuse(player, *rng.choice(PUNISHED)))
            case 3 | 4:
                judge = rng.choice((NAMES[0], seated, anybody))
                await self._submit(twin, judge, c.AnswerPenalty(accusation, rng.random() < 0.8))
            case 5:
                await self._submit(twin, anybody, rng.choice(ODD_BIDS), turn_id)
            case 6:
                stale = (Challenge(), Exact(), Bid(1, 2), Pass(), DeclareSpecial(), Reroll())
                await self._submit(twin, anybody, rng.choice(stale), turn_id - 1)
            case 7:
                calls = (Challenge(), Exact(), ChallengePass())
                await self._submit(twin, rng.choice((SPECTATOR, STRANGER)), rng.choice(calls), turn_id)
            case 8:
                await twin.send(anybody, rng.choice(ODD_MESSAGES))
            case 9:
                await twin.get(rng.choice(PATHS), anybody)
            case 10:
                switch = rng.random() < 0.5
                commands = (c.Ready(), c.CommitSeed("0" * 64), c.Mute(player, muted=switch))
                others = (c.AcceptRules(), c.PlayOut(rng.choice(list(PlayoutSpeed))), c.Lock(locked=switch))
                guess, seat = c.GuessCall(player, switch), c.AnswerSeat(1, switch)
                face, push = c.ChooseFace(rng.randrange(99)), c.SetPush(PUSH_ENDPOINT, switch)
                bots = (c.AddBot("random"), c.LiftBan(player), c.RevealSeed("a" * 32))
                await self._submit(twin, anybody, rng.choice((*commands, *others, *bots, guess, seat, face, push)))
            case 11:
                await self._submit(twin, NAMES[0], c.Pause(not table.paused))
            case _:
                twin.connect(anybody, rng.choice((0, table.seq, table.seq // 2, table.seq + 9)))
        twin.services.time_ms += rng.randrange(300)
        if table.paused:
            await self._submit(twin, NAMES[0], c.Pause(paused=False))

    async def _submit(self, twin: TwinTable, name: str, command: c.Command, turn_id: int = 0) -> None:
        await twin.send(name, ENCODER.encode(CommandRequest(twin.new_request_id(), command, turn_id)).decode())


def was_revealed(twin: TwinTable, first_round: int) -> bool:
    """Whether hands were revealed in this round or a later one."""
    round_number = 0
    for event in twin.events():
        if isinstance(event, RoundStarted):
            round_number = event.number
        if isinstance(event, Revealed) and round_number >= first_round:
            return True
    return False
