"""The champion plays blueprints, which baselines do not."""

from __future__ import annotations

from hashlib import sha256
from importlib.resources import files
from pathlib import Path

import pytest

from liarsdice.analysis.exploitability import exploitability
from liarsdice.bots.blueprints import (
    LARGE_ROUNDS,
    PACKAGED_FILES,
    PACKAGED_RECALL,
    SMALL_ROUNDS,
    packaged_blueprints,
)
from liarsdice.bots.neural.baselines import make_baseline
from liarsdice.bots.neural.champion import Champion, champion_network
from liarsdice.bots.neural.champions import make_champion
from liarsdice.bots.neural.tempers import Temper
from liarsdice.core.engine.view import view
from liarsdice.core.rules.bids import Bid
from liarsdice.core.rules.overlay import patched
from liarsdice.core.rules.presets import preset
from liarsdice.solve.blueprint.blueprint_file import read_blueprints
from liarsdice.solve.game.round_start import RoundStart
from tests.bots.positions import dealt_state

DIGESTS = {
    "openspiel": "d30779dbe8d95d43d9b1fa3baa4580847be0f957b57aa97ffd27e8876503b508",
    "perudo": "d3998e9f3b1c75431372fef799ae02d83ffeae6260ae079b15dff687c79dbd28",
    "openspiel-middle": "e9827096a2c8e5b8a4e1ae295116ba2742510577186588c1bcd26c8ef3012418",
    "basic-small": "dc843429e556f3c323bc8b4582638d4746de5bc2780e48c2f61f87e6de965d7f",
    "bluff-small": "7ce8a04a57554abb27ee4d216e2f7d78680918860a20837b32551d53fc5fdb86",
    "chart-small": "4886d237a6e9f59d942a8bab26fca27d05f5154e559f041ce7bd0fd415496fc3",
    "chui-niu-small": "8a88b2dfb954301fe8ba7f4c35ea7a57cd889074bfde460e8237bc6146281978",
    "joker-small": "c5a4487099f2202d4ed3a2c224d98f7de42c0ad41b534ba2b4304723d8e6643c",
    "mustache-small": "0ec30d7d3fd2049400d112d30bc011d8d7595ec4470b5f14f9be0542ec4fe34d",
    "official-strict-small": "51eac4abc10b2434c9eea3a70a837f6cf27e09f873841cbbcfc3905662912c3b",
    "openspiel-small": "2c04d5093b92d218444293076d66c25aac44625937cea8cb7e230d03a5cd37a0",
    "pirates-small": "02cf91fddccfba4ceecb0f771dc12233e3903384d90dfa752b06cd3ac6c0696e",
    "red-dead-small": "071c1c83328a20320b1246426bc71d9ee7cc724948a21fd1ae9f40be9e71f22f",
    "snyd-joker-small": "304a57c8af5e99ce5c65626300f79015564e14e8fb550cc0c6901c241816d013",
}
"""The SHA-256 of each file of blueprints, which never changes."""
HANDS = ((1, 2, 3, 4, 5), (2, 2, 3, 6, 6))
SMALL_HANDS = ((2, 4), (3, 5)), ((2, 4, 6), (5,)), ((2,), (3, 4, 5))
ONE_ROUND = "official-strict", "red-dead"
"""The presets with a blueprint of two dice each, but none of three dice against one."""


def test_blueprints_stay_what_they_are() -> None:
    models = files("liarsdice.bots") / "models"
    files_of_kinds = {kind.file(name) for kind in PACKAGED_FILES for name in kind.presets}
    assert {f"blueprint-{name}.ldb" for name in DIGESTS} == files_of_kinds
    for name, digest in DIGESTS.items():
        assert sha256((models / f"blueprint-{name}.ldb").read_bytes()).hexdigest() == digest


@pytest.mark.parametrize("name", LARGE_ROUNDS.presets)
def test_the_champion_plays_a_blueprint_and_baselines_their_network(name: str) -> None:
    shown = view(dealt_state(preset(name).ruleset, HANDS, (Bid(3, 6),)), 1)
    blueprint = packaged_blueprints().of_round(shown.ruleset, RoundStart((5, 5)))
    assert blueprint is not None
    assert make_champion().action_probs(shown) == blueprint.action_probs(HANDS[1], [Bid(3, 6)])
    network = Champion(champion_network()).action_probs(shown)
    assert make_baseline("champion@7").action_probs(shown) == network
    assert make_champion(temper=Temper.BOLD).blueprint(shown) is None


def test_every_round_of_two_perudo_players_is_known_or_solved() -> None:
    rules = preset("perudo").ruleset
    for first in range(1, 6):
        for second in range(1, 6):
            if first + second > 3:
                blueprint = packaged_blueprints().of_round(rules, RoundStart((first, second)))
                assert blueprint is not None
                assert blueprint.layout.recall <= PACKAGED_RECALL


@pytest.mark.parametrize(
    "name, hands",
    [
        (name, hands)
        for name in SMALL_ROUNDS.presets
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


@pytest.mark.parametrize("name", ["mustache", "pirates"])
@pytest.mark.parametrize("dice", SMALL_ROUNDS.rounds)
def test_nobody_gains_much_by_knowing_a_blueprint_of_four_dice_together(name: str, dice: tuple[int, int]) -> None:
    """Under these rules the rounds are small enough for a test. From the network up to 0.52 are to be won there."""
    assert exploitability(make_champion(seed=1), preset(name).ruleset, dice).exploitability < 0.02


@pytest.mark.parametrize("name", LARGE_ROUNDS.presets)
def test_the_bids_of_stored_rounds_are_those_of_the_rules(name: str) -> None:
    """The layout of a round is stored, so that nothing has to be built from the rules before a decision."""
    file = read_blueprints(Path(str(files("liarsdice.bots") / "models" / f"blueprint-{name}.ldb")))
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
