"""The configuration of a run in which blueprints teach a network: which rounds are taught, and how."""

from __future__ import annotations

from typing import Annotated

import msgspec

from liarsdice.train.config import Count, PositiveShare, Share


class TaughtRound(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A round that a blueprint teaches. `rules`: the name of a preset or file. `dice`: of who opens, and the other."""

    rules: str
    dice: tuple[int, int]

    def __str__(self) -> str:
        """As in `perudo 2v2`."""
        return f"{self.rules} {self.dice[0]}v{self.dice[1]}"


class DistillationConfig(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What is taught, and how.

    `rounds`: a round that is named twice is taught twice as much. `teacher`: the network that teaches what no blueprint
    teaches. `initial_weights`: the network to start from. `width`: units in each layer, at least as many as that
    network has. `steps` of `minibatch` rows with Adam, whose rate falls from `learning_rate` along a cosine.
    `match_share`: the share of rows from matches, which the teacher plays at `tables` for `table_steps` decisions in
    each match. `iterations`: of each blueprint. `measure_every`: after so many steps best responses are computed.
    `min_prob_ratio`: as in `TrainingConfig`.
    """

    rounds: Annotated[tuple[TaughtRound, ...], msgspec.Meta(min_length=1)]
    teacher: str = "champion@7"
    initial_weights: str = "champion@7"
    width: Annotated[int, msgspec.Meta(ge=1, le=4096)] = 256
    steps: Count = 2500
    minibatch: Count = 2048
    learning_rate: PositiveShare = 1e-3
    match_share: Share = 0.4
    tables: Count = 128
    table_steps: Count = 20
    iterations: Count = 100
    measure_every: Count = 250
    min_prob_ratio: Share = 0.05
    seed: Annotated[int, msgspec.Meta(ge=0, le=2**32 - 1)] = 1

    @property
    def different_rounds(self) -> tuple[TaughtRound, ...]:
        """The rounds, each once, in the order in which they are named first."""
        return tuple(dict.fromkeys(self.rounds))

    @property
    def round_shares(self) -> list[float]:
        """How much each of `different_rounds` is taught, of 1 in all.

        >>> twice, once = TaughtRound("perudo", (2, 2)), TaughtRound("openspiel", (2, 2))
        >>> DistillationConfig((twice, once, twice, once, twice)).round_shares
        [0.6, 0.4]
        """
        return [self.rounds.count(taught) / len(self.rounds) for taught in self.different_rounds]
