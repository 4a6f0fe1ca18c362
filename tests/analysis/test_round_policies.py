"""What is measured of a bot in a round is what it plays."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress

import msgspec
import numpy as np
import pytest

from liarsdice.analysis.exploitability import exploitability, round_probs
from liarsdice.bots.policy import policy_of
from liarsdice.bots.registry import make_bot
from liarsdice.core.actions import Challenge, Exact
from liarsdice.core.engine.engine import evolve
from liarsdice.core.engine.view import View, view
from liarsdice.core.errors import UnavailableError
from liarsdice.core.events import BidMade
from liarsdice.core.rules.bids import Bid
from liarsdice.core.rules.presets import preset
from liarsdice.core.rules.tally import Hand
from liarsdice.solve.game.round_game import (
    PublicTree,
    RoundStart,
    dice_lost_values,
    make_public_tree,
    make_round_game,
    state_before_bids,
)
from liarsdice.values.endgames import endgame_policy, endgame_strategy


def whole_tree(name: str, dice: tuple[int, int]) -> PublicTree:
    game = make_round_game(preset(name).ruleset, RoundStart(dice))
    return make_public_tree(game, dice_lost_values(game), sure_calls=False)


def nodes(tree: PublicTree, count: int) -> Iterator[tuple[int, int, list[Bid]]]:
    """Yield nodes that random bids lead to: the subtree type, the first row, and the bids."""
    rng = np.random.default_rng(5)
    for _ in range(count):
        type_id, row, bids = tree.root, 0, list[Bid]()
        for _ in range(rng.integers(5)):
            subtree = tree.subtree_types[type_id]
            if not subtree.children:
                break
            slot = int(rng.integers(min(len(subtree.children), 9)))
            bids.append(tree.game.situations[subtree.situation].raises[slot][0])
            row += subtree.row_count + sum(tree.subtree_types[child].subtree_rows for child in subtree.children[:slot])
            type_id = subtree.children[slot]
        yield type_id, row, bids


def shown_after(tree: PublicTree, bids: list[Bid], hand: Hand) -> View:
    state = state_before_bids(tree.game.rules, tree.game.start)
    for bid in bids:
        state = evolve(state, BidMade(state.turn, bid))
    dealt = tuple((1,) * count for count in state.dice)
    return msgspec.structs.replace(view(msgspec.structs.replace(state, hands=dealt), state.turn), hand=hand)


def is_played(shown: View, bids: list[Bid]) -> bool:
    """Return whether a player of the solved strategy may be asked: not after own bids that it never makes."""
    strategy = endgame_strategy(shown)
    assert strategy is not None
    with suppress(UnavailableError):  # there is no such node: the opponent made a bid that no solved player makes
        strategy.locate(bids)
        return endgame_policy(shown) is not None
    return True


@pytest.mark.parametrize("bot", ["champion", "champion@5", "sharp", "regular"])
@pytest.mark.parametrize("name, dice", [("snyd", (1, 1)), ("perudo", (2, 1)), ("mustache", (1, 2))])
def test_the_probabilities_at_a_node_are_those_of_the_bot(bot: str, name: str, dice: tuple[int, int]) -> None:
    tree, policy = whole_tree(name, dice), policy_of(make_bot(bot, 1))
    probs_at = round_probs(tree, policy)
    for type_id, row, bids in nodes(tree, 40):
        subtree = tree.subtree_types[type_id]
        situation = tree.game.situations[subtree.situation]
        if not subtree.deciding:
            continue
        probs = probs_at(type_id, np.array([row]))[0]
        actions = [*(Exact() if call.exact else Challenge() for call in situation.calls), *dict(situation.raises)]
        column = len(subtree.deciding) // 2
        hand = tree.game.hands[situation.mover][subtree.mover_hands[subtree.deciding[column]]]
        shown = shown_after(tree, bids, hand)
        if not is_played(shown, bids):
            continue
        named = policy.action_probs(shown)
        assert probs[:, column] == pytest.approx([named.get(action, 0.0) for action in actions], abs=1e-5)


@pytest.mark.parametrize("name", ["openspiel", "snyd-stairs"])
def test_solved_play_after_strange_bids_gives_nothing_away(name: str) -> None:
    """It was measured by the network where one of the hands would have called, and after other bids than were made."""
    measured = exploitability(make_bot("champion"), preset(name).ruleset, (1, 1))
    assert measured.exploitability <= 1e-4


@pytest.mark.parametrize("name, dice", [("perudo", (2, 1)), ("perudo", (1, 2)), ("chart", (2, 1))])
def test_three_dice_are_hardly_exploitable_as_they_are_played(name: str, dice: tuple[int, int]) -> None:
    stakes = name == "chart"
    measured = exploitability(make_bot("champion"), preset(name).ruleset, dice, match_stakes=stakes)
    assert measured.exploitability <= 1e-3
