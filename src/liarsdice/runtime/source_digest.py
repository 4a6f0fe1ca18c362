"""A digest of source files, which tells whether something that they computed earlier still is what they compute."""

from __future__ import annotations

from hashlib import sha256
from importlib.util import find_spec
from pathlib import Path


def source_digest(*names: str) -> str:
    """SHA-256 (hexadecimal) of the source text of modules, by dotted name.

    A package stands for all modules directly in its folder. A module is read, not imported. Raises `ValueError` if a
    name has no source file.
    """
    digest = sha256()
    for name in names:
        spec = find_spec(name)
        if spec is None or spec.origin is None:
            raise ValueError(f"{name} has no source file")
        origin = Path(spec.origin)
        files = sorted(origin.parent.glob("*.py")) if spec.submodule_search_locations else [origin]
        for file in files:
            text = file.read_bytes()
            digest.update(b"%s %d\n" % (file.name.encode(), len(text)))
            digest.update(text)
    return digest.hexdigest()
