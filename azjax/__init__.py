"""azjax: AlphaZero-style learning in JAX."""

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from azjax.games import Game, make, names
    from azjax.search import register_search

__all__ = ["Game", "make", "names", "register_search"]

_HOMES = {
    "Game": "azjax.games",
    "make": "azjax.games",
    "names": "azjax.games",
    "register_search": "azjax.search",
}


def __getattr__(name: str) -> Any:
    """Imports a name when it is first asked for, so that `import azjax` is quick."""
    if name not in _HOMES:
        raise AttributeError(f"module 'azjax' has no attribute {name!r}")
    return getattr(importlib.import_module(_HOMES[name]), name)
