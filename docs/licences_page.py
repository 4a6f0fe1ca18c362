"""The page of the licences of all that the package installs and that its page in the browser contains."""

import json
from collections import defaultdict
from collections.abc import Collection
from importlib import metadata
from pathlib import Path

from packaging.requirements import Requirement

DOCS = Path(__file__).parent
FILE = DOCS / "licences.md"
HEAD = """# Licences

`liarsdice` is under the MIT licence and contains no code of others. The extra `all` installs these packages. The
built page contains code of `glicko2-lite`, `idb` and `svelte`.

| licence | packages |
|---|---|
"""
PAGE_PACKAGES = ("glicko2-lite", "idb", "svelte")


def licences() -> str:
    """Return the page. All extras must be installed."""
    extras: dict[str, set[str]] = {}
    _collect("liarsdice-engine", {"all"}, extras)
    stated = {name: _licence(name) for name in extras}
    packages = json.loads((DOCS.parent / "web" / "package-lock.json").read_text(encoding="utf-8"))["packages"]
    stated |= {name: packages[f"node_modules/{name}"]["license"] for name in PAGE_PACKAGES}
    rows = defaultdict(list)
    for name in sorted(stated):
        rows[stated[name]].append(name)
    return HEAD + "".join(f"| {licence} | {', '.join(names)} |\n" for licence, names in sorted(rows.items()))


def _collect(name: str, wanted: Collection[str], extras: dict[str, set[str]]) -> None:
    """Add what a package needs with some of its extras to `extras`, by name, with the extras that are wanted of it."""
    for line in metadata.requires(name) or ():
        requirement = Requirement(line)
        if requirement.marker and not any(requirement.marker.evaluate({"extra": extra}) for extra in (*wanted, "")):
            continue
        needed = requirement.name.lower().replace("_", "-")
        if needed == "liarsdice-engine":
            _collect(needed, requirement.extras, extras)
        elif needed not in extras or requirement.extras - extras[needed]:
            extras.setdefault(needed, set()).update(requirement.extras)
            _collect(needed, extras[needed], extras)


def _licence(name: str) -> str:
    """Return what a package states: an SPDX expression or another short name, else its classifiers."""
    facts = metadata.metadata(name).json
    stated, _, rest = str(facts.get("license_expression") or facts.get("license") or "").partition("\n")
    classifiers = [line.rpartition(" :: ")[2] for line in facts["classifier"] if line.startswith("License ::")]
    text = " OR ".join(classifiers) if classifiers and (rest or not stated) else stated
    return text.partition(" License")[0].replace("Apache Software", "Apache-2.0").replace("Apache 2", "Apache-2")


def main() -> None:
    """Write the page."""
    FILE.write_text(licences(), encoding="utf-8")


if __name__ == "__main__":
    main()
