"""`liarsdice train`, as it is run."""

import os
import re
import signal
from pathlib import Path

import msgspec
import pytest

from liarsdice.bots.neural.network import Network
from liarsdice.core.errors import MalformedError
from liarsdice.values.value_network import ValueNetwork
from liarsdice_lab.cli.train import pause_on_signal, read_round
from liarsdice_lab.train.config import CONFIG_FILE, TrainingConfig
from liarsdice_lab.train.distillation import NETWORK_FILE
from liarsdice_lab.train.model import PolicyNetwork, read_checkpoint, update_ema
from liarsdice_lab.train.run_folder import lock_folder
from liarsdice_lab.train.state_value_training import NETWORK_FILE as VALUE_NETWORK_FILE
from liarsdice_lab.train.trainer import BEST_FILE, CHECKPOINT_FILE, CURVE_FILE, Trainer
from tests.cli.run_cli import error_line, output_of, run_captured
from tests.lab.train.training_configs import SMALL_BALANCE

SMALL = TrainingConfig(
    rules=("joker", "perudo"),
    iterations=2,
    width=8,
    layers=1,
    tables=3,
    tables_per_iteration=2,
    matches=8,
    steps=8,
    evaluate_every=2,
    evaluation_matches=10,
    balance=SMALL_BALANCE,
)

FIGURES = (
    r"exploitability 0\.\d{3}, at least -?[01]\.\d{3} with more dice, a hunter wins \d+% of its rounds,"
    r" it wins \d+\.\d% of the evaluation matches"
)


@pytest.fixture
def small(tmp_path: Path) -> Path:
    """The configuration of a run that takes a second."""
    path = tmp_path / "small.json"
    path.write_bytes(msgspec.json.encode(SMALL))
    return path


def test_a_run_writes_a_network_and_continues(small: Path, tmp_path: Path) -> None:
    out = tmp_path / "run"
    printed = output_of("train", "-o", out, "--config", small, "--threads", "1", "--minutes", "0")
    assert printed == "there is no network yet\n"
    assert not (out / BEST_FILE).exists()
    *lines, last = output_of("train", "-o", out, "--threads", "1").splitlines()  # by the configuration in the folder
    assert [line.split(",")[0] for line in lines if "/2" in line] == ["1/2", "2/2"]
    assert [line for line in lines if re.fullmatch(f"evaluated after 2: {FIGURES}; the best so far", line)]
    assert re.fullmatch(re.escape(f"the best network plays as network:{out / BEST_FILE} ") + rf"\({FIGURES}\)", last)
    assert Network.load(out / BEST_FILE).weights[0].shape[1] == SMALL.width
    assert len((out / CURVE_FILE).read_text().splitlines()) == 2


def test_another_run_may_start_from_its_networks(small: Path, tmp_path: Path) -> None:
    first, second = tmp_path / "first", tmp_path / "second"
    output_of("train", "-o", first, "--config", small, "--threads", "1")
    begun = first / CHECKPOINT_FILE
    output_of("train", "-o", second, "--config", small, "--start-from", begun, "--rules", "joker")
    kept = msgspec.json.decode((second / CONFIG_FILE).read_bytes(), type=TrainingConfig)
    assert kept == msgspec.structs.replace(SMALL, rules=("joker",), initial_weights=str(begun))


@pytest.mark.parametrize(
    "options, complaint",
    [
        (("--rules", "pokr"), "pokr"),
        (("--start-from", "nowhere.pt"), "cannot start from nowhere.pt"),
        (("--start-from", "nobody"), "no network is called nobody"),
        (("--start-from", "champion@5"), "cannot start from champion@5: it holds no networks with 1 layers of 8"),
        (("--config", "nowhere.json"), "cannot read nowhere.json"),
        (("--seed", "7"), "contains a run with another configuration (other seed)"),
        (("--rules", ""), "''"),
        (("--minutes", "nan"), "write a number from 0 up, not nan"),
        (("--threads", "1000000"), "write a number up to 1,024, not 1000000"),
    ],
)
def test_invalid_options_are_refused(
    small: Path,
    tmp_path: Path,
    options: tuple[str, ...],
    complaint: str,
) -> None:
    out = tmp_path / "run"
    out.mkdir()
    (out / CONFIG_FILE).write_bytes(small.read_bytes())
    status, _, error = run_captured("train", "-o", out, *options)
    assert status == 2
    assert complaint in error


def test_a_file_that_is_no_checkpoint_is_refused(small: Path, tmp_path: Path) -> None:
    junk = tmp_path / "junk.pt"
    for content in (b"", b"no checkpoint at all", small.read_bytes()):
        junk.write_bytes(content)
        assert f"cannot start from {junk}: it holds no networks" in error_line(
            "train", "-o", tmp_path / "run", "--config", small, "--start-from", junk
        )


def test_a_file_that_is_no_plan_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "plan.json"
    for text in (
        '{"rules": 3}',
        '{"tables": 0}',
        '{"bot_table_share": 1.5}',
        '{"seed": -1}',
        '{"steps": 1}',
        "no plan",
    ):
        path.write_text(text)
        assert "is not the configuration of a training run" in error_line(
            "train", "-o", tmp_path / "run", "--config", path
        )
    for text, complaint in (
        ('{"opponents": ["champion@99"]}', "no network is called champion@99"),
        ('{"tables": 4, "tables_per_iteration": 5}', "5 tables cannot play at once"),
        ('{"bot_table_share": 0.5, "two_learner_share": 0.5, "opponent_table_share": 0.1}', "come to 1.1 together"),
    ):
        path.write_text(text)
        assert complaint in error_line("train", "-o", tmp_path / "run", "--config", path)
    assert not (tmp_path / "run").exists()


def test_a_folder_that_cannot_be_made_is_refused(small: Path) -> None:
    assert f"cannot write to {small / 'below'}" in error_line("train", "-o", small / "below", "--config", small)


def test_a_damaged_checkpoint_is_refused(small: Path, tmp_path: Path) -> None:
    out = tmp_path / "run"
    output_of("train", "-o", out, "--config", small, "--minutes", "0")
    (out / CHECKPOINT_FILE).write_bytes(b"damaged")
    assert f"{out / CHECKPOINT_FILE} cannot be read" in error_line("train", "-o", out)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_pauses_after_the_iteration(
    monkeypatch: pytest.MonkeyPatch, small: Path, tmp_path: Path, number: int
) -> None:
    out, before = tmp_path / "run", signal.getsignal(number)

    def interrupted(average: PolicyNetwork, player: PolicyNetwork, done: int, share: float) -> None:
        os.kill(os.getpid(), number)
        update_ema(average, player, done, share)

    with monkeypatch.context() as patched:
        patched.setattr("liarsdice_lab.train.trainer.update_ema", interrupted)
        status, printed, _ = run_captured("train", "-o", out, "--config", small, "--threads", "1")
    assert status == 128 + number
    assert "paused after 1 iteration;" in printed
    assert signal.getsignal(number) is before
    assert "1/2" not in output_of("train", "-o", out, "--threads", "1")


def test_the_checkpoint_is_written_before_a_broken_pipe_ends_the_run(small: Path, tmp_path: Path) -> None:
    out = tmp_path / "run"
    run = Trainer(out, msgspec.json.decode(small.read_bytes(), type=TrainingConfig))

    def tell(*_: object) -> None:
        raise BrokenPipeError

    with pytest.raises(BrokenPipeError):
        run.run(tell)
    assert read_checkpoint(out / CHECKPOINT_FILE)["iterations_done"] == 1


def test_a_second_signal_ends_at_once() -> None:
    before = signal.getsignal(signal.SIGINT), signal.getsignal(signal.SIGTERM)
    with pause_on_signal() as pause:
        assert not pause()
        os.kill(os.getpid(), signal.SIGTERM)
        assert pause()
        assert signal.getsignal(signal.SIGINT) is signal.getsignal(signal.SIGTERM) is signal.SIG_DFL
    assert (signal.getsignal(signal.SIGINT), signal.getsignal(signal.SIGTERM)) == before


def test_repeated_sighup_requests_one_pause_unless_it_is_ignored() -> None:
    with pause_on_signal() as pause:
        for _ in range(2):  # the shell tells of it, and the system
            os.kill(os.getpid(), signal.SIGHUP)
        assert pause.signal == signal.SIGHUP
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    with pause_on_signal() as pause:
        os.kill(os.getpid(), signal.SIGHUP)
        assert not pause()
        assert signal.getsignal(signal.SIGHUP) is signal.SIG_IGN


def test_a_folder_in_which_another_program_trains_is_refused(small: Path, tmp_path: Path) -> None:
    with lock_folder(tmp_path / "run"):
        assert "another program trains in" in error_line("train", "-o", tmp_path / "run", "--config", small)
    assert not (tmp_path / "run" / CONFIG_FILE).exists()


def test_refused_rules_leave_nothing_behind(tmp_path: Path) -> None:
    rules = tmp_path / "eight.toml"
    rules.write_text('extends = "openspiel"\n[dice]\nfaces = 8\n')
    assert "cannot be learned: neural bots know dice of up to 6 faces" in error_line(
        "train", "-o", tmp_path / "run", "--rules", rules
    )
    assert not (tmp_path / "run").exists()


def test_an_empty_folder_name_is_refused() -> None:
    status, _, error = run_captured("train", "-o", "", "--iterations", "1")
    assert status == 2
    assert "an empty path" in error


@pytest.mark.parametrize("option", [("--seed", str(10**30)), ("--iterations", str(10**9))])
def test_options_out_of_range_are_refused(tmp_path: Path, option: tuple[str, str]) -> None:
    assert f"{option[0][2:]} must be a whole number <= " in error_line("train", "-o", tmp_path / "run", *option)


def test_a_network_is_taught_into_a_folder_and_plays(tmp_path: Path) -> None:
    rules, out = tmp_path / "two.toml", tmp_path / "run"
    rules.write_text("[dice]\nfaces = 2\n")
    options = ("--steps", "2", "--iterations", "2", "--match-share", "0.5", "--tables", "1", "--measure-every", "1")
    lines = output_of("train", "distill", "-o", out, "--rounds", f"{rules}:1v1", *options).splitlines()
    assert lines[0].startswith(f"{rules} 1v1: a blueprint of 2 iterations")
    assert lines[1].endswith("decisions of champion@7")
    assert [line.split(",")[0] for line in lines[2:5]] == ["0/2", "1/2", "2/2"]
    assert lines[-1] == f"the network plays as network:{out / NETWORK_FILE}"


def test_rounds_that_are_none_are_refused(tmp_path: Path) -> None:
    arguments = ("train", "distill", "-o", str(tmp_path), "--rounds")
    assert "such as perudo:2v2" in error_line(*arguments, "perudo")
    assert "such as 2v1" in error_line(*arguments, "perudo:2")


def test_rounds_are_read_with_the_dice_of_who_opens_first() -> None:
    assert str(read_round(" perudo:2v1")) == "perudo 2v1"
    with pytest.raises(MalformedError):
        read_round("2v1")


def test_state_values_are_trained_into_a_folder(tmp_path: Path) -> None:
    out = tmp_path / "values"
    options = ["--tables", "2", "--champion-tables", "1", "--matches", "20", "--epochs", "1"]
    lines = output_of("train", "value", "-o", out, *options).splitlines()
    assert lines[0] == "1/3 tables"
    assert lines[-1] == f"state values: {out / VALUE_NETWORK_FILE}"
    assert len(ValueNetwork.load(out / VALUE_NETWORK_FILE).in_round) == 3


def test_a_run_without_a_folder_is_refused() -> None:
    assert "folder of the run" in error_line("train")


def test_typical_players_are_not_learned_from_tables_of_champions(tmp_path: Path) -> None:
    arguments = ("train", "value", "-o", str(tmp_path), "--typical", "--champion-tables", "1")
    assert "leave out --champion-tables" in error_line(*arguments)
