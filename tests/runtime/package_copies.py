"""Copies of the package that a test may edit, and programs that run on them in a fresh process."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import liarsdice

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
