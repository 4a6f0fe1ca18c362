"""The layout of a round: what a player of a blueprint has to know of the bids, without hands and outcomes."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from liarsdice.core.actions import Challenge, Exact
from liarsdice.core.rules.bids import Bid
from liarsdice.solve.blueprint.recall_graph import Path
from liarsdice.solve.game.round_game import RoundGame
from liarsdice.solve.strategy.action_values import Action


class SituationLayout(msgspec.Struct, frozen=True, array_like=True, forbid_unknown_fields=True):
    """A situation (`round_game.Situation`) as a player of a blueprint sees it.

    `bid`: the standing bid, None before the first. `mover`: the seat on turn. `calls`: for each call whether it is an
    exact call. `raises`: the situation after each raise. `menu`: the raises that the blueprint considers, as positions
    in `raises`.
    """

    bid: Bid | None
    mover: int
    calls: tuple[bool, ...]
    raises: tuple[int, ...]
    menu: tuple[int, ...]

    @property
    def action_count(self) -> int:
        """The number of actions that the blueprint considers."""
        return len(self.calls) + len(self.menu)


class RoundLayout(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The layout of a round.

    `recall`: the number of bids that the play depends on. `hand_counts`: the number of hands of each seat.
    `situations`: all situations, the start of the round first.
    """

    recall: int
    hand_counts: tuple[int, int]
    situations: tuple[SituationLayout, ...]

    def actions_of(self, index: int) -> tuple[Action, ...]:
        """Return the actions that the blueprint considers in a situation: calls first, then raises."""
        situation = self.situations[index]
        calls: list[Action] = [Exact() if is_exact else Challenge() for is_exact in situation.calls]
        return (*calls, *(self._bid_after(situation.raises[place]) for place in situation.menu))

    def path_of(self, bids: tuple[Bid, ...]) -> Path:
        """Return the latest situations after some bids of the round. Raises `KeyError` if a bid is illegal."""
        path = [0]
        for bid in bids:
            after = next((after for after in self.situations[path[-1]].raises if self._bid_after(after) == bid), None)
            if after is None:
                raise KeyError(bid)
            path.append(after)
        return tuple(path[-self.recall :])

    def _bid_after(self, index: int) -> Bid:
        bid = self.situations[index].bid
        assert bid is not None  # a raise leads to a situation with a standing bid
        return bid


def layout_of(game: RoundGame, menus: Sequence[tuple[int, ...]], recall: int) -> RoundLayout:
    """Return the layout of a round.

    `menus`: by situation the offered raises, as positions in its raises. `recall`: the number of bids that the play
    depends on.
    """
    situations = tuple(
        SituationLayout(
            situation.bid,
            situation.mover,
            tuple(call.exact for call in situation.calls),
            tuple(after for _, after in situation.raises),
            menu,
        )
        for situation, menu in zip(game.situations, menus, strict=True)
    )
    first, second = (len(hands) for hands in game.hands)
    return RoundLayout(recall, (first, second), situations)
