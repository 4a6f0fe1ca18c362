"""Bots that are processes of their own: what they are told, and what becomes of those that fail."""

from __future__ import annotations

import io
import signal
import sys
from pathlib import Path

import msgspec
import pytest

from liarsdice.bots.external import subprocess_bot as program
from liarsdice.bots.external.messages import (
    FOR_BOT,
    FROM_BOT,
    PROTOCOL,
    Answer,
    Asked,
    ForBot,
    Goodbye,
    HelloBot,
    HelloProgram,
    line_of,
)
from liarsdice.bots.external.stdio_server import serve
from liarsdice.bots.external.subprocess_bot import MOST_STARTS, Program
from liarsdice.bots.protocol import GaveUpError
from liarsdice.bots.registry import make_bot
from liarsdice.core.engine.view import View, view
from liarsdice.core.rules.bids import Bid
from liarsdice.core.rules.presets import preset
from liarsdice.play.dealer import Dealer
from liarsdice.play.match import Match
from liarsdice.play.referee import Referee
from tests.bots.external.leftovers import PATIENCE_S, ROGUE, gone, pids
from tests.bots.tables import position

BASIC = preset("basic").ruleset
SHORT_S = 0.15


def rogue(mode: str, notes: Path | None = None) -> Program:
    """A bot with plenty of time, unless it will need all of it."""
    limit_s = SHORT_S if mode in {"hang", "deaf", "mute"} else PATIENCE_S
    words = [sys.executable, "-I", "-S", str(ROGUE), mode, *([] if notes is None else [str(notes)])]
    return Program(words, limit_s, 7)


def asked(bids: str = "1x2") -> View:
    state = position(BASIC, ((2, 3), (2, 3)), bids)
    return view(state, state.turn)


def failure(bot: Program, shown: View) -> str:
    with pytest.raises(GaveUpError) as caught:
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
def test_a_failure_is_told_and_its_process_is_gone(mode: str, reason: str, tmp_path: Path) -> None:
    bot = rogue(mode, tmp_path / "notes")
    assert reason in failure(bot, asked())
    assert bot.pid is None
    assert all(gone(pid) for pid in pids(tmp_path / "notes"))


def test_what_it_wrote_last_is_quoted_but_no_more_of_it() -> None:
    told = failure(rogue("noisy"), asked())
    assert told.endswith("the last word)")
    assert len(told) < 400


def test_a_process_that_never_says_hello_is_given_up(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(program, "START_LIMIT_S", 0.1)
    assert failure(rogue("mute", tmp_path / "notes"), asked()) == "it gave no answer within 0.15 s"


def test_a_process_that_reads_nothing_is_late_even_where_the_question_does_not_fit_into_its_pipe() -> None:
    long = msgspec.structs.replace(asked(), may_bid=(Bid(1, 2),) * 20_000)
    assert len(line_of(Asked(1, long))) > 500_000
    assert "no answer within" in failure(rogue("deaf"), long)


def test_a_command_that_cannot_be_started_is_told() -> None:
    assert "it could not be started: " in failure(Program(["/"]), asked())


def test_a_failed_process_is_started_anew_and_then_not_any_more(tmp_path: Path) -> None:
    bot = rogue("exit", tmp_path / "notes")
    for _ in range(MOST_STARTS):
        assert failure(bot, asked()) == "it ended with status 3"
    assert f"started {MOST_STARTS} times in this match" in failure(bot, asked())
    assert len(set(pids(tmp_path / "notes"))) == MOST_STARTS
    bot.leave(asked())
    assert failure(bot, asked()) == "it ended with status 3"  # another match, another chance


def test_an_answer_too_many_is_not_taken_for_the_next_one() -> None:
    bot = rogue("twice")
    assert bot.act(asked()) == asked().may_bid[0]
    assert failure(bot, asked()) == "it answered question 1 when asked question 2"


def test_hello_view_result_and_goodbye_come_in_this_order_and_the_process_ends_by_itself(tmp_path: Path) -> None:
    notes = tmp_path / "notes"
    match = Match(BASIC, ["Ann", "Bo"], Dealer(1))
    with Referee(match, {0: rogue("good", notes), 1: make_bot("threshold")}) as referee:
        while referee.step() is not None:
            pass
    assert referee.faults == []
    said = [line for line in notes.read_text(encoding="utf-8").splitlines() if not line.startswith("pid")]
    assert said[0] == "hello"
    assert set(said[1:-3]) == {"view"}
    assert said[-3:] == ["result", "goodbye", "left"]
    assert len(pids(notes)) == 1
    assert gone(pids(notes)[0])


@pytest.mark.parametrize("mode", ["stays", "grandchild"])
def test_who_ignores_goodbye_or_leaves_somebody_behind_is_ended(
    mode: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr("liarsdice.bots.external.line_process.END_WITHIN_S", 0.1)
    bot = rogue(mode, tmp_path / "notes")
    assert bot.act(asked()) is not None
    bot.leave(asked())
    assert all(gone(pid) for pid in pids(tmp_path / "notes"))


def test_a_match_that_breaks_off_ends_its_processes(tmp_path: Path) -> None:
    def broken_off() -> None:
        with Referee(Match(BASIC, ["Ann", "Bo"], Dealer(1)), {0: rogue("good", tmp_path / "notes")}):
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        broken_off()
    assert "goodbye" in (tmp_path / "notes").read_text(encoding="utf-8")
    assert "result" not in (tmp_path / "notes").read_text(encoding="utf-8")
    assert gone(pids(tmp_path / "notes")[0])


def test_a_forgotten_process_is_ended(tmp_path: Path) -> None:
    bot = rogue("good", tmp_path / "notes")
    bot.arrive(asked())
    del bot
    assert gone(pids(tmp_path / "notes")[0])


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
def test_who_fails_loses_by_the_rules_and_is_reported(mode: str, reason: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(program, "MOST_STARTS", 2)
    match = Match(BASIC, ["Ann", "Bo"], Dealer(1))
    with Referee(match, {0: make_bot("inference"), 1: rogue(mode)}) as referee:
        while referee.step() is not None:
            pass
    assert match.state.winners == (0,)
    assert {fault.seat for fault in referee.faults} == {1}
    assert reason in referee.faults[0].reason
    assert "; it has to " in referee.faults[0].reason
    assert all(fault.reason.isprintable() for fault in referee.faults)


def test_a_view_goes_over_the_line_whole_and_holds_nothing_else() -> None:
    shown = asked("1x2 1x3")
    sent = FOR_BOT.decode(line_of(Asked(3, shown)))
    assert sent == Asked(3, shown)
    plain = msgspec.json.decode(line_of(Asked(3, shown)), type=dict[str, object])["view"]
    assert isinstance(plain, dict)
    assert plain.keys() == set(View.__struct_fields__)


def test_a_python_bot_is_served_as_it_would_play_here() -> None:
    shown = asked()
    messages: list[ForBot] = [
        HelloBot(PROTOCOL, 0, shown.names, BASIC, 5.0, "7"),
        Asked(1, shown),
        Asked(2, asked("")),
        Goodbye(),
    ]
    writes = io.BytesIO()
    serve(lambda seed: make_bot("random", seed), io.BytesIO(b"".join(map(line_of, messages)) + b"nothing"), writes)
    hello, *answers = map(FROM_BOT.decode, writes.getvalue().splitlines())
    alone = make_bot("random", "7")
    assert hello == HelloProgram(PROTOCOL)
    assert [answer.action for answer in answers if isinstance(answer, Answer)] == [
        alone.act(shown),
        alone.act(asked("")),
    ]


def test_the_repr_can_be_pasted_back() -> None:
    bot = Program(["node", "bot.mjs"], 2.0, "x")
    assert eval(repr(bot), {"Program": Program}).words == bot.words  # noqa: S307  our own text
