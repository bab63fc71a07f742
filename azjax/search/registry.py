"""The searches by name. `register_search` adds one to `--search.algorithm`, players and studies."""

import dataclasses
from collections.abc import Sequence
from typing import Any, NamedTuple, Protocol

import chex

from azjax.search.config import SearchConfig, SearchHyperparameters
from azjax.search.models.model import Model
from azjax.search.result import SearchResult
from azjax.search.tree_search import TreeSearch
from azjax.support.registry import Registry, calling_module
from azjax.support.suggestions import did_you_mean

_OFF_WITHOUT_TREE: dict[str, Any] = {"sampled_actions": 0, "proven_values": False}


class Search(Protocol):
    """A search: a pure function.

    A `TreeSearch` is one, and can be run in pieces too. A plain function returns the tree of its
    own search, or None in its place: then the result can be played and learnt from, but not
    inspected.
    """

    def __call__(
        self,
        model: Model,
        config: SearchConfig,
        hyperparameters: SearchHyperparameters,
        params: Any,
        keys: chex.PRNGKey,
        states: Any,
    ) -> SearchResult:
        """Searches B positions; arguments as those of `azjax.search.search`."""


class _Registered(NamedTuple):
    search: Search
    hyperparameters: tuple[str, ...]


_SEARCHES: Registry[_Registered] = Registry("search")


def register_search(
    name: str, search: Search, hyperparameters: Sequence[str] | None = None
) -> None:
    """Registers a search under a name that `SearchConfig.algorithm` then takes.

    Args:
      name: Its name.
      search: The function.
      hyperparameters: The fields of SearchHyperparameters that it uses, so that sweeps leave out
        the others; all of them if not given. It cannot add fields.

    Raises:
      ValueError: The name is taken, or there is no such hyperparameter.
    """
    fields = SearchHyperparameters._fields
    for field in hyperparameters or ():
        if field not in fields:
            raise ValueError(f"no hyperparameter {field!r}; {did_you_mean(field, fields)}")
    used = fields if hyperparameters is None else tuple(hyperparameters)
    _SEARCHES.register(name, _Registered(search, used), calling_module())


def search_names() -> list[str]:
    """Returns the names of the registered searches."""
    return _SEARCHES.names()


def check_search(field: str, name: str) -> None:
    """Raises ValueError if the value of a field names no registered search."""
    _SEARCHES.check(field, name)


def get_search(name: str) -> Search:
    """Returns the search of a name.

    Raises:
      ValueError: None is registered under it.
    """
    return _SEARCHES.get(name).search


def runs_in_pieces(name: str) -> bool:
    """Tells whether the search of that name is a `TreeSearch`."""
    return isinstance(get_search(name), TreeSearch)


def used_hyperparameters(name: str) -> tuple[str, ...]:
    """Returns the fields of SearchHyperparameters that the search of a name uses."""
    return _SEARCHES.get(name).hyperparameters


def check_search_config(config: SearchConfig) -> None:
    """Raises ValueError if there is no such search, or a choice needs a tree that it lacks."""
    check_search("search.algorithm", config.algorithm)
    for field, off in _OFF_WITHOUT_TREE.items():
        if getattr(config, field) != off and not runs_in_pieces(config.algorithm):
            raise ValueError(
                f"search.{field}={getattr(config, field)}: must be {off}, as {config.algorithm} is "
                "no TreeSearch"
            )


def with_algorithm(config: SearchConfig, algorithm: str) -> SearchConfig:
    """Returns the same sizes for another search, without those choices that need a tree.

    Raises:
      ValueError: There is no such search.
    """
    check_search("search.algorithm", algorithm)
    off = {} if runs_in_pieces(algorithm) else _OFF_WITHOUT_TREE
    return dataclasses.replace(config, algorithm=algorithm, **off)


def plugin_of_search(name: str) -> str | None:
    """Returns the module outside azjax that registered a search; None for one that is built in."""
    return _SEARCHES.plugin(name)
