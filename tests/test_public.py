"""The package's public surface."""

import subprocess
import sys

import liarsdice


def test_every_public_name_is_there_and_the_list_is_sorted() -> None:
    assert liarsdice.__all__ == sorted(liarsdice.__all__)
    assert all(getattr(liarsdice, name) is not None for name in liarsdice.__all__)
    assert set(liarsdice.__all__) <= set(dir(liarsdice))


def test_an_unknown_name_is_an_attribute_error() -> None:
    assert not hasattr(liarsdice, "Poker")


def test_importing_the_package_loads_no_heavy_neighbour() -> None:
    heavy = {"msgspec", "numba", "numpy", "rich", "textual", "typer"}
    code = f"import sys, liarsdice; print(*sorted({heavy} & set(sys.modules)))"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    assert loaded == []
