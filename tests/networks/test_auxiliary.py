"""Auxiliary heads: what training reads of them, and that play has nothing of them."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from small_networks import HEADS, config_of, variables_of

from azjax.networks import Head, make_network

SHAPE, ACTIONS, BATCH = (3, 4, 2), 6, 5
BOARDS = np.random.default_rng(1).normal(size=(BATCH, *SHAPE)).astype(np.float32)


def network_of(architecture, heads, precision="float32"):
    config = config_of(architecture, channels=8, blocks=1, precision=precision)
    return make_network(config, SHAPE, ACTIONS, heads)


def test_bounded_outputs_are_the_hyperbolic_tangents_of_the_others():
    found = []
    for is_bounded in (False, True):
        heads = tuple(head._replace(is_bounded=is_bounded) for head in HEADS)
        network = network_of("resnet", heads)
        variables = jax.tree.map(lambda x: 0.2 * x, variables_of(network))
        found.append(jax.jit(network.apply_train)(variables, BOARDS)[0].auxiliary)
    for name, values in found[0].items():
        assert np.ptp(values) > 0.01
        np.testing.assert_allclose(found[1][name], np.tanh(values), rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize(
    ("heads", "message"),
    [
        ((HEADS[0], HEADS[0]), "^head 'reply_logits': the name is taken"),
        ((Head("eval", "scalar", True),), "^head 'eval': the name is taken"),
        ((Head("own", "board", True),), "^outputs of head 'own'='board': must be actions, cells"),
    ],
)
def test_a_head_that_cannot_be_is_refused(heads, message):
    with pytest.raises(ValueError, match=message):
        network_of("mlp", heads).init(jax.random.key(0))


@pytest.mark.parametrize("architecture", ["mlp", "resnet"])
def test_gradient_reaches_every_parameter_of_a_head(architecture):
    network = network_of(architecture, HEADS)
    variables = jax.tree.map(lambda x: 0.2 * x, variables_of(network))

    def loss(params):
        outputs, _ = network.apply_train(variables._replace(params=params), BOARDS)
        return sum(jnp.sum(x**2) for x in jax.tree.leaves(outputs.auxiliary))

    gradient = jax.jit(jax.grad(loss))(variables.params)
    assert len(gradient["heads"]["auxiliary"]) == 4
    for layer in gradient["heads"]["auxiliary"].values():
        assert all(np.abs(leaf).max() > 0 for leaf in layer.values())
    torso = gradient["stem"]["kernel"]
    assert np.isfinite(torso).all()
    assert np.abs(torso).max() > 0


@pytest.mark.parametrize(
    ("architecture", "precision"), [("mlp", "float32"), ("resnet", "bfloat16")]
)
def test_the_program_that_plays_is_that_of_a_network_without_heads(architecture, precision):
    boards, programs = np.concatenate([BOARDS] * 4), []  # 20, so more than a chunk
    for heads in ((), HEADS):
        network = network_of(architecture, heads, precision)
        variables = variables_of(network)
        assert ("auxiliary" in variables.params["heads"]) == bool(heads)
        programs.append(jax.jit(network.apply).lower(variables, boards).as_text())
    assert "dot_general" in programs[0]
    assert programs[0] == programs[1]
