"""Ray gives the same results as one process: solved games, played deals, collected experience.

One cluster serves all tests, because it takes seconds to start, and so does each of its processes.
"""

from collections.abc import Iterator
from pathlib import Path

import msgspec
import numpy as np
import pytest
import torch

from liarsdice.bots.neural.features import FEATURE_COUNT
from liarsdice.core.rules.presets import preset
from liarsdice.runtime.ray_cluster import RayCluster, ray_running
from liarsdice.solve.cfr.method import Method
from liarsdice.solve.match_solver import SolveJob, solve_many
from liarsdice.solve.round_game import RoundStart, with_faces
from liarsdice_lab.tournaments.arena import DealResult, make_arena, play_deals
from liarsdice_lab.train.config import TrainingConfig
from liarsdice_lab.train.model import Critic, PolicyNetwork
from liarsdice_lab.train.trainer import collect_locally, collect_with_ray


@pytest.fixture(scope="module", autouse=True)
def cluster() -> Iterator[RayCluster]:
    with ray_running() as running:
        yield running


def solve_job(name: str, dice: tuple[int, int], *, match: bool = False) -> SolveJob:
    rules = with_faces(preset(name).ruleset, 3)
    return SolveJob(f"{name}-{dice[0]}-{dice[1]}", rules, RoundStart(dice), match, Method.DCFR, 2e-3)


def product(left: int, right: int) -> int:
    return left * right


def test_results_come_from_all_tasks_and_the_cluster_goes_on(cluster: RayCluster) -> None:
    with ray_running() as connected:
        results = connected.map_unordered(product, [(number, 3) for number in range(20)])
        assert sorted(results) == [*range(0, 60, 3)]
    assert cluster.ray.is_initialized()
    assert cluster.processors >= 1


def test_games_are_solved_to_the_same_files(tmp_path: Path) -> None:
    jobs = (solve_job("perudo", (1, 1)), solve_job("official", (1, 1)), solve_job("snyd", (2, 1), match=True))
    refusals, files = [], []
    for folder, ray in ((tmp_path / "local", False), (tmp_path / "spread", True)):
        refusals.append({result.job.name: result.refusal for result in solve_many(jobs, folder, "0", ray=ray)})
        files.append({file.name: file.read_bytes() for file in folder.iterdir()})
    assert refusals[0] == refusals[1]
    assert files[0] == files[1]
    assert files[0].keys() == {"perudo-1-1.lds", "snyd-2-1.lds"}


def test_deals_are_played_the_same() -> None:
    arena = make_arena(preset("perudo").ruleset, ["random", "threshold"], seed=9, duplicate=True)

    def played(*, ray: bool) -> list[DealResult]:
        deals = sorted(play_deals(arena, range(9), ray=ray), key=lambda deal: deal.number)
        return [msgspec.structs.replace(deal, seconds=0.0, times=()) for deal in deals]

    assert played(ray=True) == played(ray=False)


def test_the_same_experience_is_collected() -> None:
    config = TrainingConfig(
        rules=("perudo",), iterations=2, width=8, layers=1, tables=6, tables_per_iteration=4, matches=8, steps=8
    )
    torch.manual_seed(1)
    weights = PolicyNetwork(FEATURE_COUNT, 8, 1).state_dict(), Critic(FEATURE_COUNT, 8, 1).state_dict()
    collect = collect_locally(config)
    with collect_with_ray(config) as collect_remotely:
        for iteration in range(2):
            expected, collected = collect(iteration, weights), collect_remotely(iteration, weights)
            assert len(collected) == config.tables_per_iteration
            for left, right in zip(expected, collected, strict=True):
                assert all(np.array_equal(getattr(left, name), getattr(right, name)) for name in left._fields)
