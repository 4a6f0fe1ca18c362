"""An algorithm of OpenSpiel on our game: external-sampling MCCFR under house rules with small dice.

    python examples/openspiel_mccfr.py --iterations 2000

It needs OpenSpiel: pip install 'liarsdice-engine[research]'
"""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path

import numpy as np
import pyspiel
from open_spiel.python.algorithms.exploitability import exploitability
from open_spiel.python.algorithms.external_sampling_mccfr import ExternalSamplingSolver

import liarsdice_lab.envs.openspiel  # noqa: F401  registers the game
from liarsdice import patched, preset, to_toml

HOUSE_RULES = patched(preset("openspiel").ruleset, dice__faces=3, dice__special_face=3)


def main(arguments: list[str] | None = None) -> list[float]:
    """Train, print how exploitable the average policy is, and return the figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--iterations", type=int, default=2000)
    options = parser.parse_args(arguments)
    np.random.seed(1)  # noqa: NPY002  what the algorithm draws from
    with tempfile.TemporaryDirectory() as folder:
        rules = Path(folder) / "house.toml"
        rules.write_text(to_toml(HOUSE_RULES), encoding="utf-8")
        game = pyspiel.load_game("python_liarsdice", {"rules": str(rules), "seats": 2, "dice": 1})
        solver, figures = ExternalSamplingSolver(game), []
        for iteration in range(1, options.iterations + 1):
            solver.iteration()
            if iteration in (options.iterations // 10, options.iterations):
                figures.append(float(exploitability(game, solver.average_policy())))
                print(f"after {iteration} iterations: exploitability {figures[-1]:.4f}")
    return figures


if __name__ == "__main__":
    main()
