"""The options of `liarsdice evaluate`."""

from __future__ import annotations

import inspect
from pathlib import Path
from typing import Any

import msgspec
import pytest

from liarsdice.cli.bots import evaluate_report
from liarsdice.cli.bots.evaluate import evaluate
from liarsdice.cli.bots.evaluate_report import EvaluateOptions
from tests.cli.run_cli import run_cli


def given_options(monkeypatch: pytest.MonkeyPatch, *arguments: str) -> EvaluateOptions:
    """The options that the command passes on."""
    given: list[EvaluateOptions] = []

    def run(options: EvaluateOptions) -> int:
        given.append(options)
        return 0

    monkeypatch.setattr(evaluate_report, "run", run)
    assert run_cli(monkeypatch, "evaluate", *arguments) == 0
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


def test_each_option_reaches_the_run_under_its_own_name(monkeypatch: pytest.MonkeyPatch) -> None:
    values: dict[str, Any] = {
        "out": Path("o"),
        "endpoint": "u",
        "command": "c",
        "model": "m",
        "api_key_env": "K",
        "against": "a",
        "rules": "r",
        "seats": 3,
        "matches": 4,
        "seed": 5,
        "odds": True,
        "temperature": 0.5,
        "model_seed": 6,
        "max_tokens": 7,
        "parameters": "{}",
        "timeout": 8.0,
        "review_deals": 9,
        "jobs": 10,
        "as_json": True,
    }
    assert values.keys() == inspect.signature(evaluate).parameters.keys()
    flags = [
        part
        for name, value in values.items()
        for part in ([f"--{name.removeprefix('as_').replace('_', '-')}", *([] if value is True else [str(value)])])
    ]
    passed = msgspec.structs.asdict(given_options(monkeypatch, *flags))
    values["timeout_s"] = values.pop("timeout")
    assert passed == values


def test_the_folder_is_required(monkeypatch: pytest.MonkeyPatch) -> None:
    assert run_cli(monkeypatch, "evaluate", "--command", "cat") == 2
