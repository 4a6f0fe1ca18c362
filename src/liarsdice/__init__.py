"""Liar's Dice, every way it is played: an exact rules engine and what stands on it.

The names below are the public API; other names may change without notice. Each is loaded on first use.

>>> import liarsdice
>>> rules = liarsdice.preset("classic").ruleset
>>> state = liarsdice.start(rules, ["Ann", "Bo"])
>>> state.phase
Phase.STARTER
"""

from importlib import import_module
from typing import TYPE_CHECKING

from liarsdice.version import __version__ as __version__

if TYPE_CHECKING:
    from liarsdice.analysis.simulation import BotScore, Simulation, SimulationResult, make_simulation
    from liarsdice.bots.neural.explain import Explanation, explain
    from liarsdice.bots.neural.explanation_text import explanation_sentences
    from liarsdice.bots.protocol import Bot
    from liarsdice.bots.registry import bot_names, make_bot
    from liarsdice.core.actions import (
        Action,
        Challenge,
        ChooseStarter,
        Deal,
        Exact,
        Penalise,
        PlayerAction,
        RollForStart,
        SetDirection,
    )
    from liarsdice.core.bids.bid_chart import ladder, minimum_quantities
    from liarsdice.core.bids.notation import notate, notate_match, parse
    from liarsdice.core.bids.odds import Odds, odds
    from liarsdice.core.engine.engine import decide, evolve, evolve_all, legal, replay, start
    from liarsdice.core.engine.state import Phase, State
    from liarsdice.core.engine.view import View, event_view, view
    from liarsdice.core.errors import (
        IllegalActionError,
        LiarsDiceError,
        MalformedError,
        NotationError,
        RecordError,
        RulesetError,
        UnavailableError,
        UnfinishedError,
    )
    from liarsdice.core.events import (
        BidMade,
        Challenged,
        Dealt,
        DiceGained,
        DiceLost,
        DirectionSet,
        Eliminated,
        Event,
        ExactCalled,
        MatchEnded,
        MatchStarted,
        Penalised,
        Revealed,
        RoundEnded,
        RoundStarted,
        StarterFound,
        StarterRolled,
    )
    from liarsdice.core.records.record import Record, read_record, write_record
    from liarsdice.core.rules.bids import Bid, beats
    from liarsdice.core.rules.overlay import patched
    from liarsdice.core.rules.presets import Preset, preset, preset_names
    from liarsdice.core.rules.ruleset import Ruleset
    from liarsdice.core.rules.ruleset_io import find_rules, from_json, from_toml, to_json, to_toml
    from liarsdice.core.rules.ruleset_problems import ProblemCode, RulesetProblem
    from liarsdice.core.rules.validate import find_problems, find_warnings
    from liarsdice.core.text.narration import Narrator, narrate
    from liarsdice.core.text.rulebook import Rulebook, rulebook, to_html, to_markdown, to_text
    from liarsdice.play.match_runner import MatchResult, play_match
    from liarsdice.solve.round_solver import solve_round
    from liarsdice.solve.strategy.strategy import Strategy
    from liarsdice.solve.strategy.strategy_file import StrategySet, read_strategies, write_strategies

__all__ = [
    "Action",
    "Bid",
    "BidMade",
    "Bot",
    "BotScore",
    "Challenge",
    "Challenged",
    "ChooseStarter",
    "Deal",
    "Dealt",
    "DiceGained",
    "DiceLost",
    "DirectionSet",
    "Eliminated",
    "Event",
    "Exact",
    "ExactCalled",
    "Explanation",
    "IllegalActionError",
    "LiarsDiceError",
    "MalformedError",
    "MatchEnded",
    "MatchResult",
    "MatchStarted",
    "Narrator",
    "NotationError",
    "Odds",
    "Penalise",
    "Penalised",
    "Phase",
    "PlayerAction",
    "Preset",
    "ProblemCode",
    "Record",
    "RecordError",
    "Revealed",
    "RollForStart",
    "RoundEnded",
    "RoundStarted",
    "Rulebook",
    "Ruleset",
    "RulesetError",
    "RulesetProblem",
    "SetDirection",
    "Simulation",
    "SimulationResult",
    "StarterFound",
    "StarterRolled",
    "State",
    "Strategy",
    "StrategySet",
    "UnavailableError",
    "UnfinishedError",
    "View",
    "beats",
    "bot_names",
    "decide",
    "event_view",
    "evolve",
    "evolve_all",
    "explain",
    "explanation_sentences",
    "find_problems",
    "find_rules",
    "find_warnings",
    "from_json",
    "from_toml",
    "ladder",
    "legal",
    "make_bot",
    "make_simulation",
    "minimum_quantities",
    "narrate",
    "notate",
    "notate_match",
    "odds",
    "parse",
    "patched",
    "play_match",
    "preset",
    "preset_names",
    "read_record",
    "read_strategies",
    "replay",
    "rulebook",
    "solve_round",
    "start",
    "to_html",
    "to_json",
    "to_markdown",
    "to_text",
    "to_toml",
    "view",
    "write_record",
    "write_strategies",
]

_MODULES = {
    "Action": "core.actions",
    "Bid": "core.rules.bids",
    "BidMade": "core.events",
    "Bot": "bots.protocol",
    "BotScore": "analysis.simulation",
    "Challenge": "core.actions",
    "Challenged": "core.events",
    "ChooseStarter": "core.actions",
    "Deal": "core.actions",
    "Dealt": "core.events",
    "DiceGained": "core.events",
    "DiceLost": "core.events",
    "DirectionSet": "core.events",
    "Eliminated": "core.events",
    "Event": "core.events",
    "Exact": "core.actions",
    "ExactCalled": "core.events",
    "Explanation": "bots.neural.explain",
    "IllegalActionError": "core.errors",
    "LiarsDiceError": "core.errors",
    "MalformedError": "core.errors",
    "MatchEnded": "core.events",
    "MatchResult": "play.match_runner",
    "MatchStarted": "core.events",
    "Narrator": "core.text.narration",
    "NotationError": "core.errors",
    "Odds": "core.bids.odds",
    "Penalise": "core.actions",
    "Penalised": "core.events",
    "Phase": "core.engine.state",
    "PlayerAction": "core.actions",
    "Preset": "core.rules.presets",
    "ProblemCode": "core.rules.ruleset_problems",
    "Record": "core.records.record",
    "RecordError": "core.errors",
    "Revealed": "core.events",
    "RollForStart": "core.actions",
    "RoundEnded": "core.events",
    "RoundStarted": "core.events",
    "Rulebook": "core.text.rulebook",
    "Ruleset": "core.rules.ruleset",
    "RulesetError": "core.errors",
    "RulesetProblem": "core.rules.ruleset_problems",
    "SetDirection": "core.actions",
    "Simulation": "analysis.simulation",
    "SimulationResult": "analysis.simulation",
    "StarterFound": "core.events",
    "StarterRolled": "core.events",
    "State": "core.engine.state",
    "Strategy": "solve.strategy.strategy",
    "StrategySet": "solve.strategy.strategy_file",
    "UnavailableError": "core.errors",
    "UnfinishedError": "core.errors",
    "View": "core.engine.view",
    "beats": "core.rules.bids",
    "bot_names": "bots.registry",
    "decide": "core.engine.engine",
    "event_view": "core.engine.view",
    "evolve": "core.engine.engine",
    "evolve_all": "core.engine.engine",
    "explain": "bots.neural.explain",
    "explanation_sentences": "bots.neural.explanation_text",
    "find_problems": "core.rules.validate",
    "find_rules": "core.rules.ruleset_io",
    "find_warnings": "core.rules.validate",
    "from_json": "core.rules.ruleset_io",
    "from_toml": "core.rules.ruleset_io",
    "ladder": "core.bids.bid_chart",
    "legal": "core.engine.engine",
    "make_bot": "bots.registry",
    "make_simulation": "analysis.simulation",
    "minimum_quantities": "core.bids.bid_chart",
    "narrate": "core.text.narration",
    "notate": "core.bids.notation",
    "notate_match": "core.bids.notation",
    "odds": "core.bids.odds",
    "parse": "core.bids.notation",
    "patched": "core.rules.overlay",
    "play_match": "play.match_runner",
    "preset": "core.rules.presets",
    "preset_names": "core.rules.presets",
    "read_record": "core.records.record",
    "read_strategies": "solve.strategy.strategy_file",
    "replay": "core.engine.engine",
    "rulebook": "core.text.rulebook",
    "solve_round": "solve.round_solver",
    "start": "core.engine.engine",
    "to_html": "core.text.rulebook",
    "to_json": "core.rules.ruleset_io",
    "to_markdown": "core.text.rulebook",
    "to_text": "core.text.rulebook",
    "to_toml": "core.rules.ruleset_io",
    "view": "core.engine.view",
    "write_record": "core.records.record",
    "write_strategies": "solve.strategy.strategy_file",
}
"""The module of each public name, relative to the package."""


def __getattr__(name: str) -> object:
    if name not in _MODULES:
        raise AttributeError(f"module 'liarsdice' has no attribute {name!r}")
    return getattr(import_module(f"liarsdice.{_MODULES[name]}"), name)


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
