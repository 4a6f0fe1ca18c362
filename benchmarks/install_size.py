"""Installed size of each extra: all packages that it requires, as they are installed here, without liarsdice itself."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from benchmarks.figures import Figures, save_figures
from liarsdice.runtime.public_api import DISTRIBUTION

EXTRAS = ("core", "client", "mcp", "solve", "terminal", "table", "train", "research", "llm", "all")
PROJECT = tomllib.loads((Path(__file__).parents[1] / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def add_packages(lines: Iterable[str], extras: Iterable[str], sizes: dict[str, int]) -> None:
    """Add the bytes of each installed package that is required, directly or not, by its name with its extras."""
    for requirement in map(Requirement, lines):
        marker, name = requirement.marker, canonicalize_name(requirement.name)
        key = f"{name}{sorted(requirement.extras) or ''}"
        if key in sizes or (marker and not any(marker.evaluate({"extra": extra}) for extra in ("", *extras))):
            continue
        sizes[key] = 0
        if name == DISTRIBUTION:
            for extra in requirement.extras:
                add_packages(PROJECT["optional-dependencies"][extra], (), sizes)
            continue
        try:
            found = distribution(name)
        except PackageNotFoundError:  # not needed on this machine
            continue
        sizes[name] = sum(file.size or 0 for file in found.files or ())
        add_packages(found.requires or (), requirement.extras, sizes)


def main() -> None:
    """Print and save the size of each extra."""
    figures: dict[str, Figures] = {}
    for extra in EXTRAS:
        sizes: dict[str, int] = {}
        add_packages([*PROJECT["dependencies"], *PROJECT["optional-dependencies"].get(extra, ())], (), sizes)
        packages = [name for name, size in sizes.items() if size]
        figures[extra] = {"packages": len(packages), "total_mb": round(sum(sizes.values()) / 1e6, 1)}
        print(f"the largest of {extra}:", *sorted(packages, key=lambda name: -sizes[name])[:4])
    save_figures("install_size", figures)


if __name__ == "__main__":
    main()
