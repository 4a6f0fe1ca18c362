"""Optional dependencies: one constant holds the distribution's name, and errors say how to install what is missing."""

import re
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import get_args

import pytest

from liarsdice.core.errors import UnavailableError
from liarsdice.runtime.public_api import (
    DISTRIBUTION,
    EXTRA_OF,
    Extra,
    import_optional,
    install_command,
    missing_extra,
)

ROOT = Path(__file__).parents[2]
HINT = re.compile(r"pip install '?(?=liarsdice)(liarsdice[\w-]*)|\b(liarsdice[\w-]*)\[")
"""A command that installs the project, or the name of the project with an extra."""


def texts() -> dict[str, str]:
    """Every text file of the project but this one, by its path."""
    names = subprocess.run(
        ["git", "ls-files", "--", "*.py", "*.md", "*.toml", "*.yml", "*.ts", "*.svelte", "*.json", "Makefile"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    ).stdout.splitlines()
    others = {ROOT / name for name in names} - {Path(__file__)}
    return {str(path): path.read_text(encoding="utf-8") for path in others if path.exists()}


def test_the_metadata_has_the_distribution_s_name() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert project["name"] == DISTRIBUTION


def test_no_hint_installs_another_distribution() -> None:
    wrong = [
        f"{name}: {hint[0]}"
        for name, text in texts().items()
        for hint in HINT.finditer(text)
        if not (hint[1] or hint[2]).replace("_", "-").startswith(DISTRIBUTION)  # a wheel's file has more after it
    ]
    assert wrong == []


def extras() -> dict[str, list[str]]:
    """The requirements of each extra."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return {**project["optional-dependencies"], "": project["dependencies"]}


def test_every_extra_of_a_hint_exists_and_installs_the_package() -> None:
    assert set(get_args(Extra)) <= extras().keys()
    for package, extra in EXTRA_OF.items():
        distribution = {"pyspiel": "open_spiel"}.get(package, package.replace("_", "-"))
        assert any(re.match(rf"{distribution}\b", line) for line in extras()[extra]), package


def test_the_core_needs_msgspec_only() -> None:
    assert [re.match(r"[\w-]+", line)[0] for line in extras()[""]] == ["msgspec"]  # type: ignore[index]


CORE_ONLY = f"""
import sys
sys.modules.update(dict.fromkeys({[*EXTRA_OF]!r}))
import liarsdice
game = liarsdice.Game("perudo", 3, seed=1)
game.push(game.legal_moves[0])
liarsdice.read_record(liarsdice.write_record(game.events, "1"))
liarsdice.play_match(game.state.ruleset, ["threshold", "greedy", "random", "novice", "regular", "inference"], seed=1)
liarsdice.to_markdown(liarsdice.rulebook(game.state.ruleset, "es"))
try:
    liarsdice.solve_round
except ModuleNotFoundError as error:
    print(error)
sys.argv = ["liarsdice", *sys.argv[1:]]
from liarsdice.__main__ import main
main()
"""


@pytest.mark.parametrize(
    "command, hint",
    [
        ("bots", f"liarsdice: this needs typer: {install_command('terminal')}\n"),
        ("serve", f"liarsdice: the server needs typer: {install_command('table')}\n"),
    ],
)
def test_without_extras_games_are_played_and_the_rest_says_what_to_install(command: str, hint: str) -> None:
    result = subprocess.run([sys.executable, "-c", CORE_ONLY, command], capture_output=True, text=True, check=False)
    assert (result.returncode, result.stderr) == (2, hint)
    assert result.stdout == f"liarsdice.solve_round: this needs numpy: {install_command('solve')}\n"


def test_a_package_of_no_extra_is_not_explained() -> None:
    assert missing_extra(ModuleNotFoundError("No module named 'x'", name="x")) is None


def test_a_missing_module_is_an_error_that_says_what_to_install() -> None:
    with pytest.raises(UnavailableError) as refusal:
        import_optional("no_such_module", "train", "training needs PyTorch")
    assert str(refusal.value) == f"training needs PyTorch: {install_command('train')}"
    assert DISTRIBUTION in install_command("train")
