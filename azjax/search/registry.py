"""The searches by name. `register_search` adds one to `--search.algorithm` and to players."""

from collections.abc import Sequence
from typing import Any, NamedTuple, Protocol

from azjax.search.result import SearchResult


class Search(Protocol):
    """A search: a pure function; `azjax.search.TreeSearch` makes one of rules of selection."""

    def __call__(
        self, model: Any, config: Any, hyperparameters: Any, params: Any, keys: Any, states: Any
    ) -> SearchResult:
        """Searches B positions.

        Args:
          model: A `Model`, to search over.
          config: A `SearchConfig`, static.
          hyperparameters: `SearchHyperparameters`, traced.
          params: The model's, traced.
          keys: [B], one a position.
          states: [B] what the model represents.
        """


class _Registered(NamedTuple):
    search: Search
    hyperparameters: tuple[str, ...] | None


_SEARCHES: dict[str, _Registered] = {}


def register_search(
    name: str, search: Search, hyperparameters: Sequence[str] | None = None
) -> None:
    """Registers a search under a name that `SearchConfig.algorithm` then takes.

    Args:
      name: Its name.
      search: The function.
      hyperparameters: Which fields of SearchHyperparameters it uses, so that sweeps leave out the
        others; all of them if not given.

    Raises:
      ValueError: The name is taken.
    """
    if name in _SEARCHES:
        raise ValueError(f"a search named {name!r} is registered already: choose another name")
    used = None if hyperparameters is None else tuple(hyperparameters)
    _SEARCHES[name] = _Registered(search, used)


def search_names() -> list[str]:
    """Returns the names of the registered searches."""
    return list(_SEARCHES)


def get_search(name: str) -> Search:
    """Returns the search of a registered name."""
    return _SEARCHES[name].search


def used_hyperparameters(name: str) -> tuple[str, ...] | None:
    """Returns the hyperparameters that a registered search uses; None stands for all."""
    return _SEARCHES[name].hyperparameters
