"""The version is the same everywhere."""

import tomllib
from pathlib import Path

import liarsdice
from liarsdice.version import __version__

ROOT = Path(__file__).parent.parent


def test_the_package_and_its_metadata_tell_one_version() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert project["version"] == liarsdice.__version__ == __version__
