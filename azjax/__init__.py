"""azjax: AlphaZero-style learning in JAX."""

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from azjax.config.presets import register_preset
    from azjax.games import Game, make, names, register_game
    from azjax.networks import register_network
    from azjax.search import register_search

_HOMES = {
    "Game": "azjax.games",
    "make": "azjax.games",
    "names": "azjax.games",
    "register_game": "azjax.games",
    "register_network": "azjax.networks",
    "register_preset": "azjax.config.presets",
    "register_search": "azjax.search",
}

__all__ = [
    "Game",
    "make",
    "names",
    "register_game",
    "register_network",
    "register_preset",
    "register_search",
]


def __getattr__(name: str) -> Any:
    """Imports a name when it is first asked for, so that `import azjax` is quick."""
    if name not in _HOMES:
        raise AttributeError(f"module 'azjax' has no attribute {name!r}")
    return getattr(importlib.import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    """Returns the names, for completion."""
    return __all__
