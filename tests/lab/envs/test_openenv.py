"""The protocol of OpenEnv over HTTP and WebSocket."""

import json
from typing import Any

import pytest
from litestar.testing import TestClient

from liarsdice_lab.envs.openenv import OpenEnvObservation, StepResult, create_app

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
