"""How long a bot thought does not show: its move appears at fixed times."""

from types import SimpleNamespace

import pytest

from liarsdice.server.live.timers import at_answer_step


class FakeLoop:
    """An event loop whose time moves only by what happens in a test."""

    def __init__(self) -> None:
        self.now_s = 1_000.0

    def time(self) -> float:
        return self.now_s

    async def sleep(self, delay_s: float) -> None:
        assert delay_s >= 0
        self.now_s += delay_s

    async def think(self, thinking_s: float) -> str:
        self.now_s += thinking_s
        return "challenge"


@pytest.fixture
def loop(monkeypatch: pytest.MonkeyPatch) -> FakeLoop:
    fake = FakeLoop()
    fake_asyncio = SimpleNamespace(sleep=fake.sleep, get_running_loop=lambda: fake)
    monkeypatch.setattr("liarsdice.server.live.timers.asyncio", fake_asyncio)
    return fake


@pytest.mark.parametrize(
    "thinking_s, steps", [(0.0, 1), (0.001, 1), (0.06, 1), (0.25, 1), (0.26, 2), (0.4, 2), (1.1, 5)]
)
async def test_a_move_appears_a_whole_number_of_steps_after_a_bot_was_asked(
    loop: FakeLoop, thinking_s: float, steps: int
) -> None:
    assert await at_answer_step(loop.think(thinking_s), 0.25) == "challenge"
    assert loop.now_s - 1_000 == pytest.approx(0.25 * steps)


async def test_without_pauses_a_move_appears_as_soon_as_the_bot_has_decided(loop: FakeLoop) -> None:
    assert await at_answer_step(loop.think(0.06), 0) == "challenge"
    assert loop.now_s - 1_000 == pytest.approx(0.06)
