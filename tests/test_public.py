"""The package's public surface."""

import inspect
import subprocess
import sys
from collections.abc import Callable, Iterator
from enum import Enum
from pathlib import Path
from types import NoneType
from typing import Any, get_args

import msgspec
import numpy as np
import pytest

import liarsdice
import liarsdice as ld
import liarsdice_lab as lab
from liarsdice import client
from liarsdice.core.errors import LiarsDiceError, MalformedError
from liarsdice.core.rules.choices import Direction, StarterMethod
from liarsdice.core.rules.presets import preset
from liarsdice_lab import envs


def test_every_public_name_is_there_and_the_list_is_sorted() -> None:
    assert liarsdice.__all__ == sorted(liarsdice.__all__)
    assert all(getattr(liarsdice, name) is not None for name in liarsdice.__all__)
    assert set(liarsdice.__all__) <= set(dir(liarsdice))


def test_an_unknown_name_is_an_attribute_error() -> None:
    assert not hasattr(liarsdice, "Poker")


def test_importing_the_package_loads_no_heavy_neighbour() -> None:
    heavy = {"msgspec", "numba", "numpy", "rich", "textual", "typer"}
    code = f"import sys, liarsdice; print(*sorted({heavy} & set(sys.modules)))"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    assert loaded == []


find_preset: Callable[..., object] = getattr(ld, "preset")  # noqa: B009  mypy takes the name for that of a module
RULES = preset("openspiel").ruleset
GAME = envs.make_game("openspiel")
HANDS = ((1, 2, 3, 4, 5), (2, 2, 3, 5, 5))


def bidding() -> ld.State:
    """A state in which Ann is on turn."""
    state = ld.start(RULES, ["Ann", "Bo"])
    for action in (ld.ChooseStarter(0), ld.Deal(HANDS)):
        state = ld.evolve_all(state, ld.decide(state, None, action))
    return state


STATE = bidding()
VIEW = ld.view(STATE, STATE.turn)
RESULT = ld.play_match(RULES, ["random", "random"], seed=1)
RECORD_TEXT = ld.write_record(RESULT.events, "1")
RECORD = ld.read_record(RECORD_TEXT)
BOOK = ld.rulebook(RULES)
NARRATOR = ld.Narrator(RULES, ("Ann", "Bo"))
COMPILED = ld.compile_rules(RULES, 2)
STRATEGY = ld.solve_round("openspiel", (1, 1), faces=2, target=0.05)
STRATEGIES = ld.StrategySet(STRATEGY.tree.game.rules, False, (STRATEGY,))
SOLVED_VIEW = ld.view(
    ld.evolve_all(
        ld.start(ld.patched(STRATEGY.tree.game.rules, dice__per_player=1), ["Ann", "Bo"]),
        [
            ld.StarterFound(0, StarterMethod.CHOSEN),
            ld.RoundStarted(1, 0, (1, 1), Direction.CLOCKWISE),
            ld.Dealt(((1,), (2,))),
        ],
    ),
    0,
)
ENV = envs.make_env(GAME, 2)
INPUTS = envs.network_inputs(ENV)
EXPLANATION = ld.explain(VIEW)


class Call(msgspec.Struct):
    """A right call. `ignored`: parameters with any value, or with wrong values that mean something here."""

    function: Callable[..., object]
    arguments: dict[str, Any]
    ignored: tuple[str, ...] = ()


def calls() -> dict[str, Call]:
    """A right call of every public function, constructor and method, by its name."""
    game = ld.Game("openspiel", 2, seed=1)
    simulation = lab.make_simulation(RULES, ["random", "threshold"])
    vector = ld.VectorEnv(COMPILED, 2)
    text, gym, many = envs.TextEnv("openspiel"), envs.gym_env("openspiel"), envs.vector_env("openspiel", count=2)
    aec, parallel = envs.aec_env("openspiel"), envs.parallel_env("openspiel")
    text.reset(seed=1)
    gym.reset(seed=1)
    many.reset(seed=1)
    aec.reset(seed=1)
    parallel.reset(seed=1)
    bid, call = ld.Bid(1, 2), Call
    first_bid = GAME.action_id(ld.Bid(1, 1))
    layers = [np.zeros((217, 28), np.float32)], [np.zeros(28, np.float32)]
    return {
        "Bid": call(ld.Bid, {"quantity": 1, "face": 2, "pure": False}),
        "CompiledRules.action_from_id": call(COMPILED.action_from_id, {"action_id": 4}),
        "CompiledRules.action_id": call(COMPILED.action_id, {"action": bid}),
        "Game": call(ld.Game, {"rules": "openspiel", "players": 2, "seed": 1}, ("seed",)),
        "Game.from_position": call(ld.Game.from_position, {"position": game.position, "seed": 1}, ("seed",)),
        "Game.moves_of": call(game.moves_of, {"seat": 0}),
        "Game.push": call(game.copy().push, {"move": game.legal_moves[0], "seat": game.turn}),
        "Game.view": call(game.view, {"seat": 0}),
        "Narrator": call(ld.Narrator, {"rules": RULES, "names": ("Ann", "Bo"), "listener": 0, "language": "es"}),
        "RoundStart": call(ld.RoundStart, {"dice": (1, 1), "starter": 0, "special": None}, ("dice", "starter")),
        "Ruleset": call(ld.Ruleset, {"dice": RULES.dice, "penalties": ()}),
        "Simulation": call(
            lab.Simulation, {"ruleset": RULES, "bots": ("random", "random"), "seed": 1}, ("seed", "bots")
        ),
        "Simulation.play": call(simulation.play, {"match_number": 0}),
        "Simulation.seating": call(simulation.seating, {"match_number": 0}),
        "Strategy.action_probs": call(STRATEGY.action_probs, {"hand": (1,), "bids": ["1x1"]}),
        "Strategy.policy": call(STRATEGY.policy, {"view": SOLVED_VIEW}),
        "StrategySet.policy": call(STRATEGIES.policy, {"view": SOLVED_VIEW}),
        "StrategySet": call(ld.StrategySet, {"rules": RULES, "match": False, "strategies": (STRATEGY,)}),
        "StrategySet.strategy": call(STRATEGIES.strategy, {"round_start": STRATEGY.start}),
        "TextEnv": call(envs.TextEnv, {"rules": "openspiel", "seats": 2}),
        "TextEnv.reset": call(envs.TextEnv("openspiel").reset, {"num_players": 2, "seed": 1}, ("seed",)),
        "TextEnv.step": call(text.step, {"action": "[1x1]"}, ("action",)),
        "ThresholdPolicy": call(ld.ThresholdPolicy, {"t": 0.4, "credit": 0.0}),
        "VectorEnv": call(ld.VectorEnv, {"rules": COMPILED, "count": 2, "seed": 1, "first": 0, "starters": 0}),
        "VectorEnv.advance": call(vector.advance, {"policies": (ld.UniformPolicy(),)}),
        "VectorEnv.deal": call(ld.VectorEnv(COMPILED, 1, deals=False).deal, {"hands": [HANDS]}),
        "VectorEnv.reset": call(vector.reset, {"starters": 0, "dice": (5, 5)}),
        "VectorEnv.step": call(ld.VectorEnv(COMPILED, 2).step, {"actions": [4, 4]}, ("actions",)),
        "aec_env": call(envs.aec_env, {"rules": "openspiel", "seats": 2, "seed": 1, "reward": "match"}),
        "aec_env.reset": call(aec.reset, {"seed": 1}),
        "aec_env.step": call(aec.step, {"action": first_bid}),
        "arena": call(
            lab.arena, {"rules": RULES, "bots": ["random", "greedy"], "matches": 2, "seed": 1, "jobs": 1}, ("seed",)
        ),
        "beats": call(ld.beats, {"rules": RULES, "old": bid, "new": bid}),
        "bot_names": call(ld.bot_names, {}),
        "compile_rules": call(ld.compile_rules, {"rules": RULES, "seats": 2, "dice": (5, 5)}),
        "decide": call(ld.decide, {"state": STATE, "seat": STATE.turn, "action": bid}),
        "event_view": call(ld.event_view, {"event": RESULT.events[1], "seat": 0}, ("seat",)),
        "evolve": call(ld.evolve, {"state": STATE, "event": ld.BidMade(0, bid)}),
        "evolve_all": call(ld.evolve_all, {"state": STATE, "events": [ld.BidMade(0, bid)]}),
        "explain": call(ld.explain, {"shown": VIEW, "signals": True}),
        "explanation_sentences": call(ld.explanation_sentences, {"shown": VIEW, "explanation": EXPLANATION}),
        "export_strategy": call(ld.export_strategy, {"strategy": STRATEGY, "path": Path("round.csv")}),
        "exploitability": call(
            lab.exploitability, {"bot": "random", "rules": "basic", "dice": (1, 1), "min_prob": 0.1}
        ),
        "find_file_problems": call(ld.find_file_problems, {"source": 'extends = "basic"'}, ("source",)),
        "find_problems": call(lambda rules: list(ld.find_problems(rules)), {"rules": RULES}),
        "find_rules": call(ld.find_rules, {"name": "perudo"}),
        "find_warnings": call(lambda rules: list(ld.find_warnings(rules)), {"rules": RULES}),
        "from_json": call(ld.from_json, {"source": '{"extends": "basic"}'}),
        "from_toml": call(ld.from_toml, {"source": 'extends = "basic"'}),
        "gym_env": call(
            envs.gym_env,
            {
                "rules": "openspiel",
                "seats": 2,
                "seed": 1,
                "opponents": "random",
                "reward": "dice",
                "render_mode": "ansi",
            },
        ),
        "gym_env.reset": call(gym.reset, {"seed": 1}),
        "gym_env.step": call(gym.step, {"action": first_bid}),
        "iter_information_sets": call(
            lambda strategy: next(ld.iter_information_sets(strategy)), {"strategy": STRATEGY}
        ),
        "ladder": call(ld.ladder, {"rules": RULES, "top": 2}),
        "legal": call(ld.legal, {"state": STATE}),
        "make_bot": call(ld.make_bot, {"spec": "threshold", "seed": 1}, ("seed",)),
        "make_buffers": call(envs.make_buffers, {"game": GAME, "count": 2}),
        "make_env": call(envs.make_env, {"game": GAME, "count": 2, "seed": 1, "opponents": "random", "learner": 0}),
        "make_env.act": call(envs.make_env(GAME, 2).act, {"actions": [4, 4]}),
        "make_env.reset": call(ENV.reset, {"seed": 1}),
        "make_env.step": call(envs.make_env(GAME, 2).step, {"actions": [4, 4]}),
        "make_env.use_buffers": call(ENV.use_buffers, {"buffers": envs.make_buffers(GAME, 2)}),
        "make_game": call(envs.make_game, {"rules": "openspiel", "seats": 2, "dice": (5, 5)}),
        "make_simulation": call(
            lab.make_simulation, {"ruleset": RULES, "bots": ["random"], "seats": 2, "seed": 1}, ("seed",)
        ),
        "minimum_quantities": call(ld.minimum_quantities, {"rules": RULES, "over": bid, "top": 3, "pure": False}),
        "narrate": call(ld.narrate, {"event": ld.BidMade(0, bid), "narrator": NARRATOR}),
        "network_inputs": call(envs.network_inputs, {"env": ENV}),
        "notate": call(ld.notate, {"action": bid}),
        "notate_match": call(ld.notate_match, {"events": RESULT.events}),
        "observe_view": call(envs.observe_view, {"game": GAME, "view": VIEW}),
        "odds": call(ld.odds, {"rules": RULES, "bid": bid, "hand": (1, 2), "others": (2,), "wilds_count": True}),
        "parallel_env": call(envs.parallel_env, {"rules": "openspiel", "seats": 2, "seed": 1, "reward": "match"}),
        "parallel_env.reset": call(parallel.reset, {"seed": 1}),
        "parallel_env.step": call(parallel.step, {"actions": dict.fromkeys(parallel.agents, first_bid)}),
        "parse": call(ld.parse, {"text": "5x4"}),
        "parse_match": call(ld.parse_match, {"line": ld.notate_match(RESULT.events)}),
        "patched": call(ld.patched, {"ruleset": RULES, "dice__per_player": 2, "exact_call": None}, ("exact_call",)),
        "play_match": call(
            ld.play_match, {"rules": RULES, "bots": ["random", "random"], "names": ["A", "B"], "seed": 1}, ("seed",)
        ),
        "play_matches": call(
            ld.play_matches,
            {"rules": RULES, "seats": 2, "count": 2, "seed": 1, "threads": 1, "policies": [ld.UniformPolicy()]},
        ),
        "play_rounds": call(
            ld.play_rounds,
            {"rules": RULES, "dice": (2, 2), "count": 2, "seed": 1, "threads": 1, "starter": 0, "special": None},
        ),
        "preset": call(find_preset, {"name": "perudo"}),
        "preset_names": call(ld.preset_names, {}),
        "read_position": call(ld.read_position, {"text": game.position}),
        "read_record": call(ld.read_record, {"source": RECORD_TEXT}),
        "read_strategies": call(ld.read_strategies, {"path": Path("round.lds")}),
        "replay": call(ld.replay, {"events": RESULT.events}),
        "review_match": call(ld.review_match, {"record": RECORD, "deals": 30, "seed": 1}, ("seed",)),
        "rulebook": call(ld.rulebook, {"rules": RULES, "language": "es"}),
        "save_network": call(envs.save_network, {"weights": layers[0], "biases": layers[1], "path": Path("net.npz")}),
        "sb3_env": call(envs.sb3_env, {"rules": "openspiel", "seats": 2, "seed": 1, "count": 2, "opponents": "random"}),
        "solve_round": call(
            ld.solve_round,
            {"rules": "openspiel", "dice": (1, 1), "faces": 2, "target": 0.5, "iterations": 2, "seconds": 9.0},
        ),
        "start": call(ld.start, {"ruleset": RULES, "names": ["Ann", "Bo"]}),
        "tabular_policy": call(ld.tabular_policy, {"strategy": STRATEGY}),
        "to_env_actions": call(
            envs.to_env_actions, {"env": ENV, "inputs": INPUTS, "actions": INPUTS.action_mask.argmax(axis=1)}
        ),
        "to_html": call(ld.to_html, {"book": BOOK}),
        "to_json": call(ld.to_json, {"ruleset": RULES}),
        "to_markdown": call(ld.to_markdown, {"book": BOOK}),
        "to_text": call(ld.to_text, {"book": BOOK}),
        "to_toml": call(ld.to_toml, {"ruleset": RULES}),
        "vector_env": call(
            envs.vector_env,
            {"rules": "openspiel", "seats": 2, "seed": 1, "count": 2, "opponents": "random", "learner": 0},
        ),
        "vector_env.reset": call(many.reset, {"seed": 1}),
        "vector_env.step": call(many.step, {"actions": [first_bid, first_bid]}),
        "view": call(ld.view, {"state": STATE, "seat": 0, "moves": None}),
        "write_position": call(ld.write_position, {"state": STATE}),
        "write_record": call(ld.write_record, {"events": RESULT.events, "engine": "1"}, ("engine",)),
        "write_strategies": call(
            ld.write_strategies, {"path": Path("round.lds"), "strategies": STRATEGIES, "engine": "1"}, ("engine",)
        ),
    }


CALLS = {name: sorted(call.arguments) for name, call in calls().items()}


def is_data(public: object) -> bool:
    """Whether a public name is no function but a type, or a class whose objects the package makes or judges."""
    if not isinstance(public, type):
        return not callable(public) or hasattr(public, "__args__")  # a union of types
    is_plain_struct = issubclass(public, msgspec.Struct) and "__post_init__" not in vars(public)
    is_made = issubclass(public, Exception | Enum | tuple) or getattr(public, "_is_protocol", False)
    return is_plain_struct or is_made or public is ld.MatchResult


def test_the_table_has_every_public_function_and_constructor() -> None:
    public = {name: getattr(package, name) for package in (ld, lab, envs) for name in package.__all__}
    assert {name for name, value in public.items() if not is_data(value)} - set(CALLS) == set()


LONG, LONGEST_ERROR = "x" * 5000, 600
"""A text of which no error repeats more than its beginning, and the most letters of an error."""


def may_be_none(function: Callable[..., object], name: str) -> bool:
    parameters = inspect.signature(function, eval_str=True).parameters
    return name in parameters and NoneType in get_args(parameters[name].annotation)


def wrong_values(right: object, *, has_range: bool) -> Iterator[object]:
    """Wrong values of each sort in place of a right one; `has_range`: values of the right type can be wrong, too."""
    yield from (object(), int)
    if has_range or not isinstance(right, str | int):  # a seed may be any text
        yield from ("no such thing", LONG)
    if isinstance(right, str):
        yield from (7, *(["\ud800"] if has_range else ()))
    if isinstance(right, int) and not isinstance(right, bool):
        yield from (2.5, True, *([-(10**9)] if has_range else ()))
    if isinstance(right, float):
        yield from (float("nan"), -1.0)
    if isinstance(right, Path):
        yield from (Path("missing") / right.name, Path("a\0b"), Path())
    if isinstance(right, np.ndarray):
        yield from (np.array(3), np.array(["a"]), right + 0.5, right[:1], right + 10**6)
    if isinstance(right, list | tuple) and right:
        yield [object()] if isinstance(right, list) else (object(),)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", CALLS)
def test_a_wrong_argument_is_an_error_that_says_so(name: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    ld.write_strategies(Path("round.lds"), STRATEGIES, "1")
    call = calls()[name]
    call.function(**call.arguments)
    silent = []
    for parameter, right in call.arguments.items():
        wrong = [*wrong_values(right, has_range=parameter not in call.ignored)]
        if right is not None and not may_be_none(call.function, parameter):
            wrong.append(None)
        for value in wrong:
            try:
                call.function(**{**call.arguments, parameter: value})
            except LiarsDiceError as error:
                text = str(error)
                if " at 0x" in text or len(text) > LONGEST_ERROR:
                    silent.append(f"{parameter}={value!r:.40}: {text:.300}")
            except Exception as error:  # noqa: BLE001  what comes is the failure
                silent.append(f"{parameter}={value!r:.40}: {type(error).__name__}: {error!s:.80}")
            else:
                silent.append(f"{parameter}={value!r:.40}: accepted")
    assert not silent, "\n".join([name, *silent])


ANY: Any = 5
"""A wrong value, whatever is wanted."""
WRONG_FIELDS: dict[str, tuple[Callable[..., object], tuple[object, ...]]] = {
    "hands": (
        ld.decide,
        (ld.evolve_all(ld.start(RULES, ["Ann", "Bo"]), [ld.StarterFound(0, StarterMethod.CHOSEN)]), None, ld.Deal(ANY)),
    ),
    "rolls": (ld.decide, (ld.start(preset("perudo").ruleset, ["Ann", "Bo"]), None, ld.RollForStart((ANY, ANY)))),
    "double": (ld.notate, (ld.Challenge(ANY),)),
    "direction": (ld.notate, (ld.SetDirection(ANY),)),
    "trigger": (ld.notate, (ld.Penalise(ANY, ()),)),
    "bid": (ld.narrate, (ld.BidMade(0, ANY), NARRATOR)),
    "event_view": (ld.event_view, (ld.Dealt(ANY), 0)),
    "evolve": (ld.evolve, (STATE, ld.BidMade(0, ANY))),
}


def test_events_of_another_match_are_refused() -> None:
    with pytest.raises(MalformedError, match="no seat 99"):
        ld.narrate(ld.BidMade(99, ld.Bid(1, 2)), NARRATOR)
    with pytest.raises(LiarsDiceError, match="not all events"):
        ld.notate_match(RESULT.events[1:])


@pytest.mark.parametrize("name", WRONG_FIELDS)
def test_a_wrong_field_of_an_action_or_event_is_an_error_that_says_so(name: str) -> None:
    function, arguments = WRONG_FIELDS[name]
    with pytest.raises(MalformedError, match=r"not .*5"):
        function(*arguments)


def test_no_number_of_seats_takes_long_to_be_refused() -> None:
    for refuse in (
        lambda: ld.Game("openspiel", 10**15),
        lambda: ld.compile_rules(RULES, 10**15),
        lambda: envs.TextEnv("openspiel").reset(10**15),
    ):
        with pytest.raises(MalformedError, match="seats 2 to 100 players"):
            refuse()


def test_matches_are_played_by_one_policy_or_more() -> None:
    with pytest.raises(MalformedError, match="at least one"):
        ld.play_matches(RULES, 2, 1, policies=())


def test_whole_numbers_of_numpy_count_as_whole_numbers() -> None:
    two: Any = np.int64(2)
    assert len(ld.Game("openspiel", two, seed=two).state.names) == 2
    assert ld.play_match(RULES, ["random", "random"], seed=two).events
    envs.TextEnv("openspiel", two).reset(seed=two)
    for make in (envs.gym_env, envs.vector_env, envs.aec_env, envs.parallel_env):
        env: Any = make("openspiel", two, seed=two)
        env.reset(seed=two)


@pytest.mark.parametrize("action", [-1, None, 2.5, "4", GAME.action_count])
def test_environments_refuse_what_is_no_action(action: object) -> None:
    """An action that did nothing would let a loop over agents go on for ever."""
    aec, parallel = envs.aec_env("openspiel"), envs.parallel_env("openspiel")
    gym, vector = envs.gym_env("openspiel"), envs.vector_env("openspiel", count=2)
    for env in (aec, parallel, gym, vector):
        env.reset(seed=1)
    steps: list[Callable[[], object]] = [
        lambda: aec.step(action),  # type: ignore[arg-type]
        lambda: parallel.step(dict.fromkeys(parallel.agents, action)),  # type: ignore[arg-type]
        lambda: gym.step(action),  # type: ignore[arg-type]
        lambda: vector.step([action, action]),  # type: ignore[arg-type]
        lambda: envs.make_env(GAME, 2).step([action, action]),  # type: ignore[arg-type]
    ]
    for step in steps:
        with pytest.raises(LiarsDiceError):
            step()


def test_environments_need_a_reset_before_the_first_step() -> None:
    first_bid = GAME.action_id(ld.Bid(1, 1))
    steps: list[Callable[[], object]] = [
        lambda: envs.aec_env("openspiel").step(first_bid),
        lambda: envs.parallel_env("openspiel").step({"seat_0": first_bid, "seat_1": first_bid}),
        lambda: envs.gym_env("openspiel").step(first_bid),
        lambda: envs.vector_env("openspiel", count=2).step([first_bid, first_bid]),
        lambda: envs.TextEnv("openspiel").step("[1x1]"),
    ]
    for step in steps:
        with pytest.raises(MalformedError, match="reset"):
            step()


def test_packages_list_their_public_names() -> None:
    for package in (ld, envs, client):
        assert set(package.__all__) <= set(dir(package))
