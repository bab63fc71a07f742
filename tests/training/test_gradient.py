"""The gradient of a batch in microbatches equals that of the whole batch."""

import jax
import numpy as np
import pytest

from azjax.games import make
from azjax.networks import MLPConfig, Network, ResNetConfig, make_network
from azjax.training import AlphaZero, TrainConfig, TrainContext
from azjax.training.algorithms.alphazero import Batch
from azjax.training.learner import batch_gradient
from azjax.training.targets import Targets

SIZE = 64


def make_batch():
    rng = np.random.default_rng(1)
    return Batch(
        observation=np.float32(rng.random((SIZE, 3, 4, 2)) < 0.4),
        legal=np.ones((SIZE, 5), bool),
        action_weights=np.float32(rng.dirichlet(np.ones(5), SIZE)),
        targets=Targets(np.float32(rng.random(SIZE)), {}),
        of_parts={},
    )


@pytest.mark.parametrize("kind", [MLPConfig, pytest.param(ResNetConfig, marks=pytest.mark.slow)])
def test_a_gradient_in_parts_is_that_of_the_whole_batch(kind, monkeypatch):
    network = make_network(kind(channels=8, blocks=1), (3, 4, 2), 5)
    config = TrainConfig(network=network.config, algorithm=AlphaZero(value_loss_weight=0.5))
    context = TrainContext(config, make("tic_tac_toe"), network)
    variables, batch = jax.jit(network.init)(jax.random.key(0)), make_batch()
    variables = jax.tree.map(lambda x: np.float32(x + 0.1), jax.device_get(variables))  # zeros stop
    found = []
    for num_parts in (1, 4):
        monkeypatch.setattr(Network, "num_microbatches", lambda self, size, n=num_parts: n)
        gradient = jax.jit(lambda *arguments: batch_gradient(context, *arguments))
        found.append(jax.device_get(gradient(variables, batch)))
    whole = found[0][0]
    largest = np.abs(whole).max()
    assert largest > 0.01
    assert (whole != 0).mean() > 0.5
    for one, other in zip(*map(jax.tree.leaves, found), strict=True):
        np.testing.assert_allclose(other, one, rtol=1e-4, atol=1e-5 * largest)


def test_microbatches_are_used_in_bfloat16_only_and_never_under_batch_norm():
    def num_parts(**changes):
        return make_network(ResNetConfig(**changes), (3, 4, 2), 5).num_microbatches(128)

    assert num_parts(precision="float32") == 1
    assert num_parts(precision="bfloat16", norm="batch") == 1
    if jax.default_backend() == "cpu":
        assert num_parts(precision="bfloat16") == 4
