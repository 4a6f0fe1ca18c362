"""`install.sh` does without Docker what the Dockerfile does: both run the same commands, in the same order."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.deploy.deployment import DEPLOY
from tests.deploy.test_container import instructions

PROGRAM = "/opt/liarsdice"
COMMANDS = ("python", "python3", "groupadd", "useradd", "install", "getent")
STUB = """\
#!/bin/sh
name=$(basename "$0")
[ "$name" = getent ] && exit 2
echo "$name $*" >>"{log}"
case "$*" in "-m venv "*) mkdir -p "$3/bin" && cp "$0" "$3/bin/pip" ;; esac
"""
"""A command that is only written down. No account is there yet, and a virtual environment has a `pip`."""

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="the server is installed on Unix")


class Machine:
    """A place where commands are written down instead of run."""

    def __init__(self, folder: Path) -> None:
        self._folder, self._log = folder, folder / "log"
        self.program = folder / "program"
        (folder / "bin").mkdir(parents=True)
        for name in COMMANDS:
            stub = folder / "bin" / name
            stub.write_text(STUB.format(log=self._log), encoding="utf-8")
            stub.chmod(0o755)

    def run(self, script: str, *arguments: str) -> list[str]:
        """The commands of a shell script, whose program goes to a folder of this place."""
        file = self._folder / "repository" / "deploy" / "script.sh"
        file.parent.mkdir(parents=True)
        file.write_text(script.replace(PROGRAM, str(self.program)), encoding="utf-8")
        path = f"{self._folder / 'bin'}{os.pathsep}{os.environ['PATH']}"
        subprocess.run(["sh", str(file), *arguments], check=True, env=os.environ | {"PATH": path})
        commands = self._log.read_text(encoding="utf-8").replace(str(self.program), PROGRAM)
        return re.sub(r"^python3 ", "python ", commands, flags=re.MULTILINE).splitlines()


def steps_of_the_dockerfile() -> str:
    return "\n".join(rest for name, rest in instructions() if name == "RUN")


def test_the_script_runs_the_commands_of_the_dockerfile(tmp_path: Path) -> None:
    of_the_image = Machine(tmp_path / "image").run(steps_of_the_dockerfile())
    script = (DEPLOY / "install.sh").read_text(encoding="utf-8")
    assert Machine(tmp_path / "script").run(script) == of_the_image
    assert [command.split()[0] for command in of_the_image] == ["python", "pip", "groupadd", "useradd", "install"]


def test_a_changed_step_of_the_dockerfile_would_be_noticed(tmp_path: Path) -> None:
    changed = steps_of_the_dockerfile().replace("--mode 0700", "--mode 0755")
    script = (DEPLOY / "install.sh").read_text(encoding="utf-8")
    assert Machine(tmp_path / "image").run(changed) != Machine(tmp_path / "script").run(script)


def test_the_script_can_install_below_a_folder_without_an_account(tmp_path: Path) -> None:
    script = (DEPLOY / "install.sh").read_text(encoding="utf-8")
    root = tmp_path / "root"
    commands = Machine(tmp_path / "script").run(script, str(root))
    assert not [command for command in commands if command.startswith(("groupadd", "useradd"))]
    assert commands[-1] == f"install --directory --mode 0700 {root}/var/lib/liarsdice {root}/var/backups/liarsdice"


def test_the_script_is_plain_shell() -> None:
    script = DEPLOY / "install.sh"
    assert os.access(script, os.X_OK)
    shell = shutil.which("dash") or shutil.which("sh")
    assert shell is not None
    assert subprocess.run([shell, "-n", str(script)], check=False).returncode == 0
