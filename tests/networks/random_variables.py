"""Random variables of networks, like those of trained ones: none is zero."""

import jax
import numpy as np


def make_sampler():
    """Returns `sample(leaf)`: random numbers of its shape that keep the size of what they map."""
    generator = np.random.default_rng(2)

    def sample(leaf):
        spread = 0.7 / np.sqrt(np.prod(leaf.shape[:-1]))
        return generator.normal(scale=spread, size=leaf.shape).astype(np.float32)

    return sample


def variables_of(network, scale=1.0):
    """Returns variables from a normal distribution."""
    generator = np.random.default_rng(2)
    shapes = jax.eval_shape(network.init, jax.random.key(0))
    return jax.tree.map(lambda x: np.float32(scale * generator.normal(size=x.shape)), shapes)
