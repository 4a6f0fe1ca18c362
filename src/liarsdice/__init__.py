"""Liar's Dice, every way it is played: an exact rules engine and what stands on it.

The names below are the public API; other names may change without notice. Each is loaded on first use.

>>> import liarsdice
>>> game = liarsdice.Game("classic", ["Ann", "Bo"], seed=1)
>>> game.push("2x3")
>>> game.state.bid
Bid(quantity=2, face=3)
"""

from typing import TYPE_CHECKING

from liarsdice.runtime.public_api import public_attribute
from liarsdice.version import __version__ as __version__

if TYPE_CHECKING:
    from liarsdice.analysis.review.report import MatchReview, review_match
    from liarsdice.analysis.review.results import DecisionReview, PlayerReview
    from liarsdice.bots.neural.belief import Belief
    from liarsdice.bots.neural.explain import (
        ExpectedCount,
        Explanation,
        MoveEstimate,
        StandingBidOdds,
        explain,
        explanation_sentences,
    )
    from liarsdice.bots.protocol import Bot, MatchLifecycle
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
    from liarsdice.core.bids.notation import NotatedMatch, NotatedRound, notate, notate_match, parse, parse_match
    from liarsdice.core.bids.odds import Odds, odds
    from liarsdice.core.engine.engine import decide, evolve, evolve_all, legal, replay, start
    from liarsdice.core.engine.legal import LegalMoves
    from liarsdice.core.engine.state import Phase, State
    from liarsdice.core.engine.view import EventView, View, event_view, view
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
        LivesGained,
        LivesLost,
        MatchEnded,
        MatchStarted,
        Penalised,
        Revealed,
        RoundEnded,
        RoundStarted,
        StarterFound,
        StarterRolled,
    )
    from liarsdice.core.records.position import read_position, write_position
    from liarsdice.core.records.record import Record, read_record, write_record
    from liarsdice.core.rules.bids import Bid, beats
    from liarsdice.core.rules.overlay import patched
    from liarsdice.core.rules.parts import RuleChoices
    from liarsdice.core.rules.presets import Preset, preset, preset_names
    from liarsdice.core.rules.ruleset import Ruleset
    from liarsdice.core.rules.ruleset_io import find_file_problems, find_rules, from_json, from_toml, to_json, to_toml
    from liarsdice.core.rules.validate import ProblemCode, RulesetProblem, find_problems, find_warnings
    from liarsdice.core.text.narration import Narrator, narrate
    from liarsdice.core.text.rulebook import Rulebook, Section, Sentence, rulebook, to_html, to_markdown, to_text
    from liarsdice.play.game import Game
    from liarsdice.play.match_runner import MatchResult, play_match
    from liarsdice.play.referee import Fault
    from liarsdice.sim.compile import CompiledRules, compile_rules
    from liarsdice.sim.policies import ExternalPolicy, ThresholdPolicy, UniformPolicy
    from liarsdice.sim.rollouts import MatchResults, RoundResults, play_matches, play_rounds
    from liarsdice.sim.vector_env import VectorEnv
    from liarsdice.solve.cfr.method import Bounds
    from liarsdice.solve.round_game import RoundStart
    from liarsdice.solve.round_solver import solve_round
    from liarsdice.solve.strategy.export import export_strategy, tabular_policy
    from liarsdice.solve.strategy.strategy import InformationSet, Strategy, iter_information_sets
    from liarsdice.solve.strategy.strategy_file import StrategySet, read_strategies, write_strategies

# fmt: off
__all__ = [
    "Action", "Belief", "Bid", "BidMade", "Bot", "Bounds", "Challenge", "Challenged", "ChooseStarter",
    "CompiledRules", "Deal", "Dealt", "DecisionReview", "DiceGained", "DiceLost", "DirectionSet", "Eliminated",
    "Event", "EventView", "Exact", "ExactCalled", "ExpectedCount", "Explanation", "ExternalPolicy", "Fault", "Game",
    "IllegalActionError", "InformationSet", "LegalMoves", "LiarsDiceError", "LivesGained", "LivesLost",
    "MalformedError", "MatchEnded", "MatchLifecycle", "MatchResult", "MatchResults", "MatchReview", "MatchStarted",
    "MoveEstimate", "Narrator", "NotatedMatch", "NotatedRound", "NotationError", "Odds", "Penalise", "Penalised",
    "Phase", "PlayerAction", "PlayerReview", "Preset", "ProblemCode", "Record", "RecordError", "Revealed",
    "RollForStart", "RoundEnded", "RoundResults", "RoundStart", "RoundStarted", "RuleChoices", "Rulebook", "Ruleset",
    "RulesetError", "RulesetProblem", "Section", "Sentence", "SetDirection",
    "StandingBidOdds", "StarterFound", "StarterRolled", "State", "Strategy", "StrategySet", "ThresholdPolicy",
    "UnavailableError", "UnfinishedError", "UniformPolicy", "VectorEnv", "View", "beats", "bot_names", "compile_rules",
    "decide", "event_view", "evolve", "evolve_all", "explain", "explanation_sentences", "export_strategy",
    "find_file_problems", "find_problems", "find_rules", "find_warnings", "from_json", "from_toml",
    "iter_information_sets", "ladder", "legal", "make_bot", "minimum_quantities", "narrate",
    "notate", "notate_match", "odds", "parse", "parse_match", "patched", "play_match", "play_matches", "play_rounds",
    "preset", "preset_names", "read_position", "read_record", "read_strategies", "replay", "review_match", "rulebook",
    "solve_round", "start", "tabular_policy", "to_html", "to_json", "to_markdown", "to_text", "to_toml", "view",
    "write_position", "write_record", "write_strategies",
]
# fmt: on

_NAMES = {
    "analysis.review.report": "MatchReview review_match",
    "analysis.review.results": "DecisionReview PlayerReview",
    "bots.neural.belief": "Belief",
    "bots.neural.explain": "ExpectedCount Explanation MoveEstimate StandingBidOdds explain explanation_sentences",
    "bots.protocol": "Bot MatchLifecycle",
    "bots.registry": "bot_names make_bot",
    "core.actions": "Action Challenge ChooseStarter Deal Exact Penalise PlayerAction RollForStart SetDirection",
    "core.bids.bid_chart": "ladder minimum_quantities",
    "core.bids.notation": "NotatedMatch NotatedRound notate notate_match parse parse_match",
    "core.bids.odds": "Odds odds",
    "core.engine.engine": "decide evolve evolve_all legal replay start",
    "core.engine.legal": "LegalMoves",
    "core.engine.state": "Phase State",
    "core.engine.view": "EventView View event_view view",
    "core.errors": "IllegalActionError LiarsDiceError MalformedError NotationError RecordError RulesetError"
    " UnavailableError UnfinishedError",
    "core.events": "BidMade Challenged Dealt DiceGained DiceLost DirectionSet Eliminated Event ExactCalled"
    " LivesGained LivesLost MatchEnded MatchStarted Penalised Revealed RoundEnded RoundStarted StarterFound"
    " StarterRolled",
    "core.records.position": "read_position write_position",
    "core.records.record": "Record read_record write_record",
    "core.rules.bids": "Bid beats",
    "core.rules.overlay": "patched",
    "core.rules.parts": "RuleChoices",
    "core.rules.presets": "Preset preset preset_names",
    "core.rules.ruleset": "Ruleset",
    "core.rules.ruleset_io": "find_file_problems find_rules from_json from_toml to_json to_toml",
    "core.rules.validate": "ProblemCode RulesetProblem find_problems find_warnings",
    "core.text.narration": "Narrator narrate",
    "core.text.rulebook": "Rulebook Section Sentence rulebook to_html to_markdown to_text",
    "play.game": "Game",
    "play.match_runner": "MatchResult play_match",
    "play.referee": "Fault",
    "sim.compile": "CompiledRules compile_rules",
    "sim.policies": "ExternalPolicy ThresholdPolicy UniformPolicy",
    "sim.rollouts": "MatchResults RoundResults play_matches play_rounds",
    "sim.vector_env": "VectorEnv",
    "solve.cfr.method": "Bounds",
    "solve.round_game": "RoundStart",
    "solve.round_solver": "solve_round",
    "solve.strategy.export": "export_strategy tabular_policy",
    "solve.strategy.strategy": "InformationSet Strategy iter_information_sets",
    "solve.strategy.strategy_file": "StrategySet read_strategies write_strategies",
}
"""The public names of each module, relative to the package."""

_HOT = ("beats", "decide", "evolve_all", "legal", "view")
"""Functions that a program calls for every move: they check their arguments once a call has failed."""

_MODULES = {name: module for module, names in _NAMES.items() for name in names.split()}


__getattr__ = public_attribute(__name__, _MODULES, unchecked=_HOT)


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
