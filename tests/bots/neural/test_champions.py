"""The champion plays blueprints, which baselines do not."""

from hashlib import sha256
from importlib.resources import files
from pathlib import Path

import msgspec
import pytest

from liarsdice.bots.neural.champion import Champion, Temper, champion_network
from liarsdice.bots.neural.champions import (
    LEANING_MIN_PROB_RATIO,
    MAX_LEAN,
    PLAIN_KINDS,
    AdaptiveChampion,
    Notes,
    SeenRound,
    adaptive_champion,
    decisions_of,
    make_baseline,
    make_champion,
)
from liarsdice.bots.registry import make_bot
from liarsdice.core.actions import Challenge
from liarsdice.core.engine.view import View, view
from liarsdice.core.errors import MalformedError
from liarsdice.core.rules.bids import Bid
from liarsdice.core.rules.overlay import patched
from liarsdice.core.rules.presets import preset
from liarsdice.play.match_runner import play_match
from liarsdice.solve.blueprint.packed_blueprint import read_blueprints
from liarsdice.solve.match_solver import make_match_plan
from liarsdice.solve.round_game import RoundStart, two_player_special_round, with_faces
from liarsdice.values.blueprints import PACKAGED_PRESETS, PACKAGED_RECALL, blueprint_file, packaged_blueprints
from liarsdice.values.endgames import solved_round
from liarsdice_lab.best_response import exploitability
from tests.bots.positions import dealt_state

DIGESTS = {
    "basic": "017d45f8cd9f05cb3a3cc3b53156e58272a142d22ae6b85bafe34e2b8474ae75",
    "bluff": "e613f2d3ba3b3fe594c883850eb082193ee04c4300de1d6f51db3a3ee8ebdc9a",
    "chart": "d77288e11bc4d8a4c8d7452f95d4943f1072205f95a08b518f02ef95fc528012",
    "chui-niu": "ac42b6b17b0119e8700e1d02951a006f279b64a183e664c00699ee6b0a3d39a2",
    "joker": "42aced835af39a00ca64347cea463278961f7ebf41d6ea51a9650ec31d6c01d0",
    "mustache": "3b789cbaa982e52baf263540058c52fb1619e6dd86cc1c18937bd30aed7b27d3",
    "official-strict": "eaba0f6c416c0fe63028564e9f357a25c98b8841560150c85507a900688ba5e4",
    "openspiel": "c46ae46b235337f6713c12579bbeff3c16f7e6eb041fcb389eb2d22165ef54ea",
    "perudo": "f2aad7ff1fe4bc60fece6b2a3dc390d43f05184902273a462db8f05443ba3d6c",
    "pirates": "90ac662c541b09954068144803efdfae2f461430ccebfe360d6024dc824b123c",
    "red-dead": "38cb9b51be20dc25dbeada2115c3abda85b9da7267c5324f0432d4b86c4132ad",
    "snyd-joker+loser-pays": "1dabe0cf5e0684f9e059910d16ea31f4d0dd27af42838fa24239764108b745a9",
}
"""The SHA-256 of each file of blueprints, which never changes."""
HANDS = ((1, 2, 3, 4, 5), (2, 2, 3, 6, 6))
SMALL_HANDS = ((2, 4), (3, 5)), ((2, 4, 6), (5,)), ((2,), (3, 4, 5))
ALL_ROUNDS = ("basic", "bluff", "chart", "mustache", "official-strict", "perudo")
"""The presets whose rounds of two players are all solved or have a blueprint."""
ONE_ROUND = ("red-dead", "mustache")
"""The presets with a blueprint of two dice each, but none of three dice against one: under `mustache` a player with one
die has a special round or has had one.
"""


def test_blueprints_stay_what_they_are() -> None:
    models = files("liarsdice.bots") / "models"
    assert set(DIGESTS) == set(PACKAGED_PRESETS)
    for name, digest in DIGESTS.items():
        assert sha256((models / blueprint_file(name)).read_bytes()).hexdigest() == digest


@pytest.mark.parametrize("name", [*ALL_ROUNDS, "openspiel"])
def test_the_champion_plays_a_blueprint_and_baselines_their_network(name: str) -> None:
    shown = view(dealt_state(preset(name).ruleset, HANDS, (Bid(3, 6),)), 1)
    blueprint = packaged_blueprints().of_round(shown.ruleset, RoundStart((5, 5)))
    assert blueprint is not None
    assert make_champion().action_probs(shown) == blueprint.action_probs(HANDS[1], [Bid(3, 6)])
    network = Champion(champion_network()).action_probs(shown)
    assert make_baseline("champion@7").action_probs(shown) == network
    assert make_champion(temper=Temper.BOLD).blueprint(shown) is None


@pytest.mark.parametrize("name", ALL_ROUNDS)
def test_every_round_of_two_players_is_known_or_solved(name: str) -> None:
    rules = preset(name).ruleset
    fewest = 1 if two_player_special_round(rules) is None else 2
    dice = range(fewest, 6)
    starts = {RoundStart((first, second)) for first in dice for second in dice}
    for start in starts | make_match_plan(rules, RoundStart((5, 5))).rounds.keys():
        blueprint = packaged_blueprints().of_round(rules, start)
        assert (blueprint is None) == (solved_round(rules, start) is not None), start
        assert blueprint is None or blueprint.layout.recall <= PACKAGED_RECALL


@pytest.mark.parametrize(
    "name, hands",
    [
        (name, hands)
        for name in PACKAGED_PRESETS
        for hands in SMALL_HANDS
        if name not in ONE_ROUND or hands == SMALL_HANDS[0]
    ],
)
def test_four_dice_together_are_played_by_a_blueprint(
    name: str, hands: tuple[tuple[int, ...], tuple[int, ...]]
) -> None:
    rules = preset(name).ruleset
    opening = view(dealt_state(rules, hands), 0).may_bid[0]
    shown = view(dealt_state(rules, hands, (opening,)), 1)
    blueprint = packaged_blueprints().of_round(rules, RoundStart((len(hands[0]), len(hands[1]))))
    assert blueprint is not None
    assert blueprint.layout.recall <= PACKAGED_RECALL
    assert blueprint.unpacked.layout == blueprint.layout
    assert make_champion().action_probs(shown) == blueprint.action_probs(hands[1], [opening])
    assert make_baseline("champion@7").action_probs(shown) == Champion(champion_network()).action_probs(shown)


def test_three_dice_each_under_openspiel_are_played_by_a_blueprint() -> None:
    rules = patched(preset("openspiel").ruleset, dice__per_player=3)
    hands = (1, 2, 4), (3, 3, 6)
    shown = view(dealt_state(rules, hands, (Bid(2, 4),)), 1)
    blueprint = packaged_blueprints().of_round(rules, RoundStart((3, 3)))
    assert blueprint is not None
    assert blueprint.layout.recall <= PACKAGED_RECALL
    assert make_champion().action_probs(shown) == blueprint.action_probs(hands[1], [Bid(2, 4)])
    assert make_baseline("champion@7").blueprint(shown) is None
    assert make_baseline("champion@7").action_probs(shown) == Champion(champion_network()).action_probs(shown)


@pytest.mark.parametrize(
    "name, dice, most",
    [
        ("mustache", (2, 2), 0.06),  # it expects mistakes
        ("pirates", (2, 2), 0.02),
        ("pirates", (3, 1), 0.02),
        ("pirates", (1, 3), 0.02),
    ],
)
def test_nobody_gains_much_by_knowing_a_blueprint_of_four_dice_together(
    name: str, dice: tuple[int, int], most: float
) -> None:
    """Under these rules the rounds are small enough for a test. From the network up to 0.52 are to be won there."""
    assert exploitability(make_champion(seed=1), preset(name).ruleset, dice).exploitability < most


@pytest.mark.parametrize("name", PACKAGED_PRESETS)
def test_the_bids_of_stored_rounds_are_those_of_the_rules(name: str) -> None:
    """The layout of a round is stored, so that nothing has to be built from the rules before a decision."""
    file = read_blueprints(Path(str(files("liarsdice.bots") / "models" / blueprint_file(name))))
    for stored in file.rounds:
        if sum(stored.start.dice) <= 5 or name == "openspiel":
            blueprint = file.blueprint(stored.start)
            assert blueprint is not None
            assert blueprint.unpacked.layout == blueprint.layout


def test_other_rules_and_more_players_are_left_to_the_network() -> None:
    joker = view(dealt_state(preset("joker").ruleset, HANDS, (Bid(3, 4),)), 1)
    assert make_champion().blueprint(joker) is None
    three = view(dealt_state(preset("perudo").ruleset, (*HANDS, (1,))), 0)
    assert make_champion().blueprint(three) is None


PERUDO = preset("perudo").ruleset
AFTER_A_BID = view(dealt_state(PERUDO, HANDS, (Bid(3, 6),)), 1)


def sure_of(p_plain: float) -> AdaptiveChampion:
    """Return a bot that takes the player in seat 0 for plain with a probability."""
    bot = AdaptiveChampion(champion_network(), 1, blueprints=packaged_blueprints())
    plain, balanced = p_plain / len(PLAIN_KINDS), (1 - p_plain) / 2
    bot.notes = Notes({0: (*[plain] * len(PLAIN_KINDS), balanced, balanced)})
    return bot


def lean_after(opponent: str, seed: int) -> float:
    """Return the lean of an adaptive champion after a match against an opponent."""
    bot = adaptive_champion(seed=f"adaptive {seed}")
    result = play_match(PERUDO, [bot, make_bot(opponent, f"opponent {seed}")], seed=seed)
    assert result.faults == ()
    return bot.lean


@pytest.mark.parametrize("opponent", ["inference", "threshold:0.4", "novice", "regular"])
def test_it_leans_towards_the_network_against_players_who_go_by_odds(opponent: str) -> None:
    assert all(lean_after(opponent, seed) > 0.8 * MAX_LEAN for seed in range(3))


@pytest.mark.parametrize("opponent", ["champion", "champion@5"])
def test_it_stays_balanced_against_champions(opponent: str) -> None:
    assert all(lean_after(opponent, seed) < 0.1 * MAX_LEAN for seed in range(3))


def test_before_the_first_round_it_plays_as_the_champion() -> None:
    bot = adaptive_champion()
    assert bot.lean == 0
    assert bot.action_probs(AFTER_A_BID) == pytest.approx(make_champion().action_probs(AFTER_A_BID))


def test_the_step_from_balanced_play_is_bounded() -> None:
    """Whatever it takes the opponent for, every move keeps its share of the blueprint's probability."""
    balanced = make_champion().action_probs(AFTER_A_BID)
    network = champion_network().with_min_prob_ratio(LEANING_MIN_PROB_RATIO)
    leaning = Champion(network).action_probs(AFTER_A_BID)
    probs = sure_of(1.0).action_probs(AFTER_A_BID)
    assert set(probs) == set(balanced) | set(leaning)
    for move, prob in probs.items():
        assert prob == pytest.approx((1 - MAX_LEAN) * balanced.get(move, 0) + MAX_LEAN * leaning.get(move, 0))
    assert balanced != pytest.approx(probs)


def test_probabilities_of_many_hands_are_those_of_each() -> None:
    bot, hands = sure_of(0.5), ((1, 2, 2, 3, 3), (4, 4, 5, 6, 6))
    actions = AFTER_A_BID.moves
    probs = bot.probs_by_hand([AFTER_A_BID], hands, actions)[0]
    for column, hand in enumerate(hands):
        named = bot.action_probs(msgspec.structs.replace(AFTER_A_BID, hand=hand))
        assert probs[:, column] == pytest.approx([named.get(action, 0.0) for action in actions], abs=1e-6)


def test_the_same_seed_gives_the_same_match() -> None:
    first, second = (play_match(PERUDO, ["champion:adaptive", "inference"], seed=3).events for _ in range(2))
    assert first == second


@pytest.mark.parametrize("rules, seats", [("perudo", 3), ("joker", 2), ("official", 3), ("openspiel", 2), ("chart", 2)])
def test_it_plays_whole_matches_without_faults(rules: str, seats: int) -> None:
    result = play_match(preset(rules).ruleset, ["champion:adaptive", *["threshold"] * (seats - 1)], seed=5)
    assert result.faults == ()


def test_it_plays_dice_that_its_network_does_not_know_without_faults() -> None:
    """Blueprints that are computed at the table know dice of eight faces."""
    bot = adaptive_champion(seed=1)
    bot.compute_blueprints()
    rules = patched(with_faces(PERUDO, 8), dice__per_player=3)
    result = play_match(rules, [bot, make_bot("inference")], seed=1)
    assert result.rounds > 1
    assert result.faults == ()
    assert bot.lean == 0


def learned_bot() -> tuple[AdaptiveChampion, View]:
    """Return a bot that has learned in a match, and the view of its latest move."""
    bot, views = adaptive_champion(seed=1), []
    learn = bot.act

    def act(shown: View) -> object:
        views.append(shown)
        return learn(shown)

    bot.act = act  # type: ignore[method-assign, assignment]
    play_match(PERUDO, [bot, make_bot("inference")], seed=1)
    bot.act = learn  # type: ignore[method-assign]
    return bot, views[-1]


@pytest.mark.parametrize("change", ["a round before", "other names", "other bids in the same round"])
def test_it_forgets_the_opponent_when_another_match_begins(change: str) -> None:
    bot, last = learned_bot()
    assert bot.lean > 0
    assert last.round_number > 1
    same_round = msgspec.structs.replace(AFTER_A_BID, round_number=last.round_number, names=last.names)
    changes: dict[str, dict[str, object]] = {
        "a round before": {"round_number": 1},
        "other names": {"names": ("A", "C")},
        "other bids in the same round": {"bids": ((1 - (last.seat or 0), Bid(1, 2)),)},
    }
    bot.act(msgspec.structs.replace(same_round, **changes[change]))
    assert bot.lean == 0


def test_a_call_is_a_decision_of_who_was_asked_last() -> None:
    """The first bids 3x6 and then 4x1, and is challenged: two decisions of the second, the latter a call."""
    shown = view(dealt_state(PERUDO, HANDS, (Bid(3, 6), Bid(3, 1))), 0)
    (first, bid), (second, call) = decisions_of(SeenRound(shown, Bid(4, 1)), HANDS, was_called=True)
    assert (bid, call) == (Bid(3, 1), None)
    assert (first.hand, second.hand) == (HANDS[1], HANDS[1])
    assert (first.bid, second.bid) == (Bid(3, 6), Bid(4, 1))
    assert second.on_turn
    assert second.may_challenge
    own_call = SeenRound(shown, Challenge())
    assert [made for _, made in decisions_of(own_call, HANDS, was_called=True)] == [Bid(3, 1)]


def test_baselines_do_not_adapt() -> None:
    assert isinstance(make_bot("champion@16:adaptive"), AdaptiveChampion)
    with pytest.raises(MalformedError, match="champion@7 takes no parameter"):
        make_bot("champion@7:adaptive")
    with pytest.raises(MalformedError, match="adaptive"):
        make_bot("champion:shy")
