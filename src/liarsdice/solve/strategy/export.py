"""Strategies for other programs: tables of information sets as CSV, JSON and Parquet."""

import csv
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from liarsdice.core.actions import Challenge
from liarsdice.core.bids.notation import notate
from liarsdice.core.errors import UnavailableError
from liarsdice.core.rules.bids import Bid
from liarsdice.core.rules.presets import preset
from liarsdice.core.rules.tally import Hand
from liarsdice.runtime.atomic_files import replace_atomically
from liarsdice.runtime.public_api import import_optional
from liarsdice.solve.round_game import with_faces
from liarsdice.solve.strategy.strategy import ActionProbs, Strategy, iter_information_sets, same_round_rules

COLUMNS = ("seat", "hand", "bids", "action", "probability")
ROW_GROUP = 100_000
"""How many rows a Parquet file stores together, and how many are in memory at the same time."""

Row = tuple[int, str, str, str, float]


def export_strategy(strategy: Strategy, path: Path) -> None:
    """Write every information set of a strategy to a file; its suffix says how: `.csv`, `.json` or `.parquet`.

    CSV and Parquet have a row for each action that is taken, with the columns `COLUMNS`: hands such as `2 5`, bids such
    as `1x5 2x5`, actions such as `3x5`, `liar` and `exact`. JSON has an object with the rules, the bounds and the
    information sets. Raises `UnavailableError` for another suffix, without pyarrow for Parquet, or if the file cannot
    be written.
    """
    writer = WRITERS.get(path.suffix.lower())
    if writer is None:
        raise UnavailableError(f"a strategy is exported to a file that ends in {', '.join(WRITERS)}, not {path.name!r}")
    try:
        with replace_atomically(path) as temporary:
            writer(strategy, temporary)
    except OSError as error:
        raise UnavailableError(f"cannot write {path}: {error.strerror}") from error


def rows(strategy: Strategy) -> Iterator[Row]:
    """Yield a row for each action that a hand takes: seat, hand, bids, action, probability."""
    for node in iter_information_sets(strategy):
        hand, bids = " ".join(map(str, node.hand)), " ".join(map(notate, node.bids))
        for action, probability in node.probs.items():
            yield node.seat, hand, bids, notate(action), probability


def _write_csv(strategy: Strategy, path: Path) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(COLUMNS)
        writer.writerows(rows(strategy))


def _write_json(strategy: Strategy, path: Path) -> None:
    bounds = strategy.bounds
    heading = {
        "rules": strategy.tree.game.rules,
        "dice": strategy.start.dice,
        "value": strategy.value,
        "value_bounds": (bounds.low, bounds.high),
        "exploitability": bounds.exploitability,
    }
    with path.open("wb") as file:
        file.write(msgspec.json.encode(heading)[:-1] + b',"information_sets":[')
        for number, node in enumerate(iter_information_sets(strategy)):
            actions = {notate(action): probability for action, probability in node.probs.items()}
            plain = {"seat": node.seat, "hand": node.hand, "bids": [*map(notate, node.bids)], "actions": actions}
            file.write((b",\n" if number else b"\n") + msgspec.json.encode(plain))
        file.write(b"\n]}\n")


def _write_parquet(strategy: Strategy, path: Path) -> None:
    pyarrow = import_optional("pyarrow", "research", "Parquet needs pyarrow")
    parquet = import_optional("pyarrow.parquet", "research", "Parquet needs pyarrow")
    types = (pyarrow.int8(), pyarrow.string(), pyarrow.string(), pyarrow.string(), pyarrow.float64())
    schema = pyarrow.schema(zip(COLUMNS, types, strict=True))
    remaining = rows(strategy)
    with parquet.ParquetWriter(path, schema) as writer:
        while group := list(islice(remaining, ROW_GROUP)):
            writer.write_table(pyarrow.table(list(zip(*group, strict=True)), schema=schema))


WRITERS: dict[str, Callable[[Strategy, Path], None]] = {
    ".csv": _write_csv,
    ".json": _write_json,
    ".parquet": _write_parquet,
}


NEED = "a policy of OpenSpiel needs it"


def tabular_policy(strategy: Strategy) -> Any:  # noqa: ANN401  OpenSpiel has no types
    """Return a strategy as an `open_spiel.python.policy.TabularPolicy` of OpenSpiel's game `liars_dice`.

    The rules are those of the preset `openspiel`, with any number of faces and as many dice for both players. Where no
    player comes who plays to win, and in a pruned strategy none who follows it, the policy challenges. Raises
    `UnavailableError` for other rules, and without OpenSpiel.
    """
    rules, (dice, other_dice) = strategy.tree.game.rules, strategy.start.dice
    faces = rules.dice.faces
    if dice != other_dice or not same_round_rules(rules, with_faces(preset("openspiel").ruleset, faces)):
        raise UnavailableError(
            f"OpenSpiel's liars_dice has the rules of openspiel and as many dice for both, not {strategy.start} by"
            f" {rules.labels.game}"
        )
    pyspiel = import_optional("pyspiel", "research", NEED)
    policies = import_optional("open_spiel.python.policy", "research", NEED)
    policy = policies.TabularPolicy(pyspiel.load_game(f"liars_dice(players=2,numdice={dice},dice_sides={faces})"))
    for index, state in enumerate(policy.states):
        actions, mover = state.history(), state.current_player()
        hand = tuple(sorted(1 + face for face in actions[mover * dice : (mover + 1) * dice]))
        bids = [Bid(1 + action // faces, 1 + action % faces) for action in actions[2 * dice :]]
        policy.action_probability_array[index] = _shares(answer_or_challenge(strategy, hand, bids), dice, faces)
    return policy


def answer_or_challenge(strategy: Strategy, hand: Hand, bids: Sequence[Bid]) -> ActionProbs:
    """Return how likely a hand takes each action after these bids; a challenge, if the strategy does not cover them."""
    try:
        return strategy.action_probs(hand, bids)
    except UnavailableError:  # nobody comes here who plays to win
        return {Challenge(): 1.0}


def _shares(probs: ActionProbs, dice: int, faces: int) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    """Return probabilities by OpenSpiel's numbers of actions, float64 [action]: bids, then the challenge."""
    shares = np.zeros(2 * dice * faces + 1)
    for action, probability in probs.items():
        number = (action.quantity - 1) * faces + action.face - 1 if isinstance(action, Bid) else -1
        shares[number] = probability
    return shares
