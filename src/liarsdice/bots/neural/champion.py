"""The champion: a bot whose network was trained under many rules by playing against itself and simple bots."""

import random
from collections.abc import Mapping, Sequence
from functools import cache
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from liarsdice.bots.face_offs import face_off_policy
from liarsdice.bots.neural.features import (
    BID_ACTIONS,
    CHALLENGE,
    EXACT,
    QUANTITY_STEPS,
    REVERSE,
    SILENT,
    BoolArray,
    FloatArray,
    NetworkInput,
    Observation,
    concatenated,
    encode,
    faces_of_pure_bids,
    network_plays,
    observe,
    with_hands,
)
from liarsdice.bots.neural.network import Network, load_packaged_network
from liarsdice.bots.policy import probs_one_by_one
from liarsdice.bots.simple.bid_odds import BID_CREDIT, BidOdds
from liarsdice.bots.simple.moves import (
    answer_double,
    challenge,
    must_challenge_pass,
    opening_choice,
    out_of_turn_call,
    pass_or_doubt,
    prefers_reroll,
    with_shown_dice,
)
from liarsdice.bots.simple.simple_bots import Threshold
from liarsdice.core.actions import Challenge, ChallengePass, Exact, PlayerAction, Reroll, SetDirection
from liarsdice.core.engine.view import View
from liarsdice.core.rules.bids import Bid
from liarsdice.core.rules.choices import Choice, HandBonus
from liarsdice.core.rules.presets import preset
from liarsdice.core.rules.presets.games import CLASSIC
from liarsdice.core.rules.ruleset import Ruleset
from liarsdice.core.rules.tally import Hand
from liarsdice.solve.round_game import RoundStart
from liarsdice.solve.strategy.strategy import Strategy, canonical_rules
from liarsdice.values.blueprints import Blueprints, BlueprintsOnNeed, RoundBlueprint, blueprint_of_view, blueprint_probs
from liarsdice.values.endgames import ENDGAME_DICE, endgame_answer, endgame_strategy, solved_round
from liarsdice.values.features import slot_faces


def decode_action(
    view: View, inputs: NetworkInput, action: int, row: int = 0, pure_faces: frozenset[int] | None = None
) -> PlayerAction | None:
    """Return the move that an action number means in a row of `inputs` (the view's or its like); None is silence.

    `pure_faces`: `faces_of_pure_bids` of the view, if the caller has it already.
    """
    if action < BID_ACTIONS:
        slot, step = divmod(action, QUANTITY_STEPS)
        face = slot_faces(view.ruleset)[slot]
        pure = faces_of_pure_bids(view) if pure_faces is None else pure_faces
        return Bid(int(inputs.quantities[row, slot, step]), face, pure=face in pure)
    if action == CHALLENGE:
        return Challenge()
    if action == EXACT:
        return Exact()
    if action == SILENT:
        return None
    return SetDirection(next(choice for choice in view.may_set_direction if choice is not view.direction))


UNTRAINED_THRESHOLD = 0.4
"""The parameter t of the simple bots' policy that decides in place of a network."""


def with_untrained_moves(view: View, move: PlayerAction | None) -> PlayerAction | None:
    """Return the move of a network, or the move that a simple bot makes in its place.

    Such a move is a challenge for twice the stake, a pass instead of a bid, the doubt of a pass, a bid with dice to
    show, or another roll of the hand.
    """
    if view.may_double and (move is None or isinstance(move, Challenge)):
        odds = BidOdds(view, BID_CREDIT)
        return out_of_turn_call(view, odds, UNTRAINED_THRESHOLD) if move is None else challenge(view, odds.p_standing)
    if view.may_pass or view.may_challenge_pass:
        odds = BidOdds(view, BID_CREDIT)
        p_raise = odds.p_bid(move) if isinstance(move, Bid) else 1.0  # no pass takes the place of a call
        move = pass_or_doubt(view, odds.p_standing, p_raise, UNTRAINED_THRESHOLD) or move
    if view.may_reroll and isinstance(move, Bid):
        odds = BidOdds(view, BID_CREDIT)
        return Reroll() if prefers_reroll(view, odds, odds.p_bid(move), UNTRAINED_THRESHOLD) else move
    if view.may_show and isinstance(move, Bid):
        return with_shown_dice(view, BidOdds(view, BID_CREDIT), move)
    return move


def possible_actions(inputs: NetworkInput, rules: Ruleset) -> BoolArray:
    """Return the legal actions that may turn out right, whatever the others hold, bool [row, action].

    These are left out: bids that the own dice rule out, a challenge of a bid that they make true, and an exact call
    that they rule out. On turn, only the challenge is left against a bid that they rule out. A row without any other
    action keeps all legal ones. All rows are under the same rules; if a hand may count for more than its dice
    (`HandBonus`, `Dice.double`), nothing is left out, and if wild dice need a natural one beside them, no bid is taken
    as made true.
    """
    legal = inputs.action_mask
    if rules.count.hand_bonus is not HandBonus.NONE or rules.dice.double:
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


class Temper(Choice):
    """A playing style: a bias of the network's action probabilities that costs little strength."""

    CAUTIOUS = "cautious"
    BOLD = "bold"
    TRUSTING = "trusting"
    SUSPICIOUS = "suspicious"


TRUTH_WEIGHT = 3.0
"""How much bold and cautious champions weigh whether a bid is true, as a factor in the exponent."""
CHALLENGE_FACTOR = 5.0
"""How many times likelier a suspicious champion challenges."""


def temper_factors(temper: Temper, inputs: NetworkInput) -> FloatArray:
    """Return the factor by which a temper multiplies the probability of each action, float32 [row, action]."""
    factors = np.ones_like(inputs.p_true)
    match temper:
        case Temper.BOLD:
            factors[:, :BID_ACTIONS] = np.exp(TRUTH_WEIGHT * (1 - inputs.p_true[:, :BID_ACTIONS]))
        case Temper.CAUTIOUS:
            factors[:, :BID_ACTIONS] = np.exp(TRUTH_WEIGHT * inputs.p_true[:, :BID_ACTIONS])
        case Temper.SUSPICIOUS:
            factors[:, CHALLENGE] = CHALLENGE_FACTOR
        case Temper.TRUSTING:
            factors[:, CHALLENGE] = 1 / CHALLENGE_FACTOR
    return factors


CHAMPION_NUMBER = 16
"""The number of the champion. It grows when the champion plays otherwise."""
CHAMPION_NAME = f"champion@{CHAMPION_NUMBER}"
"""The name by which reviews and results say which champion judged or played."""
VARIATIONS = tuple(
    "+".join(("classic", *chosen))
    for count in range(1, len(CLASSIC.options) + 1)
    for chosen in combinations(CLASSIC.options, count)
    if not {"aces", "palifico", "calza"} <= {*chosen}
)
"""`classic` with some of its variations. With those three together, it is played by the network for all other rules."""
PALIFICO_CALZA = tuple(name for name in VARIATIONS if {"palifico", "calza"} <= {*name.split("+")})
OWN_NETWORKS: Mapping[str, tuple[str, ...]] = {
    **{name: (name,) for name in ("basic", "chart", "perudo", "red-dead")},
    "snyd-joker": ("snyd-joker+loser-pays",),
    "variations": tuple(name for name in VARIATIONS if name not in PALIFICO_CALZA),
    "palifico-calza": PALIFICO_CALZA,
}
"""The networks for some rules alone, with the presets that they play."""
FALLBACK_BOT = Threshold(UNTRAINED_THRESHOLD, BID_CREDIT)
"""Plays in place of the network where that does not play (`network_plays`), as if dice have too many faces for it."""
FACE_OFF_DICE = 2
"""How many dice both players of a face-off hold together."""


def champion_network(rules: Ruleset | None = None) -> Network:
    """Return the champion's network, read once per process.

    `rules`: those that are played; None for the network that plays rules without one of their own.
    """
    own = None if rules is None else own_networks().get(canonical_rules(rules))
    return own or load_packaged_network("champion")


@cache
def own_networks() -> Mapping[Ruleset, Network]:
    """Return the champion's networks for some presets alone, by the canonical rules of these (`canonical_rules`)."""
    return {
        canonical_rules(preset(name).ruleset): load_packaged_network(f"champion-{network}")
        for network, names in OWN_NETWORKS.items()
        for name in names
    }


class Champion:
    """Draws actions from a network's probabilities, and plays solved strategies once two players hold few dice.

    The same seed and the same views give the same actions. With a temper the network decides in the endgame too, so
    that the temper shows there. `heeds_own_dice`: whether it leaves out what its own dice prove wrong, for example a
    challenge of a bid that they make true; solved strategies and blueprints decide by themselves. `endgame_dice`: the
    most dice of both players together in solved rounds that it plays. `blueprints`: played in the rounds of two players
    that they know, unless these are solved. `own_networks`: by canonical rules, decide in place of `network`.
    """

    memory: int | None = 4
    """Of the bids of two players it sees the latest two of each, and how many there were."""

    def __init__(
        self,
        network: Network,
        seed: int | str | None = None,
        temper: Temper | None = None,
        *,
        endgame_dice: int = ENDGAME_DICE,
        heeds_own_dice: bool = True,
        blueprints: Blueprints | None = None,
        own_networks: Mapping[Ruleset, Network] | None = None,
    ) -> None:
        self._network = network
        self._own_networks = own_networks or {}
        self._random = random.Random(seed)
        self.temper = temper
        self._endgame_dice = 0 if temper else endgame_dice
        self._heeds_own_dice = heeds_own_dice
        self._blueprints: Blueprints | None = None
        if blueprints is not None:
            self._play_blueprints(blueprints)

    def compute_blueprints(self, budget: int = 100) -> None:
        """From now on, compute blueprints of rounds of two players that have none, and play them, too.

        `budget`: how much is computed for each, in hundredths of the usual.
        """
        self._play_blueprints(BlueprintsOnNeed(self._blueprints, budget))

    def _play_blueprints(self, blueprints: Blueprints) -> None:
        self._blueprints = blueprints
        self.memory = max(Champion.memory or 0, blueprints.recall)

    def network(self, rules: Ruleset) -> Network:
        """Return the network that decides outside of solved rounds and blueprints."""
        return self._own_networks.get(canonical_rules(rules), self._network) if self._own_networks else self._network

    def plays_solved(self, view: View) -> bool:
        """Return whether the champion follows a solved strategy in the round of a view."""
        return endgame_strategy(view, self._endgame_dice) is not None

    def blueprint(self, view: View) -> RoundBlueprint | None:
        """Return the blueprint that the champion plays in the round of a view, or None."""
        if self._blueprints is None or self.plays_solved(view):
            return None
        return blueprint_of_view(self._blueprints, view)

    def act(self, view: View) -> PlayerAction | None:
        """Draw a move."""
        probs, is_final = self.draw_probs(view)
        if is_final:
            return next(iter(probs))
        move = self._random.choices(list(probs), list(probs.values()))[0]
        return with_untrained_moves(view, move)

    def draw_probs(self, view: View) -> tuple[dict[PlayerAction | None, float], bool]:
        """Return the probabilities from which `act` draws, and whether it makes the only move as it is.

        Otherwise `with_untrained_moves` may replace the move that is drawn.
        """
        solved = self._face_off_probs(view)
        if solved is None and not network_plays(view):
            return {FALLBACK_BOT.act(view): 1.0}, True
        opening = opening_choice(view)
        if opening is not None:
            return {opening: 1.0}, True
        return self.action_probs(view), False

    def _face_off_probs(self, view: View) -> dict[PlayerAction | None, float] | None:
        """Return the probability of each move in a solved face-off, else None."""
        solved = face_off_policy(view) if self._endgame_dice >= FACE_OFF_DICE else None
        return None if solved is None else dict(solved.items())

    def action_probs(self, view: View) -> dict[PlayerAction | None, float]:
        """Return the probability of each move that the champion makes; None is silence out of turn.

        Raises `UnavailableError` if the dice have too many faces for the network.
        """
        if view.face_off:
            return self._face_off_probs(view) or {FALLBACK_BOT.act(view): 1.0}
        if view.may_answer:
            return {answer_double(view, BidOdds(view, BID_CREDIT).p_standing): 1.0}
        if must_challenge_pass(view):
            return {ChallengePass(): 1.0}
        solved = endgame_answer(view, self._endgame_dice) if view.on_turn else None
        if solved is not None:
            return dict(solved.items())
        if view.on_turn and (blueprint := self.blueprint(view)) is not None:
            return dict(blueprint.action_probs(view.hand, [bid for _, bid in view.bids]).items())
        inputs, kept = self.network_probs(observe(view), view.ruleset)
        return {decode_action(view, inputs, action): float(kept[0, action]) for action in np.flatnonzero(kept).tolist()}

    def probs_by_hand(
        self, views: Sequence[View], hands: Sequence[Hand], actions: Sequence[PlayerAction]
    ) -> NDArray[np.float64]:
        """Return the probability of each action with each hand, float64 [view, action, hand] (`bots.policy`)."""
        if views[0].on_turn and self.plays_solved(views[0]):
            return probs_one_by_one(self, views, hands, actions)
        if views[0].on_turn and (blueprint := self.blueprint(views[0])) is not None:
            return blueprint_probs(blueprint, views, hands, actions)
        rules = views[0].ruleset
        observation = concatenated([observe(view) for view in views])
        inputs, kept = self.network_probs(with_hands(observation, rules, hands), rules)
        slots = slot_faces(rules)
        probs = np.zeros((len(kept), len(actions)))
        bid_probs = kept[:, :BID_ACTIONS].reshape(inputs.quantities.shape)
        for column, action in enumerate(actions):
            match action:
                case Bid(quantity, face):
                    slot = slots.index(face)
                    is_bid = inputs.quantities[:, slot] == quantity
                    probs[:, column] = (bid_probs[:, slot] * is_bid).sum(axis=1)
                case Challenge():
                    probs[:, column] = kept[:, CHALLENGE]
                case Exact():
                    probs[:, column] = kept[:, EXACT]
                case _:  # a change of direction
                    probs[:, column] = kept[:, REVERSE]
        return probs.reshape(len(views), len(hands), len(actions)).transpose(0, 2, 1)

    def solved_play(self, rules: Ruleset, start: RoundStart) -> Strategy | None:
        """Return the solved strategy that the champion follows in a round, else None (`bots.policy`)."""
        return solved_round(rules, start, self._endgame_dice)

    def network_probs(self, observation: Observation, rules: Ruleset) -> tuple[NetworkInput, FloatArray]:
        """Return the network's input and the probabilities of its actions, float32 [row, action].

        Raises `UnavailableError` as `action_probs`.
        """
        network = self.network(rules)
        inputs = encode(observation)
        if self._heeds_own_dice:
            inputs = inputs._replace(action_mask=possible_actions(inputs, rules))
        probs = network.action_probs(inputs.features, inputs.action_mask)
        if self.temper:
            probs *= temper_factors(self.temper, inputs)
        return inputs, network.drop_unlikely(probs)
