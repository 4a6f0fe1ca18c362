"""The lab of `liarsdice`: tournaments, exploitability, training, environments, and language models as players.

It imports the game, never the reverse. The names below are public, and those of `liarsdice_lab.envs`.

>>> import liarsdice_lab
>>> liarsdice_lab.arena("basic", ["threshold", "random"], matches=40, duplicate=True, seed=1)
ArenaResult(Basic Liar's Dice, 2 seats, 40 matches: threshold 100.0% (83.9-100.0), random 0.0% (0.0-16.1))
"""

from typing import TYPE_CHECKING

from liarsdice.runtime.public_api import public_attribute

if TYPE_CHECKING:
    from liarsdice_lab.best_response import Exploitability as Exploitability
    from liarsdice_lab.best_response import exploitability as exploitability
    from liarsdice_lab.tournaments.arena import ArenaResult as ArenaResult
    from liarsdice_lab.tournaments.arena import BotSummary as BotSummary
    from liarsdice_lab.tournaments.arena import arena as arena
    from liarsdice_lab.tournaments.simulation import BotScore as BotScore
    from liarsdice_lab.tournaments.simulation import Simulation as Simulation
    from liarsdice_lab.tournaments.simulation import SimulationResult as SimulationResult
    from liarsdice_lab.tournaments.simulation import make_simulation as make_simulation

_HOMES = {
    **dict.fromkeys(("Exploitability", "exploitability"), "best_response"),
    **dict.fromkeys(("ArenaResult", "BotSummary", "arena"), "tournaments.arena"),
    **dict.fromkeys(("BotScore", "Simulation", "SimulationResult", "make_simulation"), "tournaments.simulation"),
}
__all__ = [
    "ArenaResult",
    "BotScore",
    "BotSummary",
    "Exploitability",
    "Simulation",
    "SimulationResult",
    "arena",
    "exploitability",
    "make_simulation",
]

__getattr__ = public_attribute(__name__, _HOMES)


def __dir__() -> list[str]:
    return __all__
