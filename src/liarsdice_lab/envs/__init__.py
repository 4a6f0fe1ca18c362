"""Environments for research: one observation and action encoding, in the interfaces of several libraries.

Imports the game below `server` and nothing else of the lab. The wrappers need the extra `research`.
Start with `layout.py` and `in_place.py`. Gymnasium knows "LiarsDice-v1" once this package is imported.
"""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from liarsdice.runtime.public_api import public_attribute

if TYPE_CHECKING:
    from liarsdice_lab.envs.champion_inputs import network_inputs as network_inputs
    from liarsdice_lab.envs.champion_inputs import save_network as save_network
    from liarsdice_lab.envs.champion_inputs import to_env_actions as to_env_actions
    from liarsdice_lab.envs.gymnasium_envs import gym_env as gym_env
    from liarsdice_lab.envs.gymnasium_envs import vector_env as vector_env
    from liarsdice_lab.envs.in_place import Buffers as Buffers
    from liarsdice_lab.envs.in_place import make_buffers as make_buffers
    from liarsdice_lab.envs.layout import make_game as make_game
    from liarsdice_lab.envs.layout import observe_view as observe_view
    from liarsdice_lab.envs.opponents import make_env as make_env
    from liarsdice_lab.envs.pettingzoo_envs import aec_env as aec_env
    from liarsdice_lab.envs.pettingzoo_envs import parallel_env as parallel_env
    from liarsdice_lab.envs.stable_baselines import sb3_env as sb3_env
    from liarsdice_lab.envs.text_env import TextEnv as TextEnv

_NAMES = {
    "champion_inputs": "network_inputs save_network to_env_actions",
    "gymnasium_envs": "gym_env vector_env",
    "in_place": "Buffers make_buffers",
    "layout": "make_game observe_view",
    "opponents": "make_env",
    "pettingzoo_envs": "aec_env parallel_env",
    "stable_baselines": "sb3_env",
    "text_env": "TextEnv",
}
"""The public names of each module, which is loaded on first use."""

_MODULES = {name: module for module, names in _NAMES.items() for name in names.split()}

__all__ = [
    "Buffers",
    "TextEnv",
    "aec_env",
    "gym_env",
    "make_buffers",
    "make_env",
    "make_game",
    "network_inputs",
    "observe_view",
    "parallel_env",
    "save_network",
    "sb3_env",
    "to_env_actions",
    "vector_env",
]


__getattr__ = public_attribute(__name__, _MODULES)


def __dir__() -> list[str]:
    return __all__


with suppress(ImportError):  # without the extra `research`
    from gymnasium import register

    register(
        "LiarsDice-v1",
        entry_point=f"{__name__}.gymnasium_envs:gym_env",
        vector_entry_point=f"{__name__}.gymnasium_envs:vector_env_by_id",
    )
