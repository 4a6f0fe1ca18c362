"""Why the champion plays as it does: numbers that agree with each other, and sentences that say them."""

from __future__ import annotations

import msgspec
import pytest

from liarsdice.bots.endgames import endgame
from liarsdice.bots.neural.champion import LATEST, Champion, model
from liarsdice.bots.neural.explain import Option, _bounded, explain
from liarsdice.bots.neural.explanation_text import HARDLY, HEARD, reasons
from liarsdice.core.actions import Challenge, Exact
from liarsdice.core.bids.odds import odds
from liarsdice.core.engine.view import View, view
from liarsdice.core.errors import MalformedError, UnavailableError
from liarsdice.core.rules.bids import Bid
from liarsdice.core.rules.presets import preset
from liarsdice.core.rules.ruleset import patched
from tests.bots.tables import dealt

PERUDO = preset("perudo").ruleset
HANDS = ((1, 2, 3, 4, 5), (2, 2, 3, 6, 6), (1, 4, 4, 5, 6))


def shown_after(*bids: Bid) -> View:
    return view(dealt(PERUDO, HANDS, bids), len(bids) % 3)


def option_of(options: tuple[Option, ...], move: object) -> Option:
    return next(one for one in options if one.move == move)


def test_the_numbers_agree_with_each_other() -> None:
    shown = shown_after(Bid(3, 6), Bid(4, 6))
    found = explain(shown)
    standing, options = found.standing, found.options
    assert standing is not None
    exact = odds(PERUDO, Bid(4, 6), shown.hand, (5, 5), wilds_count=True)
    assert standing.p_true == pytest.approx(float(exact.p_true))
    assert standing.p_exact == pytest.approx(float(exact.p_exact))
    assert 0 < standing.p_exact_heard < standing.p_true_heard < 1
    assert option_of(options, Challenge()).p_right == pytest.approx(1 - standing.p_true)
    assert option_of(options, Challenge()).p_right_heard == pytest.approx(1 - standing.p_true_heard)
    assert option_of(options, Exact()).p_right_heard == pytest.approx(standing.p_exact_heard)
    raised = option_of(options, Bid(5, 6))
    assert raised.p_right == pytest.approx(float(odds(PERUDO, Bid(5, 6), shown.hand, (5, 5), wilds_count=True).p_true))
    assert raised.p_right_heard == pytest.approx(standing.p_true_heard - standing.p_exact_heard)


def test_options_are_legal_and_the_best_comes_first() -> None:
    shown = shown_after(Bid(3, 6))
    options = explain(shown).options
    assert {one.move for one in options} <= set(shown.moves)
    assert [one.worth for one in options] == sorted((one.worth for one in options), reverse=True)
    assert all(0 <= one.worth <= 1 for one in options)
    played = Champion(model(LATEST)).weighed(shown)
    assert {one.move: one.chance for one in options if one.chance} == pytest.approx(played)
    assert sum(one.chance for one in options) == pytest.approx(1)


def test_a_hopeless_bid_is_worth_challenging() -> None:
    shown = shown_after(Bid(13, 6))
    found = explain(shown)
    assert found.options[0].move == Challenge()
    *_, would, worth = reasons(shown, found)
    assert would == "The champion would challenge (100%)."
    assert worth == f"Chance to win the match, as far as it can tell: the challenge {found.options[0].worth:.0%}."


def test_whoever_spoke_is_listened_to() -> None:
    found = explain(shown_after(Bid(2, 6), Bid(4, 6)))
    assert [one.seat for one in found.heard] == [0, 1]
    for one in found.heard:
        assert one.by_chance == pytest.approx(5 / 3)
        belief = found.beliefs[one.seat]
        held = sum(p * sum(die in {1, 6} for die in hand) for hand, p in zip(belief.hands, belief.chances, strict=True))
        assert one.believed == pytest.approx(held)


def test_naturals_are_asked_for_where_the_rules_ask() -> None:
    rules = patched(PERUDO, wilds__needs_natural=True)
    # without a two of one's own, ones count only beside a two: 5/6 of a two, and of a one less hands without a two
    ones_beside_twos = 5 / 6 - 5 / 6 * (5 / 6) ** 4
    for own, by_chance in (((2, 2, 3, 6, 6), 5 / 3), ((3, 3, 4, 5, 5), 5 / 6 + ones_beside_twos)):
        found = explain(view(dealt(rules, ((1, 2, 3, 4, 5), own), (Bid(2, 2),)), 1))
        assert found.heard[0].by_chance == pytest.approx(by_chance)


def test_the_last_dice_are_explained_as_solved() -> None:
    """An opening of one three is made by those who hold a one, or a three, and by bluffers."""
    shown = view(dealt(PERUDO, ((3,), (2,)), (Bid(1, 3),)), 1)
    found = explain(shown)
    opened = {die: endgame(view(dealt(PERUDO, ((die,), (2,))), 0)) for die in range(1, 7)}
    likely = {die: play.get(Bid(1, 3), 0.0) for die, play in opened.items() if play is not None}
    holds = (likely[1] + likely[3]) / sum(likely.values())
    assert found.standing is not None
    assert found.standing.p_true_heard == pytest.approx(holds, abs=0.01)
    challenge = option_of(found.options, Challenge())
    assert challenge.worth == pytest.approx(challenge.p_right_heard)
    assert max(one.worth for one in found.options) - max(one.worth for one in found.options if one.chance > 0.2) < 0.02
    assert {one.move for one in found.options} == set(shown.moves)


@pytest.mark.parametrize("name", ["perudo", "openspiel", "joker", "chart", "official"])
def test_whoever_stakes_the_last_dice_wins_no_more_than_the_call(name: str) -> None:
    rules = preset(name).ruleset
    for hands in (((3,), (3,)), ((3, 4, 4), (3,), (2, 2)), ((2, 2), (3,))):
        if not rules.players.min <= len(hands) <= (rules.players.max or len(hands)):
            continue
        found = explain(view(dealt(rules, hands, (Bid(1, 3),)), 1))
        challenge = option_of(found.options, Challenge())
        assert challenge.p_right_heard == pytest.approx(0, abs=1e-6)
        assert challenge.worth == pytest.approx(0, abs=1e-6)


def test_an_opening_has_no_standing_bid() -> None:
    shown = shown_after()
    found = explain(shown)
    assert (found.standing, found.heard) == (None, ())
    would, worth = reasons(shown, found)
    assert would.startswith("The champion would bid ")
    assert worth.startswith("Chance to win the match, as far as it can tell: ")


def test_sentences_name_the_bid_the_bidder_and_the_best() -> None:
    shown = shown_after(Bid(3, 6), Bid(5, 6))
    found = explain(shown)
    told = reasons(shown, found)
    assert told[0].startswith("Five sixes are there ")
    for one in found.heard:
        more = "more" if one.believed > one.by_chance else "fewer"
        listened = any(line.startswith(f"{'AB'[one.seat]} bids like someone with {more} sixes") for line in told)
        assert listened == (abs(one.believed - one.by_chance) >= HEARD)
    assert told[-2].startswith("The champion would ")
    for option in found.options:
        if option.chance >= HARDLY:
            assert f"{option.worth:.0%}" in told[-1]
    assert "the challenge " in told[-1]


def test_what_looks_clearly_better_is_named() -> None:
    shown = shown_after(Bid(3, 6))
    found = explain(shown)
    better = msgspec.structs.replace(found.options[0], move=Bid(4, 2), chance=0.0, worth=0.9)
    others = tuple(one for one in found.options if one.move != Bid(4, 2))
    told = reasons(shown, msgspec.structs.replace(found, options=(better, *others)))
    assert told[-1].startswith("Chance to win the match, as far as it can tell: four twos 90%, ")
    assert "four twos 90%" not in reasons(shown, found)[-1]


def test_chances_are_chances() -> None:
    for bids in ((), (Bid(3, 6),), (Bid(2, 6), Bid(4, 6)), (Bid(3, 2), Bid(9, 6))):
        for one in explain(shown_after(*bids)).options:
            assert one.p_right is None or 0 <= one.p_right <= 1
            assert one.p_right_heard is None or 0 <= one.p_right_heard <= 1


def test_who_may_call_out_of_turn_is_told_what_silence_is_worth() -> None:
    shown = view(dealt(preset("official").ruleset, HANDS, (Bid(7, 2), Bid(8, 2))), 0)
    found = explain(shown)
    assert {one.move for one in found.options} == {Challenge(), None}
    assert sum(one.chance for one in found.options) == pytest.approx(1)
    challenge, silence = option_of(found.options, Challenge()), option_of(found.options, None)
    assert challenge.p_right_heard is not None
    assert challenge.p_right_heard > 0.5
    assert silence.p_right is None
    told = reasons(shown, found)[-1]
    assert f"the challenge {challenge.worth:.0%}" in told
    assert ("silence" in told) == (silence.chance >= HARDLY or silence is found.options[0])


@pytest.mark.parametrize("dice, bounded", [(1, True), (2, True), (3, False)])
def test_what_a_call_out_of_turn_stakes_is_the_double(dice: int, bounded: bool) -> None:
    rules = preset("official").ruleset
    shown = view(dealt(rules, ((6,) * dice, (2, 3, 4), (2, 5, 5)), (Bid(1, 6), Bid(5, 3))), 0)
    assert not shown.on_turn
    assert _bounded(shown, Challenge(), 0.9, 0.3) == (0.3 if bounded else 0.9)
    assert _bounded(shown, None, 0.9, None) == 0.9


def test_who_may_do_nothing_has_no_options() -> None:
    shown = view(dealt(PERUDO, HANDS, (Bid(3, 6),)), 2)
    found = explain(shown)
    assert found.standing is not None
    assert found.options == ()
    assert not any(one.startswith("The champion") for one in reasons(shown, found))


def test_nothing_hidden_changes_it() -> None:
    other = ((1, 2, 3, 4, 5), (3, 3, 3, 3, 3), (1, 4, 4, 5, 6))
    bids = (Bid(3, 6), Bid(4, 6))
    left, right = (explain(view(dealt(PERUDO, hands, bids), 2)) for hands in (HANDS, other))
    assert msgspec.json.encode(left) == msgspec.json.encode(right)


def test_what_cannot_be_explained_is_refused() -> None:
    state = dealt(PERUDO, HANDS)
    for shown in (view(state, None), msgspec.structs.replace(view(state, 0), hand=())):
        with pytest.raises(MalformedError, match="only a player with dice"):
            explain(shown)
    eight = dealt(patched(preset("basic").ruleset, dice__faces=8), ((1, 8), (2, 7)))
    with pytest.raises(UnavailableError, match="up to 6 faces"):
        explain(view(eight, 0))
