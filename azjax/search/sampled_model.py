"""Search over some actions of each node, sampled from its prior.

"Learning and Planning in Complex Action Spaces", Hubert et al., ICML 2021. Actions are sampled
without replacement, by the largest of prior logits plus Gumbel noise, and the prior is corrected
for it as in "Stochastic Beams and Where to Find Them", Kool et al., ICML 2019: the prior of an
action over its chance of being among the sampled. If all actions are sampled it stays as it is.
"""

import functools
from typing import Any, NamedTuple

import chex
import jax
import jax.numpy as jnp
import mctx

from azjax.search.model import ILLEGAL_LOGIT, Evaluation, Model, Root, Transition, is_legal
from azjax.search.search import SearchResult
from azjax.support import prng


class SampledNode(NamedTuple):
    """B positions with K sampled actions each, in ascending order."""

    embedding: Any  # [B, ...] the model's
    actions: chex.Array  # [B, K] int32
    evaluation: Evaluation  # prior logits [B, K], corrected; value [B]


def sampled_model(model: Model, num_sampled: int) -> Model:
    """Returns a model whose action k is the k-th of K actions that are sampled in each position.

    A position is predicted where it is reached, as its prior is what actions are sampled from; so a
    compiled search holds the network twice.
    """

    def sample(params: Any, keys: chex.PRNGKey, embedding: Any, legal: Any = None) -> SampledNode:
        logits, value = model.predict(params, keys, embedding)
        logits = logits if legal is None else jnp.where(legal, logits, ILLEGAL_LOGIT)
        actions, logits = _sample_actions(keys, logits, num_sampled)
        return SampledNode(embedding, actions, Evaluation(logits, value))

    def represent(params: Any, keys: chex.PRNGKey, states: Any) -> Root:
        embedding, legal = model.represent(params, keys, states)
        node = sample(params, keys, embedding, legal)
        return Root(node, is_legal(node.evaluation.prior_logits))

    def transition(
        params: Any, keys: chex.PRNGKey, chosen: chex.Array, node: SampledNode
    ) -> Transition:
        actions = jnp.take_along_axis(node.actions, chosen[:, None], axis=1)[:, 0]
        reward, discount, embedding = model.transition(params, keys, actions, node.embedding)
        return Transition(reward, discount, sample(params, keys, embedding))

    def predict(params: Any, keys: chex.PRNGKey, node: SampledNode) -> Evaluation:
        return node.evaluation

    return Model(num_sampled, represent, transition, predict)


def _sample_actions(
    keys: chex.PRNGKey, logits: chex.Array, num_sampled: int
) -> tuple[chex.Array, chex.Array]:
    """Returns K of the actions [B, A] and their corrected prior logits, [B, K] each."""
    keys = prng.named_key(keys, "sampled actions")
    log_prior = jax.nn.log_softmax(logits)
    noisy = log_prior + prng.hashed_gumbel(keys, logits.shape[-1])
    # Without the barrier XLA's CPU backend merges the slices below into it, and sorts all actions.
    largest, actions = jax.lax.optimization_barrier(jax.lax.top_k(noisy, num_sampled + 1))
    actions = jnp.sort(actions[:, :num_sampled], axis=-1)
    log_prior = jnp.take_along_axis(log_prior, actions, axis=1)
    threshold = largest[:, num_sampled:]  # very low where no more actions are legal
    log_chance = jnp.log(-jnp.expm1(-jnp.exp(log_prior - threshold)))
    chosen = jnp.take_along_axis(logits, actions, axis=1)
    corrected = jnp.where(is_legal(chosen), log_prior - log_chance, ILLEGAL_LOGIT)
    corrected -= corrected.max(axis=-1, keepdims=True)
    return actions, jnp.where(is_legal(chosen), corrected, ILLEGAL_LOGIT)


def with_all_actions(result: SearchResult, num_actions: int) -> SearchResult:
    """Returns the result [B, ...] of a sampled search in terms of all A actions.

    Actions that are not sampled are like illegal ones of the root: without prior, visits and
    weight.
    """
    tree = result.tree
    at_root = tree.embeddings.actions[:, mctx.Tree.ROOT_INDEX]  # [B, K]
    scatter = functools.partial(_scatter, num_actions)
    scatter_nodes = jax.vmap(scatter, in_axes=(0, 0, None))
    actions = tree.embeddings.actions  # [B, N, K]
    parents = jnp.maximum(tree.parents, 0)
    taken = jax.vmap(lambda actions, parents, chosen: actions[parents, chosen])(
        actions, parents, tree.action_from_parent
    )
    has_parent = tree.parents != mctx.Tree.NO_PARENT
    whole = tree.replace(
        action_from_parent=jnp.where(has_parent, taken, mctx.Tree.NO_PARENT),
        children_index=scatter_nodes(actions, tree.children_index, mctx.Tree.UNVISITED),
        children_prior_logits=scatter_nodes(actions, tree.children_prior_logits, ILLEGAL_LOGIT),
        children_visits=scatter_nodes(actions, tree.children_visits, 0),
        children_rewards=scatter_nodes(actions, tree.children_rewards, 0),
        children_discounts=scatter_nodes(actions, tree.children_discounts, 0),
        children_values=scatter_nodes(actions, tree.children_values, 0),
        embeddings=tree.embeddings.embedding,
        root_invalid_actions=scatter(at_root, tree.root_invalid_actions, True),
        extra_data=None,
    )
    return result._replace(
        action=jnp.take_along_axis(at_root, result.action[:, None], axis=1)[:, 0],
        action_weights=scatter(at_root, result.action_weights, 0),
        tree=whole,
        prior_logits=scatter(at_root, result.prior_logits, ILLEGAL_LOGIT),
    )


def _scatter(num_actions: int, actions: chex.Array, values: chex.Array, fill: float) -> chex.Array:
    """Returns [B, A]: values [B, K] at their actions [B, K], and the fill elsewhere."""
    rows = jnp.arange(len(actions))[:, None]
    everywhere = jnp.full((len(actions), num_actions), fill, values.dtype)
    return everywhere.at[rows, actions].set(values)
