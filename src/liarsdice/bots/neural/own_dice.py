"""What the own dice prove: actions of a network that cannot be right are left out before it chooses."""

from __future__ import annotations

from liarsdice.bots.neural.features import CHALLENGE, EXACT, SILENT, NetworkInput
from liarsdice.bots.neural.observation import BoolArray
from liarsdice.core.rules.choices import HandBonus
from liarsdice.core.rules.ruleset import Ruleset


def possible_actions(inputs: NetworkInput, rules: Ruleset) -> BoolArray:
    """Return the legal actions that may turn out right, whatever the others hold, bool [row, action].

    These are left out: bids that the own dice rule out, a challenge of a bid that they make true, and an exact call
    that they rule out. On turn, only the challenge is left against a bid that they rule out. A row without any other
    action keeps all legal ones. All rows are under the same rules; if a hand may count for more than its dice
    (`HandBonus`), nothing is left out, and if wild dice need a natural one beside them, no bid is taken as made true.
    """
    legal = inputs.action_mask
    if rules.count.hand_bonus is not HandBonus.NONE:
        return legal
    is_false = inputs.needed > inputs.unseen
    wrong = inputs.ruled_out.copy()
    wrong[:, EXACT] = is_false
    if not rules.wilds.needs_natural:
        wrong[:, CHALLENGE] = inputs.needed <= 0
        wrong[:, EXACT] |= inputs.needed < 0
    possible: BoolArray = legal & ~wrong
    possible[~possible.any(axis=1)] = legal[~possible.any(axis=1)]
    certain = legal[:, CHALLENGE] & is_false & ~legal[:, SILENT]
    possible[certain] = False
    possible[certain, CHALLENGE] = True
    return possible
