"""The answer to a player who asks for estimates: what it says, and that its length tells nothing about dice."""

from __future__ import annotations

import random
from collections.abc import Iterator

import msgspec
import pytest

from liarsdice.bots.neural.explain import explain
from liarsdice.core.engine.view import view
from liarsdice.core.rules.bids import Bid
from liarsdice.core.rules.overlay import patched
from liarsdice.core.rules.presets import preset
from liarsdice.core.rules.ruleset import Ruleset
from liarsdice.core.rules.tally import Hand
from liarsdice.server.http.training import Estimator, TrainingResponse, training_body
from tests.bots.positions import dealt_state

PERUDO = preset("perudo").ruleset
HANDS: tuple[Hand, ...] = ((1, 2, 3, 4, 5), (2, 2, 3, 6, 6), (1, 4, 4, 5, 6))
BIDS = (Bid(3, 6), Bid(4, 6))
RULES = {
    "perudo": PERUDO,
    "stairs": preset("snyd-stairs").ruleset,
    "calls out of turn": preset("official").ruleset,
    "eight faces": patched(PERUDO, dice__faces=8),
}


def response(rules: Ruleset, seat: int, bids: tuple[Bid, ...] = BIDS) -> TrainingResponse:
    body = training_body(view(dealt_state(rules, HANDS, bids), seat), 1, 7)
    return msgspec.json.decode(body, type=TrainingResponse)


def deals(dice: tuple[int, ...], faces: int) -> Iterator[tuple[Hand, ...]]:
    """All dice alike, stairs, and random dice."""
    rng = random.Random(1)
    yield tuple((6,) * held for held in dice)
    yield tuple(tuple(range(1, held + 1)) for held in dice)
    yield tuple(tuple(rng.randint(1, faces) for _ in range(held)) for held in dice)


def test_the_answer_says_what_the_champion_makes_of_the_seat() -> None:
    answer, explanation = response(PERUDO, 2), explain(view(dealt_state(PERUDO, HANDS, BIDS), 2))
    assert (answer.number, answer.turn_id, answer.by) == (1, 7, Estimator.CHAMPION)
    assert [worth.move for worth in answer.moves] == [estimate.move for estimate in explanation.moves]
    assert [worth.value for worth in answer.moves] == sorted((worth.value for worth in answer.moves), reverse=True)
    assert {count.seat for count in answer.counts} == {0, 1}
    for count in answer.counts:
        assert sum(count.before) == pytest.approx(100, abs=4)  # what is possible has at least 1
        assert sum(count.after) == pytest.approx(100, abs=4)
    for worth in answer.moves:
        assert (worth.tells is not None) == isinstance(worth.move, Bid)


@pytest.mark.parametrize("rules", RULES.values(), ids=RULES)
def test_what_the_own_dice_decide_is_certain_and_nothing_else_is(rules: Ruleset) -> None:
    for seat in range(3):
        for bid in (Bid(1, 2), Bid(2, 2), Bid(2, 6), Bid(12, 6), Bid(15, 3)):
            answer = response(rules, seat, (bid,))
            for certainty in (0, 100):
                assert (answer.likely == certainty) == (answer.likely_by_bids == certainty), (seat, bid)


def test_an_opening_and_a_seat_that_waits_are_answered_too() -> None:
    opening = response(PERUDO, 0, bids=())
    assert (opening.likely, opening.counts) == (None, ())
    assert opening.moves
    waiting = response(PERUDO, 0, BIDS[:1])
    assert waiting.likely is not None
    assert waiting.moves == ()


def test_dice_that_the_champion_does_not_know_are_answered_by_the_odds() -> None:
    answer = response(RULES["eight faces"], 2)
    assert answer.by is Estimator.ODDS
    assert answer.likely == answer.likely_by_bids
    assert all(count.before == count.after for count in answer.counts)
    assert answer.moves == ()


@pytest.mark.parametrize("name", RULES)
@pytest.mark.parametrize(
    "dice, bids", [((3, 2, 3), ()), ((3, 2, 3), (Bid(1, 2), Bid(2, 2))), ((1, 1, 0), (Bid(1, 3),))]
)
def test_the_length_of_an_answer_does_not_depend_on_any_dice(
    name: str, dice: tuple[int, ...], bids: tuple[Bid, ...]
) -> None:
    rules = RULES[name]
    for seat in (0, len(bids) % 3):
        if dice[seat]:
            bodies = [
                training_body(view(dealt_state(rules, hands, bids), seat), 1, 7)
                for hands in deals(dice, rules.dice.faces)
            ]
            assert len({len(body) for body in bodies}) == 1
            assert all(body.endswith(b" ") for body in bodies), "no answer is as long as the longest"


def test_hidden_dice_change_no_byte_of_an_answer() -> None:
    other_hands = ((6, 6, 6, 6, 6), (1, 1, 3, 3, 3), HANDS[2])
    first, second = (training_body(view(dealt_state(PERUDO, hands, BIDS), 2), 1, 7) for hands in (HANDS, other_hands))
    assert first == second
