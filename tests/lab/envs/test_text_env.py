"""Matches in text, and the protocol of OpenEnv over HTTP and WebSocket."""

import json
import random
import re
from typing import Any

import pytest
from litestar.testing import TestClient

from liarsdice.core.errors import MalformedError
from liarsdice_lab.envs.openenv import OpenEnvObservation, StepResult, create_app
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


Result = dict[str, Any]


def lowest_action(result: Result) -> dict[str, int]:
    return {"action_id": result["observation"]["action_mask"].index(1)}


def test_a_match_is_played_over_http() -> None:
    with TestClient(create_app("official", seats=3, opponents=("threshold", "random"))) as client:
        result = client.post("/reset", json={"seed": 3, "episode_id": "one"}).json()
        assert set(result) == set(StepResult.__struct_fields__)
        assert set(result["observation"]) == set(OpenEnvObservation.__struct_fields__)
        steps = 0
        while not result["done"]:
            result = client.post("/step", json={"action": lowest_action(result)}).json()
            steps += 1
        assert result["reward"] in (-0.5, 1.0)
        state = client.get("/state").json()
        assert (state["episode_id"], state["step_count"], state["seats"]) == ("one", steps, 3)
        over = client.post("/step", json={"action": {"action_id": 4}})
        assert (over.status_code, "the match is over" in over.text) == (422, True)
        assert client.post("/reset").json()["observation"]["text"].startswith("seat 0 hand")


def test_pages_say_what_the_environment_is() -> None:
    with TestClient(create_app()) as client:
        assert client.get("/health").json() == {"status": "healthy"}
        assert client.get("/metadata").json()["name"] == "liarsdice"
        schemas = client.get("/schema").json()
        assert set(schemas) == {"action", "observation", "state"}
        assert "action_id" in json.dumps(schemas["action"])


@pytest.mark.parametrize("action", [{"action_id": 64}, {"action_id": -1}, {"action_id": 10**9}, {"move": "9x9"}, {}])
def test_an_illegal_action_is_refused_over_http(action: Result) -> None:
    with TestClient(create_app()) as client:
        before = client.post("/reset", json={"seed": 5}).json()
        refused = client.post("/step", json={"action": action})
        assert refused.status_code == 422
        assert refused.json()["detail"]
        assert client.get("/state").json()["step_count"] == 0
        assert client.post("/reset", json={"seed": 5}).json() == before


def test_each_websocket_has_matches_of_its_own() -> None:
    with (
        TestClient(create_app("basic", max_sessions=2)) as client,
        client.websocket_connect("/ws") as first,
        client.websocket_connect("/ws") as second,
    ):
        answers = []
        for socket in (first, second):
            socket.send_json({"type": "reset", "data": {"seed": 7}})
            answers.append(socket.receive_json())
        assert answers[0] == answers[1]
        assert answers[0]["type"] == "observation"
        move = answers[0]["data"]["observation"]["legal_moves"].split()[0]
        first.send_json({"type": "step", "data": {"move": move.rstrip(",")}})
        assert first.receive_json()["data"]["observation"] != answers[0]["data"]["observation"]
        for socket, steps in ((first, 1), (second, 0)):
            socket.send_json({"type": "state"})
            assert socket.receive_json()["data"]["step_count"] == steps
        with client.websocket_connect("/ws") as third:
            assert third.receive_json()["data"]["code"] == "CAPACITY_REACHED"
        first.send_json({"type": "close"})
        second.send_json({"type": "close"})


@pytest.mark.parametrize(
    "text, code",
    [
        ("{", "INVALID_JSON"),
        ('{"type": "dance"}', "VALIDATION_ERROR"),
        ('{"type": "reset", "data": {"seed": -1}}', "VALIDATION_ERROR"),
        ('{"type": "step", "data": {"action_id": 64}}', "EXECUTION_ERROR"),
        ('{"type": "step", "data": {"jump": 0}}', "VALIDATION_ERROR"),
    ],
)
def test_a_wrong_message_is_answered_with_a_code(text: str, code: str) -> None:
    with TestClient(create_app()) as client, client.websocket_connect("/ws") as socket:
        socket.send_text(text)
        answer = socket.receive_json()
        assert (answer["type"], answer["data"]["code"]) == ("error", code)
        assert answer["data"]["message"]
        socket.send_json({"type": "state"})
        assert socket.receive_json()["type"] == "state"
