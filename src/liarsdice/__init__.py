"""Liar's Dice, every way it is played: an exact rules engine and what stands on it.

>>> import liarsdice
>>> rules = liarsdice.preset("classic").ruleset
>>> state = liarsdice.start(rules, ["Ann", "Bo"])
>>> state.phase
Phase.STARTER
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
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
    from liarsdice.core.events import Event
    from liarsdice.core.records.record import read_record, write_record
    from liarsdice.core.rules.bids import Bid, beats
    from liarsdice.core.rules.overlay import patched
    from liarsdice.core.rules.presets import Preset, preset
    from liarsdice.core.rules.ruleset import Ruleset
    from liarsdice.core.rules.ruleset_io import find_rules, from_json, from_toml, to_json, to_toml

__version__ = "0.1.0"

__all__ = [
    "Action",
    "Bid",
    "Challenge",
    "ChooseStarter",
    "Deal",
    "Event",
    "Exact",
    "IllegalActionError",
    "LiarsDiceError",
    "MalformedError",
    "NotationError",
    "Odds",
    "Penalise",
    "Phase",
    "PlayerAction",
    "Preset",
    "RecordError",
    "RollForStart",
    "Ruleset",
    "RulesetError",
    "SetDirection",
    "State",
    "UnavailableError",
    "UnfinishedError",
    "View",
    "beats",
    "decide",
    "event_view",
    "evolve",
    "evolve_all",
    "find_rules",
    "from_json",
    "from_toml",
    "ladder",
    "legal",
    "minimum_quantities",
    "notate",
    "notate_match",
    "odds",
    "parse",
    "patched",
    "preset",
    "read_record",
    "replay",
    "start",
    "to_json",
    "to_toml",
    "view",
    "write_record",
]

_HOMES = {
    "Action": "actions",
    "Bid": "rules.bids",
    "Challenge": "actions",
    "ChooseStarter": "actions",
    "Deal": "actions",
    "Event": "events",
    "Exact": "actions",
    "IllegalActionError": "errors",
    "LiarsDiceError": "errors",
    "MalformedError": "errors",
    "NotationError": "errors",
    "Odds": "bids.odds",
    "Penalise": "actions",
    "Phase": "engine.state",
    "PlayerAction": "actions",
    "Preset": "rules.presets",
    "RecordError": "errors",
    "RollForStart": "actions",
    "Ruleset": "rules.ruleset",
    "RulesetError": "errors",
    "SetDirection": "actions",
    "State": "engine.state",
    "UnavailableError": "errors",
    "UnfinishedError": "errors",
    "View": "engine.view",
    "beats": "rules.bids",
    "decide": "engine.engine",
    "event_view": "engine.view",
    "evolve": "engine.engine",
    "evolve_all": "engine.engine",
    "find_rules": "rules.ruleset_io",
    "from_json": "rules.ruleset_io",
    "from_toml": "rules.ruleset_io",
    "ladder": "bids.bid_chart",
    "legal": "engine.engine",
    "minimum_quantities": "bids.bid_chart",
    "notate": "bids.notation",
    "notate_match": "bids.notation",
    "odds": "bids.odds",
    "parse": "bids.notation",
    "patched": "rules.overlay",
    "preset": "rules.presets",
    "read_record": "records.record",
    "replay": "engine.engine",
    "start": "engine.engine",
    "to_json": "rules.ruleset_io",
    "to_toml": "rules.ruleset_io",
    "view": "engine.view",
    "write_record": "records.record",
}
"""The module of `core` that each public name lives in; it is loaded on first use."""


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module 'liarsdice' has no attribute {name!r}")
    return getattr(import_module(f"liarsdice.core.{_HOMES[name]}"), name)


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
