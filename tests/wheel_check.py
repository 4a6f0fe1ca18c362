"""Installs the built wheel into empty folders, for each Python that is named, and uses its programs there.

`python -m tests.wheel_check python3.12 python3.13` builds the wheel once. The suite does not run it, because each
Python installs all packages of its own, which takes a minute; `make wheel-check PYTHONS=…` does.
"""

import os
import re
import subprocess
import sys
import tempfile
import urllib.request
from collections.abc import Sequence
from pathlib import Path

from liarsdice.runtime.public_api import DISTRIBUTION

ROOT = Path(__file__).parents[1]
EXTRAS = "table,terminal,client"
WITHIN_S = 600
ADDRESS = re.compile(r"http://\S+")
RECORD = """
import sys, liarsdice
from pathlib import Path
result = liarsdice.play_match(liarsdice.preset("basic").ruleset, ["regular", "novice"], names=("Ann", "Bo"), seed=1)
Path("match.jsonl").write_text(liarsdice.write_record(result.events, liarsdice.__version__))
print(sys.version.split()[0], liarsdice.__file__)
"""
COMMANDS = (
    ("rules", "show", "perudo"),
    ("odds", "5x4", "--hand", "1,4,4,2,6", "--dice-in-play", "20"),
    ("solve", "--dice", "1v1", "--out", "round.lds"),
    ("simulate", "--rules", "perudo", "--matches", "200"),
    ("arena", "--bots", "champion,regular", "--seats", "2", "--matches", "4"),
    ("review", "match.jsonl", "--deals", "30"),
)


def build_wheel(folder: Path) -> Path:
    """Build the wheel with the page into a folder and return its path."""
    subprocess.run(
        [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", folder, ROOT], check=True
    )
    (wheel,) = folder.glob("*.whl")
    return wheel


def check(python: str, wheel: Path, folder: Path) -> str:
    """Install the wheel for a Python into an empty folder, use its programs there, and return its version.

    Raises `CalledProcessError` if a command fails, and `AssertionError` if another copy of the package is found, or if
    the server does not serve its page.
    """
    subprocess.run([python, "-m", "venv", folder / "environment"], check=True)
    own = folder / "environment" / "bin" / "python"
    _run(own, folder, "-m", "pip", "install", "--quiet", "-c", str(ROOT / "constraints.txt"), f"{wheel}[{EXTRAS}]")
    version, package = _run(own, folder, "-c", RECORD).split()
    assert Path(package).is_relative_to(folder), package
    for command in COMMANDS:
        assert _run(own, folder, "-m", "liarsdice", *command), f"{command[0]} printed nothing"
    table = _run(own, folder, "-m", "liarsdice", "play", "--rules", "basic", "--bots", "regular", answers="q\n")
    assert "liarsdice play --resume" in table
    _check_server(own, folder)
    return version


def _run(python: Path, folder: Path, *words: str, answers: str = "") -> str:
    """Run a program of a Python in a folder and return what it prints."""
    result = subprocess.run(
        [python, *words],
        check=False,
        cwd=folder,
        env=_environment(folder),
        input=answers,
        capture_output=True,
        text=True,
        timeout=WITHIN_S,
    )
    if result.returncode:
        sys.stderr.write(result.stdout + result.stderr)
        result.check_returncode()
    return result.stdout


def _check_server(python: Path, folder: Path) -> None:
    """Start the server and read its page and its health."""
    words = [str(python), "-m", "liarsdice", "serve", "--port", "0"]
    with subprocess.Popen(words, cwd=folder, env=_environment(folder), stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        found = ADDRESS.search(server.stdout.readline())
        assert found, "the server printed no address"
        try:
            for path in ("/", "/healthz", "/readyz", "/api/presets"):
                with urllib.request.urlopen(found[0] + path, timeout=WITHIN_S) as answer:  # noqa: S310  our own server
                    assert answer.read(), path
        finally:
            server.terminate()


def _environment(folder: Path) -> dict[str, str]:
    """Return an environment in which nothing but the folder is known to the program."""
    kept = {name: value for name, value in os.environ.items() if name in {"PATH", "LANG", "PIP_INDEX_URL"}}
    return kept | {"HOME": str(folder)}


def main(pythons: Sequence[str]) -> None:
    """Check the wheel with each Python, or with the one that runs this."""
    with tempfile.TemporaryDirectory(prefix="wheel-") as folder:
        wheel = build_wheel(Path(folder))
        for number, python in enumerate(pythons or (sys.executable,)):
            own_folder = Path(folder) / str(number)
            own_folder.mkdir()
            print(f"{DISTRIBUTION}[{EXTRAS}] works with Python {check(python, wheel, own_folder)}", flush=True)  # noqa: T201


if __name__ == "__main__":
    main(sys.argv[1:])
