"""The balance of networks: which rounds a run measures, what is measured, and which network is the best."""

from pathlib import Path

import msgspec
import pytest
import torch

from liarsdice.bots.external.user_bots import load_bot
from liarsdice.bots.neural.champion import Champion, champion_network
from liarsdice.bots.neural.features import FEATURE_COUNT
from liarsdice.core.errors import UnavailableError
from liarsdice.core.rules.presets import preset
from liarsdice.solve.round_game import with_faces
from liarsdice_lab.best_response import exploitability, exploitability_bounds
from liarsdice_lab.train.balance import NO_MEASURES, Figures, balance_measures, figures_of, measure_balance
from liarsdice_lab.train.config import BalanceConfig, TrainingConfig
from liarsdice_lab.train.model import PolicyNetwork, export_network

SMALL = BalanceConfig(dice=(2, 1), faces=3, hunter_rounds=40, hunter_dice=2, response_reach=None)


def test_a_run_of_all_presets_is_measured_under_perudo_and_openspiel() -> None:
    measures = balance_measures(TrainingConfig())
    assert list(measures.rounds) == ["perudo, 2v1, exploitability", "openspiel, 2v1, exploitability"]
    assert measures.rounds["perudo, 2v1, exploitability"] == (preset("perudo").ruleset, (2, 1))
    assert measures.hunter is not None
    assert measures.hunter[0] == "openspiel, 3v3, hunter"
    assert measures.deals == 50
    assert measures.response is not None
    name, rules, dice, min_reach = measures.response
    assert name == "openspiel, 3v3, best response from 0.02"
    assert (rules, dice, min_reach) == (preset("openspiel").ruleset, (3, 3), 0.02)


def test_other_runs_are_measured_under_the_first_of_their_rules_whose_bids_only_rise(tmp_path: Path) -> None:
    house = tmp_path / "house.toml"
    house.write_text('extends = "perudo"\n[players]\nmin = 3\n', encoding="utf-8")
    config = TrainingConfig(rules=("official", str(house), "joker"), balance=SMALL)
    measures = balance_measures(config)
    assert list(measures.rounds) == [f"{house}, 2v1 of 3 faces, exploitability"]
    assert measures.hunter is not None
    assert measures.hunter[1].ruleset.guards.max_rounds == 1
    assert balance_measures(msgspec.structs.replace(config, rules=("official",))) == NO_MEASURES


def test_measures_can_be_chosen_and_switched_off() -> None:
    chosen = TrainingConfig(
        balance=BalanceConfig(rules=("basic", "joker"), dice=(1, 1), hunter_rounds=0, response_reach=None)
    )
    measures = balance_measures(chosen)
    assert list(measures.rounds) == ["basic, 1v1, exploitability", "joker, 1v1, exploitability"]
    assert measures.hunter is None
    assert measures.response is None
    assert balance_measures(TrainingConfig(balance=BalanceConfig(rules=()))) == NO_MEASURES


@pytest.mark.parametrize(
    "balance, complaint",
    [
        (BalanceConfig(rules=("official",)), "bids may follow each other in any order"),
        (BalanceConfig(dice=(5, 5)), "take fewer dice"),
    ],
)
def test_rounds_in_which_no_bot_is_measured_are_refused(balance: BalanceConfig, complaint: str) -> None:
    with pytest.raises(UnavailableError, match=complaint):
        balance_measures(TrainingConfig(balance=balance))


def test_the_measured_exploitability_is_that_of_the_arena(tmp_path: Path) -> None:
    measures = balance_measures(TrainingConfig(balance=msgspec.structs.replace(SMALL, hunter_rounds=0)))
    balance = measure_balance(champion_network(), measures)
    champion_network().save(tmp_path / "network.npz")
    player = load_bot(f"network:{tmp_path / 'network.npz'}")
    for name in ("perudo", "openspiel"):
        expected = exploitability(player, with_faces(preset(name).ruleset, 3), (2, 1)).exploitability
        assert balance.exploitability[f"{name}, 2v1 of 3 faces, exploitability"] == pytest.approx(expected, abs=1e-6)
    assert balance.floors == balance.hunter_shares == {}
    mean = sum(balance.exploitability.values()) / 2
    figures = figures_of(balance, 0.3)
    assert figures.exploitability == pytest.approx(mean)
    assert figures[1:] == (None, None, 0.3)


def test_a_hunter_wins_most_rounds_against_an_untrained_network() -> None:
    torch.manual_seed(5)
    untrained = export_network(PolicyNetwork(FEATURE_COUNT, 16, 1))
    measures = balance_measures(TrainingConfig(rules=("perudo",), balance=msgspec.structs.replace(SMALL, dice=(1, 1))))
    balance = measure_balance(untrained, measures)
    assert list(balance.hunter_shares) == ["perudo, 2v2, hunter"]
    assert 0.7 < balance.hunter_shares["perudo, 2v2, hunter"] <= 1
    assert measure_balance(untrained, measures) == balance
    assert figures_of(balance, 0.1).hunter_share == balance.hunter_shares["perudo, 2v2, hunter"]


def test_in_a_larger_round_a_best_response_is_bounded_from_below() -> None:
    config = BalanceConfig(dice=(1, 1), faces=3, hunter_rounds=0, response_reach=0.1, response_dice=2)
    measures = balance_measures(TrainingConfig(rules=("joker",), balance=config))
    balance = measure_balance(champion_network(), measures)
    assert list(balance.columns) == ["joker, 1v1 of 3 faces, exploitability", "joker, 2v2, best response from 0.1"]
    player = Champion(champion_network(), endgame_dice=0, heeds_own_dice=False)
    floor = exploitability_bounds(player, preset("joker").ruleset, (2, 2), 0.1).low.exploitability
    assert balance.floors["joker, 2v2, best response from 0.1"] == pytest.approx(floor, abs=1e-6)
    assert figures_of(balance, 0.1).floor == balance.floors["joker, 2v2, best response from 0.1"]


def test_exploitability_comes_before_its_floor_the_hunter_s_share_and_strength() -> None:
    best_first = [
        Figures(0.296, 0.2, 0.59, 0.3),
        Figures(0.304, 0.2, 0.61, 0.2),
        Figures(0.297, 0.2, 0.66, 0.9),
        Figures(0.297, 0.22, 0.5, 0.9),
        Figures(0.31, 0.1, 0.5, 0.9),
    ]
    ranks = [figures.rank for figures in best_first]
    assert ranks == sorted(ranks)
    assert len(set(ranks)) == len(ranks)
    assert Figures(None, None, None, 0.3).rank < Figures(None, None, None, 0.2).rank
