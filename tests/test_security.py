"""What the pages about security promise: their tests exist, and what they say of the sources is so."""

import ast
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from docs.asvs_page import answers, checklist

ROOT = Path(__file__).parent.parent
PROMISES = ROOT / "docs" / "security.md"
SERVER = ROOT / "src" / "liarsdice" / "server"
PAGE = ROOT / "web" / "src"

LEVEL_1 = """
1.2.1-1.2.5 1.3.1-1.3.2 1.5.1 2.1.1 2.2.1-2.2.2 2.3.1 3.2.1-3.2.2 3.3.1 3.4.1-3.4.2 3.5.1-3.5.3 4.1.1 4.4.1 5.2.1-5.2.2
5.3.1-5.3.2 6.1.1 6.2.1-6.2.8 6.3.1-6.3.2 6.4.1-6.4.2 7.2.1-7.2.4 7.4.1-7.4.2 8.1.1 8.2.1-8.2.2 8.3.1 9.1.1-9.1.3 9.2.1
10.4.1-10.4.5 11.3.1-11.3.2 11.4.1 12.1.1 12.2.1-12.2.2 13.4.1 14.2.1 14.3.1 15.1.1 15.2.1 15.3.1
"""
"""The numbers of ASVS 5.0 at level 1."""

LEVEL_2 = """
1.1.1-1.1.2 1.2.6-1.2.9 1.3.3-1.3.11 1.4.1-1.4.3 1.5.2 2.1.2-2.1.3 2.2.3 2.3.2-2.3.4 2.4.1 3.3.2-3.3.4 3.4.3-3.4.6
3.5.4-3.5.5 3.7.1-3.7.2 4.1.2-4.1.3 4.2.1 4.3.1-4.3.2 4.4.2-4.4.4 5.1.1 5.2.3 5.4.1-5.4.3 6.1.2-6.1.3 6.2.9-6.2.12
6.3.3-6.3.4 6.4.3-6.4.4 6.5.1-6.5.5 6.6.1-6.6.3 6.8.1-6.8.4 7.1.1-7.1.3 7.3.1-7.3.2 7.4.3-7.4.5 7.5.1-7.5.2 7.6.1-7.6.2
8.1.2 8.2.3 8.4.1 9.2.2-9.2.4 10.1.1-10.1.2 10.2.1-10.2.2 10.3.1-10.3.4 10.4.6-10.4.11 10.5.1-10.5.5 10.6.1-10.6.2
10.7.1-10.7.3 11.1.1-11.1.2 11.2.1-11.2.3 11.3.3 11.4.2-11.4.4 11.5.1 11.6.1 12.1.2-12.1.3 12.3.1-12.3.4 13.1.1
13.2.1-13.2.5 13.3.1-13.3.2 13.4.2-13.4.5 14.1.1-14.1.2 14.2.2-14.2.4 14.3.2-14.3.3 15.1.2-15.1.3 15.2.2-15.2.3
15.3.2-15.3.7 16.1.1 16.2.1-16.2.5 16.3.1-16.3.4 16.4.1-16.4.3 16.5.1-16.5.3 17.1.1 17.2.1-17.2.4 17.3.1-17.3.2
"""
"""The numbers of ASVS 5.0 that level 2 adds."""

RUNS_TEXT = {"eval", "exec", "compile", "__import__"}
RUNS_PROGRAMS = {"subprocess", "os.system", "os.popen", "pickle", "marshal", "shelve", "ctypes", "runpy"}


def numbers(text: str) -> Iterator[str]:
    """Every number of a requirement, ranges written out."""
    for found in re.finditer(r"(\d+\.\d+)\.(\d+)(?:[-–](\d+\.\d+)\.(\d+))?", text):
        section, first, _, last = found.groups()
        yield from (f"{section}.{number}" for number in range(int(first), int(last or first) + 1))


def trees(folder: Path) -> Iterator[tuple[Path, ast.Module]]:
    for path in sorted(folder.rglob("*.py")):
        yield path, ast.parse(path.read_text(encoding="utf-8"))


def called(node: ast.Call) -> str:
    return ast.unparse(node.func)


def test_every_requirement_of_both_levels_is_answered_once() -> None:
    level_1, level_2 = set(numbers(LEVEL_1)), set(numbers(LEVEL_2))
    assert (len(level_1), len(level_2), len(level_1 | level_2)) == (70, 183, 253)
    times = Counter(number for row in answers() for number in numbers(row["number"]))
    assert set(times) == level_1 | level_2
    assert [number for number, count in times.items() if count > 1] == []
    for row in answers():
        levels = {level for level, known in (("1", level_1), ("2", level_2)) if known & set(numbers(row["number"]))}
        assert levels <= set(row["level"].split(", ")), row["number"]


def test_every_answer_is_yes_no_none_or_the_operator_s_and_says_why() -> None:
    for row in answers():
        answer = row["answer"]
        assert re.match(r"(Yes)(?:\.| at)|(Operator|No|None)[:.] ", answer), row["number"]
        shown = row["tests"] or "](" in answer
        assert shown or not answer.startswith("Yes"), f"{row['number']} has neither a test nor a page"


def test_every_test_that_the_pages_name_is_there() -> None:
    known: set[str] = set()
    for _, tree in trees(ROOT / "tests"):
        for node in tree.body:
            match node:
                case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
                    known.add(name)
                case ast.Assign(targets=targets):
                    known |= {target.id for target in targets if isinstance(target, ast.Name)}
                case _:
                    pass
    for text in (PROMISES.read_text(encoding="utf-8"), checklist()):
        named = set(re.findall(r"`(test_\w+)`", text))
        assert named
        assert named - known == set()


def test_sql_is_never_put_together_from_values() -> None:
    for path, tree in trees(SERVER):
        for node in ast.walk(tree):
            if isinstance(node, ast.Call) and called(node).endswith((".execute", ".executemany", ".executescript")):
                for statement in node.args[:1]:
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


def test_no_pattern_is_made_from_input() -> None:
    """Patterns that a function makes are constants; all others are made when a module is imported."""
    for folder in (SERVER, SERVER.parent / "play"):
        for path, tree in trees(folder):
            functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]
            for node in (node for function in functions for node in ast.walk(function)):
                if isinstance(node, ast.Call) and called(node).startswith("re."):
                    assert isinstance(node.args[0], ast.Constant), f"{path.name}:{node.lineno}"


def test_no_text_of_a_user_is_a_format_string() -> None:
    """Words of the page's form are texts of the package."""
    for path, tree in trees(SERVER):
        for node in ast.walk(tree):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "format":
                receiver = node.func.value
                assert isinstance(receiver, ast.Constant) or ast.unparse(receiver) == "words[key]", path.name


def test_the_page_passes_no_messages_between_windows() -> None:
    sources = [path for path in PAGE.rglob("*") if path.suffix in {".svelte", ".ts"} and ".test." not in path.name]
    uses = re.compile(r"\.postMessage\(|addEventListener\(\s*[\"']message|BroadcastChannel|window\.open\(")
    assert [path.name for path in sources if uses.search(path.read_text(encoding="utf-8"))] == []
