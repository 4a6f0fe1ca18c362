"""Optional dependencies: one constant holds the distribution's name, and errors say how to install what is missing."""

import re
import subprocess
import tomllib
from pathlib import Path

import pytest

from liarsdice.core.errors import UnavailableError
from liarsdice.runtime.optional_dependencies import DISTRIBUTION, import_optional, install_command

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


@pytest.mark.parametrize("extra", ["ray", "research", "train"])
def test_every_extra_of_a_hint_exists(extra: str) -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert extra in project["optional-dependencies"]


def test_a_missing_module_is_an_error_that_says_what_to_install() -> None:
    with pytest.raises(UnavailableError) as refusal:
        import_optional("no_such_module", "train", "training needs PyTorch")
    assert str(refusal.value) == f"training needs PyTorch: {install_command('train')}"
    assert DISTRIBUTION in install_command("train")
