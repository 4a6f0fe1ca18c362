"""The folders of the tests mirror those of the packages; those of the lab are in `tests/lab`."""

from pathlib import Path

ROOT = Path(__file__).parent.parent
GAME = ROOT / "src" / "liarsdice"
LAB = ROOT / "src" / "liarsdice_lab"
TESTS = ROOT / "tests"


def test_a_folder_of_tests_mirrors_a_package_or_stands_for_a_kind_of_test() -> None:
    kinds = {"browser", "compatibility", "deploy", "faults", "golden", "laws"}
    folders = {path.parent.relative_to(TESTS) for path in TESTS.rglob("test_*.py")} - {Path()}
    mirrors = [folder for folder in folders if folder.parts[0] not in kinds]
    packages = [LAB.joinpath(*mirror.parts[1:]) if mirror.parts[0] == "lab" else GAME / mirror for mirror in mirrors]
    assert [package for package in packages if not package.is_dir()] == []
