"""Rules of the repository: clean pins, no postponed work, and folders of tests that mirror the packages."""

import ast
import json
import re
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import liarsdice
from liarsdice.version import __version__

ROOT = Path(__file__).parent.parent
PACKAGE = ROOT / "src" / "liarsdice"
SOURCE_FOLDERS = ("src", "tests", "benchmarks", "docs", "examples")
SOURCES = sorted(path for folder in SOURCE_FOLDERS for path in (ROOT / folder).rglob("*.py"))
PAGE_SOURCES = sorted(
    path
    for path in (ROOT / "web" / "src").rglob("*")
    if path.suffix in {".svelte", ".ts", ".css"} and path.name != "protocol.ts"  # generated
)
ALL_SOURCES = [*SOURCES, *PAGE_SOURCES]

# Assembled from parts, so that this file contains no marker itself.
TODO_MARKERS = re.compile(r"\b(" + "|".join(["TO" + "DO", "FIX" + "ME", "X" * 3, "HA" + "CK"]) + r")\b")


def relative_name(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def imported_packages(path: Path) -> Iterator[str]:
    """Yield the top-level package of every absolute import in a file."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        match node:
            case ast.Import(names=names):
                yield from (alias.name.partition(".")[0] for alias in names)
            case ast.ImportFrom(module=str(module), level=0):
                yield module.partition(".")[0]
            case _:
                pass


def test_constraints_pin_releases_and_name_no_address() -> None:
    pin = re.compile(r"[a-z0-9-]+==[0-9][\w.]*( ; [^:/@]+)?")
    lines = (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
    assert lines
    assert [line for line in lines if not pin.fullmatch(line)] == []


def test_the_page_s_lockfile_names_no_address() -> None:
    lock = json.loads((ROOT / "web" / "package-lock.json").read_text(encoding="utf-8"))
    assert [name for name, package in lock["packages"].items() if "resolved" in package] == []


def test_no_work_is_postponed() -> None:
    marked = {relative_name(path): TODO_MARKERS.findall(path.read_text(encoding="utf-8")) for path in ALL_SOURCES}
    assert {name: markers for name, markers in marked.items() if markers} == {}


def test_core_needs_only_the_standard_library_and_msgspec() -> None:
    imports = {
        (relative_name(path), package) for path in PACKAGE.glob("core/**/*.py") for package in imported_packages(path)
    }
    allowed = sys.stdlib_module_names | {"liarsdice", "msgspec"}
    assert imports
    assert {(name, package) for name, package in imports if package not in allowed} == set()


def test_the_package_and_its_metadata_tell_one_version() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert project["version"] == liarsdice.__version__ == __version__


LAB = ROOT / "src" / "liarsdice_lab"
TESTS = ROOT / "tests"


def test_a_folder_of_tests_mirrors_a_package_or_stands_for_a_kind_of_test() -> None:
    kinds = {"browser", "compatibility", "deploy", "faults", "golden", "laws"}
    folders = {path.parent.relative_to(TESTS) for path in TESTS.rglob("test_*.py")} - {Path()}
    mirrors = [folder for folder in folders if folder.parts[0] not in kinds]
    packages = [LAB.joinpath(*mirror.parts[1:]) if mirror.parts[0] == "lab" else PACKAGE / mirror for mirror in mirrors]
    assert [package for package in packages if not package.is_dir()] == []
