"""Questions that cost a die are recognised in English and Spanish, and other talk is not."""

import pytest

from liarsdice.core.rules.choices import PenaltyTrigger
from liarsdice.server.table.penalty_phrases import penalty_triggers_in

WHOSE_TURN, DICE_LEFT = PenaltyTrigger.ASKS_WHOSE_TURN, PenaltyTrigger.ASKS_DICE_LEFT


@pytest.mark.parametrize(
    "text, triggers",
    [
        ("Whose turn is it?", (WHOSE_TURN,)),
        ("who's next", (WHOSE_TURN,)),
        ("am I up?", (WHOSE_TURN,)),
        ("¿A quién le toca?", (WHOSE_TURN,)),
        ("¿me toca a mí?", (WHOSE_TURN,)),
        ("How many dice do you have?", (DICE_LEFT,)),
        ("how many has Bo got", (DICE_LEFT,)),
        ("how many are left?", (DICE_LEFT,)),
        ("How many left", (DICE_LEFT,)),
        ("how many dice do we have left", (DICE_LEFT,)),
        ("how many have you still got?", (DICE_LEFT,)),
        ("how many dice?", (DICE_LEFT,)),
        ("how many dice are there on the table?", (DICE_LEFT,)),
        ("¿Cuántos te quedan?", (DICE_LEFT,)),
        ("¿cuántos quedan?", (DICE_LEFT,)),
        ("cuantos dados tiene Bo", (DICE_LEFT,)),
        ("¿cuántos dados hay?", (DICE_LEFT,)),
        ("whose turn is it, and how many dice are left?", (WHOSE_TURN, DICE_LEFT)),
    ],
)
def test_questions_that_cost_a_die_are_recognised(text: str, triggers: tuple[PenaltyTrigger, ...]) -> None:
    assert penalty_triggers_in(text) == triggers


@pytest.mark.parametrize(
    "text",
    [
        "",
        "five fives",
        "it is my turn",
        "how many fives?",
        "how many dice do you bet?",
        "how many dice did you say?",
        "how many fives are left in you?",
        "me toca jugar",
        "¿cuántos cincos?",
        "¿cuántos dados apuestas?",
    ],
)
def test_other_talk_is_not(text: str) -> None:
    assert penalty_triggers_in(text) == ()
