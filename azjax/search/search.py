"""What every search is: a component that searches B positions over a model."""

import dataclasses
from typing import Any, ClassVar

import chex
import jax.numpy as jnp

from azjax.search.model import Model
from azjax.search.result import SearchResult, with_root_alone
from azjax.support.component import Component
from azjax.support.returned import Shaped, check_returned
from azjax.support.validation import check_size

MAX_SIMULATIONS = 2**20  # per move; each is a node of the tree


@dataclasses.dataclass(frozen=True)
class Search(Component):
    """The base of all searches.

    A `TreeSearch` selects, evaluates and backs up by rules of its own, and runs in pieces too.
    Another search derives from this class and overrides `__call__` alone.
    """

    kind: ClassVar[str] = "search"

    num_simulations: int = 32
    """Simulations per move; each evaluates one position."""

    def check(self) -> None:
        """Raises ValueError if the number of simulations is out of range."""
        check_size("num_simulations", self.num_simulations, 1, MAX_SIMULATIONS)

    @property
    def simulations_made(self) -> int:
        """The simulations that are made per move: none by a search without a tree."""
        return self.num_simulations

    def __call__(
        self,
        model: Model,
        params: Any,
        keys: chex.PRNGKey,
        states: Any,
        *,
        roots_alone: bool = False,
    ) -> SearchResult:
        """Searches B positions; a pure function. The arguments are those of `search`.

        The result has the tree of the search, or None in its place: then it can be played and
        learnt from, but not inspected. A search may leave it to `search` to cut the trees to their
        roots.
        """
        raise NotImplementedError(f"{type(self).__name__} has no __call__")


def search(
    model: Model,
    config: Search,
    params: Any,
    keys: chex.PRNGKey,
    states: Any,
    *,
    roots_alone: bool = False,
) -> SearchResult:
    """Searches B positions at once.

    Args:
      model: What to search over, such as `rules_model(game, evaluate)`.
      config: The search, such as `Gumbel(num_simulations=16)`; its numbers may be traced.
      params: The model's, such as a network's variables.
      keys: [B], one a position, so that no search depends on its neighbours.
      states: [B] what the model represents, such as game states, none finished.
      roots_alone: Whether the result has the roots of the trees alone, [B, 1, ...].

    Raises:
      InputError: The search of a plug-in returns no result of B searches.
    """
    result = config(model, params, keys, states, roots_alone=roots_alone)
    _check_result(f"of search {config.name!r}", result, len(keys), model.num_actions)
    return with_root_alone(result) if roots_alone else result


def _check_result(whose: str, result: Any, batch: int, num_actions: int) -> None:
    """Raises InputError if a search returns no result of B searches."""
    check_returned(f"result {whose}", result, SearchResult)
    for field, expected in {
        "action": Shaped((batch,), jnp.integer),
        "action_weights": Shaped((batch, num_actions), jnp.floating),
        "value": Shaped((batch,), jnp.floating),
    }.items():
        check_returned(f"{field} {whose}", getattr(result, field), expected)
