"""Hypothesis strategies for the commands that anybody may give at a table, sensible or not."""

from __future__ import annotations

from hypothesis import strategies as st

from liarsdice.core.actions import AnswerDouble, Challenge, ChooseKind, DeclareSpecial, Exact, SetDirection
from liarsdice.core.rules.bids import Bid
from liarsdice.core.rules.choices import Answer, Direction, PenaltyTiming, PenaltyTrigger, RoundKind, WhoCalls
from liarsdice.core.rules.overlay import patched
from liarsdice.core.rules.parts import Penalty
from liarsdice.core.rules.presets import preset
from liarsdice.core.rules.ruleset import Ruleset
from liarsdice.play.provable_dice import commitment_to
from liarsdice.server.table import commands as c
from liarsdice.server.table.table_config import Away, BanScope, TableConfig
from liarsdice.wire import PlayoutSpeed
from tests.laws.random_rulesets import OFFENCES

PEOPLE = ("Ann", "Bo", "Cy", "Dee", "Eve")
people = st.sampled_from(PEOPLE)
players = st.integers(0, 5)


def _rules(name: str, timing: PenaltyTiming, callers: WhoCalls) -> Ruleset:
    base = preset(name).ruleset
    penalties = tuple(Penalty(trigger=trigger) for trigger in PenaltyTrigger)
    return patched(base, dice__per_player=2, penalties=penalties, penalty_timing=timing, challenge__who=callers)


RULES = tuple(
    _rules(name, timing, callers)
    for name, timing, callers in (
        ("perudo", PenaltyTiming.IMMEDIATE, WhoCalls.NEXT_PLAYER),
        ("perudo", PenaltyTiming.END_OF_ROUND, WhoCalls.ANYONE_BUT_BIDDER),
        ("mustache", PenaltyTiming.IMMEDIATE, WhoCalls.ANYONE_BUT_BIDDER),
    )
)
configs = st.builds(
    lambda rules, seats, hints, spectators, approval: TableConfig(
        title="Any",
        ruleset=rules,
        seats=seats,
        hints=hints,
        spectators=spectators,
        away=Away.WAIT,
        listed=True,
        approval=approval,
    ),
    st.sampled_from(RULES),
    st.integers(1, 5),
    st.booleans(),
    st.booleans(),
    st.booleans(),
)
commands: st.SearchStrategy[c.Command] = st.one_of(
    st.builds(c.Say, st.sampled_from(["hello", "whose turn is it?", "how many dice?", "", "a\nb"])),
    st.just(c.Begin()),
    st.just(c.Ready()),
    st.just(c.Leave()),
    st.builds(c.Report, players),
    st.just(c.AcceptRules()),
    st.builds(c.PlayOut, st.sampled_from(PlayoutSpeed)),
    st.builds(c.GuessCall, players, st.booleans()),
    st.builds(c.ChooseFace, st.integers(-1, 100)),
    st.builds(c.SetPush, st.sampled_from(["https://fcm.googleapis.com/x", "http://localhost/"]), st.booleans()),
    st.builds(c.CommitSeed, st.sampled_from(["", "abc", commitment_to("a" * 32), commitment_to("b" * 32)])),
    st.builds(c.RevealSeed, st.sampled_from(["", "abc", "a" * 32, "b" * 32, "x" * 65])),
    st.builds(c.Accuse, players, st.sampled_from(PenaltyTrigger), st.sampled_from(("", *OFFENCES))),
    st.builds(c.AnswerPenalty, st.integers(0, 4), st.booleans()),
    st.builds(c.Change, configs),
    st.builds(c.AddBot, st.sampled_from(["random", "threshold:0.4", "nope", ""])),
    st.builds(c.Remove, players, st.sampled_from(BanScope)),
    st.builds(c.LiftBan, players),
    st.builds(c.Lock, st.booleans()),
    st.builds(c.AnswerSeat, st.integers(0, 4), st.booleans()),
    st.builds(c.Mute, players, st.booleans()),
    st.builds(c.Pause, st.booleans()),
    st.builds(c.StandIn, players, st.booleans()),
    st.builds(c.MakeHost, players),
    st.builds(Bid, st.integers(1, 12), st.integers(0, 7)),
    st.builds(AnswerDouble, st.sampled_from(Answer)),
    st.builds(ChooseKind, st.sampled_from(RoundKind)),
    st.sampled_from(
        [Challenge(), Challenge(double=True), Exact(), SetDirection(Direction.CLOCKWISE), DeclareSpecial()]
    ),
)
