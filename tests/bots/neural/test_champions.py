"""The champions by number: from the eighth on they play blueprints."""

from __future__ import annotations

from hashlib import sha256
from importlib.resources import files
from pathlib import Path

import pytest

from liarsdice.bots.blueprints import PACKAGED_PRESETS, PACKAGED_RECALL, packaged_blueprints
from liarsdice.bots.neural.champion import LATEST_MODEL, Champion, Temper, champion_network
from liarsdice.bots.neural.champions import make_champion
from liarsdice.core.engine.view import view
from liarsdice.core.rules.bids import Bid
from liarsdice.core.rules.presets import preset
from liarsdice.solve.blueprint.blueprint_file import read_blueprints
from liarsdice.solve.game.round_start import RoundStart
from tests.bots.positions import dealt_state

DIGESTS = {
    "openspiel": "d30779dbe8d95d43d9b1fa3baa4580847be0f957b57aa97ffd27e8876503b508",
    "perudo": "a17ebd50de2f1b3cf21301f5018ea1a804f40735b7b6103122a2d11961f9575c",
}
"""The SHA-256 of each file of blueprints, which never changes."""
HANDS = ((1, 2, 3, 4, 5), (2, 2, 3, 6, 6))


def test_blueprints_stay_what_they_are() -> None:
    models = files("liarsdice.bots") / "models"
    assert set(DIGESTS) == set(PACKAGED_PRESETS)
    for name, digest in DIGESTS.items():
        assert sha256((models / f"blueprint-{name}.ldb").read_bytes()).hexdigest() == digest


@pytest.mark.parametrize("name", PACKAGED_PRESETS)
def test_the_newest_champion_plays_a_blueprint_and_older_ones_their_network(name: str) -> None:
    shown = view(dealt_state(preset(name).ruleset, HANDS, (Bid(3, 6),)), 1)
    blueprint = packaged_blueprints().of_round(shown.ruleset, RoundStart((5, 5)))
    assert blueprint is not None
    assert make_champion().action_probs(shown) == blueprint.action_probs(HANDS[1], [Bid(3, 6)])
    network = Champion(champion_network(LATEST_MODEL)).action_probs(shown)
    assert make_champion(7).action_probs(shown) == network
    assert make_champion(temper=Temper.BOLD).blueprint(shown) is None


def test_every_round_of_two_perudo_players_is_known_or_solved() -> None:
    rules = preset("perudo").ruleset
    for first in range(1, 6):
        for second in range(1, 6):
            if first + second > 3:
                blueprint = packaged_blueprints().of_round(rules, RoundStart((first, second)))
                assert blueprint is not None
                assert blueprint.layout.recall <= PACKAGED_RECALL


@pytest.mark.parametrize("name", PACKAGED_PRESETS)
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
