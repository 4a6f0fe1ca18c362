"""`liarsdice train blueprint`: the training of strategies for rounds with many dice."""

from pathlib import Path

import pytest

from liarsdice.solve.blueprint.blueprint_trainer import BlueprintTrainer
from liarsdice.solve.blueprint.packed_blueprint import read_blueprints
from liarsdice.solve.cfr.method import Method
from liarsdice.solve.match_solver import MatchSolver, make_match_plan, outcome_values
from liarsdice.solve.round_game import RoundStart
from liarsdice_lab.train.run_folder import lock_folder
from tests.cli.run_cli import error_line, output_of, run_captured

COMMAND = ("train", "blueprint", "--rules", "openspiel", "--faces", "3", "--seconds", "0.01")


def test_rounds_are_trained_and_a_run_continues(tmp_path: Path) -> None:
    first = output_of(*COMMAND, "--rounds", "1v1,2v1", "-o", tmp_path)
    assert "2v1: " in first
    assert f"wrote {tmp_path / 'blueprint.ldb'}" in first
    _, second, _ = run_captured(*COMMAND, "--rounds", "1v1", "-o", tmp_path)
    assert _iterations(second) > _iterations(first)
    starts = [stored.start for stored in read_blueprints(tmp_path / "blueprint.ldb").rounds]
    assert starts == [RoundStart((1, 1)), RoundStart((2, 1))]


def _iterations(out: str) -> int:
    return int(out.splitlines()[0].split()[1].replace(",", ""))


def test_ctrl_c_keeps_what_was_learned(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    learned = BlueprintTrainer.run

    def interrupted(trainer: BlueprintTrainer, **_: object) -> None:
        learned(trainer, iterations=50)
        raise KeyboardInterrupt

    monkeypatch.setattr(BlueprintTrainer, "run", interrupted)
    status, out, _ = run_captured(*COMMAND, "--rounds", "1v1,2v1", "-o", tmp_path)
    assert status == 130
    assert _iterations(out) == 50
    assert [file.name for file in sorted(tmp_path.iterdir())] == [".lock", "1v1.npz", "blueprint.ldb"]


def test_rounds_of_a_match_are_trained_from_the_last_to_the_first(tmp_path: Path) -> None:
    """In `bluff` a call may cost several dice, so what a round is worth depends on the rounds after it."""
    options = ("--rules", "bluff", "--faces", "2", "--rounds", "2v2", "--match-stakes", "--iterations", "400")
    out = output_of("train", "blueprint", *options, "-o", tmp_path)
    file = read_blueprints(tmp_path / "blueprint.ldb")
    trained = {str(stored.start): file.blueprint(stored.start) for stored in file.rounds}
    assert [line.split(":")[0] for line in out.splitlines()[:-1]] == list(trained)
    assert next(iter(trained)) == "1v1"
    assert list(trained)[-1] == "2v2"
    solver = MatchSolver(make_match_plan(file.ruleset(), RoundStart((2, 2))), Method.DCFR, 1e-3)
    solver.run()
    for blueprint in trained.values():
        assert blueprint is not None
        low, high = outcome_values(blueprint.game.outcomes, solver.values)
        assert blueprint.outcome_values == pytest.approx((low + high) / 2, abs=0.02)


def test_rounds_that_lead_to_each_other_are_trained_in_turns(tmp_path: Path) -> None:
    """With calza dice are won back. A later turn goes on from the earlier ones."""
    options = ("--rules", "classic+calza", "--faces", "2", "--rounds", "1v1", "--match-stakes", "--iterations", "40")
    out = output_of("train", "blueprint", *options, "-o", tmp_path)
    lines = out.splitlines()[:-1]
    assert len({line.split(":")[0] for line in lines}) == len(lines) > 1
    assert all(": 40 iterations" in line for line in lines)


def test_rounds_that_the_package_has_solved_are_not_trained_for_the_match(tmp_path: Path) -> None:
    options = ("--rules", "basic", "--rounds", "1v1", "--match-stakes", "-o", tmp_path)
    status, out, err = run_captured("train", "blueprint", *options)
    assert status != 0
    assert out == "1v1: solved in the package, so it is not trained\n"
    assert "name larger ones" in err
    assert not (tmp_path / "blueprint.ldb").exists()


def test_a_round_that_is_none_is_refused(tmp_path: Path) -> None:
    assert "such as 2v1" in error_line(*COMMAND, "--rounds", "many", "-o", tmp_path)


def test_iterations_against_bots_are_always_the_same(tmp_path: Path) -> None:
    options = ("--rounds", "1v1", "--iterations", "30", "--against")
    results = {}
    for name, against in (("one", "threshold:0.4=0.2"), ("again", "threshold:0.4=0.2"), ("none", "")):
        out = output_of(*COMMAND, *options, against, "-o", tmp_path / name)
        assert _iterations(out) == 30
        results[name] = (tmp_path / name / "blueprint.ldb").read_bytes()
    assert results["one"] == results["again"] != results["none"]


def test_a_run_does_not_continue_against_other_bots(tmp_path: Path) -> None:
    run_captured(*COMMAND, "--rounds", "1v1", "-o", tmp_path)
    assert "other rules or settings" in error_line(
        *COMMAND, "--rounds", "1v1", "--against", "random=0.1", "-o", tmp_path
    )


@pytest.mark.parametrize(
    "against, problem",
    [
        ("threshold:0.4", "such as threshold:0.4=0.03"),
        ("threshold=much", "such as threshold:0.4=0.03"),
        ("nobody=0.1", "no bot is called"),
        ("exec:cat=0.1", "does not name the probabilities"),
        ("threshold=0.6,random=0.4", "below 1 together"),
        ("threshold=nan", "such as threshold:0.4=0.03"),
        ("random=0.1,threshold=0.1, random=0.1", "names random twice"),
    ],
)
def test_bots_that_cannot_be_met_are_refused(tmp_path: Path, against: str, problem: str) -> None:
    assert problem in error_line(*COMMAND, "--rounds", "1v1", "--against", against, "-o", tmp_path)


def test_a_folder_keeps_the_rounds_of_one_ruleset(tmp_path: Path) -> None:
    run_captured(*COMMAND, "--rounds", "1v1", "-o", tmp_path)
    before = (tmp_path / "blueprint.ldb").read_bytes()
    assert "other rules" in error_line(*COMMAND, "--rounds", "2v1", "--rules", "perudo", "-o", tmp_path)
    assert (tmp_path / "blueprint.ldb").read_bytes() == before


def test_a_blueprint_may_be_met(tmp_path: Path) -> None:
    first, second = tmp_path / "first", tmp_path / "second"
    run_captured(*COMMAND, "--rounds", "1v1", "-o", first)
    options = ("--rounds", "1v1", "--against", f"blueprint:{first / 'blueprint.ldb'}=0.3", "-o", second)
    out = output_of(*COMMAND, *options)
    assert "1v1: " in out


def test_two_runs_do_not_share_a_folder(tmp_path: Path) -> None:
    with lock_folder(tmp_path):
        status, _, err = run_captured(*COMMAND, "--rounds", "1v1", "-o", tmp_path)
    assert status != 0
    assert "already" in err


def test_bots_are_not_asked_for_what_does_not_fit_into_memory(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("liarsdice.solve.blueprint.blueprint_trainer.free_memory_bytes", lambda: 10)
    monkeypatch.setattr("liarsdice_lab.cli.train_blueprint.make_models", None)
    options = ("--rounds", "1v1", "--against", "random=0.1", "-o", tmp_path)
    err = error_line(*COMMAND, *options)
    assert "GiB of memory" in err
    assert "fewer bots" in err
