"""Tree search over a model: as one program, or in pieces that can be watched and stopped."""

import dataclasses
import functools
from collections.abc import Callable
from typing import Any, ClassVar, NamedTuple

import chex
import jax
import jax.numpy as jnp

from azjax.search.kept_tree import keep_subtrees
from azjax.search.model import ILLEGAL_LOGIT, Evaluation, Model, Root, Transition
from azjax.search.proof import (
    ANY_RESULT,
    bounds_of_actions,
    mask_settled,
    pack_bounds,
    unpack_bounds,
    without_dominated,
)
from azjax.search.sampled_model import sampled_model, with_all_actions
from azjax.search.search import (
    MAX_SIMULATIONS,
    Search,
    SearchResult,
    best_action,
    value_of_weights,
    with_root_alone,
)
from azjax.search.traversal import (
    Path,
    backward,
    backward_at_once,
    expand,
    select_path,
    select_path_at_once,
    take_action,
)
from azjax.search.tree import (
    NO_PARENT,
    ROOT,
    UNVISITED,
    BatchedTree,
    RootData,
    SearchTree,
    gather,
    init_tree,
    view_every_node,
    view_nodes,
)
from azjax.search.unobserved import select_paths
from azjax.support import prng
from azjax.support.errors import InputError
from azjax.support.machine.target import targets_cpu
from azjax.support.returned import Shaped, check_returned
from azjax.support.validation import check_size

# Where all nodes select at once, this bounds what they compute that no path needs.
_MOST_EDGES_OF_WIDE_TREE = 4096


class Noise(NamedTuple):
    """What a search samples once, before its first simulation."""

    extra_data: Any  # [B, ...], for the rules of selection
    keys: chex.PRNGKey  # [B], for the model


class SearchState(NamedTuple):
    """B searches between two simulations."""

    tree: BatchedTree  # [N, B, ...]
    num_expanded: chex.Numeric  # [] int32, the index of the next node of each tree
    keys: chex.PRNGKey  # [B]
    roots: RootData  # [B, ...]
    prior_logits: chex.Array  # [B, A] at the root, without noise; 0 until it is expanded

    @property
    def legal(self) -> chex.Array:
        """[B, A] bool: the legal actions of the roots."""
        return ~self.roots.root_invalid_actions


@dataclasses.dataclass(frozen=True)
class TreeSearch(Search):
    """A search by rules of its own. Called, it searches B positions at once.

    The rules are methods. A subclass overrides `select_at_interior`, and others where it differs:
    `sample_noise`, `prepare_root`, `select_at_root`, `most_at_once`, `choose`, `init_statistics`,
    `back_up`.

    In pieces: `init` evaluates the roots, `run` makes some simulations, `finish` returns the
    result. Together they give what one call gives, with one leaf at once: several are not selected
    across the end of a piece. A search may be finished early, after one simulation or more.

    Values are from the view of the player to move at their node. A terminal node has value 0 and
    discount 0, so that only the reward of the action into it counts, and no children: a simulation
    that reaches it again is one more visit of it.

    The rules of selection and of backup get one node as a tree of its own, without the batch axis:
    `node.children_visits[ROOT]` are the visits of its actions, [A], and so are
    `children_prior_logits` (ILLEGAL_LOGIT where an action is illegal, see `is_legal`),
    `children_values` (from the view of the player to move at the child), `children_rewards` and
    `children_discounts`; without a visit the last three are 0. `node.qvalues(ROOT)` are reward plus
    discount times value, [A]. `node.node_visits[ROOT]`, `node.node_values[ROOT]` and
    `node.raw_values[ROOT]`, the evaluation, are the node's own, []. `node.statistics`, [1, ...],
    and `node.children_statistics`, [1, A, ...], are of the kind that `init_statistics` returns.
    `node.extra_data` is what `sample_noise` returned. The children have no nodes there, so
    `children_index` means nothing. Of a root, `node.root_new_visits`, [A], are the visits by this
    search alone, where others are kept.

    Attributes:
      is_anytime: Whether a search that is finished early is what one of fewer simulations would be:
        its rules do not depend on `num_simulations`.
    """

    is_anytime: ClassVar[bool] = True

    leaves_at_once: int = 1
    """Leaves of a tree that are evaluated by one call of the network. Several are sooner where few
    positions are searched; each is selected as if those before it had been visited and had changed
    no value (WU-UCT, Liu et al. 2020). Until then a new child has its parent's value, and
    statistics of 0. The fewest that any position of the batch allows are selected."""
    sampled_actions: int = 0
    """Actions sampled from the prior in every node, K, so that the tree of a game of many actions
    is small (Hubert et al. 2021); with 0, or as many as there are, a node has all actions."""
    proven_values: bool = False
    """Prove results in the tree, from finished positions on (MCTS-Solver, Winands et al. 2008): a
    proven position has its result for value and is not searched further, and a move that surely
    loses is not played while another may not. In training, value targets lie within the bounds."""
    kept_nodes: int = 0
    """Nodes of the search of the move before that a search goes on with, at most: those below the
    position that it searches. As many positions are evaluated as without, and noise is sampled
    anew. In training, trees are kept within an iteration, whose searches have one network."""

    def check(self) -> None:
        """Raises ValueError if a field is out of range."""
        super().check()
        check_size("leaves_at_once", self.leaves_at_once, 1, MAX_SIMULATIONS)
        check_size("sampled_actions", self.sampled_actions, 0, MAX_SIMULATIONS)
        check_size("kept_nodes", self.kept_nodes, 0, MAX_SIMULATIONS)
        if self.kept_nodes and self.sampled_actions:
            raise ValueError(
                f"kept_nodes={self.kept_nodes}: must be 0 with sampled_actions, which are sampled "
                "anew in every search"
            )
        if self.sampled_actions and self.proven_values:
            raise ValueError(
                f"sampled_actions={self.sampled_actions}: must be 0 with proven_values, as actions "
                "that are not sampled prove nothing"
            )

    @property
    def keeps_trees(self) -> bool:
        """Whether `kept_nodes` are kept."""
        return self.kept_nodes > 0

    def sample_noise(self, keys: chex.PRNGKey, num_actions: int) -> Noise:
        """Samples what the rules of selection get as extra data, once a search.

        By default it is Gumbel noise of scale 1, [B, A], by which ties are broken.
        """
        return Noise(prng.gumbel(keys, num_actions), keys)

    def prepare_root(
        self, keys: chex.PRNGKey, extra_data: Any, prior_logits: chex.Array
    ) -> chex.Array:
        """Returns the prior logits [B, A] that the searches start from: by default as they are.

        Args:
          keys: [B], for this alone.
          extra_data: [B, ...], from `sample_noise`.
          prior_logits: [B, A], ILLEGAL_LOGIT where an action is illegal; so must be the result.
        """
        return prior_logits

    def select_at_root(self, node: SearchTree, index: chex.Numeric) -> chex.Array:
        """Selects an action of a root: by default as in other nodes."""
        return self.select_at_interior(node, index)

    def select_at_interior(self, node: SearchTree, index: chex.Numeric) -> chex.Array:
        """Selects an action, [] integer; it must be legal where one is.

        Args:
          node: One node, see the class.
          index: [], its index in the whole tree.
        """
        raise NotImplementedError(f"{type(self).__name__} has no select_at_interior")

    def most_at_once(self, node: SearchTree) -> chex.Numeric:
        """Returns []: how many simulations may select at a root before the first has its value."""
        return self.leaves_at_once

    def choose(self, roots: SearchTree, prior_logits: chex.Array) -> tuple[chex.Array, chex.Array]:
        """Returns the actions to play [B], and the action weights [B, A].

        By default the most visited actions, and the visit fractions, as in AlphaZero.
        Ties, which few simulations leave in many positions, are broken by value, then by prior,
        then by the noise of the search, [B, A].

        Args:
          roots: The roots as one-node trees [B, 1, ...]; their prior is from `prepare_root`.
            Where results are proven, actions that are surely no better than another are masked.
          prior_logits: [B, A] of the roots as they were evaluated.
        """
        summary, prior_of_tree = roots.summary(), roots.children_prior_logits[:, ROOT]
        action = best_action(summary.visit_counts, summary.qvalues, prior_of_tree, roots.extra_data)
        return action, summary.visit_probs

    def init_statistics(self, evaluation: Evaluation) -> Any:
        """Returns statistics of the search's own for B new nodes, arrays [B, ...], or None.

        Trees store them at their nodes. `back_up` changes them; rules of selection read them.

        Args:
          evaluation: [B], its value 0 at terminal nodes.
        """
        return None

    def back_up(self, node: SearchTree, value: chex.Array) -> tuple[chex.Array, Any]:
        """Returns the value [] that a node has after a simulation, and its new statistics.

        It is called for all nodes on a simulation's path, from its end up to the root, so that the
        children have been backed up before. By default the value is the mean of the values that
        were backed up to the node, which a search that does not override this computes faster.

        The value of a terminal node counts for nothing, as the discount of the action into it is 0.

        Args:
          node: One node, see the class. The statistics of its children, such as `children_visits`,
            include this simulation; its own, such as `node_visits`, do not include it yet. A
            new node has no visits, its evaluation for value, and what `init_statistics` returns.
          value: [], what the simulation found: the evaluation of its end, with the rewards and the
            discounts on the way, from the view of the player to move at this node. The parent gets
            its own, reward plus discount times this, whatever is returned here.

        Returns:
          The value, []; the statistics, like `init_statistics` but of one node, without the axes of
          the batch and of the tree.
        """
        visits = node.node_visits[ROOT]
        mean = (node.node_values[ROOT] * visits + value) / (visits + 1)
        return mean, jax.tree.map(lambda x: x[ROOT], node.statistics)

    def __call__(
        self,
        model: Model,
        params: Any,
        keys: chex.PRNGKey,
        states: Any,
        *,
        num_simulations: chex.Numeric | None = None,
        roots_alone: bool = False,
        kept: BatchedTree | None = None,
    ) -> SearchResult:
        """Searches B positions; arguments as in `azjax.search.search`.

        Simulations that are given, no more than `self.num_simulations`, may be traced. Of the trees
        the result has all nodes, or the roots alone.
        """
        if num_simulations is None:
            num_simulations = self.num_simulations
        simulator = self._simulator(model, params)
        # The root is expanded by the loop that expands the leaves: the network is compiled once.
        is_wide = simulator.is_faster_wide if kept is None else kept.returns is not None
        state = simulator.begin(keys, states, kept, is_wide=is_wide)
        state = simulator.expand(state, num_simulations + 1)
        result = self.finish(model, state, roots_alone=roots_alone)
        return result if kept is None else result._replace(kept=self.keep(state))

    def init_kept(self, model: Model, params: Any, states: Any) -> BatchedTree | None:
        """Returns empty trees of B searches that keep nodes, or None."""
        if not self.keeps_trees:
            return None
        simulator = self._simulator(model, params)
        keys = jax.random.split(jax.random.key(0), len(jax.tree.leaves(states)[0]))
        root = simulator.model.represent(params, keys, states)
        return simulator.init_tree(root, self.kept_nodes, is_wide=simulator.is_faster_wide)

    def init(
        self,
        model: Model,
        params: Any,
        keys: chex.PRNGKey,
        states: Any,
        kept: BatchedTree | None = None,
    ) -> SearchState:
        """Returns the searches before their first simulation; arguments as in a call."""
        simulator = self._simulator(model, params)
        is_wide = kept is not None and kept.returns is not None
        return simulator.expand(simulator.begin(keys, states, kept, is_wide=is_wide), 1)

    def run(
        self, model: Model, params: Any, state: SearchState, num_simulations: chex.Numeric
    ) -> SearchState:
        """Returns the searches after that many more simulations, but no more than they may have."""
        left = len(state.tree.parent) - state.num_expanded
        return self._simulator(model, params).expand(state, jnp.minimum(num_simulations, left))

    def keep(self, state: SearchState) -> BatchedTree:
        """Returns the trees of searches, for later ones to keep."""
        # The same position may be searched again, and its prior has noise.
        prior_logits = state.tree.prior_logits.at[ROOT].set(state.prior_logits)
        return state.tree._replace(prior_logits=prior_logits)

    def finish(
        self, model: Model, state: SearchState, *, roots_alone: bool = False
    ) -> SearchResult:
        """Returns the result, after one simulation at least."""
        num_nodes, batch = state.tree.parent.shape
        nodes = jnp.broadcast_to(jnp.arange(num_nodes), (batch, num_nodes))
        view = functools.partial(view_nodes, state.tree, roots=state.roots)
        root, bounds = view(nodes[:, :1]), None
        if self.proven_values:
            root = without_dominated(root, bounds_of_actions(state.tree, nodes[:, ROOT]))
            bounds = unpack_bounds(gather(state.tree.bounds, nodes[:, ROOT]))
        chosen = self.choose(root, state.prior_logits)
        weights = Shaped(root.children_visits[:, ROOT].shape, jnp.floating)
        check_returned("result of choose", chosen, [Shaped((batch,), jnp.integer), weights])
        action, action_weights = chosen
        summary = root.summary()
        value = value_of_weights(action_weights, summary.visit_counts, summary.qvalues)
        value = value if bounds is None else bounds.clip(value)
        tree = view(nodes).replace(children_statistics=None, root_kept_visits=None)
        result = SearchResult(action, action_weights, value, tree, state.prior_logits, bounds)
        result = with_root_alone(result) if roots_alone else result
        is_sampled = self._samples_actions(model)
        return with_all_actions(result, model.num_actions) if is_sampled else result

    def _simulator(self, model: Model, params: Any) -> "_Simulator":
        if self._samples_actions(model):
            model = sampled_model(model, self.sampled_actions)
        return _Simulator(self, model, params)

    def _samples_actions(self, model: Model) -> bool:
        """Tells whether nodes have some actions of the model alone."""
        return 0 < self.sampled_actions < model.num_actions


class _Simulator(NamedTuple):
    """A search bound to its model."""

    search: TreeSearch
    model: Model
    params: Any

    @property
    def is_faster_wide(self) -> bool:
        """Whether all nodes select at once: for small trees on accelerators."""
        num_nodes = self.search.kept_nodes + self.search.num_simulations + 1
        num_edges = num_nodes * self.model.num_actions
        is_small = num_edges <= _MOST_EDGES_OF_WIDE_TREE
        is_possible = not self.search.proven_values and not self._overrides("back_up")
        is_possible &= self.search.leaves_at_once == 1
        return is_small and is_possible and not targets_cpu()

    def begin(
        self,
        keys: chex.PRNGKey,
        states: Any,
        kept: BatchedTree | None = None,
        *,
        is_wide: bool = False,
    ) -> SearchState:
        """Returns B searches with roots that are not evaluated yet, or that are kept."""
        num_kept = 0 if kept is None else self.search.kept_nodes
        noise = self.search.sample_noise(keys, self.model.num_actions)
        check_returned("result of sample_noise", noise, Noise)
        extra_data, keys = noise
        root = self.model.represent(self.params, keys, states)
        tree = self.init_tree(root, num_kept, is_wide=is_wide)
        roots = RootData(~root.legal, extra_data, None)
        state = SearchState(tree, num_kept, keys, roots, jnp.zeros(root.legal.shape))
        return state if kept is None else self._keep(state, kept)

    def init_tree(self, root: Root, num_kept: int, *, is_wide: bool) -> BatchedTree:
        """Returns B trees without an evaluated node, with room for nodes that are kept."""
        return init_tree(
            root.embedding,
            self.model.num_actions,
            num_kept + self.search.num_simulations + 1,
            bounds=pack_bounds(ANY_RESULT) if self.search.proven_values else None,
            statistics=self._empty_statistics(root.legal.shape),
            is_wide=is_wide,
        )

    def _keep(self, state: SearchState, kept: BatchedTree) -> SearchState:
        """Returns the searches with what is kept of earlier ones, and new noise at their roots."""
        tree = keep_subtrees(state.tree, kept, self.search.kept_nodes)
        prior_logits = jnp.where(state.legal, tree.prior_logits[ROOT], ILLEGAL_LOGIT)
        prepared = self._prepare_root(state, prior_logits)
        tree = tree._replace(prior_logits=tree.prior_logits.at[ROOT].set(prepared))
        visits = self._view_roots(state, tree).children_visits[:, ROOT]
        roots = state.roots._replace(root_kept_visits=visits)
        return state._replace(tree=tree, roots=roots, prior_logits=prior_logits)

    def expand(self, state: SearchState, count: chex.Numeric) -> SearchState:
        """Returns the searches with that many more nodes, one simulation for each."""
        end, trees = state.num_expanded + count, (state.tree, state.prior_logits)
        if self.search.leaves_at_once == 1 or (isinstance(count, int) and count == 1):
            simulate = functools.partial(self._simulate, state)
            tree, prior_logits = jax.lax.fori_loop(state.num_expanded, end, simulate, trees)
        else:
            _, (tree, prior_logits) = jax.lax.while_loop(
                lambda carry: carry[0] < end,
                functools.partial(self._simulate_at_once, state, end),
                (jnp.int32(state.num_expanded), trees),
            )
        return state._replace(tree=tree, prior_logits=prior_logits, num_expanded=jnp.int32(end))

    def _simulate(
        self, state: SearchState, leaf: chex.Array, carry: tuple[BatchedTree, chex.Array]
    ) -> tuple[BatchedTree, chex.Array]:
        path, back_up = self._select_path(state, carry[0])
        found = self._evaluate(state, carry[0], path, leaf)
        return self._insert(state, leaf, carry, path, *found, back_up)

    def _simulate_at_once(
        self, state: SearchState, end: chex.Numeric, carry: tuple[chex.Array, Any]
    ) -> tuple[chex.Array, Any]:
        """Makes the next simulations, L or fewer, with one call of the network."""
        first, (tree, prior_logits) = carry
        count = jnp.minimum(self._most_at_once(state, tree), end - first)
        back_up = self._backward(state)
        num_leaves = self.search.leaves_at_once
        paths = select_paths(
            tree, lambda now: self._select_path(state, now, first)[0], first, count, num_leaves
        )
        leaves = first + jnp.arange(num_leaves)
        found = self._evaluate(state, tree, paths, leaves[:, None])

        def insert(i: chex.Array, trees: tuple[BatchedTree, chex.Array]) -> Any:
            path, outcome, evaluation = jax.tree.map(lambda x: x[i], (paths, *found))
            return self._insert(state, first + i, trees, path, outcome, evaluation, back_up)

        return first + count, jax.lax.fori_loop(0, count, insert, (tree, prior_logits))

    def _most_at_once(self, state: SearchState, tree: BatchedTree) -> chex.Array:
        """Returns []: the simulations that may select now in all trees; 1 expands roots alone."""
        nodes = self._view_roots(state, tree)
        most = jax.vmap(lambda node: jnp.asarray(self.search.most_at_once(node)))(nodes)
        check_returned("result of most_at_once", most, Shaped((len(state.keys),), jnp.integer))
        most = jnp.where(nodes.node_visits[:, ROOT] == 0, 1, most)
        return jnp.clip(most.min(), 1, self.search.leaves_at_once)

    def _view_roots(self, state: SearchState, tree: BatchedTree) -> SearchTree:
        """Returns the roots as trees [B, 1, ...] of their own."""
        return view_nodes(tree, jnp.full((len(state.keys), 1), ROOT), state.roots)

    def _evaluate(
        self, state: SearchState, tree: BatchedTree, path: Path, leaf: chex.Array
    ) -> tuple[Transition, Evaluation]:
        """Returns what is at the ends of paths [B] or [L, B], by one call of the network.

        The new nodes have indices `leaf`, [] or [L, 1].
        """
        shape = path.action.shape

        def flat(tree: Any) -> Any:
            return jax.tree.map(lambda x: x.reshape(-1, *x.shape[len(shape) :]), tree)

        def unflat(tree: Any) -> Any:
            return jax.tree.map(lambda x: x.reshape(*shape, *x.shape[1:]), tree)

        of_leaves = jnp.broadcast_to(state.keys, shape), jnp.broadcast_to(leaf, shape)
        keys = jax.vmap(jax.random.fold_in)(*flat(of_leaves))

        def transition(actions: chex.Array, before: Any) -> Transition:
            return unflat(self.model.transition(self.params, keys, *flat((actions, before))))

        outcome = take_action(tree, path, transition)
        evaluation = self.model.predict(self.params, keys, flat(outcome.embedding))
        return outcome, unflat(evaluation)

    def _insert(
        self,
        state: SearchState,
        leaf: chex.Array,
        carry: tuple[BatchedTree, chex.Array],
        path: Path,
        outcome: Transition,
        evaluation: Evaluation,
        back_up: Callable[[BatchedTree, chex.Array], BatchedTree],
    ) -> tuple[BatchedTree, chex.Array]:
        """Returns the trees with new nodes at the ends of paths [B], their values backed up."""
        tree, prior_logits = carry
        is_root = path.parent == NO_PARENT
        at_root = jnp.where(state.legal, evaluation.prior_logits, ILLEGAL_LOGIT)
        prior_logits = jnp.where(is_root[:, None], at_root, prior_logits)
        at_root = self._prepare_root(state, at_root)
        at_node = jnp.where(is_root[:, None], at_root, evaluation.prior_logits)
        is_terminal = (outcome.discount == 0) & ~is_root
        evaluation = Evaluation(at_node, jnp.where(is_terminal, 0.0, evaluation.value))
        statistics = self.search.init_statistics(evaluation)
        keeps_nodes = state.roots.root_kept_visits is not None
        tree = expand(tree, path, leaf, outcome, evaluation, statistics, keeps_nodes=keeps_nodes)
        end = jnp.where(path.node == UNVISITED, leaf, path.node)
        return back_up(tree, end), prior_logits

    def _select_path(
        self, state: SearchState, tree: BatchedTree, num_observed: chex.Numeric | None = None
    ) -> tuple[Path, Callable[[BatchedTree, chex.Array], BatchedTree]]:
        """Returns the path of a simulation, and what backs up the value of its end [B]."""
        select_at_root = functools.partial(self._select, "select_at_root", state)
        select_at_interior = functools.partial(self._select, "select_at_interior", state)
        if tree.returns is None:
            path = select_path(tree, select_at_root, select_at_interior, num_observed)
            return path, self._backward(state)
        select_everywhere = functools.partial(self._select_everywhere, state)
        path, is_passed = select_path_at_once(tree, select_at_root, select_everywhere)
        return path, functools.partial(backward_at_once, is_passed=is_passed)

    def _backward(self, state: SearchState) -> Callable[[BatchedTree, chex.Array], BatchedTree]:
        """Returns what backs up the value of a node [B] by the rule of the search."""
        rule = functools.partial(self._back_up, state) if self._overrides("back_up") else None
        return functools.partial(backward, back_up=rule)

    def _overrides(self, rule: str) -> bool:
        """Tells whether a rule of the search is another than the default."""
        return getattr(type(self.search), rule) is not getattr(TreeSearch, rule)

    def _prepare_root(self, state: SearchState, prior_logits: chex.Array) -> chex.Array:
        """Returns the prior logits [B, A] of the roots that the searches start from."""
        if not self._overrides("prepare_root"):
            return prior_logits
        keys = prng.named_key(state.keys, "prepare root")
        prepared = self.search.prepare_root(keys, state.roots.extra_data, prior_logits)
        expected = Shaped(prior_logits.shape, jnp.floating)
        check_returned("result of prepare_root", prepared, expected)
        return prepared

    def _select(
        self, rule: str, state: SearchState, tree: BatchedTree, node: chex.Array
    ) -> chex.Array:
        """Returns the action [B] of one node [B] of each tree."""
        nodes = view_nodes(tree, node[:, None], state.roots)
        if self.search.proven_values:
            prior_logits = mask_settled(tree, node)
            nodes = nodes.replace(children_prior_logits=prior_logits[:, None])
        return jax.vmap(functools.partial(self._select_one, rule))(nodes, node)

    def _select_everywhere(self, state: SearchState, tree: BatchedTree) -> chex.Array:
        """Returns the action [N, B] of every node, by the rule for those that are no roots."""
        nodes = view_every_node(tree, state.roots)
        index = jnp.broadcast_to(jnp.arange(len(tree.parent))[:, None], tree.parent.shape)
        select_one = functools.partial(self._select_one, "select_at_interior")
        return jax.vmap(jax.vmap(select_one))(nodes, index)

    def _select_one(self, rule: str, node: SearchTree, index: chex.Array) -> chex.Array:
        """Returns the action [] of one node by the rule of that name."""
        action = getattr(self.search, rule)(node, index)
        check_returned(f"result of {rule}", action, Shaped((), jnp.integer))
        return action

    def _back_up(
        self, state: SearchState, tree: BatchedTree, node: chex.Array, value: chex.Array
    ) -> tuple[chex.Array, Any]:
        """Returns the values [B] and the statistics [B, ...] of one node [B] of each tree."""
        nodes = view_nodes(tree, node[:, None], state.roots)
        return jax.vmap(self._back_up_one)(nodes, value)

    def _back_up_one(self, node: SearchTree, value: chex.Array) -> tuple[chex.Array, Any]:
        backed_up = self.search.back_up(node, value)
        check_returned("result of back_up", backed_up, [Shaped((), jnp.floating), object])
        new, statistics = backed_up
        found = _describe(statistics)
        expected = _describe(jax.tree.map(lambda x: x[ROOT], node.statistics))
        if found != expected:
            raise InputError(f"statistics of back_up are {found}: must be {expected}")
        return new, statistics

    def _empty_statistics(self, shape: tuple[int, int]) -> Any:
        """Returns [B, ...]: the types of the search's own statistics, given B and A."""
        evaluation = Evaluation(jnp.zeros(shape), jnp.zeros(shape[0]))
        statistics = jax.eval_shape(self.search.init_statistics, evaluation)
        for leaf in jax.tree.leaves(statistics):
            if leaf.shape[:1] != shape[:1]:
                raise InputError(
                    f"result of init_statistics has an array {list(leaf.shape)}: must begin with "
                    f"the batch, [{shape[0]}, ...]"
                )
        return statistics


def _describe(statistics: Any) -> Any:
    """Returns the types of the arrays of statistics."""
    return jax.tree.map(lambda x: f"{jnp.result_type(x)}{list(jnp.shape(x))}", statistics)
