"""The game of OpenSpiel: its tree is that of `liars_dice`, and it passes OpenSpiel's own checks."""

import random
from pathlib import Path

import numpy as np
import pyspiel
import pytest
from absl import flags
from open_spiel.python.algorithms import exploitability, generate_playthrough
from open_spiel.python.observation import make_observation

from liarsdice.core.errors import IllegalActionError, UnavailableError
from liarsdice.core.rules.ruleset_io import find_rules
from liarsdice.sim import array_schema as schema
from liarsdice.solve.round_solver import solve_round
from liarsdice_lab.envs.layout import observe_view
from liarsdice_lab.envs.openspiel import LiarsDiceGame, strategy_policy

PLAYTHROUGHS = Path(__file__).parent / "playthroughs"


@pytest.fixture(scope="module")
def three_faces(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A file of the rules `openspiel` with dice of three faces."""
    path = tmp_path_factory.mktemp("rules") / "three.toml"
    path.write_text('extends = "openspiel"\n[dice]\nfaces = 3\nspecial_face = 3\n', encoding="utf-8")
    return str(path)


def their_text(text: str) -> str:
    """The text that `liars_dice` has for an information state of ours: `25 4-6` for `seat 0 hand 25 ... bids 4x6`."""
    words = text.split()
    bids = words[words.index("bids") + 1 :]
    return " ".join([words[3], *(bid.replace("x", "-") for bid in bids)])


def their_action(state: pyspiel.State, action: int, highest: int) -> int:
    """The number that `liars_dice` has for an action of ours: bids from 0, and the challenge after the highest bid."""
    if state.is_chance_node():
        return action
    return highest if action == schema.CHALLENGE else action - schema.FIRST_BID


def assert_same_trees(ours: pyspiel.State, theirs: pyspiel.State, choose: random.Random | None = None) -> int:
    """Compare two states and their children, or only a random child; returns the number of states."""
    assert ours.current_player() == theirs.current_player()
    assert ours.returns() == theirs.returns()
    if ours.is_terminal():
        return 1
    player, highest = ours.current_player(), theirs.num_distinct_actions() - 1
    if ours.is_chance_node():
        assert ours.chance_outcomes() == theirs.chance_outcomes()
    else:
        assert their_text(ours.information_state_string(player)) == theirs.information_state_string(player)
    actions = {action: their_action(ours, action, highest) for action in ours.legal_actions()}
    assert sorted(actions.values()) == theirs.legal_actions()
    chosen = actions if choose is None else [choose.choice(list(actions)[:6] + list(actions)[:1])]
    return 1 + sum(assert_same_trees(ours.child(action), theirs.child(actions[action]), choose) for action in chosen)


def test_the_tree_is_that_of_liars_dice(three_faces: str) -> None:
    ours = LiarsDiceGame({"rules": three_faces, "dice": 1}).new_initial_state()
    theirs = pyspiel.load_game("liars_dice(players=2,numdice=1,dice_sides=3)").new_initial_state()
    assert assert_same_trees(ours, theirs) == 1 + 3 + 9 * 2 * 2**6 - 9


def test_random_lines_of_the_full_game_are_those_of_liars_dice() -> None:
    ours = pyspiel.load_game("python_liarsdice(rules=openspiel)")
    theirs = pyspiel.load_game("liars_dice(players=2,numdice=5)")
    assert (ours.num_players(), ours.max_chance_outcomes()) == (2, 6)
    lengths = [
        assert_same_trees(ours.new_initial_state(), theirs.new_initial_state(), random.Random(seed))
        for seed in range(20)
    ]
    assert max(lengths) > 15


@pytest.mark.parametrize("game", ["rules=openspiel", "rules=official,seats=3,dice=1", "rules=bluff,seats=3,dice=1"])
def test_random_simulations_pass(game: str, capfd: pytest.CaptureFixture[str]) -> None:
    pyspiel.random_sim_test(pyspiel.load_game(f"python_liarsdice({game})"), 1, False, False)
    capfd.readouterr()


def test_an_exported_strategy_is_as_exploitable_as_its_bounds_say(three_faces: str) -> None:
    rules = find_rules(three_faces)
    strategy = solve_round(rules, (1, 1), target=1e-3)
    game = pyspiel.load_game("python_liarsdice", {"rules": three_faces, "dice": 1})
    policy = strategy_policy(game, strategy)
    expected = strategy.bounds.exploitability
    assert exploitability.exploitability(game, policy) == pytest.approx(expected, abs=1e-9)
    with pytest.raises(UnavailableError, match="only round"):
        strategy_policy(LiarsDiceGame({"rules": "openspiel", "dice": 1}), strategy)


def test_the_observer_gives_the_row_of_all_environments() -> None:
    game = LiarsDiceGame({"rules": "official", "seats": 3, "dice": 2})
    state, rng = game.new_initial_state(), random.Random(1)
    observation = make_observation(game, pyspiel.IIGObservationType(perfect_recall=True))
    while not state.is_terminal():
        for player in range(3):
            observation.set_from(state, player)
            row = observe_view(game.game, state.node.view(player))
            assert observation.tensor.tolist() == row.tolist()
            assert observation.dict["hand"].tolist() == game.game.field("hand", row).tolist()
            assert state.information_state_string(player) == observation.string_from(state, player)
        state.apply_action(rng.choice(state.legal_actions()))
    assert np.sum(state.returns()) == pytest.approx(0)


def test_a_player_remembers_earlier_rounds_and_a_spectator_sees_no_dice() -> None:
    state = LiarsDiceGame({"rules": "basic", "dice": 2}).new_initial_state()
    for action in (0, 1, 2, 3, schema.FIRST_BID + 7, schema.CHALLENGE, 4, 4, 5):
        state.apply_action(action)
    past = "hands 12,34 starter 0 bids 0:2x2 1:liar"
    assert state.information_state_string(1) == f"{past}; seat 1 hand 56 dice 1,2 round 2 starter 0 out_of_turn bids"
    assert state.observation_string(0) == "seat 0 hand 5 dice 1,2 round 2 starter 0 bids"
    public = make_observation(
        state.get_game(), pyspiel.IIGObservationType(perfect_recall=False, private_info=pyspiel.PrivateInfoType.NONE)
    )
    public.set_from(state, 0)
    assert public.string_from(state, 0) == "dice 1,2 round 2 starter 0 bids"
    assert not public.tensor.any()


@pytest.mark.parametrize("path", sorted(PLAYTHROUGHS.glob("*.txt")), ids=lambda path: path.stem)
def test_playthroughs_are_the_stored_ones(path: Path) -> None:
    """`generate_playthrough.update_path` of OpenSpiel writes them again after an intended change."""
    flags.FLAGS.mark_as_parsed()
    original, actual = generate_playthrough.replay(path)
    assert actual == original


def test_rules_and_actions_that_do_not_exist_are_refused() -> None:
    with pytest.raises(UnavailableError, match="no rules"):
        LiarsDiceGame({"rules": "chess"})
    with pytest.raises(IllegalActionError, match="none of the legal actions"):
        LiarsDiceGame().new_initial_state().node.child(6)
