"""The referee: which bots are asked, whose call stands, and what happens to a bot that commits a fault."""

from collections.abc import Callable, Sequence

import pytest

from liarsdice.bots.protocol import Bot
from liarsdice.bots.registry import make_bot
from liarsdice.core.actions import Challenge, Deal, Exact, Penalise, PlayerAction, SetDirection
from liarsdice.core.engine.view import View
from liarsdice.core.events import BidMade, Challenged, DiceLost, ExactCalled
from liarsdice.core.rules.bids import Bid
from liarsdice.core.rules.choices import Direction, PenaltyTrigger, WhoCallsExact
from liarsdice.core.rules.overlay import patched
from liarsdice.core.rules.parts import ExactCall
from liarsdice.core.rules.presets import preset
from liarsdice.core.rules.ruleset import Ruleset
from liarsdice.play.match import Dealer, Match
from liarsdice.play.referee import Referee
from tests.bots.positions import play_out, position

OFFICIAL = preset("official").ruleset
THREE = ((2, 3), (2, 3), (2, 3))


class Scripted:
    """Answers with a function, and records the views that it was asked about."""

    def __init__(self, answer: Callable[[View], object]) -> None:
        self._answer = answer
        self.views: list[View] = []

    def act(self, view: View) -> PlayerAction | None:
        self.views.append(view)
        return self._answer(view)  # type: ignore[return-value]  # a faulty answer may be anything


def answers(*replies: object) -> Scripted:
    """Return a bot that gives these answers in turn and then None."""
    remaining = list(replies)
    return Scripted(lambda _: remaining.pop(0) if remaining else None)


def referee_at(
    bids: str, bots: Sequence[Bot | None], rules: Ruleset = OFFICIAL, hands: tuple[tuple[int, ...], ...] = THREE
) -> Referee:
    """Return a referee of a match in which these bids were made; seats without a bot are people's."""
    state = position(rules, hands, bids)
    match = Match(state.ruleset, state.names, Dealer(0))
    match.state = state
    return Referee(match, {seat: bot for seat, bot in enumerate(bots) if bot is not None})


def test_the_referee_plays_the_dealer_too_until_the_match_is_over() -> None:
    referee = play_out(preset("basic").ruleset, {0: make_bot("random", 0), 1: make_bot("random", 1)})
    assert referee.match.is_over
    assert referee.step() is None


def test_nothing_happens_while_a_person_is_on_turn_and_nobody_calls() -> None:
    silent = answers()
    referee = referee_at("1x2", [silent, None, silent])
    assert referee.step() is None
    assert referee.match.state.bids == ((0, Bid(1, 2)),)
    assert len(silent.views) == 1  # the bidder's seat has nothing to say


def test_a_bot_out_of_turn_is_asked_once_about_a_bid() -> None:
    bot = answers()
    referee = referee_at("1x2", [None, None, bot])
    for _ in range(3):
        assert referee.step() is None
    assert len(bot.views) == 1
    referee.match.act(1, Bid(1, 3))
    referee.match.act(2, Bid(1, 4))
    referee.match.act(0, Bid(1, 5))
    assert referee.step() is None
    assert len(bot.views) == 2


def test_a_call_out_of_turn_comes_before_the_bid_of_the_player_on_turn() -> None:
    referee = referee_at("1x2", [None, answers(Bid(1, 3)), answers(Challenge())])
    events = referee.step()
    assert events is not None
    assert events[0] == Challenged(2, 0, Bid(1, 2), out_of_turn=True)


def test_of_calls_in_one_instant_that_of_the_player_on_turn_stands() -> None:
    referee = referee_at("1x2", [None, answers(Challenge()), answers(Challenge())])
    events = referee.step()
    assert events is not None
    assert events[0] == Challenged(1, 0, Bid(1, 2))


def test_of_calls_out_of_turn_that_of_the_nearest_to_the_bidder_stands() -> None:
    hands = (*THREE, (2, 3))
    referee = referee_at("1x2", [None, answers(Bid(1, 3)), answers(Challenge()), answers(Challenge())], hands=hands)
    assert referee.next_action() == (2, Challenge())


def test_people_may_call_beside_the_bots() -> None:
    referee = referee_at("1x2", [None, answers(Bid(1, 3)), None])
    assert referee.next_action({2: Challenge()}) == (2, Challenge())
    referee = referee_at("1x2", [None, None, answers(Challenge())])
    assert referee.next_action({1: Challenge()}) == (1, Challenge())
    rules = patched(OFFICIAL, exact_call=ExactCall(who=WhoCallsExact.ANYONE_BUT_BIDDER), guards__max_rounds=50)
    referee = referee_at("1x2", [None, answers(Bid(1, 3)), None], rules)
    events = referee.step({2: Exact()})
    assert events is not None
    assert isinstance(events[0], ExactCalled)


def test_only_the_player_on_turn_is_asked_where_only_that_player_may_call() -> None:
    bot = answers(Challenge())
    referee = referee_at("1x2", [None, None, bot], preset("basic").ruleset)
    assert referee.step() is None
    assert bot.views == []


def fails(view: View) -> PlayerAction:
    raise RuntimeError("I give up" if view.bids else "no idea")


FAULTY_ANSWERS: list[tuple[object, str]] = [
    (None, "it gave no answer on its turn"),
    (Bid(1, 2), "bid 1x2 "),
    (Bid(99, 6), "bid 99x6 is more than"),
    (Exact(), "these rules have no exact call"),
    (SetDirection(Direction.CLOCKWISE), "do not let a player choose the direction"),
    (Penalise(PenaltyTrigger.ASKS_DICE_LEFT), "which is no move"),
    (Deal(((6,), (6,), (6,))), "which is no move"),
    (Bid(10**5000, 3), "it answered an object of the class Bid, which is no move"),
    ("liar", "it answered 'liar', which is no move"),
    (0, "which is no move"),
    (fails, "it answered <function fails>, which is no move"),
]


@pytest.mark.parametrize("answer, reason", FAULTY_ANSWERS, ids=[reason for _, reason in FAULTY_ANSWERS])
def test_a_faulty_answer_while_a_bid_stands_is_a_challenge_and_a_fault(answer: object, reason: str) -> None:
    referee = referee_at("1x2", [None, answers(answer), None])
    events = referee.step()
    assert events is not None
    assert events[0] == Challenged(1, 0, Bid(1, 2))
    assert DiceLost in map(type, events)
    (fault,) = referee.faults
    assert (fault.seat, fault.round_number) == (1, 1)
    assert reason in fault.reason
    assert fault.reason.endswith("; it has to challenge the bid")
    assert referee.fault_text(fault) == f"fault of Bo in round 1: {fault.reason}"


@pytest.mark.parametrize("bot", [answers(None), answers(Challenge()), Scripted(fails)])
def test_a_faulty_answer_at_the_opening_is_the_lowest_bid_and_a_fault(bot: Scripted) -> None:
    referee = referee_at("", [bot, None, None])
    assert referee.step() == [BidMade(0, Bid(1, 1))]
    (fault,) = referee.faults
    assert fault.reason.endswith("; it has to bid 1x1")


def test_the_error_of_a_failing_bot_is_quoted() -> None:
    referee = referee_at("1x2", [None, Scripted(fails), None])
    referee.step()
    assert referee.faults[0].reason == "it raised RuntimeError: I give up; it has to challenge the bid"


class PanicError(BaseException):
    """Derives from `BaseException` alone, as errors of extension modules may."""


@pytest.mark.parametrize("raised", [SystemExit(7), SystemExit(), PanicError("lost")])
def test_a_bot_that_raises_any_base_exception_commits_a_fault(raised: BaseException) -> None:
    def raises(_: View) -> PlayerAction:
        raise raised

    referee = referee_at("1x2", [None, Scripted(raises), None])
    assert referee.step() is not None
    assert f"it raised {type(raised).__name__}: {raised}; it has to" in referee.faults[0].reason


def test_a_bot_that_fails_at_the_start_or_end_of_a_match_only_gets_a_fault() -> None:
    class FailingLifecycle(Scripted):
        def on_start(self, view: View) -> None:
            raise SystemExit(view.seat)

        def on_end(self, view: View) -> None:
            raise ValueError(view.seat)

    ended: list[int | None] = []

    class WorkingLifecycle(FailingLifecycle):
        def on_start(self, view: View) -> None:
            pass

        def on_end(self, view: View) -> None:
            ended.append(view.seat)

    with referee_at("1x2", [None, FailingLifecycle(lambda _: None), WorkingLifecycle(lambda _: None)]) as referee:
        pass
    assert [fault.reason for fault in referee.faults] == [
        "it raised SystemExit: 1 as it sat down",
        "it raised ValueError: 1 as it left",
    ]
    assert ended == [2]


def test_a_faulty_answer_out_of_turn_is_ignored_but_counted() -> None:
    referee = referee_at("1x2", [None, answers(Bid(1, 3)), answers(Bid(1, 4))])
    assert referee.step() == [BidMade(1, Bid(1, 3))]
    (fault,) = referee.faults
    assert fault.seat == 2
    assert fault.reason.endswith("; its answer is ignored")


def test_an_error_without_a_text_is_a_fault_like_any_other() -> None:
    class UnprintableError(Exception):
        def __str__(self) -> str:
            raise ValueError

    def breaks(_: View) -> PlayerAction:
        raise UnprintableError

    referee = referee_at("1x2", [None, Scripted(breaks), None])
    assert referee.step() is not None
    assert "something that cannot be shown" in referee.faults[0].reason


def test_ctrl_c_propagates() -> None:
    def interrupted(_: View) -> PlayerAction:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        referee_at("1x2", [None, Scripted(interrupted), None]).step()


def test_a_match_against_a_bot_that_never_answers_ends_and_it_loses() -> None:
    referee = play_out(preset("perudo").ruleset, {0: make_bot("threshold"), 1: answers(), 2: make_bot("threshold")})
    assert referee.match.is_over
    assert 1 not in referee.match.state.winners
    assert {fault.seat for fault in referee.faults} == {1}


def test_a_bot_gets_a_view_and_nothing_else() -> None:
    bot = answers(Bid(1, 3))
    referee_at("1x2", [None, bot, None]).step()
    (shown,) = bot.views
    assert type(shown) is View
    assert shown.hand == THREE[1]
