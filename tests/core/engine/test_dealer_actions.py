"""The dealer's rolls, starters and deals are accepted when the match waits for them, with as many dice as it needs."""

import msgspec
import pytest

from liarsdice.core.actions import ChooseStarter, Deal, RollForStart
from liarsdice.core.engine.engine import decide_dealer, evolve_all, start
from liarsdice.core.errors import IllegalActionError, MalformedError
from liarsdice.core.events import Dealt, RoundStarted, StarterFound, StarterRolled
from liarsdice.core.rules.choices import StarterMethod
from liarsdice.core.rules.overlay import patched
from liarsdice.core.rules.presets import preset

ROLLED = start(preset("chart").ruleset, ("Ann", "Bo", "Cy"))
CHOSEN = start(preset("basic").ruleset, ("Ann", "Bo"))
DEALING = evolve_all(CHOSEN, [StarterFound(1, StarterMethod.CHOSEN)])


def test_players_who_tie_for_the_highest_roll_roll_again() -> None:
    assert decide_dealer(ROLLED, RollForStart(((5,), (6,), (6,)))) == [StarterRolled(((5,), (6,), (6,)), (1, 2))]
    tied = evolve_all(ROLLED, decide_dealer(ROLLED, RollForStart(((5,), (6,), (6,)))))
    assert decide_dealer(tied, RollForStart(((), (2,), (3,))))[1] == StarterFound(2, StarterMethod.HIGH_ROLL)


def test_a_starter_is_chosen_or_rolled_for_as_the_rules_say() -> None:
    assert decide_dealer(CHOSEN, ChooseStarter(1)) == [StarterFound(1, StarterMethod.CHOSEN)]
    with pytest.raises(IllegalActionError, match="nobody rolls for the start now"):
        decide_dealer(CHOSEN, RollForStart(((1,), (2,))))
    with pytest.raises(IllegalActionError, match="no starter is chosen now"):
        decide_dealer(ROLLED, ChooseStarter(0))
    with pytest.raises(MalformedError, match="no seat 2"):
        decide_dealer(CHOSEN, ChooseStarter(2))


def test_a_deal_starts_a_round() -> None:
    hands = ((1, 2, 3, 4, 5), (6, 6, 6, 6, 6))
    started, dealt = decide_dealer(DEALING, Deal(hands))
    assert isinstance(started, RoundStarted)
    assert (started.number, started.starter, started.dice) == (1, 1, (5, 5))
    assert dealt == Dealt(hands)
    with pytest.raises(IllegalActionError, match="dice are dealt between rounds"):
        decide_dealer(CHOSEN, Deal(hands))


def test_a_full_hand_that_is_all_different_is_rolled_again_where_the_rules_say_so() -> None:
    again = msgspec.structs.replace(DEALING, ruleset=preset("chui-niu+reroll-different").ruleset)
    with pytest.raises(IllegalActionError, match="the dice of Bo are all different: they are rolled again"):
        decide_dealer(again, Deal(((1, 1, 3, 4, 5), (2, 3, 4, 5, 6))))
    assert decide_dealer(again, Deal(((1, 1, 3, 4, 5), (2, 3, 4, 5, 5))))
    assert decide_dealer(DEALING, Deal(((1, 1, 3, 4, 5), (2, 3, 4, 5, 6))))


@pytest.mark.parametrize(
    "hands, message",
    [
        (((1, 2, 3, 4, 5),), "1 hands came for 2 seats"),
        (((1, 2, 3, 4, 5), (1,)), "Bo has 5 dice to roll, but 1 came"),
        (((1, 2, 3, 4, 5), (1, 2, 3, 4, 7)), "7 is no face of a die with 6 faces"),
        (((1, 2, 3, 4, 5), (1, 2, 3, 4, True)), "True is no face"),
    ],
)
def test_hands_that_do_not_fit_the_match_are_refused(hands: tuple[tuple[int, ...], ...], message: str) -> None:
    with pytest.raises(MalformedError, match=message):
        decide_dealer(DEALING, Deal(hands))


def test_dice_show_only_the_faces_that_those_of_the_seat_have() -> None:
    rules = patched(preset("basic").ruleset, dice__faces=8, dice__faces_by_seat=(4,))
    mixed = msgspec.structs.replace(DEALING, ruleset=rules)
    assert decide_dealer(mixed, Deal(((4, 4, 4, 4, 4), (8, 8, 8, 8, 8))))
    with pytest.raises(MalformedError, match="5 is no face of a die with 4 faces"):
        decide_dealer(mixed, Deal(((4, 4, 4, 4, 5), (8, 8, 8, 8, 8))))
