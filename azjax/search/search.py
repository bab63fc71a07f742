"""What every search is: a component that searches B positions over a model; and its result."""

import dataclasses
from typing import Any, ClassVar, NamedTuple, Self

import chex
import jax
import jax.numpy as jnp

from azjax.search.model import Model
from azjax.search.proof import Bounds
from azjax.support import prng
from azjax.support.component import Component
from azjax.support.returned import Shaped, check_returned
from azjax.support.validation import check_size

MAX_SIMULATIONS = 2**20  # per move; each is a node of the tree


class SearchResult(NamedTuple):
    """The outcome of B searches."""

    action: chex.Array  # [B] int32, the action to play
    action_weights: chex.Array  # [B, A] float32, the policy target; 0 on illegal actions
    value: chex.Array  # [B] float32, from the view of the player to move; see `value_of_weights`
    tree: Any  # mctx.Tree [B, N, ...], or None of a search without a tree
    prior_logits: chex.Array | None = None  # [B, A] at the root, without noise; None if not known
    bounds: Bounds | None = None  # [B] on the result, if the search proves results
    kept: Any = None  # trees [B] for `search` of later positions, if it was given such trees


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

    @property
    def keeps_trees(self) -> bool:
        """Whether searches go on with trees of earlier ones, and have `kept` in their results."""
        return False

    def for_one_position(self) -> Self:
        """Returns the search in the form that finds a position by itself the soonest."""
        return self

    def init_kept(self, model: Model, params: Any, states: Any) -> Any:
        """Returns trees without nodes for searches of positions like B states; None: none is kept.

        They have the shapes of `SearchResult.kept` of these searches.
        """
        return None

    def __call__(
        self,
        model: Model,
        params: Any,
        keys: chex.PRNGKey,
        states: Any,
        *,
        roots_alone: bool = False,
    ) -> SearchResult:
        """Searches B positions; a pure function. The arguments are as in `search`.

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
    kept: Any = None,
) -> SearchResult:
    """Searches B positions at once.

    Args:
      model: What to search over, such as `rules_model(game, evaluate)`.
      config: The search, such as `Gumbel(num_simulations=16)`; its numbers may be traced.
      params: The model's, such as a network's variables.
      keys: [B], one a position, so that no search depends on its neighbours.
      states: [B] what the model represents, such as game states, none finished.
      roots_alone: Whether the result has the roots of the trees alone, [B, 1, ...].
      kept: What earlier searches kept, `SearchResult.kept`; of the first, `config.init_kept`.
        Where one of their nodes is the position, the search goes on with the tree below it.

    Raises:
      InputError: The search of a plug-in returns no result of B searches.
    """
    chex.assert_tree_shape_prefix(states, keys.shape)
    more = {} if kept is None else {"kept": kept}
    result = config(model, params, keys, states, roots_alone=roots_alone, **more)
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


def with_root_alone(result: SearchResult) -> SearchResult:
    """Returns the result with trees [B, 1, ...] of their roots alone, whatever the simulations."""
    tree = result.tree
    if tree is None:  # of a registered search
        return result
    roots = jax.tree.map(lambda x: x[:, :1], tree.replace(extra_data=None))
    return result._replace(tree=roots.replace(root_invalid_actions=tree.root_invalid_actions))


def likeliest_action(prior_logits: chex.Array, keys: chex.PRNGKey) -> chex.Array:
    """Returns [B] int32: the actions of the highest logits [B, A], by keys [B] among equals."""
    return best_action(prior_logits, prng.gumbel(keys, prior_logits.shape[-1]))


def best_action(*scores: chex.Array) -> chex.Array:
    """Returns [...] int32: the action of the highest first score.

    Among equals the second score decides, then the third, and so on: an action's index, which is
    the left of the board, must not. Only where all scores are equal is the lowest index taken.

    It is one reduction, in which each score is compared as it was computed once. A comparison of
    scores with their maximum would find no best action where XLA computes them twice, and rounds
    them differently.

    Args:
      *scores: [..., A] each; an action of score -inf in the first is never returned.
    """
    index = jnp.broadcast_to(jnp.arange(scores[0].shape[-1], dtype=jnp.int32), scores[0].shape)
    least = [jnp.array(_least(score.dtype), score.dtype) for score in scores]
    start = (*least, jnp.int32(index.shape[-1]))
    return jax.lax.reduce((*scores, index), start, _better, (index.ndim - 1,))[-1]


def _better(one: tuple[chex.Array, ...], other: tuple[chex.Array, ...]) -> tuple[chex.Array, ...]:
    """Returns the scores and the index of the better of two actions."""
    *scores, index = zip(one, other, strict=True)
    is_one = index[0] < index[1]
    for x, y in reversed(scores):
        is_one = (x > y) | ((x == y) & is_one)
    return tuple(jnp.where(is_one, x, y) for x, y in (*scores, index))


def _least(dtype: jnp.dtype) -> float | int:
    return -jnp.inf if jnp.issubdtype(dtype, jnp.floating) else jnp.iinfo(dtype).min


def value_of_weights(
    action_weights: chex.Array, visit_counts: chex.Array, qvalues: chex.Array
) -> chex.Array:
    """Returns [B]: the Q-values weighted by action weight, from the view of the player to move.

    Under PUCT and UCT, whose weights are visit fractions, it is the mean over simulations. Under
    Gumbel it is not: Gumbel visits every action that it considers, so the mean over simulations of
    a root with one winning move would be low. The root's own evaluation and actions without a visit
    do not count.

    Args:
      action_weights: [B, A].
      visit_counts: [B, A]; at least one is not zero.
      qvalues: [B, A], from the view of the player to move.
    """
    # The weights of all visited actions may underflow; their sum is the divisor.
    positive_weight = jnp.maximum(action_weights, 1e-30)
    return jnp.average(qvalues, axis=-1, weights=jnp.where(visit_counts > 0, positive_weight, 0.0))
