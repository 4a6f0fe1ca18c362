"""The folders of the tests mirror those of the package."""

from pathlib import Path

ROOT = Path(__file__).parent.parent
PACKAGE = ROOT / "src" / "liarsdice"
TESTS = ROOT / "tests"


def test_a_folder_of_tests_mirrors_a_package_or_stands_for_a_kind_of_test() -> None:
    kinds = {"browser", "compatibility", "deploy", "faults", "golden", "laws"}
    folders = {path.parent.relative_to(TESTS) for path in TESTS.rglob("test_*.py")} - {Path()}
    stray = [folder for folder in folders if folder.parts[0] not in kinds and not (PACKAGE / folder).is_dir()]
    assert stray == []
