"""The folders of the tests mirror those of the package, and every module has a test home."""

import ast
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parent.parent
PACKAGE = ROOT / "src" / "liarsdice"
TESTS = ROOT / "tests"
MODULES = [
    path
    for path in sorted(PACKAGE.rglob("*.py"))
    if path.name not in {"__init__.py", "__main__.py"} and "migrations" not in path.parts
]


def module_id(path: Path) -> str:
    return path.relative_to(PACKAGE).as_posix()


TESTED_THROUGH = {
    "core/engine/move_list.py": "core/engine/test_answering.py",
    "core/records/position_checks.py": "core/records/test_position.py",
    "cli/server/access.py": "cli/server/test_admin.py",
    "cli/server/serve_command.py": "cli/server/test_serve.py",
    "cli/matches/coach_text.py": "cli/matches/test_coach.py",
    "cli/matches/luck_text.py": "cli/matches/test_review.py",
    "cli/matches/review_text.py": "cli/matches/test_review.py",
    "cli/puzzles/make_puzzles.py": "cli/puzzles/test_puzzles.py",
    "cli/puzzles/merge_puzzles.py": "cli/puzzles/test_puzzles.py",
    "cli/puzzles/puzzle_text.py": "cli/puzzles/test_puzzles.py",
    "core/rules/bidding_problems.py": "core/rules/test_validate.py",
    "core/rules/dice_problems.py": "core/rules/test_validate.py",
    "core/rules/choice.py": "core/rules/test_lives.py",
    "core/rules/field_group.py": "core/rules/test_patch.py",
    "core/text/rulebook/clause_variants.py": "core/text/rulebook/test_rulebook.py",
    "core/text/stakes_words.py": "core/text/test_narration.py",
    "core/text/rulebook/bid_variants.py": "core/text/rulebook/test_rulebook.py",
    "core/text/rulebook/field_tracking.py": "core/text/rulebook/test_rulebook.py",
    "core/text/rulebook/language.py": "core/text/rulebook/test_locales.py",
    "envs/pettingzoo_match.py": "envs/test_pettingzoo_aec.py",
    "mcp/tools.py": "mcp/test_transports.py",
    "server/storage/backup_file.py": "server/storage/test_administration.py",
    "server/live/due_tables.py": "faults/test_store.py",
    "server/storage/log_rows.py": "server/storage/test_store.py",
    "server/storage/postgres_statements.py": "server/storage/test_store.py",
    "server/storage/statements.py": "server/storage/test_store.py",
    "sim/kernels/batch.py": "sim/test_vector_env.py",
    "sim/kernels/compilation.py": "runtime/test_kernel_cache.py",
    "sim/kernels/legality.py": "sim/test_vector_env.py",
    "sim/kernels/ordered_rounds.py": "sim/test_rollouts.py",
    "sim/kernels/transitions.py": "sim/test_rollouts.py",
    "sim/kernels/uniform_policy.py": "sim/test_rollouts.py",
    "solve/cfr/cfr_kernel.py": "runtime/test_kernel_cache.py",
    "solve/cfr/kernel_blocks.py": "solve/cfr/test_solver.py",
    "solve/cfr/kernel_layout.py": "solve/cfr/test_solver.py",
    "solve/cfr/tree_layout.py": "solve/cfr/test_solver.py",
    "solve/strategy/reach.py": "solve/strategy/test_strategy.py",
}
"""Modules that no test imports, because only another module may use them, and the tests that run them."""


@cache
def imported_by(folder: Path) -> frozenset[str]:
    """The modules that the files of a folder and its subfolders import, as dotted names."""
    names: set[str] = set()
    for path in folder.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            match node:
                case ast.Import(names=aliases):
                    names |= {alias.name for alias in aliases}
                case ast.ImportFrom(module=str(module), names=aliases):
                    names |= {module, *(f"{module}.{alias.name}" for alias in aliases)}
                case _:
                    pass
    return frozenset(names)


def has_test_home(path: Path) -> bool:
    """Whether a module has tests: the file of the same name, or one in its package's tests that imports the module."""
    inside = path.relative_to(PACKAGE)
    dotted = ".".join(path.relative_to(PACKAGE.parent).with_suffix("").parts)
    other = TESTED_THROUGH.get(inside.as_posix())
    return (
        (TESTS / inside.parent / f"test_{path.stem}.py").exists()
        or dotted in imported_by(TESTS / inside.parts[0])
        or (other is not None and (TESTS / other).exists())
    )


def test_every_module_has_a_test_home() -> None:
    assert MODULES
    assert [module_id(path) for path in MODULES if not has_test_home(path)] == []


def test_a_folder_of_tests_mirrors_a_package_or_stands_for_a_kind_of_test() -> None:
    kinds = {"browser", "compatibility", "deploy", "faults", "golden", "laws"}
    folders = {path.parent.relative_to(TESTS) for path in TESTS.rglob("test_*.py")} - {Path()}
    stray = [folder for folder in folders if folder.parts[0] not in kinds and not (PACKAGE / folder).is_dir()]
    assert stray == []
