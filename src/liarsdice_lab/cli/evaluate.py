"""`liarsdice evaluate`: the options of the command. It imports its module when it runs."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def evaluate(  # noqa: PLR0917  typer passes arguments by name
    out: Annotated[
        Path,
        typer.Option(
            "--out",
            "-o",
            help="Save results, transcripts and records in this folder; the same command continues from it.",
        ),
    ],
    endpoint: Annotated[
        str | None,
        typer.Option(metavar="URL", help="An API for chat completions, such as http://localhost:8000/v1."),
    ] = None,
    command: Annotated[
        str | None,
        typer.Option(help="A program that answers each line of JSON with a line, in place of --endpoint."),
    ] = None,
    model: Annotated[
        str | None, typer.Option(help="The name of the model; the endpoint needs it, and results show it.")
    ] = None,
    api_key_env: Annotated[
        str, typer.Option(metavar="VAR", help="The environment variable with the API key; it is written nowhere.")
    ] = "",
    against: Annotated[
        str, typer.Option(help="The bots to play against, separated by commas.")
    ] = "regular,sharp,champion",
    rules: Annotated[
        str, typer.Option(help="A preset such as perudo or classic+aces, or a .toml or .json file.")
    ] = "perudo",
    seats: Annotated[
        int, typer.Option(min=2, help="The number of players: the model, and copies of one opponent.")
    ] = 2,
    matches: Annotated[
        int, typer.Option(min=1, help="The number of matches for each opponent; the last deal is always finished.")
    ] = 20,
    seed: Annotated[int, typer.Option(help="The same seed gives the same dice and opponents.")] = 0,
    odds: Annotated[bool, typer.Option("--odds", help="Tell the model the odds of bids by its own dice.")] = False,
    temperature: Annotated[float | None, typer.Option(min=0, help="Sent to the endpoint if given.")] = None,
    model_seed: Annotated[int | None, typer.Option(help="The seed that is sent to the endpoint, if given.")] = None,
    max_tokens: Annotated[int, typer.Option(min=1, help="The most tokens of an answer of the endpoint.")] = 2048,
    parameters: Annotated[
        str,
        typer.Option(metavar="JSON", help="Further fields of each request, as an object; null leaves a field out."),
    ] = "{}",
    timeout: Annotated[float, typer.Option(min=0.1, help="The time limit of one answer in seconds.")] = 60.0,
    review_deals: Annotated[
        int,
        typer.Option(
            help="The deals that the review plays out for each decision, 30 to 100,000; 0 leaves the costs out."
        ),
    ] = 240,
    jobs: Annotated[int, typer.Option(min=1, help="The number of deals to play at the same time.")] = 1,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON for other programs.")] = False,
) -> None:
    """Evaluate a language model: duplicate matches against bots, what its decisions cost, and its illegal moves.

    The model reads the rules and what its seat sees, and answers with a move. Luck cancels out in part, since each
    deal is played from every seat. An interrupted run continues from its folder.
    """
    from liarsdice_lab.cli.evaluate_report import EvaluateOptions, run

    options = EvaluateOptions(
        out=out,
        endpoint=endpoint,
        command=command,
        model=model,
        api_key_env=api_key_env,
        against=against,
        rules=rules,
        seats=seats,
        matches=matches,
        seed=seed,
        odds=odds,
        temperature=temperature,
        model_seed=model_seed,
        max_tokens=max_tokens,
        parameters=parameters,
        timeout_s=timeout,
        review_deals=review_deals,
        jobs=jobs,
        as_json=as_json,
    )
    raise typer.Exit(run(options))
