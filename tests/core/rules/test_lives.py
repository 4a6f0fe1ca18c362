"""Lives are kept as those that are left, and shown as the table counts them."""

import pytest

from liarsdice.core.errors import RulesetError
from liarsdice.core.rules.choices import AllDifferent, PassHand, Tally
from liarsdice.core.rules.meaning import (
    counts_taken,
    has_lives,
    least_dice,
    lives_are_limited,
    shown_stakes,
    starting_lives,
)
from liarsdice.core.rules.overlay import patched
from liarsdice.core.rules.parts import UNLIMITED_LIVES
from liarsdice.core.rules.presets import preset
from liarsdice.core.rules.presets.preset import Changes
from liarsdice.core.rules.ruleset import Ruleset

DICE, LIVES = Ruleset(), patched(Ruleset(), loss__lives=3)
POINTS, DRINKS = patched(LIVES, loss__tally=Tally.TAKEN), preset("chui-niu+drinks").ruleset


@pytest.mark.parametrize(
    "rules, start, limited, shown",
    [(DICE, None, False, 2), (LIVES, 3, True, 2), (POINTS, 3, True, 1), (DRINKS, UNLIMITED_LIVES, False, None)],
    ids=["dice", "lives", "points", "drinks"],
)
def test_what_a_table_counts_follows_from_the_rules(
    rules: Ruleset, start: int | None, limited: bool, shown: int | None
) -> None:
    assert starting_lives(rules) == start
    assert has_lives(rules) is (start is not None)
    assert lives_are_limited(rules) is limited
    assert shown is None or shown_stakes(rules, 2) == shown


def test_a_player_is_in_with_one_die_or_with_as_many_as_the_rules_ask_for() -> None:
    assert [least_dice(rules) for rules in (DICE, LIVES)] == [1, 1]
    assert [least_dice(patched(rules, loss__out_below=3)) for rules in (DICE, LIVES)] == [3, 1]


def test_a_tally_without_lives_counts_nothing() -> None:
    assert not counts_taken(patched(Ruleset(), loss__tally=Tally.TAKEN))
    assert counts_taken(DRINKS)
    assert shown_stakes(DRINKS, UNLIMITED_LIVES - 4) == 4


def test_rules_without_a_tally_are_written_as_before() -> None:
    assert patched(POINTS, loss__tally=None) == LIVES


def test_where_all_keep_their_dice_a_pass_needs_a_hand_that_all_of_them_can_make() -> None:
    changes: Changes = {
        "bidding__pass_with": (PassHand.ALL_DIFFERENT,),
        "bidding__pass_dice": 3,
        "count__all_different": AllDifferent.ROLLED_AGAIN,
    }
    patched(preset("chui-niu").ruleset, **changes)  # players with three dice can pass
    with pytest.raises(RulesetError, match=r"pass_with all_different: nobody can have such a hand"):
        patched(preset("chui-niu+lives").ruleset, **changes)
