"""Examples of the messages between a client and a table, from a match in which Bo may answer Ann's bid."""

import json
import typing
from collections.abc import Iterable
from functools import cache

import msgspec
from msgspec import convert
from msgspec.structs import fields

from liarsdice.core.actions import (
    MOVES,
    Action,
    AnswerDouble,
    BidAndShow,
    ChooseKind,
    ChooseStarter,
    Deal,
    SetDirection,
)
from liarsdice.core.engine.engine import decide
from liarsdice.core.rules.bids import Bid
from liarsdice.core.rules.choices import Answer, Direction, PenaltyTrigger, RoundKind, StarterMethod
from liarsdice.core.rules.overlay import patched
from liarsdice.core.rules.presets import preset
from liarsdice.server.protocol.messages import (
    CommandRequest,
    Done,
    ErrorCode,
    FromTable,
    Hello,
    Look,
    Presence,
    Problem,
    ToTable,
)
from liarsdice.server.protocol.views import player_view, public_table, table_setup
from liarsdice.server.table import commands as c
from liarsdice.server.table import log_entries as e
from liarsdice.server.table.reducer import apply_row, replay_log
from liarsdice.server.table.table_config import TableConfig
from liarsdice.server.table.table_state import TableState
from liarsdice.wire import PlayoutSpeed, Update

SEED, COMMITMENT = "a1" * 16, "5f" * 32
ANN, BO = 1, 2
START_MS = 1_750_000_000_000
MAX_LINE = 120
RULES = patched(preset("classic").ruleset, dice__per_player=2, first_starter__method=StarterMethod.RANDOM)
CONFIG = TableConfig(title="Ann’s table", ruleset=RULES, rules_base="classic", seats=2)

COMMANDS: tuple[c.Command, ...] = (
    Bid(4, 2),
    BidAndShow(Bid(4, 2), (2, 2)),
    *(
        convert({"type": move.__struct_config__.tag}, move)
        for move in MOVES
        if not any(f.required for f in fields(move))
    ),
    AnswerDouble(Answer.REDOUBLE),
    SetDirection(Direction.CLOCKWISE),
    ChooseKind(RoundKind.CLOSED),
    c.Say("Good luck!"),
    c.Begin(),
    c.NotYet(),
    c.Ready(),
    c.Leave(),
    c.AcceptRules(),
    c.PlayOut(PlayoutSpeed.FAST),
    c.GuessCall(caller=1, right=True),
    c.ChooseFace(7),
    c.SetPush("https://updates.push.services.mozilla.com/wpush/v2/abc", wanted=True),
    c.Report(3),
    c.CommitSeed(COMMITMENT),
    c.RevealSeed(SEED),
    c.Accuse(player=2, trigger=PenaltyTrigger.ASKS_DICE_LEFT),
    c.AnswerPenalty(number=1, take=True),
    c.Arrange((2, 1)),
    c.AddBot("regular"),
    c.Remove(player=2),
    c.LiftBan(player=2),
    c.AnswerSeat(number=1, give=True),
    c.Lock(locked=True),
    c.Mute(player=2, muted=True),
    c.Pause(paused=True),
    c.StandIn(player=2, bot=True),
    c.MakeHost(player=2),
    c.Change(CONFIG),
)
REQUESTS: tuple[ToTable, ...] = (
    Hello(last_seq=0),
    Look(looking=False),
    CommandRequest("5f0c-1", Bid(2, 4), turn_id=3),
)


def command_examples() -> dict[type, str]:
    """Return an example of each command as JSON."""
    return _by_type(COMMANDS)


def request_examples() -> dict[type, str]:
    """Return an example of each message from the client as JSON."""
    return _by_type(REQUESTS)


def answer_examples() -> dict[type, str]:
    """Return an example of each message from the table as JSON."""
    table = _table()
    answers: tuple[FromTable, ...] = (
        table_setup(table),
        Update(table.seq, table.news, public_table(table, None), player_view(table, BO)),
        Presence((ANN,), 0, bot_ms=40_000),
        Done("5f0c-1", table.seq),
        Problem(ErrorCode.ILLEGAL, "bid 1x3 does not beat 2x3 (needs 2x4 or higher)", "5f0c-1"),
    )
    return _by_type(answers)


@cache
def _table() -> TableState:
    """Return a table of Ann and Bo, who have two dice each, after Ann's first bid."""
    entries: tuple[e.LogEntry, ...] = (
        e.Opened("KQXM", CONFIG),
        e.Joined(ANN, "Ann", "a"),
        e.Joined(BO, "Bo", "b"),
        e.HostChanged(ANN),
        e.SeedCommitted(SEED),
        e.MatchBegan(1),
        e.Spoke(BO, "Good luck!"),
    )
    table = replay_log(e.LogRow(seq, START_MS, "", entry) for seq, entry in enumerate(entries, 1))
    assert table is not None
    table = _played(table, None, ChooseStarter(0))
    table = _played(table, None, Deal(((3, 3), (1, 4))))
    return _played(table, 0, Bid(2, 3))


def _played(table: TableState, seat: int | None, action: Action) -> TableState:
    assert table.match is not None
    entry = e.Played(tuple(decide(table.match.state, seat, action)), seat)
    return apply_row(table, e.LogRow(table.seq + 1, START_MS, "", entry))


def _by_type(examples: Iterable[msgspec.Struct]) -> dict[type, str]:
    return {type(example): shown(example) for example in examples}


def shown(example: msgspec.Struct) -> str:
    """Return a message as JSON, with a line for each field if it is long."""
    values: dict[str, typing.Any] = json.loads(msgspec.json.encode(example))
    text = json.dumps(values, ensure_ascii=False)
    if len(text) <= MAX_LINE:
        return text
    rows = [f"  {json.dumps(name)}: {json.dumps(value, ensure_ascii=False)}" for name, value in values.items()]
    return "{\n" + ",\n".join(rows) + "\n}"
