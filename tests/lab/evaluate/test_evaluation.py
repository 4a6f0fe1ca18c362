"""Deals of a model against a bot, with their records and transcripts."""

import sys
from collections.abc import Sequence
from pathlib import Path

import msgspec
import pytest

from liarsdice.analysis.review.report import review_decisions
from liarsdice.core.errors import LiarsDiceError, MalformedError, UnavailableError
from liarsdice.core.records.record import Record, read_record
from liarsdice.core.rules.overlay import patched
from liarsdice.core.rules.presets import preset
from liarsdice.core.text.turn_text import move_text
from liarsdice.play.match_runner import play_match
from liarsdice.values.judgement import Source
from liarsdice_lab.evaluate.evaluation import (
    FORMAT,
    MIN_DEALS,
    SETTINGS_FILE,
    DecisionCost,
    Evaluation,
    ModelResult,
    ModelSettings,
    PlayedDeal,
    TranscriptDecision,
    TranscriptHeader,
    decision_costs,
    make_evaluation,
    match_path,
    open_deals,
    open_folder,
    open_model,
    play_model_deal,
    read_transcript,
    summarize_model,
    write_transcript,
)
from liarsdice_lab.evaluate.language_model import (
    Attempt,
    AttemptOutcome,
    ChatCommand,
    ChatMessage,
    Completion,
    EndpointSettings,
    LanguageModelBot,
    ModelDecision,
)
from liarsdice_lab.tournaments.arena import ArenaMatch, DealResult

ODDS_MODEL = Path(__file__).parents[3] / "examples" / "odds_model.py"
COMMAND = f"{sys.executable} -I -S {ODDS_MODEL}"


def evaluation(*opponents: str, rules: str = "perudo", review_deals: int = 30, seats: int = 2) -> Evaluation:
    """An evaluation of the stand-in that goes by odds."""
    model = ModelSettings(name="odds", command=COMMAND, with_odds=True)
    ruleset = preset(rules).ruleset
    return make_evaluation(model, ruleset, opponents or ("novice",), seats=seats, review_deals=review_deals)


def decision(
    *outcomes: AttemptOutcome,
    cost: float | None = None,
    source: Source = Source.PLAYOUTS,
    tokens: int | None = None,
    latency_ms: float = 10.0,
) -> TranscriptDecision:
    """A decision with attempts of these outcomes, by default a legal one."""
    attempts = tuple(
        Attempt(
            outcome,
            None if outcome is AttemptOutcome.NO_ANSWER else "text",
            latency_ms,
            prompt_tokens=tokens,
            completion_tokens=tokens,
        )
        for outcome in outcomes or (AttemptOutcome.LEGAL,)
    )
    made = ModelDecision(
        round_number=1,
        bid_count=0,
        on_turn=True,
        prompt="turn",
        attempts=attempts,
        move="1x2",
        is_fallback=attempts[-1].outcome is not AttemptOutcome.LEGAL,
    )
    return TranscriptDecision(made, None if cost is None else DecisionCost(cost, 0.01, source, "1x2"))


def deal(number: int, *wins: bool, adjusted: bool = True) -> DealResult:
    """A deal of two seats, in whose first match the model had seat 0, in the second seat 1."""
    matches = []
    for seat, won in enumerate(wins):
        seating = (0, 1) if seat == 0 else (1, 0)
        winner = seat if won else 1 - seat
        places = (1, 2) if winner == 0 else (2, 1)
        luck = 0.1 * (number % 3) * (1 if won else -1) * (1 if seat == 0 else -1)
        matches.append(ArenaMatch(seating, places, (0, 0), 5, (luck, -luck) if adjusted else ()))
    return DealResult(number, tuple(matches), (), 1.0, ({}, {}))


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


@pytest.mark.usefixtures("few_matches")
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


SMALL = patched(preset("official").ruleset, dice__per_player=2)


class Doubter:
    """Doubts what it may, and else bids one two."""

    def complete(self, messages: Sequence[ChatMessage]) -> Completion:
        return Completion("[liar]" if "Standing bid" in messages[1].content else "[3x2]")

    def close(self) -> None:
        pass


def played(rules: str) -> tuple[Record, list[ModelDecision]]:
    ruleset = SMALL if rules == "official" else preset(rules).ruleset
    bot = LanguageModelBot(Doubter(), ruleset)
    result = play_match(ruleset, ["threshold", bot, "threshold"], seed=2)
    return Record("1", tuple(result.events), result.match.state), bot.decisions


def test_each_decision_has_the_cost_of_its_review() -> None:
    record, decisions = played("official")
    costs = decision_costs(record, 1, decisions, deals=30)
    reviews = [review for review in review_decisions(record, deals=30) if review.seat == 1]
    assert [cost for cost in costs if cost is not None]
    found = iter(reviews)
    for told, cost in zip(decisions, costs, strict=True):
        if cost is None:
            continue
        review = next(found)
        assert (told.move, told.round_number) == (move_text(review.move), review.round_number)
        assert (cost.cost, cost.source) == (round(review.cost, 6), review.source)
        assert cost.best == move_text(review.best)
    assert next(found, None) is None


def test_an_answer_that_came_too_late_has_no_cost() -> None:
    record, decisions = played("official")
    late = msgspec.structs.replace(decisions[0], bid_count=99)
    assert decision_costs(record, 1, [late], deals=30) == [None]


def test_without_deals_nothing_is_reviewed() -> None:
    record, decisions = played("official")
    assert decision_costs(record, 1, decisions, deals=0) == [None] * len(decisions)


@pytest.mark.usefixtures("few_matches")
def test_rules_that_only_the_engine_plays_have_costs_too() -> None:
    record, decisions = played("chui-niu+lives")
    costs = decision_costs(record, 1, decisions, deals=30)
    assert Source.PLAYOUTS in {cost.source for cost in costs if cost is not None}


@pytest.mark.parametrize("deals", [1, 29])
def test_the_number_of_deals_is_checked_by_the_review(deals: int) -> None:
    record, decisions = played("official")
    with pytest.raises(Exception, match="30 to 100,000 deals"):
        decision_costs(record, 1, decisions, deals=deals)


HEADER = TranscriptHeader(
    format=FORMAT, engine="1", model="m", opponent="novice", deal=1, match=1, seat=0, system_prompt="rules"
)


def test_a_transcript_is_read_back(tmp_path: Path) -> None:
    path = tmp_path / "transcript.jsonl"
    decisions = (
        decision(cost=0.25, tokens=9),
        decision(AttemptOutcome.ILLEGAL, AttemptOutcome.NO_ANSWER, AttemptOutcome.UNREADABLE),
    )
    write_transcript(path, HEADER, decisions)
    assert read_transcript(path) == decisions
    assert path.read_text(encoding="utf-8").count("\n") == 3
    assert path.read_text(encoding="utf-8").startswith('{"record":"liarsdice_transcript","format":1,')


@pytest.mark.parametrize("content", [b"", b"{}\n", b'{"record":"liarsdice_arena"}\n', b"\xff\n"])
def test_another_file_is_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "transcript.jsonl"
    path.write_bytes(content)
    with pytest.raises(MalformedError, match="is not a transcript"):
        read_transcript(path)


def test_a_file_that_is_not_there_is_unavailable(tmp_path: Path) -> None:
    with pytest.raises(UnavailableError, match="cannot read"):
        read_transcript(tmp_path / "none.jsonl")


SETTINGS = evaluation("novice", "random")


def summary(*deals: PlayedDeal) -> tuple[ModelResult, ...]:
    by_opponent = {opponent: [deal for deal in deals if deal.opponent == opponent] for opponent in SETTINGS.opponents}
    return summarize_model(SETTINGS, by_opponent)


def summary_played(
    number: int, *wins: bool, opponent: str = "novice", decisions: Sequence[TranscriptDecision] = ()
) -> PlayedDeal:
    return PlayedDeal(opponent, deal(number, *wins), tuple(decisions))


def test_win_shares_are_those_of_the_model_in_any_seat() -> None:
    (result,) = summary(
        summary_played(0, True, True),
        summary_played(1, True, False),
        summary_played(2, True, False),
        summary_played(3, False, False),
    )
    assert (result.opponent, result.deals, result.matches) == ("novice", 4, 8)
    assert (result.win_share, result.fair_share) == (0.5, 0.5)
    low, high = result.win_share_95
    assert 0 <= low < 0.5 < high <= 1


def test_a_model_that_wins_the_same_share_of_every_deal_has_an_interval() -> None:
    (result,) = summary(*(summary_played(number, True, False) for number in range(10)))
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
    (result,) = summary(summary_played(0, True, True, decisions=decisions))
    assert (result.decisions, result.assessed) == (5, 2)
    assert result.cost == pytest.approx(0.03)
    assert result.cost_95 is None
    assert result.sources == {Source.BELIEFS: 1, Source.FORCED: 1, Source.SOLVED: 1, Source.PLAYOUTS: 1}


def test_enough_deals_give_an_interval_of_the_cost_and_an_adjusted_share() -> None:
    deals = [
        summary_played(number, number % 2 == 0, number % 3 == 0, decisions=[decision(cost=0.01 * (number % 4))])
        for number in range(MIN_DEALS)
    ]
    (result,) = summary(*deals)
    assert result.cost is not None
    assert result.cost_95 is not None
    assert 0 <= result.cost_95[0] < result.cost < result.cost_95[1]
    assert result.adjusted is not None
    (fewer,) = summary(*deals[:-1])
    assert (fewer.cost_95, fewer.adjusted) == (None, None)
    (all_won,) = summary(*(summary_played(number, True, True) for number in range(MIN_DEALS)))
    assert all_won.adjusted is None


def test_unusable_answers_are_counted_by_kind() -> None:
    illegal, unreadable, missing = AttemptOutcome.ILLEGAL, AttemptOutcome.UNREADABLE, AttemptOutcome.NO_ANSWER
    decisions = [
        decision(illegal, AttemptOutcome.LEGAL),
        decision(unreadable, missing, unreadable),
        decision(),
        decision(),
    ]
    (result,) = summary(summary_played(0, True, False, decisions=decisions))
    assert (result.illegal, result.unreadable, result.missing, result.fallbacks) == (1, 2, 1, 1)
    assert result.per_100(result.illegal) == 25.0


def test_times_and_tokens_are_those_of_answers() -> None:
    decisions = [
        decision(latency_ms=10.0, tokens=100),
        decision(latency_ms=30.0, tokens=50),
        decision(AttemptOutcome.NO_ANSWER, latency_ms=9_000.0),
    ]
    (result,) = summary(summary_played(0, True, False, decisions=decisions))
    assert result.median_ms == 20.0
    assert result.p95_ms == pytest.approx(29.0)
    assert (result.prompt_tokens, result.completion_tokens) == (150, 150)
    (untold,) = summary(summary_played(0, True, False))
    assert (untold.prompt_tokens, untold.median_ms, untold.cost, untold.per_100(0)) == (None, None, None, 0.0)


def test_several_opponents_are_added_up() -> None:
    deals = [summary_played(number, True, True) for number in range(4)]
    deals += [summary_played(number, False, False, opponent="random", decisions=[decision()]) for number in range(8)]
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
