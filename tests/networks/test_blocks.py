"""A tower applies its blocks in turn."""

import jax
import numpy as np
import pytest
from flax import nnx

from azjax.networks.layers import Dense, KernelInitializer, ResidualBlock, Tower

FEATURES, BLOCKS, BOARDS = 6, 3, 5
generator = np.random.default_rng(0)
ARRAYS = {
    name: {
        "kernel": generator.normal(size=(BLOCKS, FEATURES, FEATURES)).astype(np.float32),
        "bias": generator.normal(size=(BLOCKS, FEATURES)).astype(np.float32),
    }
    for name in ("first", "second")
}
INPUTS = generator.normal(size=(BOARDS, FEATURES)).astype(np.float32)


def apply_blocks(features):
    for i in range(BLOCKS):
        block = ResidualBlock(Dense, FEATURES, "none", kernel_init=KernelInitializer())
        nnx.update(block, jax.tree.map(lambda x, i=i: x[i], ARRAYS))
        features = block(features)
    return features


@pytest.mark.parametrize("is_unrolled", [False, True])
def test_a_tower_applies_its_blocks_in_turn(is_unrolled):
    tower = Tower(Dense, FEATURES, BLOCKS, "none", kernel_init=KernelInitializer())
    nnx.update(tower.blocks, ARRAYS)
    tower.set_attributes(Tower, is_unrolled=is_unrolled)
    expected = apply_blocks(INPUTS)
    assert not np.allclose(expected, INPUTS)
    np.testing.assert_allclose(tower(INPUTS), expected, rtol=1e-5)
