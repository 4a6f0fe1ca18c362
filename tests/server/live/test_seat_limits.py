"""However many connections somebody has, what a seat appends to the log of its table is bounded."""

from __future__ import annotations

import json
from collections import Counter
from contextlib import suppress
from pathlib import Path
from typing import get_args

import pytest
from websockets.exceptions import ConnectionClosed

from liarsdice.core.errors import IllegalActionError, LiarsDiceError
from liarsdice.core.rules.choices import PenaltyTrigger
from liarsdice.core.rules.overlay import patched
from liarsdice.core.rules.parts import Penalty
from liarsdice.core.rules.presets import preset
from liarsdice.play.provable_dice import commitment_to
from liarsdice.server.errors import ForbiddenError, RateLimitError
from liarsdice.server.http.auth import hash_token
from liarsdice.server.live.live_table import ENTRY_BURST, MESSAGE_BURST, REPORT_BURST, SEAT_BURST
from liarsdice.server.protocol.encoding import ENCODER
from liarsdice.server.protocol.messages import CommandRequest, Done, Problem
from liarsdice.server.storage.audit_log import audit_path
from liarsdice.server.table import commands as c
from liarsdice.server.table.table_config import BanScope, PlayoutSpeed
from tests.server.live_tables import begin_match, fake_clock, make_config, make_table, open_registry
from tests.server.running_server import RunningServer, receive_all, say_hello

RULES = patched(preset("perudo").ruleset, penalties=(Penalty(trigger=PenaltyTrigger.ASKS_WHOSE_TURN),))
CONFIG = make_config(RULES)
CONNECTIONS, ROUNDS = 20, 8
PUSH = "https://fcm.googleapis.com/x"
TOGGLES: dict[type[c.TableCommand], tuple[c.TableCommand, ...]] = {
    c.Say: (c.Say("hello"),),
    c.Begin: (c.Begin(),),
    c.Ready: (c.Ready(),),
    c.Leave: (c.Leave(),),
    c.AcceptRules: (c.AcceptRules(),),
    c.PlayOut: (c.PlayOut(PlayoutSpeed.FAST), c.PlayOut(PlayoutSpeed.NORMAL)),
    c.GuessCall: (c.GuessCall(0, right=True), c.GuessCall(1, right=False)),
    c.ChooseFace: (c.ChooseFace(1), c.ChooseFace(2)),
    c.SetPush: (c.SetPush(PUSH, wanted=True), c.SetPush(PUSH, wanted=False)),
    c.Report: (c.Report(2), c.Report(3)),
    c.CommitSeed: tuple(c.CommitSeed(commitment_to(seed * 32)) for seed in "ab"),
    c.RevealSeed: (c.RevealSeed("a" * 32), c.RevealSeed("b" * 32)),
    c.Accuse: (c.Accuse(2, PenaltyTrigger.ASKS_WHOSE_TURN), c.AnswerPenalty(1, take=False)),
    c.AnswerPenalty: (c.AnswerPenalty(1, take=True), c.AnswerPenalty(1, take=False)),
    c.AddBot: (c.AddBot("random"), c.Remove(4)),
    c.Remove: (c.Remove(3), c.LiftBan(3)),
    c.LiftBan: (c.Remove(2, BanScope.FOR_GOOD), c.LiftBan(2)),
    c.AnswerSeat: (c.AnswerSeat(1, give=True), c.AnswerSeat(1, give=False)),
    c.Lock: (c.Lock(locked=True), c.Lock(locked=False)),
    c.Mute: (c.Mute(2, muted=True), c.Mute(2, muted=False)),
    c.Pause: (c.Pause(paused=True), c.Pause(paused=False)),
    c.StandIn: (c.StandIn(2, bot=True), c.StandIn(2, bot=False)),
    c.MakeHost: (c.MakeHost(2), c.MakeHost(1)),
    c.Change: (c.Change(CONFIG), c.Change(make_config(RULES, hints=True))),
}
MOST_ENTRIES_EACH = 2
"""`Leave` and `Begin` append two entries, and so does a penalty."""


def test_every_command_is_walked() -> None:
    assert set(TOGGLES) == {*get_args(c.PlainTableCommand), c.Change}


@pytest.mark.parametrize("kind", TOGGLES, ids=lambda kind: kind.__name__)
@pytest.mark.parametrize("in_match", [False, True])
async def test_what_a_seat_appends_is_bounded(kind: type[c.TableCommand], tmp_path: Path, *, in_match: bool) -> None:
    """Ann, who is the host, and Bo and somebody without a seat each send the same from twenty connections."""
    async with open_registry(tmp_path / "db") as registry:
        live_table = await make_table(registry, "Ann", "Bo", "Cy", config=CONFIG)
        if in_match:
            await begin_match(registry, live_table)
        before, refused = (await live_table.state()).seq, Counter[str]()
        for number in range(CONNECTIONS * ROUNDS):
            for name in ("Ann", "Bo", "Nobody"):
                command = TOGGLES[kind][number % len(TOGGLES[kind])]
                if isinstance(command, c.AnswerPenalty):
                    open_now = (await live_table.state()).accusations
                    command = c.AnswerPenalty(open_now[0].number if open_now else 1, command.take)
                try:
                    await registry.submit(live_table, hash_token(name), f"{number}", command)
                except LiarsDiceError as error:
                    refused[type(error).__name__] += 1
        appended = (await live_table.state()).seq - before
        assert appended <= 2 * MOST_ENTRIES_EACH * ENTRY_BURST
        if appended > ENTRY_BURST * MOST_ENTRIES_EACH:
            assert refused[RateLimitError.__name__]


async def test_a_seat_says_one_line_a_second(tmp_path: Path) -> None:
    async with open_registry(tmp_path / "db") as registry:
        live_table = await make_table(registry, "Ann", "Bo")
        said = 0
        for number in range(100):
            fake_clock(registry).time_ms += 100
            try:
                await registry.submit(live_table, hash_token("Ann"), f"{number}", c.Say("hello"))
            except RateLimitError:
                continue
            said += 1
        assert said == 10
        await registry.submit(live_table, hash_token("Bo"), "bo", c.Say("hello"))


async def test_a_report_reaches_the_audit_log_a_few_times_and_only_from_a_seat(tmp_path: Path) -> None:
    async with open_registry(tmp_path / "db") as registry:
        fake_clock(registry).key_base = tmp_path / "db"
        live_table = await make_table(registry, "Ann", "Bo", "Cy")
        await registry.submit(live_table, hash_token("Bo"), "say", c.Say("something bad"))
        for reporter, player, error in (("Eve", 2, ForbiddenError), ("Ann", 1, IllegalActionError)):
            with pytest.raises(error):
                await registry.submit(live_table, hash_token(reporter), "report", c.Report(player))
        before = (await live_table.state()).seq
        for number in range(REPORT_BURST):
            await registry.submit(live_table, hash_token("Cy"), f"{number}", c.Report(2))
        with pytest.raises(RateLimitError):
            await registry.submit(live_table, hash_token("Cy"), "more", c.Report(2))
        assert (await live_table.state()).seq == before
        lines = [json.loads(line) for line in audit_path(tmp_path / "db").read_text().splitlines()]
        assert [line["outcome"] for line in lines] == ["reported"] * REPORT_BURST
        assert lines[0]["arguments"]["said"] == "something bad"


async def test_sitting_down_and_leaving_is_bounded_for_an_address(tmp_path: Path) -> None:
    async with open_registry(tmp_path / "db") as registry:
        live_table = await make_table(registry, "Ann")
        sat = 0
        for number in range(3 * SEAT_BURST):
            token_hash = hash_token(f"guest {number}")
            try:
                await registry.take_seat(live_table, f"Guest {number}", token_hash, "", "sit", "192.0.2.1")
            except RateLimitError:
                continue
            sat += 1
            await registry.submit(live_table, token_hash, "go", c.Leave())
        assert sat == SEAT_BURST
        await registry.take_seat(live_table, "Cy", hash_token("Cy"), "", "sit", "192.0.2.2")


async def test_all_connections_of_a_seat_have_one_budget_of_messages(server: RunningServer) -> None:
    """The clock stands still, so the budgets are not refilled."""
    ann = server.browser()
    code = await server.open_table(ann)
    done = 0
    for number in range(3):
        async with server.connect(code, ann) as socket:
            await say_hello(socket)
            with suppress(ConnectionClosed):
                for face in range(MESSAGE_BURST + 1):
                    request = CommandRequest(f"{number}-{face}", c.ChooseFace(1 + face % 2))
                    await socket.send(ENCODER.encode(request).decode())
            answers = await receive_all(socket)
            done += sum(isinstance(answer, Done) for answer in answers)
            assert isinstance(answers[-1], Problem)
    assert done <= MESSAGE_BURST
