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
    from liarsdice.core.bids import Bid, beats
    from liarsdice.core.chart import ladder, least
    from liarsdice.core.engine import decide, evolve, evolve_all, legal, replay, start
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
    from liarsdice.core.files import find_rules, from_json, from_toml, to_json, to_toml
    from liarsdice.core.notation import notate, one_line, parse
    from liarsdice.core.odds import Odds, odds
    from liarsdice.core.presets import Preset, preset
    from liarsdice.core.record import read_record, write_record
    from liarsdice.core.ruleset import Ruleset, patched
    from liarsdice.core.state import Phase, State
    from liarsdice.core.view import View, seen, view

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
    "evolve",
    "evolve_all",
    "find_rules",
    "from_json",
    "from_toml",
    "ladder",
    "least",
    "legal",
    "notate",
    "odds",
    "one_line",
    "parse",
    "patched",
    "preset",
    "read_record",
    "replay",
    "seen",
    "start",
    "to_json",
    "to_toml",
    "view",
    "write_record",
]

_HOMES = {
    "Action": "actions",
    "Bid": "bids",
    "Challenge": "actions",
    "ChooseStarter": "actions",
    "Deal": "actions",
    "Event": "events",
    "Exact": "actions",
    "IllegalActionError": "errors",
    "LiarsDiceError": "errors",
    "MalformedError": "errors",
    "NotationError": "errors",
    "Odds": "odds",
    "Penalise": "actions",
    "Phase": "state",
    "PlayerAction": "actions",
    "Preset": "presets",
    "RecordError": "errors",
    "RollForStart": "actions",
    "Ruleset": "ruleset",
    "RulesetError": "errors",
    "SetDirection": "actions",
    "State": "state",
    "UnavailableError": "errors",
    "UnfinishedError": "errors",
    "View": "view",
    "beats": "bids",
    "decide": "engine",
    "evolve": "engine",
    "evolve_all": "engine",
    "find_rules": "files",
    "from_json": "files",
    "from_toml": "files",
    "ladder": "chart",
    "least": "chart",
    "legal": "engine",
    "notate": "notation",
    "odds": "odds",
    "one_line": "notation",
    "parse": "notation",
    "patched": "ruleset",
    "preset": "presets",
    "read_record": "record",
    "replay": "engine",
    "seen": "view",
    "start": "engine",
    "to_json": "files",
    "to_toml": "files",
    "view": "view",
    "write_record": "record",
}
"""The module of `core` that each public name lives in; it is loaded on first use."""


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module 'liarsdice' has no attribute {name!r}")
    return getattr(import_module(f"liarsdice.core.{_HOMES[name]}"), name)


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
