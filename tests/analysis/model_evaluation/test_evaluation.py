"""Deals of a model against a bot, with their records and transcripts."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from liarsdice.analysis.model_evaluation.evaluation import (
    ModelSettings,
    make_evaluation,
    match_path,
    open_model,
    play_model_deal,
    read_transcript,
)
from liarsdice.bots.external.language_model import ChatCommand, EndpointSettings
from liarsdice.core.errors import LiarsDiceError, MalformedError, UnavailableError
from liarsdice.core.records.record import read_record
from liarsdice.core.rules.presets import preset
from tests.analysis.model_evaluation.fixtures import COMMAND, evaluation

PERUDO = preset("perudo").ruleset
ENDPOINT = EndpointSettings(url="http://127.0.0.1:9/v1", model="m")


def test_a_deal_is_played_from_every_seat_and_written_down(tmp_path: Path) -> None:
    settings = evaluation(seats=3)
    result = play_model_deal(settings, "novice", 4, tmp_path)
    assert [match.seating.count(0) for match in result.matches] == [1, 1, 1]
    assert {match.seating.index(0) for match in result.matches} == {0, 1, 2}
    assert all(len(match.adjustment) == 3 for match in result.matches)
    assert sum(sum(match.faults) for match in result.matches) == 0
    for number, match in enumerate(result.matches):
        record = read_record(match_path(tmp_path, 4, number, "record"))
        assert record.state.winners == tuple(seat for seat, place in enumerate(match.places) if place == 1)
        decisions = read_transcript(match_path(tmp_path, 4, number, "transcript"))
        assert any(decision.cost is not None for decision in decisions)
        assert all("Odds by your own dice alone" in decision.decision.prompt for decision in decisions)
        seat = match.seating.index(0)
        own = {f"You are seat {seat + 1}."}
        assert {decision.decision.prompt.partition(" Your dice")[0] for decision in decisions} == own
    names = sorted(path.name for path in tmp_path.iterdir())
    assert names == sorted(f"0005-{match}.{kind}.jsonl" for match in (1, 2, 3) for kind in ("record", "transcript"))


def test_the_same_seed_and_answers_give_the_same_deal(tmp_path: Path) -> None:
    settings = evaluation(review_deals=0)
    first, second = (play_model_deal(settings, "novice", 0, tmp_path) for _ in range(2))
    assert first.matches == second.matches
    assert play_model_deal(settings, "novice", 1, tmp_path).matches != first.matches


def test_rules_with_lives_are_played_without_costs_and_adjustment(tmp_path: Path) -> None:
    settings = evaluation(rules="chui-niu+lives")
    result = play_model_deal(settings, "novice", 0, tmp_path)
    assert all(match.adjustment == () for match in result.matches)
    assert not settings.arena("novice").adjusted


def test_a_model_that_fails_ends_the_deal(tmp_path: Path) -> None:
    model = ModelSettings(name="broken", command=f"{sys.executable} -I -S -c 'import sys; sys.exit(4)'")
    settings = make_evaluation(model, PERUDO, ["novice"], review_deals=0)
    with pytest.raises(UnavailableError, match="no answer 6 times in a row: it ended with status 4"):
        play_model_deal(settings, "novice", 0, tmp_path)
    assert not list(tmp_path.iterdir())


def test_a_command_or_an_endpoint_is_opened(monkeypatch: pytest.MonkeyPatch) -> None:
    assert isinstance(open_model(ModelSettings(name="odds", command=COMMAND)), ChatCommand)
    keyed = ModelSettings(name="m", endpoint=ENDPOINT, key_variable="THE_KEY")
    monkeypatch.delenv("THE_KEY", raising=False)
    with pytest.raises(UnavailableError, match="the environment variable THE_KEY has no API key"):
        open_model(keyed)
    monkeypatch.setenv("THE_KEY", "sk")
    open_model(keyed).close()


@pytest.mark.parametrize(
    "model, opponents, seats, review_deals, problem",
    [
        (ModelSettings(name="m", command="no-such-program-anywhere"), ["novice"], 2, 0, "no program is called"),
        (ModelSettings(name="m", command=""), ["novice"], 2, 0, "a command needs a program"),
        (ModelSettings(name="m", endpoint=EndpointSettings(url="host", model="m")), ["novice"], 2, 0, "an endpoint is"),
        (ModelSettings(name="m", command=COMMAND), [], 2, 0, "one or more different bots, not none"),
        (ModelSettings(name="m", command=COMMAND), ["novice", "novice"], 2, 0, "one or more different bots"),
        (ModelSettings(name="m", command=COMMAND), ["nobody"], 2, 0, "no bot is called 'nobody'"),
        (ModelSettings(name="m", command=COMMAND), ["novice"], 1, 0, "2 to"),
        (ModelSettings(name="m", command=COMMAND), ["novice"], 2, 7, "or 0 for none, not 7"),
    ],
)
def test_settings_that_do_not_fit_are_refused(
    model: ModelSettings, opponents: list[str], seats: int, review_deals: int, problem: str
) -> None:
    with pytest.raises(LiarsDiceError, match=problem) as refusal:
        make_evaluation(model, PERUDO, opponents, seats=seats, review_deals=review_deals)
    assert isinstance(refusal.value, MalformedError | UnavailableError)
