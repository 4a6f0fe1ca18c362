"""What a player may believe of hidden dice under any rules."""

from __future__ import annotations

import numpy as np
import pytest

from liarsdice.analysis.review.assess import beliefs_given_moves, count_beliefs, draw_hands, prior_beliefs
from liarsdice.analysis.review.decisions import Decision, decisions_of
from liarsdice.core.actions import BidAndShow
from liarsdice.core.events import Event
from liarsdice.core.rules.presets import preset
from liarsdice.play.match_runner import play_match

SHOWN = preset("bluff+show-dice").ruleset


def decisions(name: str, bot: str, seed: int) -> list[Decision]:
    events: tuple[Event, ...] = tuple(play_match(preset(name).ruleset, [bot] * 3, seed=seed).events)
    return list(decisions_of(events))


def after_shown_dice() -> Decision:
    """A decision of a player who sees dice that another one has put in the open."""
    for seed in range(20):
        for decision in decisions("bluff+show-dice", "inference", seed):
            shown = decision.view.shown
            if any(dice and seat != decision.seat for seat, dice in enumerate(shown)):
                return decision
    raise AssertionError("nobody showed dice")


def test_before_any_move_hands_are_as_likely_as_rolls() -> None:
    first = decisions("chui-niu+lives", "champion", 3)[0]
    beliefs = beliefs_given_moves(first)
    assert set(beliefs) == {0, 1, 2} - {first.seat}
    for belief in beliefs.values():
        assert len(belief.hands) == 252
        assert sum(belief.probs) == pytest.approx(1, abs=1e-4)
        assert belief.probs[belief.hands.index((1, 2, 3, 4, 5))] == pytest.approx(120 / 6**5, rel=1e-4)


def test_bids_make_hands_likelier_that_have_their_faces() -> None:
    shifts = []
    for decision in decisions("bar-strict", "inference", 3):
        beliefs = beliefs_given_moves(decision) if decision.view.bid is not None else {}
        for count in count_beliefs(decision.view, beliefs):
            if count.seat == decision.view.bidder:
                prior, posterior = (np.arange(len(probs)) @ probs for probs in (count.prior, count.posterior))
                shifts.append(posterior - prior)
    assert len(shifts) > 20
    assert np.mean(shifts) > 0.1


def test_dice_in_the_open_are_known_and_come_first() -> None:
    decision = after_shown_dice()
    beliefs = beliefs_given_moves(decision)
    hands = draw_hands(decision.view, beliefs, 50, np.random.default_rng(1))
    assert len(set(hands)) > 10
    for deal in hands:
        assert deal[decision.seat] == decision.view.hand
        for seat, held in enumerate(decision.view.dice):
            in_the_open = decision.view.shown_by(seat)
            assert len(deal[seat]) == held
            assert deal[seat][: len(in_the_open)] == in_the_open


def test_moves_before_dice_were_rolled_again_tell_nothing_of_them() -> None:
    decision = after_shown_dice()
    beliefs, priors = beliefs_given_moves(decision), prior_beliefs(decision.view)
    fresh = [
        seat
        for seat in beliefs
        if (own := [past.action for past in decision.history if past.seat == seat]) and isinstance(own[-1], BidAndShow)
    ]
    assert fresh
    for seat in fresh:
        assert beliefs[seat].probs == pytest.approx(priors[seat].probs, rel=1e-5)
