"""Moves in answers of language models."""

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from liarsdice.core.actions import (
    Challenge,
    ChallengePass,
    ChooseKind,
    DeclareSpecial,
    Exact,
    Pass,
    PlayerAction,
    Reroll,
    SetDirection,
)
from liarsdice.core.engine.view import View, view
from liarsdice.core.errors import IllegalActionError, NotationError
from liarsdice.core.rules.bids import SUM_FACE, Bid
from liarsdice.core.rules.choices import Direction, RoundKind
from liarsdice.core.rules.overlay import patched
from liarsdice.core.rules.presets import preset, preset_names
from liarsdice.core.rules.ruleset import Ruleset
from liarsdice.core.text.move_reader import read_answer, read_move
from liarsdice.core.text.narration import bid_name
from liarsdice.core.text.turn_text import legal_moves_text, move_text
from tests.laws.random_matches import bidding_states, random_match
from tests.laws.random_rulesets import seeds, tables

PERUDO, BLUFF = preset("perudo").ruleset, preset("bluff").ruleset
ZHAI = preset("chui-niu+zhai").ruleset


def first_bidder(name: str = "perudo", seats: int = 2) -> View:
    state = next(bidding_states(random_match(preset(name).ruleset, seats, 1)))
    return view(state, state.turn)


@pytest.mark.parametrize(
    "text, move",
    [
        ("[5x4]", Bid(5, 4)),
        ("maybe [9x9]? no, [2x3]", Bid(2, 3)),
        ("5 x 4", Bid(5, 4)),
        ("[Bid: 5, 4]", Bid(5, 4)),
        ("bid (5, 4)", Bid(5, 4)),
        ("I bid 5 4s.", Bid(5, 4)),
        ("My final answer is: five fours!", Bid(5, 4)),
        ("**Move: 5x4**", Bid(5, 4)),
        ("I'll say five dice showing fours", Bid(5, 4)),
        ("one four", Bid(1, 4)),
        ("three pacos", Bid(3, 1)),
        ("three aces", Bid(3, 1)),
        ("They hold few fours.\nSo I call their bluff?\n\nMy move: 7 sixes", Bid(7, 6)),
        ("liar", Challenge()),
        ("I call liar!", Challenge()),
        ("[Call]", Challenge()),
        ("¡Dudo!", Challenge()),
        ("[challenge]", Challenge()),
        ("Calza!", Exact()),
        ("[spot on]", Exact()),
        ("I call exact", Exact()),
        ("Palifico!", DeclareSpecial()),
        ("[special]", DeclareSpecial()),
        ("I reroll.", Reroll()),
        ("counter-clockwise", SetDirection(Direction.ANTICLOCKWISE)),
        ("[silent]", None),
        ("I pass.", None),
        ("5 4", Bid(5, 4)),
        ("5,4", Bid(5, 4)),
        ("3 sixes", Bid(3, 6)),
        ("cinco cuatros", Bid(5, 4)),
        ("Digo dieciséis seises", Bid(16, 6)),
        ("dieciseis ases", Bid(16, 1)),
        ("un tres", Bid(1, 3)),
        ("\uff15×\uff14", Bid(5, 4)),
        ("[Bid] 3 3", Bid(3, 3)),
        (r"So the answer is \boxed{3x3}.", Bid(3, 3)),
        (r"\boxed{liar}", Challenge()),
        *((word, Challenge()) for word in ("call", "doubt", "I doubt it", "dudo", "open", "¡Mentira!", "l")),
        *((word, Exact()) for word in ("exact", "spot on", "calza", "¡Exacto!", "x")),
        ("sentido antihorario", SetDirection(Direction.ANTICLOCKWISE)),
        ("paso", None),
    ],
)
def test_a_move_is_read(text: str, move: PlayerAction | None) -> None:
    assert read_move(text, PERUDO) == move


@pytest.mark.parametrize("text", ["[sum7]", "I bid a sum of seven.", "sum of 7", "[suma 7]", "Sum 7!"])
def test_a_bid_on_the_sum_is_read_where_there_is_a_face_off(text: str) -> None:
    assert read_move(text, preset("perudo+face-off").ruleset) == Bid(7, SUM_FACE)


@pytest.mark.parametrize(
    "text, rules",
    [
        *(("a sum of money", "perudo+face-off"), ("a sum of seven", "perudo")),
        *((text, "perudo+face-off") for text in ("[7x0]", "bid 7, 0", "seven 0s")),
    ],
)
def test_a_sum_without_a_number_or_a_face_off_is_no_move(text: str, rules: str) -> None:
    with pytest.raises(NotationError):
        read_move(text, preset(rules).ruleset)


@pytest.mark.parametrize(
    "text, move",
    [
        ("[5x4!]", Bid(5, 4, pure=True)),
        ("[5 x 4 !]", Bid(5, 4, pure=True)),
        ("My move: **5x4!**", Bid(5, 4, pure=True)),
        ("[5x4 zhai]", Bid(5, 4, pure=True)),
        ("[Bid: 5, 4, pure]", Bid(5, 4, pure=True)),
        ("I bid five fours, zhai!", Bid(5, 4, pure=True)),
        ("I bid five fours!", Bid(5, 4)),
        ("[5x4]!", Bid(5, 4)),
    ],
)
def test_a_pure_bid_is_read_by_its_mark(text: str, move: Bid) -> None:
    assert read_move(text, ZHAI) == move


def test_an_exclamation_mark_means_nothing_where_no_bid_is_pure() -> None:
    assert read_move("[5x4!]", PERUDO) == Bid(5, 4)
    assert read_move("[5x4 zhai]", PERUDO) == Bid(5, 4, pure=True)
    with pytest.raises(IllegalActionError, match="the move 2x4! is not legal now"):
        read_answer("[2x4 zhai]", first_bidder())


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "hello",
        "I would not call liar here, nor bid five fours",
        "[5x4] or rather [hm]",
        "five",
        "open 3",
        "5 4 3",
        "many fours",
        "five foos",
        "x" * 5_000,
        "²x³",
        "[" * 2_000,
    ],
)
def test_a_text_without_a_move_is_refused(text: str) -> None:
    with pytest.raises(NotationError, match="cannot read a move"):
        read_move(text, PERUDO)


@pytest.mark.parametrize("rules", ["official", "chui-niu", "bar", "bar-strict"])
@pytest.mark.parametrize("text", ["[open]", "Open!", "I call open."])
def test_open_is_a_challenge_where_the_table_says_so(text: str, rules: str) -> None:
    assert read_move(text, preset(rules).ruleset) == Challenge()


def test_open_is_a_kind_of_round_where_openers_choose_it() -> None:
    chosen = preset("perudo+obligo-chosen").ruleset
    assert read_move("[open]", chosen) == ChooseKind(RoundKind.OPEN)
    assert read_move("[open]", chosen, lambda move: move == Challenge()) == Challenge()


def test_a_word_for_two_moves_means_the_legal_one_and_is_refused_if_both_are() -> None:
    passes = patched(PERUDO, bidding__pass_with=("alike",))
    assert read_move("I doubt it", passes, lambda move: move == Challenge()) == Challenge()
    assert read_move("I doubt it", passes, lambda move: move == ChallengePass()) == ChallengePass()
    for is_legal in (None, lambda _: True):
        with pytest.raises(NotationError, match=r"'I doubt it' can mean (doubt or liar|liar or doubt) \(write one"):
            read_move("I doubt it", passes, is_legal)
        assert read_move("doubt", passes, is_legal) == ChallengePass()
    assert read_move("I pass", passes, lambda move: move == Pass()) == Pass()
    assert read_move("I pass", passes, lambda move: move is None) is None


@pytest.mark.parametrize("text", ["7x0", "seven 0s", "bid 7, 0"])
def test_a_bid_on_face_zero_is_told_as_that(text: str) -> None:
    with pytest.raises(NotationError, match="no die has the face 0 of"):
        read_move(text, PERUDO)


def test_the_words_of_the_table_are_understood() -> None:
    assert read_move("two stars", BLUFF) == Bid(2, 1)
    assert read_move("J'accuse!", preset("mustache").ruleset) == Challenge()
    assert read_move("That’s a lie!", preset("mustache").ruleset) == Challenge()
    labels = preset("basic").ruleset.labels
    assert labels.exact == "Exact!"
    assert read_move("[exact]", PERUDO) == read_move("[Calza!]", PERUDO) == Exact()


@pytest.mark.parametrize("name", preset_names())
def test_a_refusal_says_which_moves_are_legal(name: str) -> None:
    seen = first_bidder(name)
    for answer, error, reason in (
        ("hm", NotationError, "cannot read a move in 'hm'"),
        ("[liar]", IllegalActionError, "the move liar is not legal now"),
        ("[silent]", IllegalActionError, "the move silent is not legal now"),
        ("[0x2]", NotationError, "a bid has a quantity of at least 1"),
    ):
        with pytest.raises(error, match=reason) as caught:
            read_answer(answer, seen)
        assert str(caught.value).endswith(f"; your legal moves: {legal_moves_text(seen)}")


def test_a_seat_that_is_not_on_turn_may_not_bid() -> None:
    match = random_match(preset("official").ruleset, 3, 2)
    seen = next(
        view(state, seat)
        for state in bidding_states(match)
        for seat in range(3)
        if view(state, seat).may_challenge and seat != state.turn
    )
    assert read_answer("pass", seen) is None
    with pytest.raises(IllegalActionError, match=r"9x6 is for the player on turn; your legal moves: liar.*, silent"):
        read_answer("[9x6]", seen)


def test_a_seat_without_moves_is_told_so() -> None:
    state = next(bidding_states(random_match(preset("perudo").ruleset, 2, 1)))
    with pytest.raises(IllegalActionError, match="none; it is not for you to act"):
        read_answer("[silent]", view(state, 1 - state.turn))


@pytest.mark.parametrize("name", ["chui-niu+zhai", "chui-niu+fei"])
def test_every_legal_pure_bid_is_read_back(name: str) -> None:
    for state in list(bidding_states(random_match(preset(name).ruleset, 2, 1)))[:5]:
        seen = view(state, state.turn)
        assert any(bid.pure for bid in seen.may_bid)
        for bid in seen.may_bid:
            assert read_answer(f"[{bid}]", seen) == bid
            assert read_answer(f"I bid {bid_name(seen.ruleset, bid)}.", seen) == bid


@given(tables(), seeds)
def test_every_legal_move_is_read_back(table: tuple[Ruleset, int], seed: int) -> None:
    match = random_match(*table, seed, 40)
    for state in list(bidding_states(match))[::5]:
        for seat in range(len(match.names)):
            seen = view(state, seat)
            for move in (*seen.moves, *([None] if seen.allows(None) else [])):
                assert read_answer(f"I think so [1]. [{move_text(move)}]", seen) == move
                if isinstance(move, Bid):
                    assert read_answer(f"I bid {bid_name(table[0], move)}.", seen) == move


@given(tables(), seeds, st.text(max_size=90))
def test_any_text_is_read_as_a_legal_move_or_refused(table: tuple[Ruleset, int], seed: int, text: str) -> None:
    state = next(bidding_states(random_match(*table, seed, 40)))
    seen = view(state, state.turn)
    with suppress(NotationError, IllegalActionError):
        assert seen.allows(read_answer(text, seen))
