"""A tree search as compiled pieces that carry its trees: to watch it, or to stop it in time."""

import functools
from typing import Any, NamedTuple

import chex
import jax

from azjax.search.config import SearchConfig, SearchHyperparameters
from azjax.search.models.model import Model
from azjax.search.registry import get_search
from azjax.search.result import SearchResult
from azjax.search.tree_search import SearchState, TreeSearch


class TracedInputs(NamedTuple):
    """What the pieces of a search share, and are not compiled for."""

    hyperparameters: SearchHyperparameters
    params: Any  # the model's


class SearchPieces:
    """The pieces of a search whose trees have a fixed size; each is compiled when first called.

    Attributes:
      num_simulations: The most that `run` makes in all.
      is_anytime: Whether the search may end early, see `TreeSearch`.
    """

    def __init__(self, model: Model, config: SearchConfig):
        """Binds a search, a `TreeSearch`, to its model and its sizes; compiles nothing yet."""
        search = get_search(config.algorithm)
        assert isinstance(search, TreeSearch)
        self.num_simulations = config.num_simulations
        self.is_anytime = search.is_anytime
        self._init = jax.jit(functools.partial(search.init, model, config))
        # Without donation every piece would copy the tree.
        self._run = jax.jit(functools.partial(search.run, model, config), donate_argnums=2)
        self._finish = jax.jit(functools.partial(search.finish, model, config))

    def init(self, inputs: TracedInputs, keys: chex.PRNGKey, states: Any) -> SearchState:
        """Returns B searches before their first simulation, given keys [B] and states [B, ...]."""
        return self._init(*inputs, keys, states)

    def run(self, inputs: TracedInputs, state: SearchState, num_simulations: int) -> SearchState:
        """Returns the searches after more simulations; the given state cannot be used again."""
        return self._run(*inputs, state, num_simulations)

    def finish(self, inputs: TracedInputs, state: SearchState) -> SearchResult:
        """Returns the result so far, after one simulation at least."""
        return self._finish(inputs.hyperparameters, state)

    def bytes_per_node(self, inputs: TracedInputs, keys: chex.PRNGKey, states: Any) -> float:
        """Returns the memory of a node, in the search and in its result."""
        state = jax.eval_shape(self.init, inputs, keys, states)
        result = jax.eval_shape(self.finish, inputs, state)
        arrays = jax.tree.leaves((state.tree, result.tree))
        return sum(x.size * x.dtype.itemsize for x in arrays) / (self.num_simulations + 1)
