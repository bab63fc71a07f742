"""Trees of one node, to test a rule of selection alone."""

import jax.numpy as jnp

from azjax.search import SearchTree


def one_node(logits, visits, values, legal=None):
    """Returns a tree of one node, without noise; values are from its own view."""
    visits = jnp.asarray(visits, jnp.int32)
    legal = jnp.ones(len(visits), bool) if legal is None else jnp.asarray(legal)
    return SearchTree(
        node_visits=visits.sum()[None],
        raw_values=jnp.zeros(1),
        node_values=jnp.zeros(1),
        parents=jnp.full(1, -1),
        action_from_parent=jnp.full(1, -1),
        children_index=jnp.full((1, len(visits)), -1),
        children_prior_logits=jnp.asarray(logits, jnp.float32)[None],
        children_visits=visits[None],
        children_rewards=jnp.zeros((1, len(visits))),
        children_discounts=-jnp.ones((1, len(visits))),
        children_values=-jnp.asarray(values, jnp.float32)[None],
        embeddings=None,
        root_invalid_actions=~legal,
        extra_data=jnp.zeros(len(visits)),
    )
