"""What simple bots answer to a challenge for twice the stake, by odds computed by hand, and which kinds they choose."""

from __future__ import annotations

import pytest

from liarsdice.bots.protocol import Bot
from liarsdice.bots.registry import make_bot
from liarsdice.bots.simple.simple_bots import Greedy, Misjudgement, Misjudging, Threshold
from liarsdice.core.actions import AnswerDouble, Challenge, ChooseKind, PlayerAction
from liarsdice.core.engine.engine import decide, evolve_all
from liarsdice.core.engine.state import State
from liarsdice.core.engine.view import view
from liarsdice.core.rules import choices as c
from liarsdice.core.rules.choices import Answer, DoubleAnswers, RoundKind
from liarsdice.core.rules.overlay import patched
from liarsdice.core.rules.presets import preset
from tests.bots.positions import dealt_state, position

BASIC = preset("basic").ruleset  # no wilds: an unseen die shows a face with chance 1/6


def act_in(bot: Bot, state: State) -> PlayerAction | None:
    return bot.act(view(state, state.turn))


@pytest.mark.parametrize(
    "hand, wanted",
    [((5, 5), Answer.REDOUBLE), ((5, 1), Answer.ACCEPT), ((4, 1), Answer.FOLD)],
    ids=["a bid that is true", "11/36", "1/36"],
)
def test_the_simple_bots_answer_a_doubled_challenge_by_the_odds_of_their_bid(
    hand: tuple[int, int], wanted: Answer
) -> None:
    rules = patched(BASIC, challenge__double=c.WhoCalls.NEXT_PLAYER, challenge__answers=DoubleAnswers.REDOUBLE_OR_FOLD)
    state = position(rules, (hand, (2, 2)), "2x5")
    state = evolve_all(state, decide(state, 1, Challenge(double=True)))
    for bot in (Threshold(0.4), Greedy(0.4), Misjudging(Misjudgement.FORGETS_WILDS), make_bot("champion", 1)):
        assert act_in(bot, state) == AnswerDouble(wanted)
    assert act_in(make_bot("novice", 1), state) == AnswerDouble(Answer.ACCEPT)


@pytest.mark.parametrize("hand, wanted", [((5, 5), Answer.FOLD), ((2, 2), Answer.ACCEPT)], ids=["false", "1/36"])
def test_a_challenger_folds_a_redoubling_of_a_bid_that_its_own_dice_make_true(
    hand: tuple[int, int], wanted: Answer
) -> None:
    rules = patched(BASIC, challenge__double=c.WhoCalls.NEXT_PLAYER, challenge__answers=DoubleAnswers.REDOUBLE_OR_FOLD)
    state = position(rules, ((5, 1), hand), "2x5")
    for seat, move in ((1, Challenge(double=True)), (0, AnswerDouble(Answer.REDOUBLE))):
        state = evolve_all(state, decide(state, seat, move))
    assert act_in(Threshold(0.4), state) == AnswerDouble(wanted)


def test_the_simple_bots_open_a_special_round_of_the_open_kind() -> None:
    state = dealt_state(preset("perudo+obligo-chosen").ruleset, ((4,), (2, 2), (3, 3)))
    for bot in (Threshold(0.4), Greedy(0.4), Misjudging(Misjudgement.TRUSTS), make_bot("champion", 1)):
        assert act_in(bot, state) == ChooseKind(RoundKind.OPEN)
    assert act_in(make_bot("novice", 1), state) == ChooseKind(RoundKind.CLOSED)
