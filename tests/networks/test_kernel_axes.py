"""Which parameters are matrices, for optimizers such as Muon."""

import jax
import numpy as np
from optax.contrib import MuonDimensionNumbers, muon
from small_networks import HEADS, network_of, variables_of

from azjax.networks import ResNetConfig, kernel_axes


def test_the_matrices_of_a_resnet():
    network = network_of(ResNetConfig(channels=8, blocks=2, norm="layer"), HEADS)
    axes = kernel_axes(network.shapes.params)
    assert axes["stem"] == {"kernel": MuonDimensionNumbers((0, 1, 2), (3,)), "bias": None}
    assert axes["stem_norm"] == {"scale": None, "bias": None}
    block = axes["tower"]["blocks"]
    assert block["second"] == {"kernel": MuonDimensionNumbers((1, 2, 3), (4,)), "bias": None}
    assert axes["heads"]["auxiliary"]["margin"]["kernel"] == MuonDimensionNumbers((0,), (1,))


def test_attention_and_lists_of_blocks():
    shape = {"kernel": np.zeros((4, 2, 2))}
    params = {"blocks": {"0": {"query": shape, "out": shape, "first": {"kernel": np.eye(2)}}}}
    assert kernel_axes(params)["blocks"]["0"] == {
        "query": {"kernel": MuonDimensionNumbers((0,), (1, 2))},
        "out": {"kernel": MuonDimensionNumbers((0, 1), (2,))},
        "first": {"kernel": MuonDimensionNumbers((0,), (1,))},
    }


def test_muon_makes_the_updates_of_all_blocks_orthogonal():
    network = network_of(ResNetConfig(channels=8, blocks=2))
    params = variables_of(network).params

    optimizer = muon(1.0, muon_weight_dimension_numbers=kernel_axes)

    @jax.jit
    def update(gradients):
        with jax.numpy_rank_promotion("allow"):
            return optimizer.update(gradients, optimizer.init(gradients), gradients)[0]

    # Gradients of which some outputs have far larger ones than others.
    gradients = jax.tree.map(lambda x: x * np.linspace(1, 10, x.shape[-1]), params)
    updates = update(gradients)
    for tree, is_orthogonal in ((gradients, False), (updates, True)):
        for block in tree["tower"]["blocks"]["first"]["kernel"]:
            values = np.linalg.svd(np.reshape(block, (-1, 8)), compute_uv=False)
            assert (values.max() < 2 * values.min()) == is_orthogonal
