"""Cached machine code is used again as long as its sources are the same, and never longer."""

import ast
import os
import shutil
import subprocess
import sys
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

import pytest

import liarsdice
from liarsdice.runtime.kernel_cache import announce_compilation, cached_kernel
from liarsdice.runtime.source_digest import source_digest
from liarsdice.sim.kernels import compilation
from liarsdice.solve.cfr import cfr_kernel

SOURCE = Path(liarsdice.__file__).parent


def copy_package(target: Path, *packages: str) -> Path:
    """Copy some subpackages with what numba has cached for them; returns the folder to import from."""
    for package in packages:
        shutil.copytree(SOURCE / package, target / "liarsdice" / package)
    for module in SOURCE.glob("*.py"):
        shutil.copy(module, target / "liarsdice")
    return target


def replace_in_file(file: Path, old: str, new: str) -> None:
    text = file.read_text(encoding="utf-8")
    assert text.count(old) == 1, old
    file.write_text(text.replace(old, new), encoding="utf-8")


def run_on_copy(folder: Path, program: str) -> list[str]:
    """Run a program on a copy, with the machine code that is cached beside the copy's sources; returns its lines."""
    environment = {name: value for name, value in os.environ.items() if name != "NUMBA_CACHE_DIR"}
    environment["PYTHONPATH"] = str(folder)
    words = [sys.executable, "-c", program]
    answer = subprocess.run(words, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    assert answer.returncode == 0, answer.stderr
    return answer.stdout.splitlines()


SIMULATOR = """
import numpy as np
from liarsdice.core.rules.presets import preset
from liarsdice.sim.compile import compile_rules
from liarsdice.sim.kernels.batch import reset_matches
from liarsdice.sim.vector_env import new_batch_state

rules = compile_rules(preset("perudo").ruleset, 2)
state, dice = new_batch_state(rules, 1), np.array([rules.dice], np.int32)
reset_matches(rules.arrays, state, np.ones(1, np.bool_), np.ones(1, np.int32), dice, -1)
print(state.matches[0, :6].tolist())
print(sum(reset_matches.stats.cache_hits.values()))
"""
SOLVER = """
from liarsdice.core.rules.presets import preset
from liarsdice.solve.cfr.cfr_kernel import walk_tree
from liarsdice.solve.cfr.solver import Solver
from liarsdice.solve.round_game import dice_lost_values, make_public_tree
from liarsdice.solve.round_game import make_round_game, with_faces
from liarsdice.solve.round_game import RoundStart

game = make_round_game(with_faces(preset("openspiel").ruleset, 3), RoundStart((1, 1)))
solver = Solver(make_public_tree(game, dice_lost_values(game)))
solver.iterate(5)
print(solver.bounds().exploitability)
print(sum(walk_tree.stats.cache_hits.values()))
"""


def test_an_index_that_changes_in_the_simulator_s_schema_alone_changes_what_its_kernels_do(tmp_path: Path) -> None:
    folder = copy_package(tmp_path, "core", "runtime", "sim")
    before, _ = run_on_copy(folder, SIMULATOR)
    assert before == "[0, 0, 1, 0, 1, 1]"  # step, starter and turn
    assert run_on_copy(folder, SIMULATOR) == [before, "1"]
    replace_in_file(folder / "liarsdice/sim/array_schema.py", "PHASE, ROUND, STEP, DIR", "PHASE, STEP, ROUND, DIR")
    assert run_on_copy(folder, SIMULATOR) == ["[0, 1, 0, 0, 1, 1]", "0"]


def test_an_index_that_changes_in_the_solver_s_layout_alone_changes_what_its_kernel_does(tmp_path: Path) -> None:
    folder = copy_package(tmp_path, "core", "runtime", "solve")
    before, _ = run_on_copy(folder, SOLVER)
    assert run_on_copy(folder, SOLVER) == [before, "1"]
    replace_in_file(
        folder / "liarsdice/solve/cfr/kernel_layout.py",
        "POSITIVE_DISCOUNT, NEGATIVE_DISCOUNT, AVERAGE_WEIGHT, REGRET_FLOOR = range(4)",
        "NEGATIVE_DISCOUNT, POSITIVE_DISCOUNT, AVERAGE_WEIGHT, REGRET_FLOOR = range(4)",
    )
    after, hits = run_on_copy(folder, SOLVER)
    assert hits == "0"
    assert abs(float(after) - float(before)) > 1e-3


@pytest.mark.parametrize("terminal, said", [(True, "compiling once, about 20 s\n"), (False, "")])
def test_compilation_is_announced_once_on_a_terminal(
    terminal: bool, said: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    monkeypatch.setattr(sys.stderr, "isatty", lambda: terminal, raising=False)
    monkeypatch.syspath_prepend(tmp_path)
    name = f"kernel_of_{terminal}"
    (tmp_path / f"{name}.py").write_text("def add_one(number): return number + 1", encoding="utf-8")
    function = import_module(name).add_one
    announce_compilation.cache_clear()
    kernel = cached_kernel(str(tmp_path), {})(function)
    assert (kernel(1), kernel(1.5)) == (2, 2.5)
    assert capsys.readouterr().err == said
    announce_compilation.cache_clear()
    assert cached_kernel(str(tmp_path), {})(function)(1) == 2
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize("names", [compilation.SOURCES, cfr_kernel.SOURCES], ids=["simulator", "solver"])
def test_a_digest_covers_all_modules_that_kernels_are_compiled_from(names: tuple[str, ...]) -> None:
    free = {"liarsdice.runtime.kernel_cache", "liarsdice.runtime.source_digest"}  # they compile, and are not compiled
    for file in source_files(names):
        for imported in imported_modules(file):
            assert imported in free or any(covers(name, imported) for name in names), (file, imported)


def source_files(names: tuple[str, ...]) -> list[Path]:
    files: list[Path] = []
    for name in names:
        spec = find_spec(name)
        assert spec is not None
        assert spec.origin is not None
        origin = Path(spec.origin)
        files += origin.parent.glob("*.py") if spec.submodule_search_locations else [origin]
    return files


def imported_modules(file: Path) -> set[str]:
    """The modules of the package that a file imports from."""
    modules: set[str] = set()
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module is not None and node.module.startswith("liarsdice."):
            names = [f"{node.module}.{alias.name}" for alias in node.names]
            submodules = {name for name in names if find_spec(node.module) and is_module(name)}
            modules |= submodules or {node.module}
    return modules


def is_module(name: str) -> bool:
    try:
        return find_spec(name) is not None
    except ModuleNotFoundError:
        return False


def covers(name: str, module: str) -> bool:
    return module in {name, f"{name}.{module.rpartition('.')[2]}"}


def test_a_digest_changes_with_any_of_its_sources(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "digested").mkdir()
    (tmp_path / "digested/__init__.py").write_text("")
    (tmp_path / "digested/one.py").write_text("A = 1\n")
    (tmp_path / "digested/two.py").write_text("B = 1\n")
    monkeypatch.syspath_prepend(tmp_path)
    package, module = source_digest("digested"), source_digest("digested.one")
    (tmp_path / "digested/two.py").write_text("B = 2\n")
    assert source_digest("digested") != package
    assert source_digest("digested.one") == module


def test_a_module_without_sources_has_no_digest() -> None:
    with pytest.raises(ValueError, match=r"liarsdice\.nowhere has no source file"):
        source_digest("liarsdice.nowhere")
