"""The solution of a face-off, compared with a plain best response that looks at one list of bids at a time."""

from pathlib import Path

import numpy as np
import pytest

from liarsdice.core.errors import MalformedError, UnavailableError
from liarsdice.solve.face_off_solver import (
    FaceOffStrategy,
    assess_face_off,
    read_face_off,
    solve_face_off,
    write_face_off,
)

CHALLENGE = 0
"""The challenge among the sums that a player may bid."""

Weights = dict[int, float]
"""The probability of each die of the other player, together with the bids that it has made."""


def action_probs(strategy: FaceOffStrategy, die: int, sums: tuple[int, ...]) -> dict[int, float]:
    """What a player does: each sum that may be bid, and the challenge."""
    bids = strategy.bid_probs(die, sums)
    return bids | ({CHALLENGE: 1 - sum(bids.values())} if sums else {})


def best_payoff(strategy: FaceOffStrategy, die: int, sums: tuple[int, ...], others: Weights, *, on_turn: bool) -> float:
    """The most that a player with this die can get against the strategy, 1 for a win, weighted by `others`."""
    highest = sum(strategy.faces)
    if on_turn:
        raises = range(sums[-1] + 1 if sums else 2, highest + 1)
        payoffs = [best_payoff(strategy, die, (*sums, total), others, on_turn=False) for total in raises]
        if sums:
            payoffs.append(sum(p if die + other < sums[-1] else -p for other, p in others.items()))
        return max(payoffs)
    payoff = 0.0
    for action in action_probs(strategy, next(iter(others)), sums):
        weights = {other: p * action_probs(strategy, other, sums)[action] for other, p in others.items()}
        if action == CHALLENGE:
            payoff += sum(-p if die + other < sums[-1] else p for other, p in weights.items())
        else:
            payoff += best_payoff(strategy, die, (*sums, action), weights, on_turn=True)
    return payoff


def plain_exploitability(strategy: FaceOffStrategy) -> float:
    total = 0.0
    for seat, faces in enumerate(strategy.faces):
        other_faces = strategy.faces[1 - seat]
        others = dict.fromkeys(range(1, other_faces + 1), 1 / other_faces)
        mean = sum(best_payoff(strategy, die, (), others, on_turn=seat == 0) for die in range(1, faces + 1)) / faces
        total += mean
    return total / 4


@pytest.mark.parametrize("faces", [(2, 2), (2, 3), (3, 2), (3, 3)])
def test_a_solution_is_nearly_unexploitable_by_a_plain_best_response_too(faces: tuple[int, int]) -> None:
    strategy = solve_face_off(faces, 200)
    assert strategy.exploitability < 0.002
    assert plain_exploitability(strategy) == pytest.approx(strategy.exploitability, abs=1e-9)


def test_who_opens_wins_half_of_the_matches_with_two_faces_each_and_five_in_nine_with_three() -> None:
    assert solve_face_off((2, 2), 200).value == pytest.approx(0.5, abs=0.001)
    assert solve_face_off((3, 3), 200).value == pytest.approx(5 / 9, abs=0.001)


def test_probabilities_are_those_of_legal_actions() -> None:
    strategy = solve_face_off((3, 3), 20)
    for bids in range(1 << 5):
        lowest = bids.bit_length()
        assert strategy.probs[bids].sum(axis=1) == pytest.approx(1)
        assert not strategy.probs[bids, :, :lowest].any()
    assert not strategy.probs[0, :, -1].any()  # there is nothing to challenge before a bid
    assert list(strategy.bid_probs(1, (2, 4))) == [5, 6]
    assert strategy.bid_probs(3, (6,)) == {}
    assert sum(strategy.bid_probs(1, ()).values()) == pytest.approx(1)


def test_the_solution_answers_after_own_bids_that_it_never_makes() -> None:
    """Whoever bid four with a one, and then hears the highest sum, still knows that it is false."""
    strategy = solve_face_off((3, 3), 200)
    assert strategy.bid_probs(1, ())[5] < 1e-3
    assert sum(strategy.bid_probs(1, (5, 6)).values()) == 0
    assert strategy.bid_probs(1, (2, 3, 5))[6] < 0.05


def test_play_at_random_is_exploitable() -> None:
    strategy = solve_face_off((3, 3), 100)
    uniform = assess_face_off((3, 3), np.zeros_like(strategy.probs))
    assert uniform.exploitability > 0.1 > 10 * strategy.exploitability
    assert plain_exploitability(uniform) == pytest.approx(uniform.exploitability, abs=1e-9)


@pytest.mark.parametrize("faces", [(1, 6), (8, 9), (20, 20)])
def test_dice_with_too_few_or_too_many_faces_are_refused(faces: tuple[int, int]) -> None:
    with pytest.raises(UnavailableError, match="face-offs are solved"):
        solve_face_off(faces)


def test_a_strategy_is_read_as_it_was_written_but_for_rounding(tmp_path: Path) -> None:
    solved = solve_face_off((2, 3), 50)
    write_face_off(tmp_path / "face-off.npz", solved)
    read = read_face_off(tmp_path / "face-off.npz")
    assert read.faces == (2, 3)
    assert read.probs == pytest.approx(solved.probs, abs=1e-4)
    assert read.value == pytest.approx(solved.value, abs=1e-3)
    assert read.exploitability == pytest.approx(solved.exploitability, abs=1e-3)


def test_a_file_of_something_else_is_refused_by_name(tmp_path: Path) -> None:
    text, other, wrong = (tmp_path / name for name in ("text.npz", "other.npz", "wrong.npz"))
    text.write_text("no archive")
    np.savez(other, weights=np.zeros(3))
    np.savez(wrong, faces=np.array([2, 3]), probs=np.zeros((3, 3, 3)))
    for file in (text, other, wrong):
        with pytest.raises(MalformedError, match=f"{file.name} is no file of a face-off"):
            read_face_off(file)
    with pytest.raises(FileNotFoundError):
        read_face_off(tmp_path / "absent.npz")
