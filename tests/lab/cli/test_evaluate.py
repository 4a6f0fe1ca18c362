"""The options of `liarsdice evaluate`."""

import importlib.util
import json
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from liarsdice_lab.cli import evaluate
from liarsdice_lab.cli.app import EvaluateOptions
from liarsdice_lab.evaluate.evaluation import play_model_deal, read_transcript
from liarsdice_lab.evaluate.language_model import AttemptOutcome, ChatMessage
from tests.cli.run_cli import error_line, output_of, run_captured, run_cli
from tests.lab.evaluate.model_endpoint import Endpoint, Hang, Raw, running_endpoint


def given_options(monkeypatch: pytest.MonkeyPatch, *arguments: str) -> EvaluateOptions:
    """The options that the command passes on."""
    given: list[EvaluateOptions] = []

    def run(options: EvaluateOptions) -> int:
        given.append(options)
        return 0

    monkeypatch.setattr(evaluate, "run", run)
    output_of("evaluate", *arguments)
    return given[0]


def test_defaults_measure_against_three_bots(monkeypatch: pytest.MonkeyPatch) -> None:
    options = given_options(monkeypatch, "--command", "model", "-o", "folder")
    assert (options.command, options.out, options.endpoint) == ("model", Path("folder"), None)
    assert (options.against, options.rules, options.seats, options.matches) == (
        "regular,sharp,champion",
        "perudo",
        2,
        20,
    )
    assert (options.timeout_s, options.review_deals, options.jobs, options.odds) == (60.0, 240, 1, False)


def test_the_folder_is_required() -> None:
    assert run_cli("evaluate", "--command", "cat") == 2


EXAMPLE = Path(__file__).parents[3] / "examples" / "odds_model.py"
COMMAND = f"{sys.executable} -I -S {EXAMPLE}"
KEY = "sk-very-secret"
QUICK = ("--against", "novice", "--matches", "2", "--review-deals", "30")


def load_answer() -> Callable[[str], str]:
    """The function of the example that answers a prompt."""
    spec = importlib.util.spec_from_file_location("odds_model", EXAMPLE)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    answer: Callable[[str], str] = module.answer
    return answer


sensible = load_answer()


def test_the_stand_in_reads_the_odds_of_pure_bids() -> None:
    odds = "Odds by your own dice alone: 2x4! is true with 2.8%{}; your most probable bids are 2x6! {}%, 3x3 1.0%."
    assert sensible(odds.format(" and exactly right with 2.8%", "30.6")).endswith("[liar]")
    assert sensible(odds.format("", "99.0")).endswith("[2x6!]")


def by_odds(_: int, chat: list[ChatMessage]) -> str:
    return sensible(chat[1].content)


def arguments(endpoint: Endpoint, out: Path) -> tuple[str, ...]:
    return ("evaluate", "--endpoint", endpoint.url, "--model", "m", "--out", str(out), "--odds", *QUICK)


def transcripts(out: Path) -> Iterator[Any]:
    for path in sorted(out.glob("*/*.transcript.jsonl")):
        yield from (decision.decision for decision in read_transcript(path))


def test_a_sensible_model_is_measured_and_its_key_is_written_nowhere(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("THE_KEY", KEY)
    with running_endpoint(by_odds) as endpoint:
        asked = (
            *arguments(endpoint, tmp_path),
            "--api-key-env",
            "THE_KEY",
            "--temperature",
            "0.5",
            "--model-seed",
            "7",
        )
        status, out, error = run_captured(*asked)
        requests = endpoint.requests
    assert (status, error) == (0, "")
    assert {request.authorization for request in requests} == {f"Bearer {KEY}"}
    assert {(request.body["temperature"], request.body["seed"]) for request in requests} == {(0.5, 7)}
    head, _, headings, row, _, answer_headings, answers, *_ = out.splitlines()
    assert head == "m: Perudo, 2 seats, seed 0, with odds; an equal player wins 50.0%"
    assert headings.split()[:2] == ["opponent", "matches"]
    assert row.split()[:2] == ["novice", "2"]
    assert answer_headings.split()[:3] == ["opponent", "decisions", "illegal"]
    assert answers.split()[:6] == ["novice", str(len(requests)), "0.0", "0.0", "0.0", "0.0"]
    assert answers.split()[-1] == f"{107 * len(requests):,}"
    written = "".join(path.read_text(encoding="utf-8") for path in tmp_path.rglob("*.json*"))
    assert "Your dice" in written
    assert KEY not in written + out


def test_a_finished_run_asks_the_model_nothing_and_may_be_extended(tmp_path: Path) -> None:
    with running_endpoint(by_odds) as endpoint:
        asked = (*arguments(endpoint, tmp_path), "--json")
        _, first, _ = run_captured(*asked)
        count = len(endpoint.requests)
        _, second, _ = run_captured(*asked)
        assert len(endpoint.requests) == count
        _, third, _ = run_captured(*asked, "--matches", "4", "--against", "novice,random")
    assert first == second
    (result,) = json.loads(first)["results"]
    assert (result["opponent"], result["deals"], result["matches"], result["decisions"]) == ("novice", 1, 2, count)
    assert result["cost"] >= 0
    assert result["adjusted"] is None
    results = json.loads(third)["results"]
    assert [(result["opponent"], result["matches"]) for result in results] == [("novice", 4), ("random", 4), ("all", 8)]


def test_a_babbling_model_plays_its_matches_by_the_fallback(tmp_path: Path) -> None:
    with running_endpoint(lambda *_: "As a player, I would rather not say.") as endpoint:
        _, out, _ = run_captured(*arguments(endpoint, tmp_path), "--json")
    (result,) = json.loads(out)["results"]
    assert result["fallbacks"] == result["decisions"] > 0
    assert result["unreadable"] == 3 * result["decisions"]
    assert (result["illegal"], result["missing"]) == (0, 0)
    assert all(decision.is_fallback for decision in transcripts(tmp_path))


def test_a_busy_endpoint_is_asked_again(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    waits: list[float] = []
    monkeypatch.setattr(
        "liarsdice_lab.evaluate.language_model.ChatEndpoint.__init__.__kwdefaults__", {"sleep": waits.append}
    )
    with running_endpoint(lambda number, chat: Raw(429) if number < 2 else by_odds(number, chat)) as endpoint:
        status, out, _ = run_captured(*arguments(endpoint, tmp_path), "--json")
    assert status == 0
    assert waits == [1.0, 2.0]
    assert json.loads(out)["results"][0]["missing"] == 0


def test_a_hanging_model_misses_an_answer_at_the_deadline(tmp_path: Path) -> None:
    with running_endpoint(lambda number, chat: Hang() if number == 1 else by_odds(number, chat)) as endpoint:
        asked = (*arguments(endpoint, tmp_path), "--timeout", "2", "--json", "--review-deals", "0")
        status, out, _ = run_captured(*asked)
    assert status == 0
    (result,) = json.loads(out)["results"]
    assert result["missing"] >= 1
    assert (result["cost"], result["assessed"]) == (None, 0)
    first = next(decision for decision in transcripts(tmp_path) if len(decision.attempts) > 1)
    assert first.attempts[0].outcome is AttemptOutcome.NO_ANSWER
    assert first.attempts[-1].outcome is AttemptOutcome.LEGAL


def test_a_model_that_never_answers_ends_the_run_with_what_to_look_at(tmp_path: Path) -> None:
    with running_endpoint(lambda *_: Hang()) as endpoint:
        asked = (*arguments(endpoint, tmp_path), "--timeout", "0.1")
        error = error_line(*asked)
    assert "no answer 6 times in a row: it gave no answer within 0.1 s" in error
    assert error.endswith("(finished deals are saved; the same command continues)\n")
    assert not list(tmp_path.glob("*/*.transcript.jsonl"))


def test_a_command_is_measured_in_several_processes(tmp_path: Path) -> None:
    asked = ("evaluate", "--command", COMMAND, "--odds", *QUICK, "--review-deals", "0", "--matches", "4", "--json")
    two = output_of(*asked, "--out", str(tmp_path / "two"), "--jobs", "2")
    _, one, _ = run_captured(*asked, "--out", str(tmp_path / "one"))
    results = [json.loads(text)["results"][0] for text in (one, two)]
    for result in results:
        del result["median_ms"], result["p95_ms"]
    assert results[0] == results[1]
    assert results[0]["prompt_tokens"] is None


def test_ctrl_c_prints_the_deals_so_far(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def stopped_at_the_third(*task: Any) -> Any:  # noqa: ANN401  as it is asked
        if task[2] == 2:
            raise KeyboardInterrupt
        return play_model_deal(*task)

    monkeypatch.setattr("liarsdice_lab.cli.evaluate.play_model_deal", stopped_at_the_third)
    with running_endpoint(by_odds) as endpoint:
        asked = (*arguments(endpoint, tmp_path), "--matches", "20", "--review-deals", "0", "--json")
        status, out, error = run_captured(*asked)
    assert status == 130
    assert json.loads(out)["results"][0]["deals"] == 2
    assert error == "liarsdice: stopped; the same command continues\n"


@pytest.mark.parametrize(
    "asked, problem",
    [
        ((), "name the model: --endpoint URL --model NAME, or --command PROGRAM"),
        (("--command", "cat", "--endpoint", "http://h/v1"), "name the model: --endpoint URL"),
        (("--endpoint", "http://h/v1"), "an endpoint needs --model"),
        (("--command", "cat", "--api-key-env", "K"), "--api-key-env is for an endpoint"),
        (("--endpoint", "http://h/v1", "--model", "m", "--parameters", "[1]"), "--parameters is a JSON object"),
        (("--endpoint", "http://h/v1", "--model", "m", "--api-key-env", "NO_SUCH_KEY"), "NO_SUCH_KEY has no API key"),
        (("--endpoint", "h", "--model", "m"), "an endpoint is an address such as"),
        (("--command", "cat", "--matches", "99999999"), "--matches is"),
        (("--command", "cat", "--against", ","), "one or more different bots"),
    ],
)
def test_options_that_do_not_fit_are_refused(
    tmp_path: Path,
    asked: tuple[str, ...],
    problem: str,
) -> None:
    assert problem in error_line("evaluate", "--out", str(tmp_path / "new"), *asked)
    assert not (tmp_path / "new").exists()


def test_an_endpoint_without_httpx_says_what_to_install(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setitem(sys.modules, "httpx", None)
    asked = ("evaluate", "--endpoint", "http://h/v1", "--model", "m", "--out", str(tmp_path))
    assert "calling an endpoint needs httpx: pip install" in error_line(*asked)
