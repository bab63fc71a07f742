"""Trees of one node, to test a rule of selection alone."""

import numpy as np

from azjax.search import SearchTree


def one_node(logits, visits, values, legal=None):
    """Returns a tree of one node, without noise; values are from its own view."""
    visits = np.asarray(visits, np.int32)
    legal = np.ones(len(visits), bool) if legal is None else np.asarray(legal)
    zeros, none = np.zeros(len(visits), np.float32), np.full(len(visits), -1, np.int32)
    return SearchTree(
        node_visits=visits.sum()[None],
        raw_values=zeros[:1],
        node_values=zeros[:1],
        parents=none[:1],
        action_from_parent=none[:1],
        children_index=none[None],
        children_prior_logits=np.asarray(logits, np.float32)[None],
        children_visits=visits[None],
        children_rewards=zeros[None],
        children_discounts=zeros[None] - 1,
        children_values=-np.asarray(values, np.float32)[None],
        embeddings=None,
        root_invalid_actions=~legal,
        extra_data=zeros,
    )
