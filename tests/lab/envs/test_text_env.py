"""Matches in text."""

import random
import re

import pytest

from liarsdice.core.errors import MalformedError
from liarsdice_lab.envs.text_env import ERROR_ALLOWANCE, TextEnv


def random_answer(env: TextEnv, rng: random.Random) -> str:
    ids = env.node.legal_ids()
    return f"I think. [{env.game.action_text(rng.choice(ids[:8] + ids[-1:]))}]"


@pytest.mark.parametrize("rules, seats", [("perudo", 2), ("official", 3), ("classic+reversa+calza", 3)])
def test_matches_are_played_to_the_end_and_repeat_from_their_seed(rules: str, seats: int) -> None:
    texts = []
    for _ in range(2):
        env, rng, read = TextEnv(rules, seats), random.Random(1), []
        env.reset(seed=5)
        done = False
        while not done:
            read.append(env.get_observation())
            done, info = env.step(random_answer(env, rng))
            assert info["legal"]
        rewards, infos = env.close()
        assert sum(rewards.values()) == pytest.approx(0)
        assert max(rewards.values()) == 1.0
        assert not any(info["illegal_moves"] for info in infos.values())
        read.append(env.get_observation())
        texts.append(read)
    assert texts[0] == texts[1]
    assert {seat for seat, _ in texts[0]} == set(range(seats))


def test_a_seat_reads_the_rules_the_news_its_own_dice_and_its_moves() -> None:
    env = TextEnv("basic", 2)
    env.reset(seed=1)
    opener, text = env.get_observation()
    assert f"You are Player {opener}." in text
    assert "Your legal moves: 1x1 to 10x1," in text
    env.step("[2x3]")
    seat, text = env.get_observation()
    assert seat == 1 - opener
    assert f"Standing bid: 2x3 by Player {opener} (two threes)." in text
    assert re.search(r"Player \d bids two threes", text)
    own = " ".join(map(str, sorted(env.node.state.hands[seat])))
    other = " ".join(map(str, sorted(env.node.state.hands[opener])))
    assert f"Your dice: {own}." in text
    assert other not in text
    assert env.get_observation()[1].startswith("You are")  # news are read once


@pytest.mark.parametrize("answer", ["2x3", "[2x3]", "maybe [9x9]? no, [2x3]", "[Bid: 2, 3]", "[bid 2,3]"])
def test_a_bid_is_understood(answer: str) -> None:
    env = TextEnv("basic", 2)
    env.reset(seed=1)
    assert env.step(answer)[1]["legal"]
    assert str(env.node.state.bid) == "2x3"
    assert env.step("[Call]")[1]["legal"]
    assert env.node.state.round_number == 2


def test_unusable_answers_are_refused_with_a_reason_and_lose_the_match_in_the_end() -> None:
    env = TextEnv("basic", 3)
    env.reset(seed=1)
    loser, _ = env.get_observation()
    for number, answer in enumerate(["hello", "[liar]", "[99x1]"]):
        done, info = env.step(answer)
        assert done == (number == ERROR_ALLOWANCE)
        assert not info["legal"]
    assert "no legal move" in env.get_observation()[1]
    rewards, infos = env.close()
    assert rewards[loser] == -1.0
    assert sum(rewards.values()) == pytest.approx(0)
    assert infos[loser] == {"illegal_moves": 3, "invalid_move": True}
    with pytest.raises(MalformedError, match="over"):
        env.step("[1x1]")


def test_reset_takes_another_number_of_players() -> None:
    env = TextEnv("perudo", 2)
    env.reset(num_players=4, seed=1)
    assert len(env.node.state.dice) == 4
