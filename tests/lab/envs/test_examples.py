"""The examples about environments run, in small."""

import json
import runpy
from pathlib import Path
from typing import Any

import numpy as np
import pytest

EXAMPLES = Path(__file__).parents[3] / "examples"


def run_main(name: str, *arguments: str) -> Any:  # noqa: ANN401  whatever the example returns
    return runpy.run_path(str(EXAMPLES / name))["main"](list(arguments))


def test_ppo_trains_against_bots() -> None:
    sizes = ("--matches", "64", "--steps", "16", "--updates", "6")
    means = run_main("ppo.py", "--rules", "openspiel", "--opponents", "threshold", "random", *sizes)
    assert len(means) == 6
    assert all(-1 <= mean <= 1 for mean in means)
    assert max(means[3:]) > means[0]  # the same on every run: seeds decide it


def test_an_algorithm_of_openspiel_learns_our_game() -> None:
    first, last = run_main("openspiel_mccfr.py", "--iterations", "200")
    assert last < first / 2


def test_the_notebook_trains_a_bot_that_enters_the_arena(capsys: pytest.CaptureFixture[str]) -> None:
    notebook = json.loads((EXAMPLES / "train_and_play.ipynb").read_text(encoding="utf-8"))
    names: dict[str, Any] = {}
    for cell in notebook["cells"]:
        if cell["cell_type"] == "code":
            source = "".join(cell["source"])
            source = source.replace("256, 32, 60, 200", "32, 8, 3, 4")  # the sizes, in one line of the first cell
            exec(compile(source, "train_and_play.ipynb", "exec"), names)  # noqa: S102  our own notebook
    assert names["matches"] == 32
    assert np.isfinite(names["losses"]).all()
    assert "of 4 matches won" in capsys.readouterr().out
