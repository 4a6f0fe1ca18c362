"""Every command of every page runs with just the extras that the page names, all other packages missing."""

import json
import re
import subprocess
import sys
import tomllib
from functools import cache
from importlib import metadata
from pathlib import Path

import msgspec
import pytest
from packaging.requirements import Requirement

import liarsdice
from liarsdice.core.rules.presets import preset
from liarsdice.runtime.public_api import DISTRIBUTION
from tests.lab.train.training_configs import SMALL

ROOT = Path(__file__).parents[1]
PAGES = sorted([ROOT / "README.md", *(ROOT / "docs").glob("*.md"), *(ROOT / "examples").rglob("*.md")])
COMMAND = re.compile(r"^(?:\S*/bin/)?liarsdice ([^\n#]+)", re.MULTILINE)
INSTALLED = re.compile(r"pip install [^\n]*?\[([\w,]+)\]")
MENTIONED = re.compile(r"extras?\s+`(\w+)`")
USUAL = {"table", "terminal"}
"""The extras of a page that names none: those that the first pages install."""

DRIVERS = {"nats", "postgresql", "ray", "redis"}
"""Extras that go with others."""

RUNS = {
    "admin": "-m liarsdice.server.run",
    "arena": "arena --bots threshold,random --rules openspiel --matches 2",
    "arena exploit": "arena exploit random --rules openspiel --faces 2",
    "bots": "bots",
    "chart": "chart chart --dice-in-play 5",
    "coach": "coach match.jsonl --seat Ann",
    "evaluate": "-m liarsdice_lab.cli.evaluate",
    "explain": "explain --hand 2,2,3,6,6 --dice 5,5,5 --bids 3x6",
    "mcp": "-m liarsdice.mcp.server",
    "odds": "odds 5x4 --hand 1,4,4,2,6 --dice-in-play 20 --rules perudo",
    "play": "-m liarsdice.cli.play.screen",
    "puzzles": "-m liarsdice.cli.puzzles.play",
    "puzzles make": "-m liarsdice.cli.puzzles.make",
    "puzzles merge": "-m liarsdice.cli.puzzles.make",
    "replay": "replay match.jsonl --line",
    "review": "-m liarsdice.cli.matches.review",
    "rules check": "rules check rules.toml",
    "rules diff": "rules diff perudo rules.toml",
    "rules lab": "-m liarsdice.cli.rules.rules_lab",
    "rules list": "rules list",
    "rules show": "rules show mustache",
    "serve": "-m liarsdice.server.run",
    "simulate": "simulate --rules openspiel --bots inference,threshold --matches 2",
    "solve": "solve --rules openspiel --faces 2 -o round.lds",
    "train blueprint": "-m liarsdice_lab.cli.train_blueprint",
    "solve endgames": "-m liarsdice.cli.solve.endgames",
    "solve table": "-m liarsdice.cli.solve.games",
    "solve match": "solve match --rules openspiel --dice 1v1 --faces 2 -o match.lds",
    "strategy export": "strategy export solved.lds round.csv",
    "strategy plot": "strategy plot solved.lds round.svg",
    "strategy show": "strategy show solved.lds",
    "train": "train -o run --config small.json --threads 1 --minutes 0",
    "train distill": "-m liarsdice_lab.train.distillation",
    "verify": "-m liarsdice.cli.matches.verify",
}
"""A small run of each command, or the module that it imports where a run needs a server, a screen or time."""

PROGRAM = """
import json
import shlex
import sys
from importlib import import_module
from importlib.machinery import PathFinder

class Installed(PathFinder):
    @classmethod
    def find_spec(cls, name, path=None, target=None):
        return None if name.partition(".")[0] in {missing!r} else super().find_spec(name, path, target)

sys.meta_path[sys.meta_path.index(PathFinder)] = Installed
from liarsdice.__main__ import main

for command in json.loads(sys.argv[1]):
    sys.argv = ["liarsdice", *shlex.split(command)]
    try:
        import_module(sys.argv[2]) if sys.argv[1] == "-m" else main()
    except SystemExit as end:
        if end.code:
            sys.exit(f"{{command}}: {{end.code}}")
    except BaseException as error:
        error.add_note(command)
        raise
"""
"""Runs commands one after another in one process, for which the packages in `missing` are not installed."""


@cache
def distributions(extras: frozenset[str]) -> frozenset[str]:
    """The distributions that extras install, with all that these require, as far as they are installed here."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    found: set[tuple[str, str]] = set()
    waiting = [Requirement(f"{DISTRIBUTION}[{','.join(extras)}]")]
    while waiting:
        wanted = waiting.pop()
        name = canonical(wanted.name)
        for extra in ("", *sorted(wanted.extras)):
            if (name, extra) in found:
                continue
            found.add((name, extra))
            if name == DISTRIBUTION:
                lines = project["optional-dependencies"][extra] if extra else project["dependencies"]
            else:
                try:
                    lines = metadata.requires(name) or []
                except metadata.PackageNotFoundError:
                    continue  # of another system or version
            required = [Requirement(line) for line in lines]
            waiting += [one for one in required if one.marker is None or one.marker.evaluate({"extra": extra})]
    return frozenset(name for name, _ in found)


def canonical(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def missing_modules(extras: frozenset[str]) -> list[str]:
    """The modules of installed packages that are of none of the extras."""
    installed = distributions(extras)
    return sorted(
        module
        for module, owners in metadata.packages_distributions().items()
        if not {canonical(owner) for owner in owners} & installed and module != "liarsdice"
    )


def named_extras(text: str) -> frozenset[str]:
    """The extras that a page names."""
    known = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["optional-dependencies"]
    installed = {extra for names in INSTALLED.findall(text) for extra in names.split(",")}
    return frozenset((installed - DRIVERS or USUAL) | (set(MENTIONED.findall(text)) & known.keys()))


def documented() -> dict[frozenset[str], dict[str, list[str]]]:
    """The documented commands, each with the pages that name it, by the extras that these pages name."""
    commands: dict[frozenset[str], dict[str, list[str]]] = {}
    for page in PAGES:
        text = page.read_text(encoding="utf-8")
        for line in COMMAND.findall(text):
            words = line.split()
            name = " ".join(words[:2]) if " ".join(words[:2]) in RUNS else words[0]
            if not name.startswith("-"):
                commands.setdefault(named_extras(text), {}).setdefault(name, []).append(page.name)
    return commands


DOCUMENTED = documented()


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a record, rules, a strategy and a configuration of training."""
    folder = tmp_path_factory.mktemp("commands")
    rules = preset("basic").ruleset
    result = liarsdice.play_match(rules, ["regular", "novice"], names=("Ann", "Bo"), seed=1)
    (folder / "match.jsonl").write_text(liarsdice.write_record(result.events, "1"), encoding="utf-8")
    (folder / "rules.toml").write_text('extends = "perudo"\n[dice]\nper_player = 3\n', encoding="utf-8")
    (folder / "small.json").write_bytes(msgspec.json.encode(SMALL))
    strategy = liarsdice.solve_round("openspiel", faces=2, target=0.05)
    strategies = liarsdice.StrategySet(strategy.tree.game.rules, False, (strategy,))
    liarsdice.write_strategies(folder / "solved.lds", strategies, "1")
    return folder


@pytest.mark.parametrize("extras", DOCUMENTED, ids=lambda extras: "+".join(sorted(extras)))
def test_commands_run_with_the_extras_of_their_pages(extras: frozenset[str], folder: Path) -> None:
    commands = DOCUMENTED[extras]
    assert commands.keys() <= RUNS.keys(), f"these have no small run: {commands.keys() - RUNS.keys()}"
    runs = json.dumps([RUNS[name] for name in commands])
    program = [sys.executable, "-c", PROGRAM.format(missing=missing_modules(extras)), runs]
    result = subprocess.run(program, cwd=folder, capture_output=True, text=True, check=False)
    assert (result.returncode, result.stderr) == (0, ""), commands
