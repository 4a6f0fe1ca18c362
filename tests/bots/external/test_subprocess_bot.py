"""Bots that are programs of their own: the messages they get, and what happens when they fail."""

import io
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import msgspec
import pytest

from liarsdice.bots.external import subprocess_bot
from liarsdice.bots.external.line_process import (
    FROM_BOT_DECODER,
    PROTOCOL_VERSION,
    TO_BOT_DECODER,
    ActionReply,
    ActionRequest,
    Goodbye,
    HelloFromBot,
    HelloToBot,
    LineProcess,
    MessageToBot,
    encode_line,
)
from liarsdice.bots.external.subprocess_bot import MAX_STARTS, SubprocessBot, serve
from liarsdice.bots.protocol import BotError
from liarsdice.bots.registry import make_bot
from liarsdice.core.engine.view import View, view
from liarsdice.core.rules.bids import Bid
from liarsdice.core.rules.presets import preset
from liarsdice.play.match import Dealer, Match
from liarsdice.play.referee import Referee
from liarsdice.runtime.processes import TerminatedError, stoppable
from tests.bots.external.process_checks import FAULTY_BOT, PATIENCE_S, has_ended, noted_pids
from tests.bots.positions import position

BASIC = preset("basic").ruleset
SHORT_LIMIT_S = 0.15


def faulty_bot(mode: str, notes: Path | None = None) -> SubprocessBot:
    """Return a bot that fails as `mode` says, with a short time limit if it will exceed any."""
    limit_s = SHORT_LIMIT_S if mode in {"hang", "deaf", "mute"} else PATIENCE_S
    command = [sys.executable, "-I", "-S", str(FAULTY_BOT), mode, *([] if notes is None else [str(notes)])]
    return SubprocessBot(command, limit_s, 7)


def view_after(bids: str = "1x2") -> View:
    state = position(BASIC, ((2, 3), (2, 3)), bids)
    return view(state, state.turn)


def failure(bot: SubprocessBot, shown: View) -> str:
    with pytest.raises(BotError) as caught:
        bot.act(shown)
    return str(caught.value)


FAILURES = [
    ("crash", "it ended with status 1 (it wrote: "),
    ("exit", "it ended with status 3"),
    ("killed", "it was ended by SIGKILL"),
    ("unnamed signal", f"it was ended by signal {signal.SIGRTMIN + 5}"),
    ("hang", "it gave no answer within 0.15 s"),
    ("closes", "it closed its output"),
    ("garbage", "it wrote 'I bid three fours', which is no message: "),
    ("bytes", "which is no message: "),
    ("deep", "which is no message: "),
    ("long", "its answer is longer than 65536 bytes"),
    ("long line", "its answer is longer than 65536 bytes"),
    ("penalise", "which is no message: "),
    ("off by one", "it answered question 2 when asked question 1"),
    ("hello again", "it said hello again in place of an action"),
    ("noisy", "it ended with status 1 (it wrote: "),
    ("exits early", "it ended with status 4"),
    ("newer", "it speaks protocol 2, not 1"),
]


@pytest.mark.parametrize("mode, reason", FAILURES)
def test_a_failure_is_reported_and_the_process_has_ended(mode: str, reason: str, tmp_path: Path) -> None:
    bot = faulty_bot(mode, tmp_path / "notes")
    assert reason in failure(bot, view_after())
    assert bot.pid is None
    assert all(has_ended(pid) for pid in noted_pids(tmp_path / "notes"))


def test_only_the_end_of_standard_error_is_quoted() -> None:
    message = failure(faulty_bot("noisy"), view_after())
    assert message.endswith("the last word)")
    assert len(message) < 400


def test_a_process_that_never_says_hello_exceeds_its_limit(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(subprocess_bot, "START_LIMIT_S", 0.1)
    assert failure(faulty_bot("mute", tmp_path / "notes"), view_after()) == "it gave no answer within 0.15 s"


def test_a_process_that_reads_nothing_exceeds_its_limit_even_if_the_request_does_not_fit_into_its_pipe() -> None:
    long = msgspec.structs.replace(view_after(), may_bid=(Bid(1, 2),) * 20_000)
    assert len(encode_line(ActionRequest(1, long))) > 500_000
    assert "no answer within" in failure(faulty_bot("deaf"), long)


def test_a_command_that_cannot_be_started_is_reported() -> None:
    assert "it could not be started: " in failure(SubprocessBot(["/"]), view_after())


def test_a_failed_process_is_restarted_a_limited_number_of_times(tmp_path: Path) -> None:
    bot = faulty_bot("exit", tmp_path / "notes")
    for _ in range(MAX_STARTS):
        assert failure(bot, view_after()) == "it ended with status 3"
    assert f"started {MAX_STARTS} times in this match" in failure(bot, view_after())
    assert len(set(noted_pids(tmp_path / "notes"))) == MAX_STARTS
    bot.on_end(view_after())
    assert failure(bot, view_after()) == "it ended with status 3"  # a new match resets the limit


def test_an_extra_answer_does_not_count_for_the_next_request() -> None:
    bot = faulty_bot("twice")
    assert bot.act(view_after()) == view_after().may_bid[0]
    assert failure(bot, view_after()) == "it answered question 1 when asked question 2"


def test_hello_view_result_and_goodbye_come_in_this_order_and_the_process_ends_by_itself(tmp_path: Path) -> None:
    notes = tmp_path / "notes"
    match = Match(BASIC, ["Ann", "Bo"], Dealer(1))
    with Referee(match, {0: faulty_bot("good", notes), 1: make_bot("threshold")}) as referee:
        while referee.step() is not None:
            pass
    assert referee.faults == []
    messages = [line for line in notes.read_text(encoding="utf-8").splitlines() if not line.startswith("pid")]
    assert messages[0] == "hello"
    assert set(messages[1:-3]) == {"view"}
    assert messages[-3:] == ["result", "goodbye", "left"]
    assert len(noted_pids(notes)) == 1
    assert has_ended(noted_pids(notes)[0])


@pytest.mark.parametrize("mode", ["stays", "grandchild"])
def test_a_process_that_ignores_goodbye_or_leaves_a_child_is_killed(
    mode: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr("liarsdice.bots.external.line_process.END_WITHIN_S", 0.1)
    bot = faulty_bot(mode, tmp_path / "notes")
    assert bot.act(view_after()) is not None
    bot.on_end(view_after())
    assert all(has_ended(pid) for pid in noted_pids(tmp_path / "notes"))


def test_an_interrupted_match_ends_its_processes(tmp_path: Path) -> None:
    def interrupted_match() -> None:
        with Referee(Match(BASIC, ["Ann", "Bo"], Dealer(1)), {0: faulty_bot("good", tmp_path / "notes")}):
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted_match()
    assert "goodbye" in (tmp_path / "notes").read_text(encoding="utf-8")
    assert "result" not in (tmp_path / "notes").read_text(encoding="utf-8")
    assert has_ended(noted_pids(tmp_path / "notes")[0])


def test_a_bot_that_is_garbage_collected_ends_its_process(tmp_path: Path) -> None:
    bot = faulty_bot("good", tmp_path / "notes")
    bot.on_start(view_after())
    del bot
    assert has_ended(noted_pids(tmp_path / "notes")[0])


@pytest.mark.parametrize(
    "mode, reason",
    [
        ("crash", r"it ended with status 1 (it wrote: "),
        ("hang", "it gave no answer within"),
        ("garbage", "which is no message"),
        ("illegal", "bid 999x1 is more than"),
        ("silent", "it gave no answer on its turn"),
        ("exits early", "it ended with status 4"),
    ],
)
def test_a_failing_bot_loses_by_the_rules_and_is_reported(
    mode: str, reason: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(subprocess_bot, "MAX_STARTS", 2)
    match = Match(BASIC, ["Ann", "Bo"], Dealer(1))
    with Referee(match, {0: make_bot("inference"), 1: faulty_bot(mode)}) as referee:
        while referee.step() is not None:
            pass
    assert match.state.winners == (0,)
    assert {fault.seat for fault in referee.faults} == {1}
    assert reason in referee.faults[0].reason
    assert "; it has to " in referee.faults[0].reason
    assert all(fault.reason.isprintable() for fault in referee.faults)


def test_a_request_holds_the_whole_view_and_nothing_else() -> None:
    shown = view_after("1x2 1x3")
    received = TO_BOT_DECODER.decode(encode_line(ActionRequest(3, shown)))
    assert received == ActionRequest(3, shown)
    fields = msgspec.json.decode(encode_line(ActionRequest(3, shown)), type=dict[str, object])["view"]
    assert isinstance(fields, dict)
    assert fields.keys() == set(View.__struct_encode_fields__)


def test_a_served_python_bot_plays_as_it_does_in_process() -> None:
    shown = view_after()
    messages: list[MessageToBot] = [
        HelloToBot(PROTOCOL_VERSION, 0, shown.names, BASIC, 5.0, "7"),
        ActionRequest(1, shown),
        ActionRequest(2, view_after("")),
        Goodbye(),
    ]
    output = io.BytesIO()
    serve(lambda seed: make_bot("random", seed), io.BytesIO(b"".join(map(encode_line, messages)) + b"nothing"), output)
    hello, *answers = map(FROM_BOT_DECODER.decode, output.getvalue().splitlines())
    in_process = make_bot("random", "7")
    assert hello == HelloFromBot(PROTOCOL_VERSION)
    assert [answer.action for answer in answers if isinstance(answer, ActionReply)] == [
        in_process.act(shown),
        in_process.act(view_after("")),
    ]


def test_the_repr_can_be_pasted_back() -> None:
    bot = SubprocessBot(["node", "bot.mjs"], 2.0, "x")
    assert eval(repr(bot), {"SubprocessBot": SubprocessBot}).command == bot.command  # noqa: S307  our own text


def test_a_process_whose_start_is_interrupted_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    start, pids = subprocess.Popen, []

    def interrupted(*words: Any, **options: Any) -> subprocess.Popen[bytes]:  # noqa: ANN401  whatever it is given
        process = start(*words, **options)
        pids.append(process.pid)
        os.kill(os.getpid(), signal.SIGTERM)
        return process

    monkeypatch.setattr(subprocess, "Popen", interrupted)
    with pytest.raises(TerminatedError), stoppable():
        LineProcess([sys.executable, "-I", "-S", str(FAULTY_BOT), "mute"])
    assert has_ended(*pids)


INTERRUPTED_END = """
import os, sys
from liarsdice.bots.external.line_process import LineProcess
process, kill = LineProcess(sys.argv[1:]), os.killpg
def interrupted(*_):
    os.killpg = kill
    raise KeyboardInterrupt
os.killpg = interrupted
try:
    process.end()
except KeyboardInterrupt:
    print(process.pid)
"""


def test_a_process_whose_end_is_interrupted_is_ended_with_the_program() -> None:
    words = [sys.executable, "-c", INTERRUPTED_END, sys.executable, "-I", "-S", str(FAULTY_BOT), "mute"]
    pid = int(subprocess.run(words, stdout=subprocess.PIPE, timeout=PATIENCE_S, check=True).stdout)
    assert has_ended(pid)
