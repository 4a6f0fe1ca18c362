"""A run's folder: one program at a time, checkpoints that are whole or refused, and a curve without repeats."""

from __future__ import annotations

import csv
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest
import torch

from liarsdice.bots.neural.features import ACTION_COUNT, FEATURE_COUNT
from liarsdice.bots.neural.network import Network
from liarsdice.core.errors import MalformedError, UnavailableError
from liarsdice.train.config import CONFIG_FILE, PPOConfig, TrainingConfig, read_config
from liarsdice.train.load_networks import load_run_network
from liarsdice.train.model import Critic, PolicyNetwork, export_network
from liarsdice.train.ppo import PPOLearner, UpdateStats
from liarsdice.train.rollout import Experience
from liarsdice.train.run_folder import drop_rows, lock_folder
from liarsdice.train.trainer import BEST_FILE, CHECKPOINT_FILE, CURVE_FILE, Trainer
from liarsdice.train.value_training import fit, train_values

SMALL = TrainingConfig(
    rules=("joker",),
    iterations=4,
    width=8,
    layers=1,
    tables=2,
    tables_per_iteration=1,
    matches=8,
    steps=8,
    evaluate_every=2,
    evaluation_matches=2,
    opponent_table_share=0,
)


def silent(_done: int, _learned: UpdateStats, _pace: float) -> None:
    """Tell nobody."""


@pytest.fixture(scope="module")
def begun(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What a run's checkpoint holds after two of four iterations."""
    folder = tmp_path_factory.mktemp("begun")
    run = Trainer(folder, SMALL)
    run.run(silent, stop=lambda: run.iterations_done == 2)
    found: dict[str, Any] = torch.load(folder / CHECKPOINT_FILE, weights_only=True)
    return found


def test_a_folder_is_held_by_one_program_at_a_time(tmp_path: Path) -> None:
    with (
        lock_folder(tmp_path / "run"),
        pytest.raises(UnavailableError, match="another program trains in"),
        lock_folder(tmp_path / "run"),
    ):
        pass
    with lock_folder(tmp_path / "run"):
        pass


def test_a_run_stops_after_the_iteration_that_it_is_in_and_measures_later(tmp_path: Path) -> None:
    run = Trainer(tmp_path, SMALL)
    run.run(silent, stop=lambda: run.iterations_done == 2)
    assert run.iterations_done == 2
    assert not (tmp_path / CURVE_FILE).exists()
    Trainer(tmp_path, SMALL).run(silent)
    assert iterations(tmp_path) == [2, 4]


def test_an_iteration_is_on_the_curve_once(tmp_path: Path) -> None:
    run = Trainer(tmp_path, SMALL)
    run.run(silent, stop=lambda: run.iterations_done == 3)
    with (tmp_path / CURVE_FILE).open("a", newline="") as opened:
        opened.write("4,1,1\r\n6,1,1\r\n6,")
    Trainer(tmp_path, SMALL).run(silent)
    assert iterations(tmp_path) == [2, 4]


def iterations(folder: Path) -> list[int]:
    with (folder / CURVE_FILE).open(newline="") as opened:
        return [int(row["iteration"]) for row in csv.DictReader(opened)]


def test_a_table_without_lines_stays_as_it_is(tmp_path: Path) -> None:
    drop_rows(tmp_path / CURVE_FILE, later_than=3)
    assert not (tmp_path / CURVE_FILE).exists()


@pytest.mark.parametrize("name", ["checkpoint.part.pt", "curve.part.csv", "best.part.npz"])
def test_a_full_disk_is_told_of(name: str, tmp_path: Path) -> None:
    full = Path("/dev/full")
    if not full.exists():
        pytest.skip("this system has no disk that is always full")
    run = Trainer(tmp_path, SMALL)
    (tmp_path / name).symlink_to(full)
    with pytest.raises(UnavailableError, match=rf"cannot write .*{name.replace('.part', '')}: No space left"):
        run.run(silent, stop=lambda: run.iterations_done == 3)


def test_a_file_that_cannot_be_written_keeps_what_was_there(tmp_path: Path) -> None:
    run = Trainer(tmp_path, SMALL)
    run.save()
    (tmp_path / "checkpoint.part.pt").mkdir()
    with pytest.raises(UnavailableError, match=r"cannot write .*checkpoint\.pt"):
        run.save()
    assert Trainer(tmp_path, SMALL).iterations_done == 0


def nan(state: dict[str, Any], *path: Any) -> None:  # noqa: ANN401  names and numbers
    for name in path[:-1]:
        state = state[name]
    state[path[-1]] = state[path[-1]] * math.nan


DAMAGES: dict[str, Callable[[dict[str, Any]], object]] = {
    "done below 0": lambda state: state.update(done=-5),
    "done that is no number": lambda state: state.update(done="abc"),
    "done beyond the plan": lambda state: state.update(done=5),
    "best that is no number": lambda state: state.update(best=math.nan),
    "no decisions": lambda state: state.pop("decisions"),
    "player's weights": lambda state: nan(state, "player", "body.0.weight"),
    "average's weights": lambda state: nan(state, "average", "body.2.bias"),
    "critic's weights": lambda state: nan(state, "critic", "body.0.weight"),
    "no critic": lambda state: state.pop("critic"),
    "a player that is none": lambda state: state.update(player=[1, 2]),
    "an optimizer that is none": lambda state: state.update(optimizer=3),
    "an optimizer's moments": lambda state: nan(state, "optimizer", "state", 0, "exp_avg"),
    "rules that are none": lambda state: state.update(rules=["joker"]),
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_checkpoint_is_refused(damage: str, begun: dict[str, Any], tmp_path: Path) -> None:
    state = copied(begun)
    DAMAGES[damage](state)
    torch.save(state, tmp_path / CHECKPOINT_FILE)
    (tmp_path / CONFIG_FILE).write_bytes(msgspec.json.encode(SMALL))
    with pytest.raises(MalformedError, match=r"checkpoint\.pt cannot be read: .*; delete it to begin anew"):
        Trainer(tmp_path, SMALL)
    assert torch.load(tmp_path / CHECKPOINT_FILE, weights_only=True).keys() == state.keys()


def copied(state: Any) -> Any:  # noqa: ANN401  whatever a checkpoint holds
    return {key: copied(one) for key, one in state.items()} if isinstance(state, dict) else state


@pytest.mark.parametrize("held_there", [3, [1], {}, {"average": 1, "critic": 2}])
def test_what_holds_no_networks_is_refused(held_there: object, tmp_path: Path) -> None:
    file = tmp_path / "other.pt"
    torch.save(held_there, file)
    with pytest.raises(UnavailableError, match=r"cannot begin with .*: it holds no networks"):
        Trainer(tmp_path / "run", msgspec.structs.replace(SMALL, initial_weights=str(file)))
    assert not (tmp_path / "run").exists()


def test_no_run_begins_with_weights_that_are_no_numbers(begun: dict[str, Any], tmp_path: Path) -> None:
    state, file = copied(begun), tmp_path / "other.pt"
    nan(state, "average", "body.0.weight")
    torch.save(state, file)
    with pytest.raises(UnavailableError, match="it holds weights that are no numbers"):
        Trainer(tmp_path / "run", msgspec.structs.replace(SMALL, initial_weights=str(file)))


def test_a_file_damaged_anywhere_is_refused_in_words(begun: dict[str, Any], tmp_path: Path) -> None:
    rng, file = np.random.default_rng(1), tmp_path / CHECKPOINT_FILE
    torch.save(begun, file)
    whole = file.read_bytes()
    for trial in range(60):
        raw = bytearray(whole[: rng.integers(len(whole))] if trial % 3 == 0 else whole)
        for place in rng.integers(len(raw), size=8) if trial % 3 else ():
            raw[place] = rng.integers(256)
        if trial % 3 == 2:
            raw[200:4000] = rng.integers(0, 256, 3800, dtype=np.uint8).tobytes()
        file.write_bytes(raw)
        try:
            Trainer(tmp_path, SMALL)
        except MalformedError as error:
            assert "cannot be read" in str(error)  # noqa: PT017  a lucky flip is no damage


def test_checkpoints_of_earlier_versions_go_on(begun: dict[str, Any], tmp_path: Path) -> None:
    earlier = {name: one for name, one in begun.items() if name not in {"measured", "learned", "rules"}}
    torch.save(earlier, tmp_path / CHECKPOINT_FILE)
    run = Trainer(tmp_path, SMALL)
    assert run.iterations_done == 2
    run.run(silent)
    assert iterations(tmp_path) == [4]


def test_a_run_whose_plan_was_lost_goes_on_by_it_alone(begun: dict[str, Any], tmp_path: Path) -> None:
    torch.save(begun, tmp_path / CHECKPOINT_FILE)
    with pytest.raises(MalformedError, match=r"2 layers of 256; name the plan that it was trained by \(--plan\)"):
        Trainer(tmp_path, TrainingConfig())
    with pytest.raises(MalformedError, match=r"was trained by another plan, and its plan\.json is gone"):
        Trainer(tmp_path, msgspec.structs.replace(SMALL, rules=("joker", "basic")))
    assert not (tmp_path / CONFIG_FILE).exists()
    assert Trainer(tmp_path, SMALL).iterations_done == 2
    assert read_config(tmp_path / CONFIG_FILE) == SMALL


def test_a_run_does_not_go_on_by_other_rules(tmp_path: Path) -> None:
    house, folder = tmp_path / "house.toml", tmp_path / "run"
    house.write_text('extends = "joker"\n')
    plan = msgspec.structs.replace(SMALL, rules=(str(house),))
    Trainer(folder, plan).save()
    house.write_text('extends = "joker"\n[labels]\ngame = "Ours"\n')
    Trainer(folder, plan)
    house.write_text('extends = "joker"\n[dice]\nper_player = 4\n')
    with pytest.raises(MalformedError, match=r"was trained with others of these: .*house.toml; put back"):
        Trainer(folder, plan)


@pytest.mark.parametrize("place", ["rivals", "teachers"])
def test_a_run_does_not_go_on_with_other_networks(place: str, tmp_path: Path) -> None:
    file, folder = tmp_path / "network.npz", tmp_path / "run"
    older, newer = PolicyNetwork(FEATURE_COUNT, 8, 1), PolicyNetwork(FEATURE_COUNT, 8, 1)
    export_network(older).save(file)
    name = str(file)
    plan = msgspec.structs.replace(SMALL, **{place: (name,) if place == "rivals" else {SMALL.rules[0]: name}})
    Trainer(folder, plan).save()
    Trainer(folder, plan)
    export_network(newer).save(file)
    with pytest.raises(MalformedError, match=r"was trained with others of these: .*network\.npz; put back"):
        Trainer(folder, plan)


def test_networks_that_come_to_no_numbers_are_not_kept(tmp_path: Path) -> None:
    run = Trainer(tmp_path, SMALL)
    run.save()
    with torch.no_grad():
        next(run.critic.parameters()).fill_(math.nan)
    with pytest.raises(UnavailableError, match="iteration 1 came to no numbers; begin another folder"):
        run.run(silent)
    assert Trainer(tmp_path, SMALL).iterations_done == 0
    assert (tmp_path / CONFIG_FILE).exists()


def test_nothing_is_learned_from_nothing() -> None:
    part = Experience(
        np.zeros((0, FEATURE_COUNT), np.float32),
        np.zeros((0, 8), np.float32),
        np.zeros((0, ACTION_COUNT), np.bool_),
        np.zeros(0, np.int64),
        np.zeros(0, np.float32),
        np.zeros(0, np.float32),
        np.zeros(0, np.float32),
        np.zeros((0, ACTION_COUNT), np.float32),
    )
    torch.manual_seed(1)
    player, critic = PolicyNetwork(FEATURE_COUNT, 8, 1), Critic(FEATURE_COUNT, 8, 1)
    before = export_network(player).weights[0].copy()
    assert all(map(math.isnan, PPOLearner(player, critic, PPOConfig(), seed=1).update([part, part], 0.0, stale=True)))
    assert np.array_equal(export_network(player).weights[0], before)
    optimizer = torch.optim.Adam([*player.parameters(), *critic.parameters()])
    assert math.isnan(fit(player, critic, optimizer, [part], np.random.default_rng(1)))


def test_networks_that_do_not_play_here_are_refused(begun: dict[str, Any], tmp_path: Path) -> None:
    file = tmp_path / BEST_FILE
    torch.save(begun, tmp_path / CHECKPOINT_FILE)
    export_network(PolicyNetwork(FEATURE_COUNT, 8, 1)).save(file)
    whole, rng = file.read_bytes(), np.random.default_rng(2)
    first, last = np.zeros((FEATURE_COUNT, 4), np.float32), np.zeros((4, ACTION_COUNT), np.float32)
    biases = [np.zeros(4, np.float32), np.zeros(ACTION_COUNT, np.float32)]
    for network in (
        Network([first[1:], last], biases),
        Network([first, last[1:]], biases),
        Network([first, last], biases[:1]),
        Network([first, last], [biases[1], biases[0]]),
        Network([first[0], last], biases),
        Network([first * math.nan, last], biases),
        Network([first, last], biases, math.nan),
    ):
        if len(network.biases) < len(network.weights):
            np.savez(file, weight0=first, weight1=last, bias0=biases[0])
        else:
            network.save(file)
        with pytest.raises(UnavailableError, match="holds no network that plays here"):
            train_values(tmp_path, SMALL, 1, lambda _done, _error: None)
    for trial in range(60):
        raw = bytearray(whole[: rng.integers(len(whole))] if trial % 2 else whole)
        for place in rng.integers(len(raw), size=9):
            raw[place] = rng.integers(256)
        file.write_bytes(raw)
        try:
            load_run_network(file)
        except UnavailableError as error:
            assert "holds no network" in str(error)  # noqa: PT017  a lucky flip is no damage
