"""Runs `liarsdice evaluate`: plays the missing deals, saves them and prints the results."""

import sys
from collections.abc import Iterator
from typing import Any

import msgspec

from liarsdice.bots.external.line_process import kill_all
from liarsdice.bots.external.user_bots import parse_bot_list
from liarsdice.cli.stdio import EXIT_INTERRUPTED, align_columns
from liarsdice.core.errors import MalformedError, UnavailableError, counted, printable
from liarsdice.core.rules.ruleset_io import find_rules
from liarsdice.runtime.processes import TerminatedError, map_unordered, stoppable
from liarsdice_lab.cli.app import EvaluateOptions
from liarsdice_lab.evaluate.evaluation import (
    Evaluation,
    ModelResult,
    ModelSettings,
    PlayedDeal,
    folder_name,
    make_evaluation,
    open_deals,
    open_folder,
    play_model_deal,
    read_deals,
    summarize_model,
)
from liarsdice_lab.evaluate.language_model import EndpointSettings
from liarsdice_lab.tournaments.arena import DealResult
from liarsdice_lab.tournaments.simulation import MAX_MATCHES

HEADINGS = ("opponent", "matches", "win share (95%)", "adjusted (95%)", "cost per decision (95%)", "assessed")
ANSWER_HEADINGS = (
    "opponent",
    "decisions",
    "illegal",
    "unreadable",
    "no answer",
    "fallbacks",
    "median",
    "p95",
    "tokens",
)


def run(options: EvaluateOptions) -> int:
    """Play the deals that the folder lacks and print the results.

    Returns 0, or 128 and the number of the signal that stopped it; then the results cover the deals played so far.
    Raises `MalformedError` or `UnavailableError` if the options do not fit, or if the model fails for good.
    """
    if options.matches > MAX_MATCHES:
        raise MalformedError(f"--matches is {MAX_MATCHES:,} at most, not {options.matches}")
    evaluation = make_evaluation(
        _model_settings(options),
        find_rules(options.rules),
        parse_bot_list(options.against),
        seats=options.seats,
        seed=options.seed,
        review_deals=options.review_deals,
    )
    open_folder(options.out, evaluation)
    played: dict[str, list[PlayedDeal]] = {}
    stopped = 0
    try:
        with stoppable() as raise_if_stopped:
            for opponent in evaluation.opponents:
                played[opponent] = []
                for deal in _deals(evaluation, opponent, options):
                    played[opponent] += read_deals(options.out, opponent, [deal])
                    raise_if_stopped()
    except TerminatedError as order:
        stopped = order.status
    except KeyboardInterrupt:
        stopped = EXIT_INTERRUPTED
    results = summarize_model(evaluation, played)
    print(_as_json(evaluation, results) if options.as_json else _as_text(evaluation, results))
    if stopped:
        print("liarsdice: stopped; the same command continues", file=sys.stderr)
    return stopped


def _model_settings(options: EvaluateOptions) -> ModelSettings:
    """Return how the model is reached. Raises `MalformedError` unless the options name it in one of two ways."""
    if (options.endpoint is None) is (options.command is None):
        raise MalformedError("name the model: --endpoint URL --model NAME, or --command PROGRAM")
    if options.command is not None:
        if options.api_key_env:
            raise MalformedError("--api-key-env is for an endpoint; a command inherits the environment")
        name = options.model or options.command
        return ModelSettings(name=name, command=options.command, timeout_s=options.timeout_s, with_odds=options.odds)
    if options.endpoint is None or not options.model:
        raise MalformedError("an endpoint needs --model, the name under which it knows the model")
    endpoint = EndpointSettings(
        url=options.endpoint,
        model=options.model,
        timeout_s=options.timeout_s,
        temperature=options.temperature,
        seed=options.model_seed,
        max_tokens=options.max_tokens,
        parameters=_parameters(options.parameters),
    )
    return ModelSettings(
        name=options.model,
        endpoint=endpoint,
        key_variable=options.api_key_env,
        timeout_s=options.timeout_s,
        with_odds=options.odds,
    )


def _parameters(text: str) -> dict[str, Any]:
    try:
        return msgspec.json.decode(text, type=dict[str, Any])
    except (msgspec.DecodeError, UnicodeError) as error:
        raise MalformedError(f"--parameters is a JSON object such as '{{\"top_p\": 0.9}}': {error}") from error


def _deals(evaluation: Evaluation, opponent: str, options: EvaluateOptions) -> Iterator[DealResult]:
    """Yield the saved deals against an opponent, and then the missing ones, which are played and saved."""
    numbers = range(evaluation.arena(opponent).deals_for(options.matches))
    on_terminal = sys.stderr.isatty()
    with open_deals(options.out, evaluation, opponent) as deals_file:
        known = [deal for number, deal in deals_file.deals.items() if number in numbers]
        yield from known
        missing = [number for number in numbers if number not in deals_file.deals]
        for done, deal in enumerate(_play(evaluation, opponent, missing, options), start=len(known) + 1):
            deals_file.append(deal)
            if on_terminal:
                end = "\n" if done == len(numbers) else ""
                print(f"\r{opponent}: {done} of {counted(len(numbers), 'deal')}", end=end, file=sys.stderr, flush=True)
            yield deal


def _play(evaluation: Evaluation, opponent: str, numbers: list[int], options: EvaluateOptions) -> Iterator[DealResult]:
    """Yield deals as they are played. Raises `UnavailableError` if the model fails for good."""
    tasks = ((evaluation, opponent, number, options.out / folder_name(opponent)) for number in numbers)
    try:
        if options.jobs > 1:
            yield from map_unordered(
                play_model_deal,
                tasks,
                options.jobs,
                lost_worker="a worker process was killed, perhaps because memory ran out",
                cleanup=kill_all,
            )
        else:
            yield from (play_model_deal(*task) for task in tasks)
    except UnavailableError as error:
        raise UnavailableError(f"{error} (finished deals are saved; the same command continues)") from error


def _as_json(evaluation: Evaluation, results: tuple[ModelResult, ...]) -> str:
    settings = {
        "model": evaluation.model.name,
        "rules": evaluation.ruleset.labels.game,
        "seats": evaluation.seats,
        "seed": evaluation.seed,
        "odds": evaluation.model.with_odds,
        "review_deals": evaluation.review_deals,
    }
    return msgspec.json.format(msgspec.json.encode(settings | {"results": results})).decode()


def _as_text(evaluation: Evaluation, results: tuple[ModelResult, ...]) -> str:
    if not results:
        return "no deal is finished yet"
    odds = ", with odds" if evaluation.model.with_odds else ""
    table = f"{evaluation.ruleset.labels.game}, {evaluation.seats} seats, seed {evaluation.seed}{odds}"
    lines = [
        f"{printable(evaluation.model.name)}: {table}; an equal player wins {1 / evaluation.seats:.1%}",
        "",
        *align_columns([HEADINGS, *map(_strength_row, results)]),
        "",
        *align_columns([ANSWER_HEADINGS, *map(_answer_row, results)]),
        "",
        "Costs are hundredths of a match. Illegal, unreadable, no answer and fallbacks are for each 100 decisions.",
    ]
    return "\n".join(lines)


def _strength_row(result: ModelResult) -> tuple[str, ...]:
    adjusted = result.adjusted
    return (
        result.opponent,
        str(result.matches),
        _share(result.win_share, result.win_share_95),
        "" if adjusted is None else _share(adjusted.share, adjusted.share_95),
        _cost(result),
        str(result.assessed),
    )


def _share(share: float, interval: tuple[float, float]) -> str:
    return f"{share:.1%} ({100 * interval[0]:.1f} to {100 * interval[1]:.1f})"


def _cost(result: ModelResult) -> str:
    if result.cost is None:
        return ""
    if result.cost_95 is None:
        return f"{100 * result.cost:.2f}"
    low, high = result.cost_95
    return f"{100 * result.cost:.2f} ({100 * low:.2f} to {100 * high:.2f})"


def _answer_row(result: ModelResult) -> tuple[str, ...]:
    tokens = [count for count in (result.prompt_tokens, result.completion_tokens) if count is not None]
    return (
        result.opponent,
        str(result.decisions),
        *(f"{result.per_100(count):.1f}" for count in (result.illegal, result.unreadable)),
        *(f"{result.per_100(count):.1f}" for count in (result.missing, result.fallbacks)),
        "" if result.median_ms is None else f"{result.median_ms:.0f} ms",
        "" if result.p95_ms is None else f"{result.p95_ms:.0f} ms",
        f"{sum(tokens):,}" if tokens else "",
    )
