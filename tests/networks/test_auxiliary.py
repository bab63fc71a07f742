"""Auxiliary heads: what training reads of them, and that play has nothing of them."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from random_variables import variables_of

from azjax.networks import (
    AUXILIARY_HEADS,
    NetworkConfig,
    Ownership,
    make_network,
)

SHAPE, ACTIONS, BATCH = (3, 4, 2), 6, 5
CELLS = 12
BOARDS = np.random.default_rng(1).normal(size=(BATCH, *SHAPE)).astype(np.float32)
OUTPUTS = {
    "reply": (BATCH, ACTIONS),
    "action_values": (BATCH, ACTIONS),
    "ownership": Ownership(cells=(BATCH, CELLS), margin=(BATCH,)),
}


def network_of(architecture, *heads, precision="float32"):
    config = NetworkConfig(
        architecture, channels=8, blocks=1, auxiliary_heads=heads, precision=precision
    )
    return make_network(config, SHAPE, ACTIONS)


@pytest.mark.parametrize("head", AUXILIARY_HEADS)
@pytest.mark.parametrize("architecture", ["mlp", "convnet", "resnet"])
def test_training_has_the_outputs_of_the_heads_that_are_on(architecture, head):
    network = network_of(architecture, head)
    outputs, _ = jax.eval_shape(network.apply_train, variables_of(network), BOARDS)
    assert jax.tree.map(lambda x: x.shape, outputs.auxiliary) == {head: OUTPUTS[head]}
    assert all(x.dtype == jnp.float32 for x in jax.tree.leaves(outputs))


@pytest.mark.parametrize("architecture", ["mlp", "resnet"])
def test_gradient_reaches_every_parameter_of_a_head(architecture):
    network = network_of(architecture, *AUXILIARY_HEADS)
    variables = jax.tree.map(lambda x: 0.2 * x, variables_of(network))

    def loss(params):
        outputs, _ = network.apply_train(variables._replace(params=params), BOARDS)
        return sum(jnp.sum(x**2) for x in jax.tree.leaves(outputs.auxiliary))

    gradient = jax.jit(jax.grad(loss))(variables.params)
    assert len(gradient["heads"]["auxiliary"]) == 4
    for layer in gradient["heads"]["auxiliary"].values():
        assert all(np.abs(leaf).max() > 0 for leaf in layer.values())
    trunk = gradient["stem"]["kernel"]
    assert np.isfinite(trunk).all()
    assert np.abs(trunk).max() > 0


@pytest.mark.parametrize(
    ("architecture", "precision"),
    [("mlp", "float32"), ("resnet", "float32"), ("resnet", "bfloat16")],
)
def test_the_program_that_plays_is_that_of_a_network_without_heads(architecture, precision):
    boards, programs = np.concatenate([BOARDS] * 4), []  # 20, so more than a chunk
    for heads in ((), AUXILIARY_HEADS):
        network = network_of(architecture, *heads, precision=precision)
        variables = variables_of(network)
        assert ("auxiliary" in variables.params["heads"]) == bool(heads)
        programs.append(jax.jit(network.apply).lower(variables, boards).as_text())
    assert "dot_general" in programs[0]
    assert programs[0] == programs[1]
