"""Built-in bots by name: parameters, unknown names and descriptions."""

from __future__ import annotations

import pytest

from liarsdice.bots.registry import bot_descriptions, bot_names, make_bot
from liarsdice.bots.simple.simple_bots import Greedy, Random, Threshold
from liarsdice.core.errors import MalformedError, UnavailableError


def test_a_bot_is_made_by_name_with_its_parameter() -> None:
    assert make_bot("threshold") == Threshold(0.4)
    assert make_bot("threshold:0.3") == Threshold(0.3)
    assert make_bot(" Greedy:1 ") == Greedy(1.0)
    assert make_bot("inference") == Threshold(0.4, credit=0.7)
    assert make_bot("inference:0.25") == Threshold(0.25, credit=0.7)
    assert isinstance(make_bot("random", "seed"), Random)


def test_a_bots_repr_can_be_pasted_back() -> None:
    for spec in ("threshold:0.3", "greedy:0.2", "inference:0.4"):
        bot = make_bot(spec)
        assert eval(repr(bot), {"Threshold": Threshold, "Greedy": Greedy}) == bot  # noqa: S307  our own text
    assert repr(make_bot("random", 7)) == "Random(7)"


def test_an_unknown_bot_is_unavailable_and_the_message_lists_the_known_ones() -> None:
    with pytest.raises(UnavailableError, match=r"no bot is called 'nobody'.*random, threshold, greedy, inference"):
        make_bot("nobody:0.4")


@pytest.mark.parametrize(
    "spec",
    [
        "threshold:",
        "threshold:x",
        "greedy:1.1",
        "inference:-0.1",
        "threshold:nan",
        "threshold:inf",
        "random:0.4",
        "novice:0.4",
        "regular:0.4",
        "sharp:bold",
        "champion:angry",
        "champion@5:",
    ],
)
def test_a_parameter_that_makes_no_sense_is_refused(spec: str) -> None:
    with pytest.raises(MalformedError, match=spec):
        make_bot(spec)


@pytest.mark.parametrize("spec", ["champion@0", "champion@10", "champion@99", "champion@", "champion@one", "sharp@5"])
def test_a_champion_of_an_unknown_number_is_unavailable(spec: str) -> None:
    with pytest.raises(UnavailableError, match=f"no bot is called {spec} "):
        make_bot(spec)


def test_every_bot_is_described() -> None:
    assert tuple(bot_descriptions()) == bot_names()
    assert all(bot_descriptions().values())
