"""A position is a whole state on one line, under any rules."""

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from liarsdice.core.engine.engine import legal, start
from liarsdice.core.engine.state import Phase, State
from liarsdice.core.errors import LiarsDiceError, MalformedError
from liarsdice.core.records.position import read_position, write_position
from liarsdice.core.rules.choices import ExactClaim, PenaltyTrigger
from liarsdice.core.rules.overlay import patched
from liarsdice.core.rules.presets import PRESETS, preset
from liarsdice.core.rules.ruleset import Ruleset
from liarsdice.play.game import Game
from tests.laws.random_matches import random_match
from tests.laws.random_rulesets import seeds, tables
from tests.laws.test_hostile_input import is_accepted

PERUDO = preset("perudo").ruleset
OPENED = "bidding 24456/11346/22355 1 0:4x2 1 perudo Ann,Bo,Cy"


def without_reveal(state: State) -> State:
    return msgspec.structs.replace(state, revealed=None)


@settings(max_examples=60)
@given(tables(), seeds, st.integers(0, 60) | st.just(1500))
def test_a_position_reads_back_as_the_same_state_under_any_rules(
    table: tuple[Ruleset, int], seed: int, length: int
) -> None:
    state = random_match(*table, seed, length).state
    text = write_position(state)
    assert text.isascii()
    assert text.isprintable()
    again = read_position(text)
    assert again == without_reveal(state)
    assert legal(again) == legal(state)
    assert write_position(again) == text


@pytest.mark.parametrize("name", PRESETS)
def test_a_preset_is_written_as_its_name(name: str) -> None:
    state = start(preset(name).ruleset, ("Ann", "Bo", "Cy"))
    assert write_position(state).split()[5] == name
    assert read_position(write_position(state)) == state


def test_house_rules_are_written_as_changes_to_the_nearest_preset() -> None:
    state = start(patched(PERUDO, dice__faces=8, exact_call=None), ("Ann", "Bo"))
    written = write_position(state)
    assert written == 'starter 5/5 0 - 0 {"extends":"perudo","dice":{"faces":8},"exact_call":null} Ann,Bo'


@pytest.mark.parametrize("who", ExactClaim)
def test_a_claim_that_a_bid_is_exact_is_kept_and_may_be_outbid(who: ExactClaim) -> None:
    game = Game(patched(PERUDO, exact_call__claim=who), ["Ann", "Bo", "Cy"], seed=1)
    game.push("1x2")
    game.push("claim", 0 if who is ExactClaim.BIDDER else 1)
    assert game.state.claimed
    assert read_position(game.position) == without_reveal(game.state)
    game.push("2x2")
    assert read_position(game.position) == without_reveal(game.state)


def test_any_name_of_a_player_fits_on_the_line() -> None:
    state = start(PERUDO, ("Ann, the 1st", "Zoë/é", "50%"))
    assert read_position(write_position(state)).names == state.names


def test_dice_with_two_digits_are_separated() -> None:
    rules = patched(PERUDO, dice__faces=12)
    text = write_position(start(rules, ("Ann", "Bo"))).replace("starter 5/5 0", "bidding 10.12/3 1")
    assert read_position(text).hands == ((10, 12), (3,))


def test_a_position_written_by_hand_needs_only_what_does_not_follow() -> None:
    state = read_position("bidding 11/24456 1 0:2x1 7 perudo Ann,Bo")
    assert (state.dice, state.starter, state.wilds_count, state.max_quantity) == ((2, 5), 0, True, 7)
    special = read_position('bidding 1/24456 0 - 7 perudo Ann,Bo {"special_seat":0,"wilds_count":false}')
    assert special.face_locked


@pytest.mark.parametrize(
    "text",
    [
        "",
        "bidding 1/2 0",
        OPENED.replace("bidding", "playing"),
        OPENED.replace("perudo", "poker"),
        OPENED.replace("perudo", '{"dice":{"faces":0}}'),
        OPENED.replace("Ann,Bo,Cy", "Ann,Bo"),
        OPENED.replace("Ann,Bo,Cy", "Ann,Ann,Cy"),
        OPENED.replace("24456", "24457"),
        OPENED.replace("24456", "24056"),
        OPENED.replace("24456", "²4456"),
        OPENED.replace(" 1 0:", " 3 0:"),
        OPENED.replace(" 1 0:", " 0 0:"),
        OPENED.replace("0:4x2", "7:4x2"),
        OPENED.replace("0:4x2", "0:4x9"),
        OPENED.replace("0:4x2", "0:liar"),
        OPENED.replace("0:4x2", "2:4x3,0:4x2"),
        OPENED.replace("0:4x2", "0:999999x2"),
        OPENED.replace("11346", "-"),
        "deal 5/0 0 - 1 perudo Ann,Bo",
        "deal 5/99999999999 0 - 1 perudo Ann,Bo",
        "deal 5/5 0 0:4x2 1 perudo Ann,Bo",
        "over 5/0 0 - 1 perudo Ann,Bo {}{}",
        'over 5/0 0 - 1 perudo Ann,Bo {"winners":[]}',
        'starter 5/5 0 - 0 perudo Ann,Bo {"rolling":[]}',
        *(
            f"{OPENED} {further}"
            for further in (
                "special=1",
                "[]",
                '{"hands":[]}',
                '{"wilds_count":2}',
                '{"starter":3}',
                '{"lives":[3,3,3]}',
                '{"special_seat":-1}',
                '{"had_special":[1,1]}',
                '{"exact_calls":[0]}',
                '{"exact_calls":[0,0,-1]}',
                '{"max_quantity":0}',
                '{"winners":[0]}',
                '{"claimed":true}',
                '{"penalties":[{"seat":0,"trigger":"asks_dice_left","dice":1}]}',
                "[" * 5000,
            )
        ),
        OPENED + " " * 300_000,
    ],
    ids=lambda text: text[-60:],
)
def test_what_is_no_position_is_refused(text: str) -> None:
    with pytest.raises(LiarsDiceError):
        read_position(text)


def test_the_position_that_the_refused_ones_change_is_read() -> None:
    assert read_position(OPENED).turn == 1


ANSWERED = 'bidding 11346/24456 0 0:4x2 1 chui-niu+counter-pi Ann,Bo {"doubled_by":1}'


def test_a_challenge_that_waits_for_an_answer_is_kept() -> None:
    state = read_position(ANSWERED)
    assert (state.turn, state.doubled_by, state.redoubled) == (0, 1, False)


@pytest.mark.parametrize(
    "text",
    [
        ANSWERED.replace("chui-niu+counter-pi", "chui-niu"),
        ANSWERED.replace(" 0 0:", " 1 0:"),
        ANSWERED.replace(":1}", ":0}"),
        ANSWERED.replace(":1}", ":7}"),
        ANSWERED.replace(":1}", ':1,"redoubled":true}'),
        ANSWERED.replace('"doubled_by":1', '"redoubled":true'),
        ANSWERED.replace("0:4x2", "-"),
    ],
    ids=lambda text: text[-60:],
)
def test_a_challenge_that_nobody_can_answer_is_refused(text: str) -> None:
    with pytest.raises(MalformedError):
        read_position(text)


def test_due_penalties_are_kept() -> None:
    text = 'bidding 1/2 0 - 1 chart Ann,Bo {"penalties":[{"seat":1,"trigger":"asks_dice_left","dice":1}]}'
    state = read_position(text)
    assert state.penalties[0].trigger is PenaltyTrigger.ASKS_DICE_LEFT
    with pytest.raises(MalformedError, match="penalties are those of the rules"):
        read_position(text.replace('"dice":1', '"dice":2'))


@settings(max_examples=60)
@given(st.data())
def test_a_damaged_position_is_refused_or_can_be_played(data: st.DataObject) -> None:
    text = data.draw(st.sampled_from([OPENED, 'deal 3/0/2 2 - 4 perudo A,B,C {"special_seat":2,"had_special":[2]}']))
    place = data.draw(st.integers(0, len(text) - 1))
    damaged = text[:place] + data.draw(st.text(max_size=2)) + text[place + data.draw(st.integers(0, 3)) :]
    if is_accepted(lambda: read_position(damaged)):
        state = read_position(damaged)
        assert legal(state).turn is None or legal(state).moves(state.turn)
        assert state.phase is not Phase.BIDDING or len(state.hands) == len(state.names)
