"""Saves the figures of a benchmark with the commit, machine and versions that they were measured on."""

import json
import os
import platform
import subprocess
from datetime import UTC, datetime
from importlib import metadata
from pathlib import Path
from typing import Any

RESULTS = Path(__file__).parent / "results"
Figures = dict[str, float | int | str | None]


def save_figures(name: str, figures: dict[str, Figures], *, packages: tuple[str, ...] = ()) -> None:
    """Print figures and write them to `results/NAME.json` with the machine, the commit and versions of `packages`.

    Each title has a line of its own, so that a change shows which figures it changed.
    """
    head = {
        "commit": _commit(),
        "day": datetime.now(UTC).date().isoformat(),
        "machine": {"cores": os.cpu_count(), "cpu": _cpu(), "system": f"{platform.system()} {platform.machine()}"},
        "versions": {"python": platform.python_version()} | {name: _version(name) for name in packages},
    }
    RESULTS.mkdir(exist_ok=True)
    lines = ",\n".join(f"    {json.dumps(title)}: {json.dumps(values)}" for title, values in figures.items())
    text = json.dumps(head, indent=2).removesuffix("\n}") + f',\n  "figures": {{\n{lines}\n  }}\n}}\n'
    (RESULTS / f"{name}.json").write_text(text, encoding="utf-8")
    for title, values in figures.items():
        print(title, *(f"{key} {value}" for key, value in values.items()), sep="  ")


def stored_figures(name: str) -> dict[str, Figures]:
    """Return the figures of `results/NAME.json`, each with the commit that it was measured on; none if there are none.

    A benchmark that measures some lines alone saves them beside these.
    """
    path = RESULTS / f"{name}.json"
    if not path.exists():
        return {}
    stored = json.loads(path.read_text(encoding="utf-8"))
    return {title: {"commit": stored["commit"], **figures} for title, figures in stored["figures"].items()}


def read_figures(name: str) -> dict[str, dict[str, Any]]:
    """Return the figures in `results/NAME.json`, by title; none if there is no such file."""
    path = RESULTS / f"{name}.json"
    figures: dict[str, dict[str, Any]] = (
        json.loads(path.read_text(encoding="utf-8"))["figures"] if path.exists() else {}
    )
    return figures


def _commit() -> str:
    """The commit that was measured, with `-dirty` if files differed from it."""
    command = ["git", "describe", "--always", "--dirty", "--exclude=*"]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    return result.stdout.strip() or "unknown"


def _cpu() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor() or "unknown"
    return next((line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")), "unknown")


def _version(package: str) -> str:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return "not installed"
