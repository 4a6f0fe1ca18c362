"""Docstrings say what a signature cannot: what a function raises, and the shape of its arrays."""

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from liarsdice import wire
from liarsdice.core.rules.presets.games import GAMES
from liarsdice.core.rules.rule_costs import MAX_DICE_WITH_ODDS
from liarsdice.core.rules.validate import CHECKED_QUANTITY, NUMBERS
from liarsdice.server.http.program_api import MAX_WAIT_S, ActForm, table_view
from liarsdice.server.http.schemas import TableForm
from liarsdice.server.live.live_table import MESSAGE_BURST, MESSAGES_PER_S
from liarsdice.server.protocol import messages
from liarsdice.server.table import commands, deadlines
from liarsdice.server.table.command_handler import MAX_SEED_LENGTH, MIN_SEED_LENGTH
from liarsdice.server.table.reducer import MAX_HANDLED_REQUESTS, MAX_NEWS, MAX_REQUEST_AGE, MAX_REQUESTS_OF_ONE
from liarsdice.server.table.snapshots import KEPT_ENTRIES, SNAPSHOT_EVERY
from liarsdice.server.table.table_config import MAX_FACE, MAX_PLAYERS, TableConfig

ROOT = Path(__file__).parent.parent
SOURCES = [path for path in sorted((ROOT / "src").rglob("*.py")) if "migrations" not in path.parts]
SHAPE = re.compile(r"\[[^\]]+\]|\bshape\b|\bscalar\b")
"""A shape in a docstring: `float32 [hand, action]`, or the word."""

DECORATORS = ("overload", "typing.overload", "get(", "post(", "websocket(")

Function = ast.FunctionDef | ast.AsyncFunctionDef


def module_id(path: Path) -> str:
    return path.relative_to(ROOT / "src").as_posix()


@cache
def parsed(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


@cache
def array_names() -> frozenset[str]:
    """The names of types that stand for arrays: `NDArray`, `Tensor`, and every module-level alias of them."""
    names = {"NDArray", "ndarray", "Tensor"}
    for path in SOURCES:
        for node in parsed(path).body:
            match node:
                case ast.Assign(targets=[ast.Name(id=name)], value=ast.Subscript() as value):
                    if any(isinstance(part, ast.Name) and part.id == "NDArray" for part in ast.walk(value)):
                        names.add(name)
                case _:
                    pass
    return frozenset(names)


def is_internal(node: ast.stmt) -> bool:
    """Whether a definition is private, an overload, or one whose docstring users read: a command or an endpoint."""
    if not isinstance(node, Function | ast.ClassDef) or node.name.startswith("_"):
        return True
    if isinstance(node, Function) and "typer." in ast.unparse(node.args):
        return True
    decorators = [ast.unparse(decorator) for decorator in node.decorator_list]
    return any(name.startswith(DECORATORS) or ".command" in name or ".callback" in name for name in decorators)


def public_functions(node: ast.Module | ast.ClassDef) -> Iterator[Function]:
    """Yield the public functions of a module and the public methods of its public classes."""
    for child in node.body:
        if is_internal(child):
            continue
        if isinstance(child, ast.ClassDef):
            yield from public_functions(child)
        elif isinstance(child, Function):
            yield child


def own_nodes(function: Function) -> Iterator[ast.AST]:
    """Yield the nodes of a function's body without those of functions and classes inside it."""
    waiting: list[ast.AST] = [*function.body]
    while waiting:
        node = waiting.pop()
        yield node
        if not isinstance(node, Function | ast.ClassDef | ast.Lambda):
            waiting.extend(ast.iter_child_nodes(node))


def raised(function: Function) -> set[str]:
    """The names of the exceptions that a function raises itself; re-raised ones are not among them."""
    names: set[str] = set()
    for node in own_nodes(function):
        if isinstance(node, ast.Raise) and node.exc is not None:
            error = node.exc.func if isinstance(node.exc, ast.Call) else node.exc
            name = ast.unparse(error).rpartition(".")[2]
            if name[:1].isupper() and name != "AssertionError":  # a broken invariant is no part of the contract
                names.add(name)
    return names


CHECK = re.compile(r"_?(require|check)_\w+")
"""Functions that only check: whoever calls one raises what it raises."""


@cache
def raised_by_checks() -> dict[str, frozenset[str]]:
    """The names of the exceptions of every function called `check_...` or `require_...`, by its name."""
    checks: dict[str, frozenset[str]] = {}
    for path in SOURCES:
        for node in ast.walk(parsed(path)):
            if isinstance(node, Function) and CHECK.fullmatch(node.name):
                checks[node.name] = checks.get(node.name, frozenset()) | raised(node)
    return checks


DELEGATED = re.compile(r"\b[Rr]aises (as|what)\b|\bAs in\b")
"""How a docstring says that a function raises what another one raises."""


def raised_or_checked(function: Function) -> set[str]:
    """The names of the exceptions that a function raises itself, or by a direct call of a check."""
    names = raised(function)
    if DELEGATED.search(ast.get_docstring(function) or ""):
        return names
    nodes = [*own_nodes(function)]
    caught = {part for node in nodes if isinstance(node, ast.Try) for child in node.body for part in ast.walk(child)}
    for node in nodes:
        if isinstance(node, ast.Call) and node not in caught:
            names |= raised_by_checks().get(ast.unparse(node.func).rpartition(".")[2], frozenset())
    return names


def takes_arrays(function: Function) -> bool:
    """Whether a parameter or the result is annotated as an array."""
    arguments = function.args
    annotations = [argument.annotation for argument in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)]
    return any(
        part.id in array_names()
        for annotation in (*annotations, function.returns)
        if annotation is not None
        for part in ast.walk(annotation)
        if isinstance(part, ast.Name)
    )


def test_every_module_in_a_docstring_or_comment_exists() -> None:
    modules = {
        module_id(path).removesuffix(".py").removesuffix("/__init__").replace("/", "."): path for path in SOURCES
    }
    packages = {module.split(".")[1] for module in modules if "." in module}
    named, missing = 0, []
    for path in SOURCES:
        text = path.read_text(encoding="utf-8")
        for name in re.findall(r"`((?:\w+/)*\w+\.py)`", text):
            named += 1
            missing += (
                [] if any(file.as_posix().endswith(f"/{name}") for file in SOURCES) else [(module_id(path), name)]
            )
        for name in re.findall(r"`(?:liarsdice(?:_lab)?\.)?([a-z_]+(?:\.\w+)+)`", text):
            if name.split(".")[0] in packages and not name.endswith(".py"):
                named += 1
                missing += [] if is_module_or_name_in_one(name, modules) else [(module_id(path), name)]
    assert named > 50
    assert missing == []


def is_module_or_name_in_one(name: str, modules: dict[str, Path]) -> bool:
    """Whether a dotted name without its first package is a module or stands in one."""
    module, _, attribute = name.rpartition(".")
    homes = [modules[home] for home in (f"liarsdice.{module}", f"liarsdice_lab.{module}") if home in modules]
    return not {f"liarsdice.{name}", f"liarsdice_lab.{name}"}.isdisjoint(modules) or any(
        re.search(rf"\b{attribute}\b", home.read_text(encoding="utf-8")) for home in homes
    )


def test_a_public_function_that_raises_says_so() -> None:
    silent = {
        f"{module_id(path)}: {function.name}": sorted(missing)
        for path in SOURCES
        for function in public_functions(parsed(path))
        if (
            missing := {name for name in raised_or_checked(function) if name not in (ast.get_docstring(function) or "")}
        )
    }
    assert silent == {}


def test_a_public_function_of_arrays_states_their_shapes() -> None:
    silent = [
        f"{module_id(path)}: {function.name}"
        for path in SOURCES
        for function in public_functions(parsed(path))
        if takes_arrays(function) and not SHAPE.search(ast.get_docstring(function) or "")
    ]
    assert silent == []


REQUESTS = (
    f"the latest {MAX_REQUESTS_OF_ONE} ids of each client, and all of the last {MAX_HANDLED_REQUESTS}, unless they are"
    f" {MAX_REQUEST_AGE:,} entries old"
)
SEEDS = f"up to {deadlines.SEEDS_MS // 1000} seconds for the others, or {deadlines.SEEDS_ALONE_MS // 1000} if only one"
FIGURES: tuple[tuple[object, str], ...] = (
    (messages.CommandRequest, f"1 to {commands.MAX_REQUEST_ID_LENGTH} characters"),
    (messages.CommandRequest, REQUESTS),
    (wire.SeedExchange, SEEDS),
    (wire.Update, f"at most {MAX_NEWS} items"),
    (commands.ChooseFace, f"from 0 to {MAX_FACE}"),
    (commands.RevealSeed, f"{MIN_SEED_LENGTH} to {MAX_SEED_LENGTH} letters and digits"),
    (TableForm, f"`seats`: up to {MAX_PLAYERS}"),
    (TableConfig, f"up to {MAX_DICE_WITH_ODDS} dice in play"),
    (ActForm, f"1 to {commands.MAX_REQUEST_ID_LENGTH} characters"),
    (table_view.fn, f"at most {MAX_WAIT_S:.0f}"),
    (
        "host.md",
        f"after at most {SNAPSHOT_EVERY} entries. Before the latest {KEPT_ENTRIES:,} entries, table talk is deleted",
    ),
    ("../README.md", f"and {NUMBERS[len(GAMES)]} well-known games"),
    ("package-index.md", f"and {NUMBERS[len(GAMES)]} well-known games"),
    ("decisions.md", f"all bids of up to {NUMBERS[CHECKED_QUANTITY]} dice"),
    ("programs.md", f"for {deadlines.AWAY_MS // 1000} seconds while it is on turn"),
    ("programs.md", f"{MESSAGE_BURST} at once, and {MESSAGES_PER_S} a second"),
)
"""A text that users read, a definition or a page, and a figure of it that repeats a constant."""


@pytest.mark.parametrize("text, figure", FIGURES, ids=[figure for _, figure in FIGURES])
def test_figures_in_texts_are_those_of_the_constants(text: object, figure: str) -> None:
    written = (ROOT / "docs" / text).read_text(encoding="utf-8") if isinstance(text, str) else text.__doc__
    assert figure in " ".join((written or "").split())
