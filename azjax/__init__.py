"""azjax: AlphaZero-style learning in JAX."""

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from azjax.agents.agent import load_agent
    from azjax.agents.evaluate import evaluate
    from azjax.agents.train import train
    from azjax.config.presets import register_preset
    from azjax.games import Game, make, names, register_game
    from azjax.games.laws import check_game
    from azjax.support.component import register

_HOMES = {
    "Game": "azjax.games",
    "check_game": "azjax.games.laws",
    "evaluate": "azjax.agents.evaluate",
    "load_agent": "azjax.agents.agent",
    "make": "azjax.games",
    "names": "azjax.games",
    "register": "azjax.support.component",
    "register_game": "azjax.games",
    "register_preset": "azjax.config.presets",
    "train": "azjax.agents.train",
}

__all__ = list(_HOMES)


def __getattr__(name: str) -> Any:
    """Imports a name when it is first asked for, so that `import azjax` is quick."""
    if name not in _HOMES:
        raise AttributeError(f"module 'azjax' has no attribute {name!r}")
    devices = importlib.import_module("azjax.support.machine.devices")
    devices.use_all_cores()  # before the first array, which starts JAX with the devices that it has
    return getattr(importlib.import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    """Returns the names, for completion."""
    return __all__
