"""The results of an evaluation, added up."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import msgspec
import pytest

from liarsdice.analysis.review.results import Source
from liarsdice.core.errors import MalformedError, UnavailableError
from liarsdice_lab.evaluate.evaluation import ModelSettings, TranscriptDecision
from liarsdice_lab.evaluate.language_model import AttemptOutcome, EndpointSettings
from liarsdice_lab.evaluate.summary import (
    MIN_DEALS,
    SETTINGS_FILE,
    ModelResult,
    PlayedDeal,
    open_deals,
    open_folder,
    summarize_model,
)
from tests.lab.evaluate.fixtures import deal, decision, evaluation

SETTINGS = evaluation("novice", "random")


def summary(*deals: PlayedDeal) -> tuple[ModelResult, ...]:
    by_opponent = {opponent: [deal for deal in deals if deal.opponent == opponent] for opponent in SETTINGS.opponents}
    return summarize_model(SETTINGS, by_opponent)


def played(
    number: int, *wins: bool, opponent: str = "novice", decisions: Sequence[TranscriptDecision] = ()
) -> PlayedDeal:
    return PlayedDeal(opponent, deal(number, *wins), tuple(decisions))


def test_win_shares_are_those_of_the_model_in_any_seat() -> None:
    (result,) = summary(played(0, True, True), played(1, True, False), played(2, True, False), played(3, False, False))
    assert (result.opponent, result.deals, result.matches) == ("novice", 4, 8)
    assert (result.win_share, result.fair_share) == (0.5, 0.5)
    low, high = result.win_share_95
    assert 0 <= low < 0.5 < high <= 1


def test_a_model_that_wins_the_same_share_of_every_deal_has_an_interval() -> None:
    (result,) = summary(*(played(number, True, False) for number in range(10)))
    assert result.win_share == 0.5
    assert result.win_share_95 == pytest.approx((0.237, 0.763), abs=0.001)


def test_costs_are_means_of_decisions_with_a_choice() -> None:
    decisions = [
        decision(cost=0.06),
        decision(cost=0.0, source=Source.SOLVED),
        decision(cost=0.0, source=Source.FORCED),
        decision(cost=0.0, source=Source.BELIEFS),
        decision(),
    ]
    (result,) = summary(played(0, True, True, decisions=decisions))
    assert (result.decisions, result.assessed) == (5, 2)
    assert result.cost == pytest.approx(0.03)
    assert result.cost_95 is None
    assert result.sources == {Source.BELIEFS: 1, Source.FORCED: 1, Source.SOLVED: 1, Source.PLAYOUTS: 1}


def test_enough_deals_give_an_interval_of_the_cost_and_an_adjusted_share() -> None:
    deals = [
        played(number, number % 2 == 0, number % 3 == 0, decisions=[decision(cost=0.01 * (number % 4))])
        for number in range(MIN_DEALS)
    ]
    (result,) = summary(*deals)
    assert result.cost is not None
    assert result.cost_95 is not None
    assert 0 <= result.cost_95[0] < result.cost < result.cost_95[1]
    assert result.adjusted is not None
    (fewer,) = summary(*deals[:-1])
    assert (fewer.cost_95, fewer.adjusted) == (None, None)
    (all_won,) = summary(*(played(number, True, True) for number in range(MIN_DEALS)))
    assert all_won.adjusted is None


def test_unusable_answers_are_counted_by_kind() -> None:
    illegal, unreadable, missing = AttemptOutcome.ILLEGAL, AttemptOutcome.UNREADABLE, AttemptOutcome.NO_ANSWER
    decisions = [
        decision(illegal, AttemptOutcome.LEGAL),
        decision(unreadable, missing, unreadable),
        decision(),
        decision(),
    ]
    (result,) = summary(played(0, True, False, decisions=decisions))
    assert (result.illegal, result.unreadable, result.missing, result.fallbacks) == (1, 2, 1, 1)
    assert result.per_100(result.illegal) == 25.0


def test_times_and_tokens_are_those_of_answers() -> None:
    decisions = [
        decision(latency_ms=10.0, tokens=100),
        decision(latency_ms=30.0, tokens=50),
        decision(AttemptOutcome.NO_ANSWER, latency_ms=9_000.0),
    ]
    (result,) = summary(played(0, True, False, decisions=decisions))
    assert result.median_ms == 20.0
    assert result.p95_ms == pytest.approx(29.0)
    assert (result.prompt_tokens, result.completion_tokens) == (150, 150)
    (untold,) = summary(played(0, True, False))
    assert (untold.prompt_tokens, untold.median_ms, untold.cost, untold.per_100(0)) == (None, None, None, 0.0)


def test_several_opponents_are_added_up() -> None:
    deals = [played(number, True, True) for number in range(4)]
    deals += [played(number, False, False, opponent="random", decisions=[decision()]) for number in range(8)]
    novice, random, everyone = summary(*deals)
    assert [result.opponent for result in (novice, random, everyone)] == ["novice", "random", "all"]
    assert (novice.win_share, random.win_share) == (1.0, 0.0)
    assert everyone.win_share == pytest.approx(1 / 3)
    assert (everyone.deals, everyone.matches, everyone.decisions) == (12, 24, 8)
    assert everyone.adjusted is not None
    assert summary() == ()


def test_deals_are_kept_by_opponent(tmp_path: Path) -> None:
    folder, settings = tmp_path / "new" / "folder", evaluation("novice", "threshold:0.3")
    open_folder(folder, settings)
    with open_deals(folder, settings, "threshold:0.3") as deals:
        deals.append(deal(0, True, False))
    assert (folder / "threshold-0.3" / "deals.jsonl").is_file()
    assert not (folder / "novice").exists()


def test_the_same_settings_with_other_opponents_continue(tmp_path: Path) -> None:
    open_folder(tmp_path, evaluation("novice"))
    before = (tmp_path / SETTINGS_FILE).read_bytes()
    open_folder(tmp_path, evaluation("novice", "random"))
    assert (tmp_path / SETTINGS_FILE).read_bytes() == before


def test_other_settings_are_refused_by_name(tmp_path: Path) -> None:
    open_folder(tmp_path, evaluation())
    with pytest.raises(
        UnavailableError, match=r"another evaluation: review_deals is 30 there and 0 here \(name another"
    ):
        open_folder(tmp_path, evaluation(review_deals=0))


def test_the_place_of_the_key_is_not_written(tmp_path: Path) -> None:
    endpoint = EndpointSettings(url="http://127.0.0.1:9/v1", model="m", temperature=0.5)
    model = ModelSettings(name="m", endpoint=endpoint, key_variable="THE_KEY")
    open_folder(tmp_path, msgspec.structs.replace(evaluation(), model=model))
    text = (tmp_path / SETTINGS_FILE).read_text(encoding="utf-8")
    assert "THE_KEY" not in text
    assert '"temperature": 0.5' in text


def test_other_files_are_refused(tmp_path: Path) -> None:
    (tmp_path / SETTINGS_FILE).write_text("no JSON", encoding="utf-8")
    with pytest.raises(MalformedError, match="has no settings of an evaluation"):
        open_folder(tmp_path, evaluation())
    with pytest.raises(UnavailableError, match="cannot keep an evaluation in"):
        open_folder(tmp_path / SETTINGS_FILE, evaluation())
    (tmp_path / "novice").touch()
    with pytest.raises(UnavailableError, match="cannot keep deals in"):
        open_deals(tmp_path, evaluation(), "novice")
