"""The documentation can't drift from the program, and stays short."""

import json
import re
import tomllib
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import get_args

import msgspec
import pytest

import liarsdice
from benchmarks.figures import RESULTS
from docs import licences_page, message_examples, page_words
from docs.figures_page import BENCHMARKS, figures
from docs.pages import pages
from docs.strength_page import strength
from liarsdice import wire
from liarsdice.core.rules.presets import preset, preset_names
from liarsdice.core.rules.rule_costs import missing_condition
from liarsdice.server.protocol import messages
from liarsdice.server.table import commands


def test_the_page_has_the_sentences_and_words_of_the_package() -> None:
    stale = [
        name
        for name, text in page_words.page_words().items()
        if (page_words.WORDS / name).read_text(encoding="utf-8") != text
    ]
    assert stale == [], "run `make pages`"


def test_a_page_shows_every_result_of_a_benchmark_and_names_the_one_that_measures_it_again() -> None:
    gates = {file.stem for file in RESULTS.glob("gate-*.json")}
    assert gates
    assert {file.stem for file in RESULTS.iterdir()} == {one.result for one in BENCHMARKS} | gates | {"exploitability"}
    named = set(re.findall(r"-m\s+((?:benchmarks|tests)[.\w]+)", figures() + strength()))
    assert {"benchmarks.engine", "benchmarks.exploitability"} <= named
    assert [name for name in named if find_spec(name) is None] == []


def test_the_page_of_licences_names_all_that_is_installed() -> None:
    assert licences_page.FILE.read_text(encoding="utf-8") == licences_page.licences(), "run `make pages`"


def test_the_table_of_what_knows_which_rule_has_every_rule_that_a_preset_is_not_simulated_for() -> None:
    table = pages()["rule-choices.md"].partition("## What knows which rule")[2]
    choices = [f"{name}+{option}" for name in preset_names() for option in preset(name).options]
    conditions = [missing_condition(preset(name).ruleset) or "" for name in (*preset_names(), *choices)]
    fields = {
        found[1] for condition in conditions if (found := re.search(r"([a-z_]+\.[a-z_]+) (?:is|has) ", condition))
    }
    assert len(fields) > 5
    assert {field for field in fields if f"| `{field}` " not in table} == set()


def test_every_message_has_an_example_that_can_be_read() -> None:
    for union, examples in (
        (messages.ToTable, message_examples.request_examples()),
        (messages.FromTable, message_examples.answer_examples()),
        (commands.Command, message_examples.command_examples()),
    ):
        assert set(examples) == set(get_args(union))
        for struct, text in examples.items():
            assert isinstance(msgspec.json.decode(text, type=union), struct)
            assert set(json.loads(text)) - {"type"} <= {field.encode_name for field in msgspec.structs.fields(struct)}


def test_the_example_of_an_update_shows_the_dice_of_one_player() -> None:
    update = json.loads(message_examples.answer_examples()[wire.Update])
    assert update["own"]["hand"] == [1, 4]
    assert update["own"]["cups"] == []
    assert update["table"]["match"]["turn"] == update["own"]["seat"] == 1


def test_the_page_for_programs_names_fields_of_their_view() -> None:
    text = (Path(__file__).parent.parent / "docs" / "programs.md").read_text(encoding="utf-8")
    rows = text.partition("| field of `own` | command |")[2].partition("\n\n")[0].splitlines()[2:]
    named = {field for row in rows for field in re.findall(r"`(\w+)`", row.split("|")[1])} - {"hand"}
    named |= set(re.findall(r"`(may_\w+)`", text))
    assert len(named) > 8
    assert named <= set(wire.PlayerView.__struct_fields__)


ROOT = Path(__file__).parent.parent
DOCS = ROOT / "docs"
PACKAGE, LAB, WEB = ROOT / "src" / "liarsdice", ROOT / "src" / "liarsdice_lab", ROOT / "web" / "src"
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted(DOCS.glob("*.md"))]

LINK = re.compile(r"\]\(([^)\s]+)\)")
FENCE = re.compile(r"^( *)```.*?^\1```$", re.MULTILINE | re.DOTALL)
MODULE = re.compile(r"\bliarsdice(?:_lab)?(?:\.[a-z_]+)+")
REPOSITORY_PATH = re.compile(r"`((?:src|tests|docs|web|benchmarks|examples|\.ci)/[\w./-]*\w)/?`")
SOURCE_PATH = re.compile(r"`((?:[a-z_]+/)+[\w.]+\.(?:py|toml|ts|svelte))`")
"""A path below the folder of a package or of the page in the browser."""
FILE_NAME = re.compile(r"`(\w+(?:\.svelte)?\.(?:py|ts)|[A-Z]\w+\.svelte)`")
PACKAGE_IMPORT = re.compile(r"^ *(?:>>> )?from liarsdice import (.+)$", re.MULTILINE)
VERSION = re.compile(r'(?:liarsdice_engine-|"engine":")(\d+\.\d+\.\d+)')
EXTRAS = re.compile(r"liarsdice-engine\[([\w,]+)\]")
SUBMODULE_IMPORT = re.compile(r"^ *(?:>>> )?(?:from|import) (liarsdice(?:_lab)?\.[\w.]+)", re.MULTILINE)


def heading_ids(text: str) -> set[str]:
    """The anchors of the headings of a page, as the documentation's build makes them."""
    headings = re.findall(r"^#+ (.+)$", FENCE.sub("", text), re.MULTILINE)
    return {re.sub(r"[\s-]+", "-", re.sub(r"[^\w\s-]", "", heading).strip().lower()) for heading in headings}


def page_name(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


def links(page: Path) -> Iterator[str]:
    """The addresses of links and pictures in the text of a page, outside of its code blocks."""
    yield from LINK.findall(FENCE.sub("", page.read_text(encoding="utf-8")))


def leads_somewhere(page: Path, link: str) -> bool:
    """Whether the file and the heading of a link exist; addresses of other sites count as existing."""
    address, _, anchor = link.partition("#")
    if address.startswith(("http://", "https://")):
        return True
    target = (page.parent / address).resolve() if address else page
    generated = pages().get(target.relative_to(DOCS).as_posix()) if target.is_relative_to(DOCS) else None
    if generated is None and not target.exists():
        return False
    return not anchor or anchor in heading_ids(generated or _text(target))


def test_the_documentation_is_short() -> None:
    files = [*PAGES, ROOT / "CHANGELOG.md", *(ROOT / "examples").rglob("*.md")]
    words = {page_name(page): len(_text(page).split()) for page in files if page != licences_page.FILE}
    assert len(words) <= 30
    assert {page: count for page, count in words.items() if count > 2_500} == {}
    assert sum(words.values()) <= 35_000


def test_every_link_leads_to_a_file_and_a_heading_that_exist() -> None:
    assert [(page_name(page), link) for page in PAGES for link in links(page) if not leads_somewhere(page, link)] == []


def is_module_or_name_in_one(name: str) -> bool:
    """Whether a dotted name is a module, stands in a module, or only begins like the package (a file, an address)."""
    module, _, attribute = name.rpartition(".")
    if module == "liarsdice" and not (PACKAGE / attribute).exists():
        return True
    return _exists(name) or (_exists(module) and attribute in _source(module))


def test_every_module_in_a_page_exists() -> None:
    named = [(page_name(page), name) for page in PAGES for name in MODULE.findall(_text(page))]
    assert named
    assert [(page, name) for page, name in named if not is_module_or_name_in_one(name)] == []


def test_every_path_in_a_page_exists() -> None:
    missing = [
        (page_name(page), path)
        for page in PAGES
        for pattern, roots in ((REPOSITORY_PATH, (ROOT,)), (SOURCE_PATH, (PACKAGE, LAB, LAB.parent, ROOT, WEB)))
        for path in pattern.findall(FENCE.sub("", _text(page)))
        if path not in MADE_UP and not any((root / path).exists() for root in roots)
    ]
    assert missing == []


def test_every_file_name_in_a_page_exists() -> None:
    folders = ("src", "tests", "docs", "benchmarks", "examples", "web/src")
    existing = {file.name for folder in folders for file in (ROOT / folder).rglob("*.*")} | {"hatch_build.py"}
    named = [(page_name(page), name) for page in PAGES for name in FILE_NAME.findall(FENCE.sub("", _text(page)))]
    assert named
    assert [(page, name) for page, name in named if name not in {*existing, *MADE_UP}] == []


MADE_UP = {
    "core/text/rulebook/german.py",
    "core/text/rulebook/german.toml",
    "server/rules/words/german.toml",
    "docs/NAME.md",
    "v2_archive.py",
    "web/src/words/de",
}
"""Paths of the examples in CONTRIBUTING.md."""


def test_the_table_of_packages_names_each_package_and_files_in_it() -> None:
    rows = re.findall(
        r"^\| `([\w/.]+)` \|.*\|(.*)\|$", (DOCS / "architecture.md").read_text(encoding="utf-8"), re.MULTILINE
    )
    game = {file.parent.name for file in PACKAGE.glob("*/__init__.py")}
    lab = {f"{LAB.name}/{file.parent.name}" for file in LAB.glob("*/__init__.py")}
    lab |= {f"{LAB.name}/{file.name}" for file in LAB.glob("*.py") if file.stem != "__init__"}
    named = {package for package, _ in rows}
    assert {package.partition("/")[0] for package in named} == {*game, LAB.name}
    assert {package for package in named if package.startswith(LAB.name)} == lab
    for package, files in rows:
        folder = LAB.parent / package if package in lab else PACKAGE / package
        for name in re.findall(r"`([^`]+)`", files):
            assert (folder / name).exists(), f"{package}/{name}"


def test_the_drawing_of_the_layers_names_those_that_the_imports_keep() -> None:
    drawing = re.search(r"```text\n(cli .*?)```", _text(DOCS / "architecture.md"), re.DOTALL)
    assert drawing is not None
    drawn = [name for line in drawing[1].splitlines() for name in re.split(r" {2,}", line)[0].split(" │ ")]
    contracts = tomllib.loads(_text(ROOT / "pyproject.toml"))["tool"]["importlinter"]["contracts"]
    layers = next(one["layers"] for one in contracts if one.get("containers") == [PACKAGE.name])
    assert drawn == [name for layer in layers for name in layer.split(" | ")]


@pytest.mark.parametrize("page", ["index.md", "package-index.md"])
def test_a_page_that_lists_the_extras_names_all_that_users_install(page: str) -> None:
    extras = tomllib.loads(_text(ROOT / "pyproject.toml"))["project"]["optional-dependencies"].keys()
    assert set(",".join(EXTRAS.findall(_text(DOCS / page))).split(",")) == extras - {"dev", "docs"}


def test_every_page_names_the_present_version() -> None:
    named = [(page_name(page), version) for page in PAGES for version in VERSION.findall(_text(page))]
    assert len(named) > 3
    assert [(page, version) for page, version in named if version != liarsdice.__version__] == []


def test_every_name_in_the_glossary_exists() -> None:
    brackets = re.findall(r"\*\* \(([^)]*)\):", _text(DOCS / "glossary.md"))
    names = {name for text in brackets for name in re.findall(r"`(\w+)`", text)}
    assert len(names) > 10
    sources = "\n".join(_text(file) for package in (PACKAGE, LAB) for file in package.rglob("*.py"))
    assert {name for name in names if not re.search(rf"^(class |type )?{name}\b", sources, re.MULTILINE)} == set()


def test_the_glossary_explains_each_term_once_and_in_order() -> None:
    for section in _text(DOCS / "glossary.md").split("\n## ")[1:]:
        terms = [term.lower() for term in re.findall(r"^- \*\*(.+?)\*\*", section, re.MULTILINE)]
        assert terms == sorted(set(terms))


def test_every_name_that_a_page_imports_from_the_package_is_public() -> None:
    imports = [(page_name(page), line) for page in PAGES for line in PACKAGE_IMPORT.findall(_text(page))]
    names = {(page, name.strip()) for page, line in imports for name in line.split(",")}
    assert names
    assert {(page, name) for page, name in names if name not in {*liarsdice.__all__, "__version__"}} == set()


def test_the_tutorials_import_nothing_but_public_names() -> None:
    for name in ("python.md", "simulation.md", "package-index.md"):
        assert SUBMODULE_IMPORT.findall((DOCS / name).read_text(encoding="utf-8")) == []


def test_the_page_of_the_package_index_needs_no_other_file() -> None:
    assert all(link.startswith("https://") for link in links(DOCS / "package-index.md"))


def _text(page: Path) -> str:
    return page.read_text(encoding="utf-8")


def _exists(module: str) -> bool:
    try:
        return find_spec(module) is not None
    except ModuleNotFoundError:
        return False


def _source(module: str) -> str:
    spec = find_spec(module)
    assert spec is not None
    assert spec.origin is not None
    return Path(spec.origin).read_text(encoding="utf-8")
