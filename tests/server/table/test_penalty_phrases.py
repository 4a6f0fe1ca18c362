"""Questions that cost a die are recognised in English and Spanish, and other talk is not."""

import pytest

from liarsdice.core.errors import MalformedError
from liarsdice.core.rules.choices import PenaltyTrigger
from liarsdice.server.table.command_handler import normalize_line, penalty_triggers_in

WHOSE_TURN, DICE_LEFT = PenaltyTrigger.ASKS_WHOSE_TURN, PenaltyTrigger.ASKS_DICE_LEFT


@pytest.mark.parametrize(
    "text, triggers",
    [
        ("Whose turn is it?", (WHOSE_TURN,)),
        ("who's next", (WHOSE_TURN,)),
        ("am I up?", (WHOSE_TURN,)),
        ("¿A quién le toca?", (WHOSE_TURN,)),
        ("¿me toca a mí?", (WHOSE_TURN,)),
        ("my turn?", (WHOSE_TURN,)),
        ("is it me?", (WHOSE_TURN,)),
        ("who goes now?", (WHOSE_TURN,)),
        ("who is up?", (WHOSE_TURN,)),
        ("¿me toca jugar?", (WHOSE_TURN,)),
        ("te toca?", (WHOSE_TURN,)),
        ("¿le toca a Bo?", (WHOSE_TURN,)),
        ("¿es mi turno?", (WHOSE_TURN,)),
        ("¿quién va ahora?", (WHOSE_TURN,)),
        ("¿y ahora quién?", (WHOSE_TURN,)),
        ("How many dice do you have?", (DICE_LEFT,)),
        ("how many dice has Bo?", (DICE_LEFT,)),
        ("how many dice you got?", (DICE_LEFT,)),
        ("how many dice in total?", (DICE_LEFT,)),
        ("the number of dice left, please", (DICE_LEFT,)),
        ("¿cuántos dados son en total?", (DICE_LEFT,)),
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
        "my turn, I bid four threes",
        "who is up for another match?",
        "is it me or is it hot in here?",
        "how many dice has Bo bid?",
        "how many fives?",
        "how many dice do you bet?",
        "how many dice did you say?",
        "how many fives are left in you?",
        "me toca jugar",
        "me toca perder, ¿eh?",
        "es mi turno",
        "¿quién va ganando?",
        "¿quién juega mañana?",
        "¿cuántos cincos?",
        "¿cuántos dados apuestas?",
    ],
)
def test_other_talk_is_not(text: str) -> None:
    assert penalty_triggers_in(text) == ()


@pytest.mark.parametrize(
    "text", ["", " ", "\u2800", "hi\u2800", "\u3164", "\u200d", "\u0301", "a" + "\u0336" * 4, "a\nb", "x" * 281]
)
def test_lines_of_what_nobody_can_see_or_of_stacked_marks_are_refused(text: str) -> None:
    with pytest.raises(MalformedError):
        normalize_line(text)


@pytest.mark.parametrize(
    "text", ["hello", "\u05e9\u05c1\u05bc\u05b8", "\U0001f468\u200d\U0001f469", "1\ufe0f\u20e3", "\u0e17\u0e35\u0e48"]
)
def test_lines_of_every_script_and_emoji_may_be_said(text: str) -> None:
    assert normalize_line(f" {text} ")
