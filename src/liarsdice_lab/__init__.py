"""The lab of `liarsdice`: tournaments, exploitability, training, environments, and language models as players.

It imports the game, never the reverse. The names below are public, and those of `liarsdice_lab.envs`.

>>> import liarsdice, liarsdice_lab
>>> simulation = liarsdice_lab.make_simulation(liarsdice.preset("perudo").ruleset, ["threshold", "random"], seed=1)
>>> simulation.play(0).matches
1
"""

from typing import TYPE_CHECKING

from liarsdice.runtime.public_api import public_attribute

if TYPE_CHECKING:
    from liarsdice_lab.arena.simulation import BotScore as BotScore
    from liarsdice_lab.arena.simulation import Simulation as Simulation
    from liarsdice_lab.arena.simulation import SimulationResult as SimulationResult
    from liarsdice_lab.arena.simulation import make_simulation as make_simulation

__all__ = ["BotScore", "Simulation", "SimulationResult", "make_simulation"]

__getattr__ = public_attribute(__name__, dict.fromkeys(__all__, "arena.simulation"))


def __dir__() -> list[str]:
    return __all__
