"""What a pass tells of a hand: by Bayes' rule, hands that allow it are likelier than the dice alone make them.

The bot `inference` goes by these beliefs; probabilities without credit (`BidOdds`) ignore passes as they ignore bids.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from liarsdice.core.bids.hands import enumerate_hands
from liarsdice.core.bids.odds import p_pass
from liarsdice.core.rules.choices import HandBonus
from liarsdice.core.rules.meaning import pass_hand_of
from liarsdice.core.rules.ruleset import Ruleset

FALSE_PASS_RATE = 0.05
"""How often players are taken to pass with a hand that does not allow it; with one that does, they always pass."""

MAX_DICE = 6
"""The most dice of a hand whose beliefs are worked out; a pass with more is ignored."""


def p_pass_true(rules: Ruleset, dice: int) -> float:
    """Return the probability that the hand of a player who passed with `dice` dice allows it."""
    prior = p_pass(rules, dice)
    return prior / (prior + (1 - prior) * FALSE_PASS_RATE) if prior else 0.0


def knows_counts_after_pass(rules: Ruleset) -> bool:
    """Return whether each die counts by itself under these rules, so that numbers of dice of hands can be added."""
    count = rules.count
    return not (rules.wilds.needs_natural or count.all_different) and count.hand_bonus is HandBonus.NONE


@lru_cache(maxsize=256)
def counts_after_pass(rules: Ruleset, dice: int, counting: frozenset[int]) -> tuple[float, ...]:
    """Return the probability of each number of dice, from 0 to `dice`, that show a face of `counting` after a pass."""
    probs = [0.0] * (dice + 1)
    for hand, rolls in zip(*enumerate_hands(rules.dice.faces, dice), strict=True):
        weight = rolls * (1.0 if pass_hand_of(rules, hand) else FALSE_PASS_RATE)
        probs[sum(die in counting for die in hand)] += weight
    total = sum(probs)
    return tuple(prob / total for prob in probs)


def convolved(counts: Sequence[float], more: Sequence[float]) -> list[float]:
    """Return the probabilities of the sums of two independent numbers, each given by its probabilities from 0 on."""
    sums = [0.0] * (len(counts) + len(more) - 1)
    for count, p in enumerate(counts):
        for added, q in enumerate(more):
            sums[count + added] += p * q
    return sums
