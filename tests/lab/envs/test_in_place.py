"""Environments that write into arrays of the caller."""

from hashlib import sha256
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from liarsdice.bots.neural.features import ACTION_COUNT, FEATURE_COUNT, SILENT
from liarsdice.core.errors import IllegalActionError, MalformedError
from liarsdice.core.rules.presets import preset
from liarsdice_lab import envs, make_simulation
from liarsdice_lab.envs.champion_inputs import network_inputs, save_network, to_env_actions
from liarsdice_lab.envs.in_place import Buffers, InPlaceEnv, make_buffers
from liarsdice_lab.envs.layout import make_game

GAME = make_game("perudo", 3)


def middle_legal(env: InPlaceEnv) -> NDArray[np.intp]:
    """The legal action in the middle of each match's legal actions: the same on every machine."""
    masks = env.buffers.masks
    upper: NDArray[np.bool_] = masks.cumsum(axis=1) > (masks.sum(axis=1) // 2)[:, np.newaxis]
    chosen: NDArray[np.intp] = np.argmax(upper, axis=1)
    return chosen


def digest(env: InPlaceEnv, steps: int = 40) -> str:
    """A digest of all that an environment writes in some steps."""
    whole = sha256()
    for _ in range(steps):
        env.step(middle_legal(env))
        for part in env.buffers:
            whole.update(part.astype("<f4").tobytes())
    return whole.hexdigest()[:16]


def test_steps_are_written_into_parts_of_the_callers_arrays() -> None:
    rollout = Buffers(*(np.zeros((4, *part.shape), part.dtype) for part in make_buffers(GAME, 8)))
    steps = [Buffers(*(part[step] for part in rollout)) for step in range(4)]
    env, other = InPlaceEnv(GAME, 8, seed=1, buffers=steps[0]), InPlaceEnv(GAME, 8, seed=1)
    for step in range(1, 4):
        actions = middle_legal(env)
        env.use_buffers(steps[step])
        env.step(actions)
        other.step(actions)
        for part, expected in zip(steps[step], other.buffers, strict=True):
            assert np.asarray(part).tolist() == np.asarray(expected).tolist()
    assert rollout.observations[:3].any(axis=(1, 2)).all()


def test_one_seed_gives_the_same_numbers_on_every_platform() -> None:
    assert digest(InPlaceEnv(GAME, 16, seed=5)) == "9fe4a9a6c19f5b88"


def test_matches_do_not_depend_on_how_many_are_beside_them() -> None:
    whole, part = InPlaceEnv(GAME, 8, seed=5), InPlaceEnv(GAME, 3, seed=5, first=4)
    for _ in range(30):
        assert whole.buffers.observations[4:7].tolist() == part.buffers.observations.tolist()
        whole.step(middle_legal(whole))
        part.step(middle_legal(part))


def test_a_match_that_has_ended_begins_again_at_once() -> None:
    env, ends = InPlaceEnv(make_game("openspiel"), 50, seed=1), 0
    for _ in range(60):
        env.step(middle_legal(env))
        ended = env.buffers.terminals
        ends += int(ended.sum())
        assert (env.seats >= 0).all()
        assert not env.game.field("bid_count", env.buffers.observations)[ended].any()
        assert (env.buffers.rewards.any(axis=1) == ended).all()
    assert ends > 50


def test_an_illegal_action_changes_nothing() -> None:
    env = InPlaceEnv(GAME, 4, seed=1)
    before = env.buffers.observations.copy()
    for illegal in (0, GAME.silence, GAME.action_count, -7, -1):
        with pytest.raises(IllegalActionError, match="in match 2 seat"):
            env.step([4, 4, illegal, 4])
        env.observe()
        assert env.buffers.observations.tolist() == before.tolist()


def test_reset_without_a_seed_goes_on_with_other_dice() -> None:
    env = InPlaceEnv(GAME, 64, seed=1)
    before = env.buffers.observations.copy()
    env.reset()
    assert env.buffers.observations.tolist() != before.tolist()
    env.reset(1)
    assert env.buffers.observations.tolist() == before.tolist()


@pytest.mark.parametrize("arguments", [{"reward": "fame"}, {"seed": -1}, {"seed": 2**63}])
def test_arguments_that_mean_nothing_are_refused(arguments: dict[str, int]) -> None:
    with pytest.raises(MalformedError):
        InPlaceEnv(GAME, 4, **arguments)  # type: ignore[arg-type]


def test_arrays_that_do_not_fit_are_refused() -> None:
    fitting = make_buffers(GAME, 4)
    for name, wrong in (
        ("observations", np.zeros((4, GAME.row_size))),
        ("masks", np.zeros((4, 3), np.bool_)),
        ("rewards", np.zeros((3, 4), np.float32).T),
    ):
        with pytest.raises(MalformedError, match=f"{name} is a contiguous array"):
            InPlaceEnv(GAME, 4, buffers=fitting._replace(**{name: wrong}))  # type: ignore[arg-type]
    with pytest.raises(MalformedError, match="one action for each of 4 matches"):
        InPlaceEnv(GAME, 4).step([4])


def test_the_names_of_the_package_are_found() -> None:
    assert all(getattr(envs, name) is not None for name in envs.__all__)
    assert sorted(envs.__all__) == envs.__all__
    assert not hasattr(envs, "poker_env")


def test_no_module_has_the_name_of_a_function_of_the_package() -> None:
    """Importing the module would put it in the function's place."""
    modules = {path.stem for path in Path(str(envs.__file__)).parent.glob("*.py")}
    assert modules & set(envs.__all__) == set()


@pytest.mark.parametrize("rules", ["perudo", "official", "classic+reversa"])
def test_legal_actions_of_networks_are_legal_in_the_environment(rules: str) -> None:
    env, rng, silences = InPlaceEnv(make_game(rules, 3), 30, seed=1), np.random.default_rng(1), 0
    for _ in range(30):
        inputs = network_inputs(env)
        actions = np.argmax(inputs.action_mask * rng.random(inputs.action_mask.shape), axis=1)
        silences += int((actions == SILENT).sum())
        env.step(to_env_actions(env, inputs, actions))
    assert (silences > 0) == (rules == "official")


def test_a_stored_network_is_a_bot(tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    sizes = (FEATURE_COUNT, 8, ACTION_COUNT)
    weights = [rng.normal(size=(sizes[i], sizes[i + 1])).astype(np.float32) for i in range(2)]
    save_network(weights, [np.zeros(size, np.float32) for size in sizes[1:]], tmp_path / "mine.npz")
    simulation = make_simulation(preset("perudo").ruleset, [f"network:{tmp_path / 'mine.npz'}", "random"])
    assert sum(score.matches for score in simulation.play(0).scores) > 0
    with pytest.raises(MalformedError, match="217 features to 28 actions"):
        save_network(weights[:1], [np.zeros(8, np.float32)], tmp_path / "mine.npz")


def test_a_match_that_has_ended_has_no_inputs() -> None:
    env = InPlaceEnv(make_game("openspiel", 2), 1, seed=1, resets=False)
    while not env.buffers.terminals[0]:
        env.step(env.buffers.masks.argmax(axis=1))
    with pytest.raises(MalformedError, match="has ended"):
        network_inputs(env)
