"""Tree search over a model: as one program, or in pieces that can be watched and stopped."""

import dataclasses
import functools
from collections.abc import Callable
from typing import Any, NamedTuple

import chex
import jax
import jax.numpy as jnp
import mctx

from azjax.search import wide_simulation
from azjax.search.config import SearchConfig, SearchHyperparameters
from azjax.search.models.evaluation import ILLEGAL_LOGIT
from azjax.search.models.model import Model
from azjax.search.models.sampled import sampled_model, with_all_actions
from azjax.search.proof import (
    ANY_RESULT,
    bounds_of_actions,
    mask_settled,
    pack_bounds,
    unpack_bounds,
    without_dominated,
)
from azjax.search.result import SearchResult, value_of_weights, with_root_alone
from azjax.search.simulation import Path, backward, expand, select_path, take_action
from azjax.search.tree import (
    ROOT,
    UNVISITED,
    BatchedTree,
    gather,
    init_tree,
    to_mctx_tree,
    to_one_node_trees,
)
from azjax.support.machine.target import targets_cpu
from azjax.support.returned import Shaped, check_returned

# Where all nodes select at once, this bounds what they compute that no path needs.
_MOST_EDGES_OF_WIDE_TREE = 4096

# (config, hyperparameters, node, index) -> action []. `node` is one node as an `mctx.Tree` of its
# own, at index ROOT, without the batch axis; its children have no nodes there, so `children_index`
# means nothing. `index` is the node's index in the whole tree.
SelectAction = Callable[[SearchConfig, SearchHyperparameters, mctx.Tree, chex.Array], chex.Array]


class Noise(NamedTuple):
    """What a search samples once, before its first simulation."""

    extra_data: Any  # [B, ...], for the rules of selection
    keys: chex.PRNGKey  # [B], for the model


class SearchState(NamedTuple):
    """B searches between two simulations."""

    tree: BatchedTree  # [N, B, ...]
    num_expanded: chex.Numeric  # [] int32, nodes of each tree so far; the next has this index
    keys: chex.PRNGKey  # [B]
    extra_data: Any  # [B, ...]
    legal: chex.Array  # [B, A] bool, at the root
    prior_logits: chex.Array  # [B, A] at the root, without noise; 0 until it is expanded


@dataclasses.dataclass(frozen=True)
class TreeSearch:
    """A tree search by rules of selection. Called, it searches B positions at once.

    In pieces: `init` evaluates the roots, `run` makes some simulations, `finish` returns the
    result. Together they give what one call gives. A search may be finished early, after one
    simulation or more.

    Values are from the view of the player to move at their node. A terminal node has value 0 and
    discount 0, so that only the reward of the action into it counts, and no children: a simulation
    that reaches it again is one more visit of it.

    Attributes:
      sample_noise: (hyperparameters, keys [B], A) -> Noise.
      select_at_root: Selects an action of a root.
      select_at_interior: Selects an action of another node.
      choose: (config, hyperparameters, roots) -> the action to play [B] and the action weights
        [B, A]; `roots` are the roots as one-node trees [B, 1, ...].
      prepare_root: (hyperparameters, extra data, prior logits [B, A]) -> the prior logits that the
        search starts from.
      is_anytime: Whether a search that is finished early is what one of fewer simulations would be:
        its rules do not depend on `config.num_simulations`.
    """

    sample_noise: Callable[[SearchHyperparameters, chex.PRNGKey, int], Noise]
    select_at_root: SelectAction
    select_at_interior: SelectAction
    choose: Callable[
        [SearchConfig, SearchHyperparameters, mctx.Tree], tuple[chex.Array, chex.Array]
    ]
    prepare_root: Callable[[SearchHyperparameters, Any, chex.Array], chex.Array] = (
        lambda hyperparameters, extra_data, prior_logits: prior_logits
    )
    is_anytime: bool = True

    def __call__(
        self,
        model: Model,
        config: SearchConfig,
        hyperparameters: SearchHyperparameters,
        params: Any,
        keys: chex.PRNGKey,
        states: Any,
        num_simulations: chex.Numeric | None = None,
        *,
        roots_alone: bool = False,
    ) -> SearchResult:
        """Searches B positions; arguments as those of `azjax.search.search`.

        Simulations that are given, `config.num_simulations` at most, may be traced. Of the trees
        the result has all nodes, or the roots alone.
        """
        if num_simulations is None:
            num_simulations = config.num_simulations
        simulator = self._simulator(model, config, hyperparameters, params)
        # The root is expanded by the loop that expands the leaves: the network is compiled once.
        state = simulator.begin(keys, states, is_wide=simulator.is_faster_wide)
        state = simulator.expand(state, num_simulations + 1)
        return self.finish(model, config, hyperparameters, state, roots_alone=roots_alone)

    def init(
        self,
        model: Model,
        config: SearchConfig,
        hyperparameters: SearchHyperparameters,
        params: Any,
        keys: chex.PRNGKey,
        states: Any,
    ) -> SearchState:
        """Returns the searches before their first simulation; arguments as in a call."""
        simulator = self._simulator(model, config, hyperparameters, params)
        return simulator.expand(simulator.begin(keys, states), 1)

    def run(
        self,
        model: Model,
        config: SearchConfig,
        hyperparameters: SearchHyperparameters,
        params: Any,
        state: SearchState,
        num_simulations: chex.Numeric,
    ) -> SearchState:
        """Returns the searches after that many more simulations, `config.num_simulations` at most.

        The other arguments are those of `init`.
        """
        left = config.num_simulations + 1 - state.num_expanded
        simulator = self._simulator(model, config, hyperparameters, params)
        return simulator.expand(state, jnp.minimum(num_simulations, left))

    def finish(
        self,
        model: Model,
        config: SearchConfig,
        hyperparameters: SearchHyperparameters,
        state: SearchState,
        *,
        roots_alone: bool = False,
    ) -> SearchResult:
        """Returns the result, after one simulation at least."""
        num_nodes, batch = state.tree.parent.shape
        nodes = jnp.broadcast_to(jnp.arange(num_nodes), (batch, num_nodes))
        view = functools.partial(
            to_mctx_tree, state.tree, root_invalid_actions=~state.legal, extra_data=state.extra_data
        )
        root, bounds = view(nodes[:, :1]), None
        if config.proven_values:
            root = without_dominated(root, bounds_of_actions(state.tree, nodes[:, ROOT]))
            bounds = unpack_bounds(gather(state.tree.bounds, nodes[:, ROOT]))
        chosen = self.choose(config, hyperparameters, root)
        weights = Shaped(root.children_visits[:, ROOT].shape, jnp.floating)
        check_returned("result of choose", chosen, [Shaped((batch,), jnp.integer), weights])
        action, action_weights = chosen
        summary = root.summary()
        value = value_of_weights(action_weights, summary.visit_counts, summary.qvalues)
        value = value if bounds is None else bounds.clip(value)
        result = SearchResult(
            action, action_weights, value, view(nodes), state.prior_logits, bounds
        )
        result = with_root_alone(result) if roots_alone else result
        is_sampled = _samples_actions(config, model)
        return with_all_actions(result, model.num_actions) if is_sampled else result

    def _simulator(
        self,
        model: Model,
        config: SearchConfig,
        hyperparameters: SearchHyperparameters,
        params: Any,
    ) -> "_Simulator":
        if _samples_actions(config, model):
            model = sampled_model(model, config.sampled_actions)
        return _Simulator(self, model, config, hyperparameters, params)


def _samples_actions(config: SearchConfig, model: Model) -> bool:
    """Tells whether nodes have some actions of the model alone."""
    return 0 < config.sampled_actions < model.num_actions


class _Simulator(NamedTuple):
    """A search bound to its model and its hyperparameters."""

    search: TreeSearch
    model: Model
    config: SearchConfig
    hyperparameters: SearchHyperparameters
    params: Any

    @property
    def is_faster_wide(self) -> bool:
        """Whether all nodes select at once: for small trees on accelerators."""
        num_edges = (self.config.num_simulations + 1) * self.model.num_actions
        is_small = num_edges <= _MOST_EDGES_OF_WIDE_TREE
        return is_small and not self.config.proven_values and not targets_cpu()

    def begin(self, keys: chex.PRNGKey, states: Any, *, is_wide: bool = False) -> SearchState:
        """Returns B searches with roots that are not evaluated yet."""
        num_actions = self.model.num_actions
        noise = self.search.sample_noise(self.hyperparameters, keys, num_actions)
        check_returned("result of sample_noise", noise, Noise)
        extra_data, keys = noise
        embedding, legal = self.model.represent(self.params, keys, states)
        num_nodes = self.config.num_simulations + 1
        bounds = pack_bounds(ANY_RESULT) if self.config.proven_values else None
        tree = init_tree(embedding, num_actions, num_nodes, bounds=bounds, is_wide=is_wide)
        return SearchState(tree, 0, keys, extra_data, legal, jnp.zeros(legal.shape))

    def expand(self, state: SearchState, count: chex.Numeric) -> SearchState:
        """Returns the searches with that many more nodes, one simulation for each."""
        end = state.num_expanded + count
        tree, prior_logits = jax.lax.fori_loop(
            state.num_expanded,
            end,
            functools.partial(self._simulate, state),
            (state.tree, state.prior_logits),
        )
        return state._replace(tree=tree, prior_logits=prior_logits, num_expanded=jnp.int32(end))

    def _simulate(
        self, state: SearchState, leaf: chex.Array, carry: tuple[BatchedTree, chex.Array]
    ) -> tuple[BatchedTree, chex.Array]:
        tree, prior_logits = carry
        path, back_up = self._select_path(state, tree)
        keys = jax.vmap(jax.random.fold_in, in_axes=(0, None))(state.keys, leaf)
        transition = functools.partial(self.model.transition, self.params, keys)
        outcome = take_action(tree, path, leaf, transition)
        evaluation = self.model.predict(self.params, keys, outcome.embedding)
        at_root = jnp.where(state.legal, evaluation.prior_logits, ILLEGAL_LOGIT)
        prior_logits = jnp.where(leaf == ROOT, at_root, prior_logits)
        logits = Shaped(at_root.shape, jnp.floating)
        at_root = self.search.prepare_root(self.hyperparameters, state.extra_data, at_root)
        check_returned("result of prepare_root", at_root, logits)
        at_node = jnp.where(leaf == ROOT, at_root, evaluation.prior_logits)
        evaluation = evaluation._replace(prior_logits=at_node)
        tree = expand(tree, path, leaf, outcome, evaluation)
        end = jnp.where(path.node == UNVISITED, leaf, path.node)
        return back_up(tree, end), prior_logits

    def _select_path(
        self, state: SearchState, tree: BatchedTree
    ) -> tuple[Path, Callable[[BatchedTree, chex.Array], BatchedTree]]:
        """Returns the path of a simulation, and what backs up the value of its end [B]."""
        select_at_root = functools.partial(self._select, "select_at_root", state)
        select_at_interior = functools.partial(self._select, "select_at_interior", state)
        if tree.returns is None:
            return select_path(tree, select_at_root, select_at_interior), backward
        select_everywhere = functools.partial(self._select_everywhere, state)
        path, is_passed = wide_simulation.select_path(tree, select_at_root, select_everywhere)
        return path, functools.partial(wide_simulation.backward, is_passed=is_passed)

    def _select(
        self, rule: str, state: SearchState, tree: BatchedTree, node: chex.Array
    ) -> chex.Array:
        """Returns the action [B] of one node [B] of each tree."""
        nodes = to_mctx_tree(tree, node[:, None], ~state.legal, state.extra_data)
        if self.config.proven_values:
            prior_logits = mask_settled(tree, node)
            nodes = nodes.replace(children_prior_logits=prior_logits[:, None])
        return jax.vmap(functools.partial(self._select_one, rule))(nodes, node)

    def _select_everywhere(self, state: SearchState, tree: BatchedTree) -> chex.Array:
        """Returns the action [N, B] of every node, by the rule for those that are no roots."""
        nodes = to_one_node_trees(tree, ~state.legal, state.extra_data)
        index = jnp.broadcast_to(jnp.arange(len(tree.parent))[:, None], tree.parent.shape)
        select_one = functools.partial(self._select_one, "select_at_interior")
        return jax.vmap(jax.vmap(select_one))(nodes, index)

    def _select_one(self, rule: str, node: mctx.Tree, index: chex.Array) -> chex.Array:
        """Returns the action [] of one node by the rule of that name."""
        action = getattr(self.search, rule)(self.config, self.hyperparameters, node, index)
        check_returned(f"result of {rule}", action, Shaped((), jnp.integer))
        return action
