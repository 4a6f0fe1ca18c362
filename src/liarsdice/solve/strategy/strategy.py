"""What was learned about a round, written down: how each hand acts after every way of bidding, and how good that is."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import msgspec
import numpy as np
from numpy.typing import NDArray

from liarsdice.core.actions import Challenge, Exact
from liarsdice.core.engine.view import View
from liarsdice.core.errors import IllegalActionError, MalformedError, UnavailableError
from liarsdice.core.rules.bids import Bid
from liarsdice.core.rules.choices import AtCap, GainCap, TableTalk
from liarsdice.core.rules.ruleset import Dice, FirstStarter, Labels, Players, Ruleset
from liarsdice.core.rules.tally import Hand
from liarsdice.solve.cfr.method import Bounds
from liarsdice.solve.game.public_tree import Kind, Tree
from liarsdice.solve.game.round_start import Opening, exact_call_of_two, opening_of
from liarsdice.solve.strategy.reach import Ints, Reals

Shares = NDArray[np.float32] | NDArray[np.uint16]
Play = dict[Bid | Challenge | Exact, float]


class Place(NamedTuple):
    """Where the bids of a round have led: the number of a kind, and where the rows of the node begin."""

    kind: int
    at: int


class Strategy(msgspec.Struct, frozen=True):
    """How to play a round, and between what bounds that leaves its value to seat 0.

    `shares`: float32 or uint16 [row], the tree's rows depth first: of each node [action, deciding hand], then its
    children's. What matters of them is how they compare for one hand.
    """

    tree: Tree
    shares: Shares
    bounds: Bounds
    method: str

    @property
    def opening(self) -> Opening:
        """What the round begins with, as of two players of whom seat 0 opens."""
        opening = self.tree.round.opening
        return opening if opening.starter == 0 else opening.mirrored()

    def play(self, hand: Hand, bids: Sequence[Bid] = ()) -> Play:
        """How likely a hand takes each action after such bids: those that are, the likeliest first.

        Raises `MalformedError` for a hand that the player on turn can't hold, `IllegalActionError` for bids that the
        rules don't allow, and `UnavailableError` where nobody comes who plays to win, so that nothing was learned.
        """
        place = self.place(bids)
        kind, table = self.tree.kinds[place.kind], self.tree.round
        situation = table.situations[kind.situation]
        held = table.hands[situation.mover]
        if tuple(sorted(hand)) not in held:
            count, faces = len(held[0]), table.rules.dice.faces
            dice = "1 die" if count == 1 else f"{count} dice"
            raise MalformedError(f"the player on turn holds {dice} with faces 1 to {faces}, not {listed(hand)}")
        number = held.index(tuple(sorted(hand)))
        if number not in kind.mine:
            raise UnavailableError(f"who holds {listed(hand)} calls before this: a bid on the way can't be true")
        actions = self.actions(kind)
        if kind.mine.index(number) not in kind.active:
            return {actions[0]: 1.0}
        chances = self.chances(place.kind, np.array([place.at]))[0, :, kind.active.index(kind.mine.index(number))]
        found = {action: float(chance) for action, chance in zip(actions, chances, strict=True) if chance > 0}
        return dict(sorted(found.items(), key=lambda one: -one[1]))

    def policy(self, view: View) -> Play:
        """How likely to take each action, as `play` has it, for who is on turn and sees so much.

        Raises `IllegalActionError` out of turn, and `UnavailableError` where the round is another one than this.
        """
        if not view.on_turn:
            raise IllegalActionError("only who is on turn plays by a strategy")
        rules, asked = self.tree.round.rules, opening_of(view)
        if asked != self.opening or not alike(view.ruleset, rules):
            wanted = f"{self.opening} by the rules of {rules.labels.game}"
            raise UnavailableError(f"this strategy plays {wanted}, not {asked} by {view.ruleset.labels.game}")
        return self.play(view.hand, [bid for _, bid in view.bids])

    def place(self, bids: Sequence[Bid]) -> Place:
        """Where bids lead. Raises what `play` says."""
        number, at = self.tree.root, 0
        for done, bid in enumerate(bids):
            kind = self.tree.kinds[number]
            raises = [one for one, _ in self.tree.round.situations[kind.situation].raises]
            if bid not in raises:
                may = f"one of {_shown(raises)}" if raises else "no bid"
                after = f"after {bids[done - 1]}" if done else "as the first bid"
                raise IllegalActionError(f"{bid} {after} is against the rules (legal: {may})")
            if not kind.children:
                raise UnavailableError(f"nobody bids on after {bids[done - 1]}: every hand that can be held here calls")
            slot = raises.index(bid)
            at += kind.rows + sum(self.tree.kinds[child].size for child in kind.children[:slot])
            number = kind.children[slot]
        return Place(number, at)

    def actions(self, kind: Kind) -> list[Bid | Challenge | Exact]:
        """What may be done at a kind of node: calls, then bids."""
        situation = self.tree.round.situations[kind.situation]
        calls = [Exact() if call.exact else Challenge() for call in situation.calls]
        return [*calls, *(bid for bid, _ in situation.raises[: len(kind.children)])]

    def chances(self, number: int, at: Ints) -> Reals:
        """How likely actions are at nodes of a kind whose rows begin there: [node, action, deciding hand].

        A hand whose shares are all zero takes them all alike.
        """
        kind = self.tree.kinds[number]
        rows = self.shares[at[:, np.newaxis] + np.arange(kind.rows)]
        shares = rows.reshape(len(at), kind.actions, len(kind.active)).astype(np.float64)
        total = shares.sum(axis=1, keepdims=True)
        chances: Reals = shares / np.where(total > 0, total, 1)
        if not total.all():
            chances += (total == 0) / kind.actions
        return chances


def alike(rules: Ruleset, others: Ruleset) -> bool:
    """Whether two tables play a round of two alike, whatever they call it and however many may sit down."""
    return as_played(rules) == as_played(others)


def as_played(rules: Ruleset) -> Ruleset:
    """The rules without what makes no difference to a round of two: names, seats, how the first starter is found.

    Nor do the dice of a player at the start, unless they are the most that an exact call brings back.
    """
    call = exact_call_of_two(rules)
    matters = (
        call is not None
        and call.gain_cap is GainCap.STARTING_DICE
        and (call.success_gain > 0 or call.at_cap is AtCap.FORBIDDEN)
    )
    return msgspec.structs.replace(
        rules,
        dice=rules.dice if matters else msgspec.structs.replace(rules.dice, per_player=Dice().per_player),
        labels=Labels(),
        players=Players(),
        first_starter=FirstStarter(),
        penalties=(),
        table_talk=TableTalk.ALLOWED,
    )


def listed(hand: Hand) -> str:
    """A hand as text.

    >>> listed((2, 5))
    '2,5'
    """
    return ",".join(map(str, hand)) or "nothing"


def _shown(bids: list[Bid], most: int = 8) -> str:
    return ", ".join(map(str, bids[:most])) + (" and higher ones" if len(bids) > most else "")
