"""What the map of security promises: its tests exist, and what it says of the sources is so."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parent.parent
MAP = ROOT / "docs" / "security.md"
SERVER = ROOT / "src" / "liarsdice" / "server"
PAGE = ROOT / "web" / "src"

LEVEL_1 = """
1.2.1-1.2.5 1.3.1-1.3.2 1.5.1 2.1.1 2.2.1-2.2.2 2.3.1 3.2.1-3.2.2 3.3.1 3.4.1-3.4.2 3.5.1-3.5.3 4.1.1 4.4.1 5.2.1-5.2.2
5.3.1-5.3.2 6.1.1 6.2.1-6.2.8 6.3.1-6.3.2 6.4.1-6.4.2 7.2.1-7.2.4 7.4.1-7.4.2 8.1.1 8.2.1-8.2.2 8.3.1 9.1.1-9.1.3 9.2.1
10.4.1-10.4.5 11.3.1-11.3.2 11.4.1 12.1.1 12.2.1-12.2.2 13.4.1 14.2.1 14.3.1 15.1.1 15.2.1 15.3.1
"""
"""The numbers of ASVS 5.0 at level 1."""

RUNS_TEXT = {"eval", "exec", "compile", "__import__"}
RUNS_PROGRAMS = {"subprocess", "os.system", "os.popen", "pickle", "marshal", "shelve", "ctypes", "runpy"}


def numbers(text: str) -> Iterator[str]:
    """Every number of a requirement, ranges written out."""
    for found in re.finditer(r"(\d+\.\d+)\.(\d+)(?:[-–](\d+\.\d+)\.(\d+))?", text):
        section, first, _, last = found.groups()
        yield from (f"{section}.{number}" for number in range(int(first), int(last or first) + 1))


def mapped() -> Iterator[str]:
    """The numbers in the first cells of the map's rows."""
    for line in MAP.read_text(encoding="utf-8").splitlines():
        cell = line.split("|")[1].strip() if line.startswith("| ") else ""
        if cell and cell[0].isdigit():
            yield from numbers(cell)


def trees(folder: Path) -> Iterator[tuple[Path, ast.Module]]:
    for path in sorted(folder.rglob("*.py")):
        yield path, ast.parse(path.read_text(encoding="utf-8"))


def called(node: ast.Call) -> str:
    return ast.unparse(node.func)


def test_every_requirement_of_level_1_stands_in_the_map_once() -> None:
    wanted = set(numbers(LEVEL_1))
    assert len(wanted) == 70
    times = Counter(mapped())
    assert wanted - set(times) == set()
    assert [number for number, count in times.items() if count > 1] == []


def test_every_test_in_the_map_is_there() -> None:
    known = {
        node.name
        for _, tree in trees(ROOT / "tests")
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    }
    known |= {
        target.id
        for _, tree in trees(ROOT / "tests")
        for node in tree.body
        if isinstance(node, ast.Assign)
        for target in node.targets
        if isinstance(target, ast.Name)
    }
    named = set(re.findall(r"`(test_\w+)`", MAP.read_text(encoding="utf-8")))
    assert named
    assert named - known == set()


def test_sql_is_never_put_together_from_values() -> None:
    for path, tree in trees(SERVER):
        for node in ast.walk(tree):
            if isinstance(node, ast.Call) and called(node).endswith((".execute", ".executemany", ".executescript")):
                statement = node.args[0]
                assert not isinstance(statement, ast.JoinedStr | ast.BinOp | ast.Call), f"{path.name}:{node.lineno}"


def test_the_server_runs_no_program_and_no_text() -> None:
    for path, tree in trees(SERVER):
        for node in ast.walk(tree):
            if isinstance(node, ast.Call):
                assert called(node) not in RUNS_TEXT | RUNS_PROGRAMS, f"{path.name}:{node.lineno}"
            if isinstance(node, ast.Import | ast.ImportFrom):
                modules = {alias.name for alias in node.names} | {getattr(node, "module", None)}
                assert not modules & RUNS_PROGRAMS, f"{path.name}:{node.lineno}"


def test_no_hash_is_used_but_sha256() -> None:
    for folder in (SERVER, SERVER.parent / "play"):
        for path, tree in trees(folder):
            for node in ast.walk(tree):
                if isinstance(node, ast.Attribute) and ast.unparse(node.value) == "hashlib":
                    assert node.attr == "sha256", f"{path.name}:{node.lineno}"
                if isinstance(node, ast.Call) and called(node) in {"hmac.new", "hmac.digest"}:
                    assert ast.unparse(node.args[2]) == "'sha256'", f"{path.name}:{node.lineno}"


def test_the_page_writes_text_and_never_markup() -> None:
    unsafe = re.compile(
        r"\{@html|\.(inner|outer)HTML\s*=|insertAdjacentHTML|document\.write|\beval\(|new Function\(|srcdoc"
    )
    sources = [path for path in PAGE.rglob("*") if path.suffix in {".svelte", ".ts"} and ".test." not in path.name]
    assert sources
    assert [path.name for path in sources if unsafe.search(path.read_text(encoding="utf-8"))] == []
