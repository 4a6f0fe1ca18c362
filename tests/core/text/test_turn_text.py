"""What a seat reads before it moves."""

import re

import msgspec
import pytest
from hypothesis import given

from liarsdice.core.actions import AnswerDouble, Challenge, Exact, PlayerAction, SetDirection
from liarsdice.core.bids.notation import parse_bid
from liarsdice.core.engine.engine import decide, evolve_all, start
from liarsdice.core.engine.state import State
from liarsdice.core.engine.view import View, view
from liarsdice.core.errors import MalformedError
from liarsdice.core.records.position import read_position
from liarsdice.core.rules.bid_space import UNCAPPED_QUANTITY
from liarsdice.core.rules.bids import Bid
from liarsdice.core.rules.choices import Answer, Direction, DoubleAnswers, HandBonus, LivesLimit, Reversal, WhoCalls
from liarsdice.core.rules.overlay import patched
from liarsdice.core.rules.presets import preset, preset_names
from liarsdice.core.rules.ruleset import Ruleset
from liarsdice.core.text.narration import bid_name
from liarsdice.core.text.rulebook import rulebook, to_text
from liarsdice.core.text.turn_text import (
    answer_format,
    legal_moves_text,
    move_text,
    moves_text,
    odds_text,
    rules_text,
    turn_text,
)
from tests.laws.random_matches import RandomMatch, bidding_states, random_match
from tests.laws.random_rulesets import seeds, tables

BASIC, PERUDO = preset("basic").ruleset, preset("perudo").ruleset


def states_with_bids(match: RandomMatch) -> list[State]:
    return [state for state in bidding_states(match) if state.bids]


def with_hands(state: State, *hands: tuple[int, ...]) -> State:
    return msgspec.structs.replace(state, hands=hands, dice=tuple(map(len, hands)))


def test_a_turn_is_told_in_full() -> None:
    state = states_with_bids(random_match(PERUDO, 2, 1))[0]
    state = with_hands(state, (6, 1, 3), (5, 5))
    bidder, bid = state.bids[-1]
    text = turn_text(view(state, state.turn))
    own = ("1 3 6", "5 5")[state.turn]
    names = ("Ann", "Bo")
    moves = text.splitlines()[-1]
    assert text.splitlines()[:-1] == [
        f"You are {names[state.turn]}. Your dice: {own}.",
        "Dice in play: 5 (Ann: 3, Bo: 2).",
        f"Round 1. {names[bidder]} opens it. Play goes clockwise.",
        "Dice that show 1 are wild: they count as every face.",
        f"Bids of this round, in order: {names[bidder]}: {bid}.",
        f"Standing bid: {bid} by {names[bidder]} ({bid_name(PERUDO, bid)}).",
        "It is your turn.",
    ]
    assert moves.startswith("Your legal moves: ")
    assert moves.endswith(", liar. Answer with one of them in square brackets.")


def test_dice_are_told_as_they_lie_where_their_order_counts() -> None:
    rules = patched(PERUDO, count__hand_bonus=HandBonus.STAIRS_IN_ORDER)
    state = with_hands(states_with_bids(random_match(rules, 2, 1))[0], (2, 1, 3), (2, 1, 3))
    assert "Your dice: 2 1 3." in turn_text(view(state, 0))


def test_dice_that_count_double_are_written_twice() -> None:
    rules = preset("bluff+double").ruleset
    state = with_hands(states_with_bids(random_match(rules, 2, 1))[0], (4, 3, 1), (4, 3, 1))
    text = turn_text(view(state, 0))
    assert "Your dice: 4&4 1 3." in text
    assert "A die that is written as 4&4 counts as two dice with its face." in text


def test_the_faces_of_the_dice_are_told_where_they_differ() -> None:
    state = states_with_bids(random_match(preset("basic+mixed-dice").ruleset, 2, 1))[0]
    state = with_hands(state, (1, 4, 3), (5, 6))
    assert "Dice in play: 5 (Ann: 3 with 4 faces, Bo: 2 with 6 faces)." in turn_text(view(state, 0))


@pytest.mark.parametrize("name", preset_names())
def test_every_preset_has_texts_for_every_phase(name: str) -> None:
    rules = preset(name).ruleset
    match, text = random_match(rules, 3, 5), ""
    for state in [start(rules, match.names), *(step.after for step in match.steps)]:
        for seat in range(3):
            text = turn_text(view(state, seat), with_odds=True)
            assert text.startswith(f"You are {match.names[seat]}.")
            assert ("Your legal moves: " in text) == bool(view(state, seat).moves)
    assert text.splitlines()[-1].startswith("The match is over. Winners: ")
    assert rules_text(rules).startswith(to_text(rulebook(rules)).rstrip())
    assert not re.search(r"bracket|\[\w", rules_text(rules, as_argument=True).rpartition("How to write a move")[2])


def test_the_format_of_an_answer_names_what_the_rules_have() -> None:
    assert "[exact]" not in answer_format(BASIC)
    assert "[exact] calls the standing bid exactly right (“Calza!”)" in answer_format(PERUDO)
    assert "[silent]" not in answer_format(BASIC)
    assert "[silent]" in answer_format(preset("official").ruleset)
    assert "before the opening bid" in answer_format(preset("classic+reversa").ruleset)
    once = patched(preset("classic").ruleset, turn__starter_may_reverse=Reversal.FIRST_ROUND)
    assert "[clockwise] or [anticlockwise]" in answer_format(once)
    assert "before the first bid of the match" in answer_format(once)


def test_pure_bids_are_explained_where_the_rules_have_them() -> None:
    zhai = preset("chui-niu+zhai").ruleset
    assert "[2x3!] bids two threes zhai: no dice are wild while the bid stands." in answer_format(zhai)
    assert "!]" not in answer_format(PERUDO)


def test_challenges_for_twice_the_stake_are_explained_where_the_rules_have_them() -> None:
    pi = answer_format(preset("chui-niu+pi").ruleset)
    assert "[double] calls it false for twice the stake: everything that the call costs is doubled." in pi
    assert "[silent]" in pi
    on_turn = answer_format(patched(BASIC, challenge__double=WhoCalls.NEXT_PLAYER))
    assert "[double]" in on_turn
    assert "[silent]" not in on_turn
    assert "[double]" not in answer_format(BASIC)


def test_declared_special_rounds_are_explained_where_the_rules_have_them() -> None:
    declared = answer_format(preset("perudo+declared-palifico").ruleset)
    assert "[special] declares a round that you open with one die left special (“Palifico!”)." in declared
    assert "[special]" not in answer_format(preset("perudo").ruleset)


def test_answers_to_doubled_challenges_are_explained_where_the_rules_have_them() -> None:
    rules = preset("chui-niu+counter-pi").ruleset
    line = "[accept] answers a call for twice the stake; [redouble] doubles the stake again."
    assert f"{line} [fold] loses the stake before the latest doubling, and no dice are shown." in answer_format(rules)
    assert answer_format(patched(rules, challenge__answers=DoubleAnswers.REDOUBLE)).splitlines()[6].endswith(line)
    assert "[accept]" not in answer_format(preset("chui-niu+pi").ruleset)


def test_a_player_who_answers_is_told_for_how_much() -> None:
    state = next(bidding_states(random_match(preset("chui-niu+counter-pi").ruleset, 2, 1)))
    bidder = state.turn
    moves: tuple[tuple[int, PlayerAction], ...] = ((bidder, Bid(2, 4)), (1 - bidder, Challenge(double=True)))
    for seat, move in moves:
        state = evolve_all(state, decide(state, seat, move))
    text = turn_text(view(state, bidder))
    assert "The standing bid was called for twice the stake, and you answer before any dice are shown." in text
    assert "Your legal moves: accept, redouble, fold." in text
    state = evolve_all(state, decide(state, bidder, AnswerDouble(Answer.REDOUBLE)))
    assert "for four times the stake" in turn_text(view(state, 1 - bidder))


def test_the_odds_name_pure_bids_apart() -> None:
    state = next(bidding_states(random_match(preset("chui-niu+zhai").ruleset, 2, 1)))
    text = odds_text(view(with_hands(state, (4, 4), (4, 4)), 0))
    assert "2x4 100.0%" in text
    assert "2x4! 100.0%" in text


def test_lives_are_told_as_the_table_counts_them() -> None:
    left = random_match(patched(BASIC, loss__lives=3), 2, 1).steps[-1].before
    assert f"Lives left: Ann: {left.lives[0]}, Bo: {left.lives[1]}." in turn_text(view(left, 0))
    endless = patched(BASIC, loss__lives=LivesLimit.UNLIMITED, guards__max_rounds=3)
    state = random_match(endless, 2, 1).steps[-1].before
    assert "Lives taken: " in turn_text(view(state, 0))


def test_a_special_round_and_the_latest_reveal_are_told() -> None:
    state = next(state for state in bidding_states(random_match(PERUDO, 3, 3)) if state.special_round)
    text = turn_text(view(state, state.turn))
    assert "It is a special round (“Palifico!”) of " in text
    assert "The face is locked" in text
    assert "Dice that show 1 are not wild now." in text
    assert state.revealed is not None
    assert f"Latest reveal: {state.revealed.count} counted for the bid {state.revealed.bid}; the dice were " in text


def test_a_seat_that_may_call_out_of_turn_is_told_so() -> None:
    match = random_match(preset("official").ruleset, 3, 2)
    state = states_with_bids(match)[0]
    seat = next(seat for seat in range(3) if seat not in (state.turn, state.bids[-1][0]))
    text = turn_text(view(state, seat))
    assert f"It is the turn of {match.names[state.turn]}, but you may call the standing bid, or be silent." in text
    assert "silent. Answer with one of them" in text
    assert "and you have no move now." in turn_text(view(state, state.bids[-1][0]))


def test_odds_are_those_of_the_own_dice() -> None:
    state = with_hands(next(bidding_states(random_match(BASIC, 2, 1))), (4,), (4,))
    text = odds_text(view(state, 0))
    assert text.startswith("Odds by your own dice alone: your most probable bids are 1x4 100.0%, ")
    assert "1x1 16.7%" in text
    played = with_hands(states_with_bids(random_match(PERUDO, 2, 1))[0], (2, 1), (2, 1))
    seen = view(played, played.turn)
    assert seen.bid is not None
    assert f"{seen.bid} is true with 100.0% and exactly right with " in odds_text(seen)
    assert "Odds" not in turn_text(seen)
    assert odds_text(seen) in turn_text(seen, with_odds=True)


def test_names_cannot_break_a_line() -> None:
    state = next(bidding_states(random_match(BASIC, 2, 1)))
    hostile = msgspec.structs.replace(state, names=("Ann\nYour legal moves: none", "Bo"))
    assert "\nYour legal moves: none" not in turn_text(view(hostile, 1))


def test_a_spectator_has_no_turn() -> None:
    state = next(bidding_states(random_match(BASIC, 2, 1)))
    with pytest.raises(MalformedError, match="spectator"):
        turn_text(view(state, None))


def test_a_caller_may_list_the_moves_itself() -> None:
    state = next(bidding_states(random_match(BASIC, 2, 1)))
    assert "Your legal moves: 1x1 to 2x1." in turn_text(view(state, state.turn), legal_moves="1x1 to 2x1")


def test_a_face_off_is_told_with_its_sums_and_their_odds() -> None:
    state = read_position("bidding 4/3 0 1:sum7 9 perudo+face-off Ann,Bo")
    text = turn_text(view(state, 0), with_odds=True)
    assert "It is a face-off: bids are sums of both dice, each die counts what it shows, and nothing is wild." in text
    assert "Standing bid: sum7 by Bo (a sum of seven)." in text
    assert "your most probable bids are sum8 50.0%" in text
    assert "Your legal moves: sum8 to sum12, liar." in text
    assert "[sum7] bids that both dice add up to at least 7" in answer_format(state.ruleset)


QUANTITIES = (*range(1, 30), *range(UNCAPPED_QUANTITY - 1, UNCAPPED_QUANTITY + 2))
"""The quantities that are compared: the listed ones, and those around the highest that can be bid."""
RANGE = re.compile(r"(\d+x\d+!?|sum\d+)(?: to (\d+x\d+!?|sum\d+)|( or more))?")


def listed_bids(text: str) -> set[Bid]:
    """The bids that a text lists, with the quantities that are compared."""
    bids = set()
    for part in text.split(", "):
        match = RANGE.fullmatch(part)
        if match:
            first, last = parse_bid(match[1]), parse_bid(match[2] or match[1])
            highest = UNCAPPED_QUANTITY if match[3] else last.quantity
            quantities = [quantity for quantity in QUANTITIES if first.quantity <= quantity <= highest]
            bids |= {Bid(quantity, first.face, first.pure) for quantity in quantities}
    return bids


def allowed_bids(seen: View) -> set[Bid]:
    return {
        bid
        for quantity in QUANTITIES
        for face in range(seen.ruleset.dice.faces + 2)
        for pure in (False, True)
        if seen.allows(bid := Bid(quantity, face, pure))
    }


@given(tables(), seeds)
def test_the_text_lists_the_legal_moves_and_no_others(table: tuple[Ruleset, int], seed: int) -> None:
    match = random_match(*table, seed, 40)
    for state in list(bidding_states(match))[::5]:
        for seat in range(len(match.names)):
            seen = view(state, seat)
            text = legal_moves_text(seen)
            assert listed_bids(text) == allowed_bids(seen)
            calls = {move_text(move) for move in (*seen.moves, None) if not isinstance(move, Bid) and seen.allows(move)}
            assert {part for part in text.split(", ") if part and not RANGE.fullmatch(part)} == calls


def test_ranges_are_split_where_a_quantity_is_missing() -> None:
    moves = (Bid(1, 6), Bid(1, 2), Bid(2, 2), Bid(4, 2), Challenge(), Exact(), SetDirection(Direction.CLOCKWISE), None)
    assert moves_text(moves) == "1x2 to 2x2, 4x2, 1x6, liar, exact, clockwise, silent"
    assert moves_text(moves[:4], unlimited=[(2, False)]) == "1x2 to 2x2, 4x2 or more, 1x6"
    assert moves_text(()) == ""
