"""Gumbel noise at the root: it samples actions, or breaks ties."""

import chex

from azjax.search.config import SearchHyperparameters
from azjax.search.tree_search import Noise
from azjax.support import prng


def sample_gumbel_noise(
    hyperparameters: SearchHyperparameters, keys: chex.PRNGKey, num_actions: int
) -> Noise:
    """Samples Gumbel noise of scale 1, [B, A]; a search that samples actions by it scales it."""
    del hyperparameters
    return Noise(prng.gumbel(keys, num_actions), keys)
