"""Rules that cannot be played are refused, and rules that are probably not meant so are warned about."""

from itertools import combinations, pairwise
from typing import Any

import pytest
from hypothesis import given

from liarsdice.core.actions import Challenge, DeclareSpecial, Exact
from liarsdice.core.bids.notation import WORDS
from liarsdice.core.errors import MalformedError, RulesetError
from liarsdice.core.rules import choices as c
from liarsdice.core.rules.bid_space import (
    max_quantity,
    may_open_on,
    min_opening_quantity,
    ordinary_quantity,
    require_bid,
)
from liarsdice.core.rules.bids import Bid, beats
from liarsdice.core.rules.choices import FromPure, Raise, SpecialRank, ToPure
from liarsdice.core.rules.overlay import nest, patched, unchecked_rules
from liarsdice.core.rules.parts import Bidding, Dice, ExactCall, RuleChoices
from liarsdice.core.rules.presets import preset, preset_names
from liarsdice.core.rules.ruleset import Ruleset, checked
from liarsdice.core.rules.ruleset_io import from_toml
from liarsdice.core.rules.validate import (
    ProblemCode,
    RulesetProblem,
    find_problems,
    find_warnings,
    may_never_end,
    raise_loop,
)
from liarsdice.core.text.move_reader import _call_words, read_move
from tests.laws.random_rulesets import rulesets


def test_wildness_that_ends_with_an_opening_needs_a_face_that_may_open() -> None:
    rules = """
        wilds = { special_is_wild = true, suspended_by = ["opening_bid_on_special"] }
        bidding.special_may_open = "special_round_only"
    """
    with pytest.raises(RulesetError, match="opening_bid_on_special"):
        from_toml(rules)
    assert from_toml(rules + "special_round.repeat = 'every_time'").special_round is not None


def codes(changes: dict[str, Any]) -> list[ProblemCode]:
    return [problem.code for problem in find_problems(unchecked_rules(nest(changes)))]


def test_every_problem_is_found_and_the_worst_comes_first() -> None:
    changes = {"dice.faces": 1, "loss.destination": "opponent", "special_round.min_players": 1}
    assert codes(changes) == [ProblemCode.TOO_LOW, ProblemCode.TOO_LOW, ProblemCode.DICE_STAY]


@pytest.mark.parametrize("ante", [1, 2])
def test_special_rounds_need_a_player_who_can_play_on_with_one_life(ante: int) -> None:
    changes = {"loss.lives": 5, "loss.ante": ante, "special_round.min_players": 3}
    assert codes(changes) == [ProblemCode.NEVER_LAST_LIFE] * (ante > 1)


@pytest.mark.parametrize(
    "changes, message",
    [
        ({"dice.faces_by_seat": (4, 1)}, r"dice\.faces_by_seat is 1, but needs to be at least 2"),
        ({"dice.faces_by_seat": (4, 8)}, r"dice\.faces_by_seat has 8, which is more than dice\.faces \(6\)"),
        ({"players.max": 3, "dice.faces_by_seat": (4, 4, 4, 5)}, "names 4 seats, but at most 3 can play"),
        ({"dice.faces_by_seat": (4,) * 101}, "names 101 seats, but at most 100 can play"),
    ],
)
def test_faces_by_seat_are_faces_of_dice_of_seats(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(RulesetError, match=message):
        checked(unchecked_rules(nest(changes)))


@pytest.mark.parametrize("other", ["singing", "SINGING", " Singing "])
def test_offences_that_differ_in_case_or_spaces_alone_are_one(other: str) -> None:
    """At the table both sound alike."""
    penalty = {"trigger": "commits_offence", "offence": "singing"}
    assert codes({"penalties": [penalty, {**penalty, "offence": other}]}) == [ProblemCode.OFFENCE_TWICE]
    assert codes({"penalties": [penalty], "labels.offences": [other]}) == [ProblemCode.OFFENCE_TWICE]


@pytest.mark.parametrize("offence", ["", " ", "a\nb", "x" * 41])
def test_an_offence_is_named_in_words_that_can_be_printed(offence: str) -> None:
    assert codes({"penalties": [{"trigger": "commits_offence", "offence": offence}]}) == [ProblemCode.NO_LABEL]


@given(rulesets())
def test_a_ruleset_has_no_problem_and_needs_no_last_round(rules: Ruleset) -> None:
    assert not list(find_problems(rules))
    assert not may_never_end(rules)
    assert checked(rules) == rules


@pytest.mark.parametrize(
    "changes",
    [
        {"exact_call.success_gain": 1},
        {"exact_call.failure_loss": 0, "exact_call.success_gain": 0, "exact_call.others_loss": 1},
        {"loss.destination": "opponent"},
    ],
)
def test_a_match_that_may_never_end_needs_a_last_round_or_few_exact_calls(changes: dict[str, Any]) -> None:
    assert may_never_end(unchecked_rules(nest(changes)))
    assert not may_never_end(unchecked_rules(nest({**changes, "guards.max_rounds": 9})))


def test_no_preset_is_warned_about() -> None:
    assert [name for name in preset_names() if list(find_warnings(preset(name).ruleset))] == []


def test_a_gain_without_a_cap_is_warned_about() -> None:
    rules = patched(Ruleset(), exact_call=ExactCall(gain_cap=None), guards__max_rounds=9)
    assert list(find_warnings(rules)) == [RulesetProblem(ProblemCode.UNLIMITED_GAIN)]


def test_wildness_is_never_suspended_by_what_cannot_happen() -> None:
    changes = {
        "wilds.special_is_wild": True,
        "wilds.suspended_by": ["special_round", "any_bid_on_special"],
        "bidding.special_rank": "not_biddable",
        "bidding.special_may_open": False,
    }
    assert codes(changes) == [ProblemCode.SUSPENDED_BY_NO_ROUND, ProblemCode.SUSPENDED_BY_NO_BID]


LABELS = ("labels.challenge", "labels.challenge_also", "labels.exact", "labels.special_round")


def labelled(path: str, label: str) -> dict[str, Any]:
    return {path: (label,) if path == "labels.challenge_also" else label}


@pytest.mark.parametrize(
    "first, second", [(one, other) for one, other in combinations(LABELS, 2) if other != "labels.challenge_also"]
)
def test_two_calls_have_labels_that_differ_in_more_than_case_and_punctuation(first: str, second: str) -> None:
    changes = labelled(first, "Cheers!") | labelled(second, " cheers")
    assert codes(changes) == [ProblemCode.LABELS_ALIKE]
    assert codes(labelled(first, "Cheers!") | labelled(second, "Health!")) == []


def test_a_challenge_may_have_the_same_word_twice() -> None:
    assert codes({"labels.challenge": "Cheers!", "labels.challenge_also": ("cheers",)}) == []


@pytest.mark.parametrize("path", LABELS)
@pytest.mark.parametrize(
    "label",
    [
        *(
            "5x4",
            "5 × 4",
            "Five fours!",
            "a six",
            "I bid 5x4",
            "bid 5, 4",
            "sum 7",
            "three aces",
            "2 dice of fours",
            "4 5s",
        ),
        *("quit", "Q", "help", "?", "why?", "dice", "chart", "rules", "penalty", "exit", "table", "!"),
        *("pass", "double", "doubt", "fold", "I accept", "clockwise", "closed", "silence"),
    ],
)
def test_no_label_of_a_call_reads_as_a_bid_a_command_or_another_move(path: str, label: str) -> None:
    assert codes(labelled(path, label)) == [ProblemCode.LABEL_MISREAD]


@pytest.mark.parametrize("path", LABELS)
def test_every_word_of_the_parsers_has_one_meaning_whatever_the_label(path: str) -> None:
    """A label means its own call or is refused, whichever word of the terminal, of games and of answers it is."""
    own = {"labels.exact": Exact(), "labels.special_round": DeclareSpecial()}.get(path, Challenge())
    for word, move in {**{word: moves[0] for word, moves in _call_words(Ruleset()).items()}, **WORDS}.items():
        problems = codes(labelled(path, word))
        is_sheet_word = own == Challenge() and word == "open"  # a kind of round where openers choose one
        assert problems == ([] if move == own or is_sheet_word else [ProblemCode.LABEL_MISREAD]), word
        if problems == [] and path != "labels.special_round":
            rules = patched(Ruleset(), **{path.replace(".", "__"): labelled(path, word)[path]})
            assert read_move(word, rules) == own


def test_the_special_face_and_offences_have_names_of_their_own() -> None:
    assert (
        codes({"labels.special_face": "fours"}) == codes({"labels.offences": ("left",)}) == [ProblemCode.LABEL_MISREAD]
    )
    assert codes({"labels.special_face": "aces", "dice.special_face": 6}) == []
    assert codes({"labels.special_face": "ones"}) == codes({"labels.special_face": "stars"}) == []


def test_a_loop_of_pure_bids_with_few_faces_is_found() -> None:
    bidding = Bidding(
        raise_=Raise.PRODUCT,
        special_rank=SpecialRank.NOT_BIDDABLE,
        to_pure=ToPure.SAME_QUANTITY,
        from_pure=FromPure.DOUBLE,
    )
    dice = Dice(faces=3, special_face=1)
    loop = raise_loop(bidding, dice)
    assert Bid(10, 2) in loop
    assert all(beats(RuleChoices(bidding=bidding, dice=dice), old, new) for old, new in pairwise(loop))
    assert loop[0] == loop[-1]


def test_the_highest_quantity_is_the_dice_in_play_a_number_or_without_limit() -> None:
    assert max_quantity(Ruleset(), (5, 0, 3)) == 8
    assert max_quantity(patched(Ruleset(), bidding__cap=6), (5, 0, 3)) == 6
    assert max_quantity(patched(Ruleset(), bidding__cap=None, guards__max_bids_per_round=9), (5, 0, 3)) is None


def test_with_stairs_every_hand_may_count_one_die_more() -> None:
    assert max_quantity(preset("snyd-stairs").ruleset, (5, 0, 3)) == 10


def test_the_lowest_opening_is_never_above_the_cap() -> None:
    rules = patched(Ruleset(), bidding__min_open=4)
    assert min_opening_quantity(rules, (5, 5), 4) == 4
    assert min_opening_quantity(rules, (1, 2), 4) == 3
    assert min_opening_quantity(patched(Ruleset(), bidding__min_open=c.MinOpen.PLAYERS), (5, 0, 3), 4) == 2


@pytest.mark.parametrize("players, least", [(2, 3), (3, 5), (4, 6), (5, 8), (6, 9)])
def test_half_as_many_again_as_players_is_rounded_up(players: int, least: int) -> None:
    rules = patched(Ruleset(), bidding__min_open=c.MinOpen.PLAYERS_TIMES_1_5)
    assert min_opening_quantity(rules, (5,) * players, 4) == least


def test_pure_bids_and_bids_on_the_special_face_may_open_lower() -> None:
    """Four players open with four ones, five dice zhai, or six (0xkmg.notion.site)."""
    rules = patched(
        preset("chui-niu+zhai").ruleset,
        bidding__min_open=c.MinOpen.PLAYERS_PLUS_2,
        bidding__min_open_pure=c.MinOpen.PLAYERS_PLUS_1,
        bidding__min_open_special=c.MinOpen.PLAYERS,
    )
    for players in (4, 8):
        lowest = [min_opening_quantity(rules, (5,) * players, face, pure=face == 5) for face in (1, 5, 6)]
        assert lowest == [players, players + 1, players + 2]
    as_pure = patched(rules, bidding__min_open_special=None)
    assert min_opening_quantity(as_pure, (5,) * 4, 1) == 5
    never_pure = patched(as_pure, bidding__to_pure=None, bidding__from_pure=None)
    assert min_opening_quantity(never_pure, (5,) * 4, 1) == 6


def test_the_special_face_may_open_always_never_or_in_special_rounds() -> None:
    perudo, basic, pirates = (preset(name).ruleset for name in ("perudo", "basic", "pirates"))
    assert [may_open_on(perudo, 1, special_round=special) for special in (False, True)] == [False, True]
    assert [may_open_on(rules, 1, special_round=False) for rules in (basic, pirates)] == [True, False]
    assert may_open_on(pirates, 2, special_round=False)


def test_special_dice_stand_beside_the_most_ordinary_dice_that_they_beat() -> None:
    rules = preset("perudo").ruleset
    for quantity in range(1, 6):
        row = ordinary_quantity(rules, Bid(quantity, 1))
        assert beats(rules, Bid(row, 6), Bid(quantity, 1))
        assert not beats(rules, Bid(row + 1, 2), Bid(quantity, 1))


@pytest.mark.parametrize("bid", [Bid(1, 0), Bid(1, 7), Bid(1, 1)])
def test_what_is_no_bid_of_the_rules_is_refused(bid: Bid) -> None:
    with pytest.raises(MalformedError, match="bid"):
        require_bid(preset("pirates").ruleset, bid)


def test_a_face_that_may_not_be_bid_can_still_be_counted() -> None:
    require_bid(preset("pirates").ruleset, Bid(1, 1), any_face=True)
    with pytest.raises(MalformedError, match="one of the faces 1, 2, 3, 4, 5, 6"):
        require_bid(preset("pirates").ruleset, Bid(1, 7), any_face=True)
