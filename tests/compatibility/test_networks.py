"""Network files that version 0.1.0 wrote answer the same, and play as bots."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from liarsdice.bots.external.user_bots import load_bot
from liarsdice.bots.neural.champion import ENDGAME_PLAY, Champion
from liarsdice.bots.neural.features import FEATURE_COUNT
from liarsdice.bots.neural.network import Network, read_network
from liarsdice.core.bids.notation import notate
from liarsdice.core.engine.state import State
from liarsdice.core.engine.view import view
from liarsdice.core.records.record import read_record
from tests.compatibility.readings import FILES, expected

DRAWN = expected("networks")
TRAINED = expected("training_runs")["networks"]
NETWORKS: dict[str, Any] = {
    "networks/drawn.npz": DRAWN,
    "training_runs/paused/best.npz": TRAINED["best.npz"],
    "training_runs/paused/values.npz": TRAINED["values.npz"],
}


def outputs(network: Network) -> list[list[float]]:
    """Return what a network answers to two rows of numbers that are the same in every version."""
    rows = np.linspace(-1, 1, 2 * FEATURE_COUNT, dtype=np.float32).reshape(2, FEATURE_COUNT)
    found: list[list[float]] = network.outputs(rows).tolist()
    return found


def state_of(record: str, lines: int) -> State:
    text = (FILES / "records" / f"{record}.jsonl").read_text(encoding="utf-8")
    return read_record("\n".join(text.splitlines()[:lines])).state


@pytest.mark.parametrize("name", NETWORKS)
def test_a_network_file_is_read_to_the_same_network(name: str) -> None:
    network, known = read_network(FILES / name), NETWORKS[name]
    assert (
        known.items()
        >= {
            "min_prob_ratio": network.min_prob_ratio,
            "answers_out_of_turn": network.answers_out_of_turn,
            "knows_stairs": network.knows_stairs,
            "shapes": [list(weight.shape) for weight in network.weights],
        }.items()
    )
    assert np.allclose(outputs(network), known["outputs"], atol=1e-4)


@pytest.mark.parametrize("answer", DRAWN["answers"], ids=lambda answer: "{record}-{lines}-{seat}".format(**answer))
def test_a_network_weighs_the_moves_of_a_view_the_same(answer: dict[str, Any]) -> None:
    bot = Champion(read_network(FILES / "networks" / "drawn.npz"), endgame_play=ENDGAME_PLAY[5], heeds_own_dice=False)
    action_probs = bot.action_probs(view(state_of(answer["record"], answer["lines"]), answer["seat"]))
    moves = {"silence" if move is None else notate(move): chance for move, chance in action_probs.items()}
    assert moves == pytest.approx(answer["answers"], abs=1e-4)


def test_a_network_file_sits_at_a_table_by_its_name() -> None:
    answer = DRAWN["answers"][0]
    bot = load_bot(f"network:{FILES / 'networks' / 'drawn.npz'}", seed=1)
    move = bot.act(view(state_of(answer["record"], answer["lines"]), answer["seat"]))
    assert move is not None
    assert notate(move) in answer["answers"]
