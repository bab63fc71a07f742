"""Torsos of one's own, with azjax's heads: Flax modules, and modules of azjax's layers."""

import dataclasses
from typing import ClassVar

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from flax import nnx
from jax.flatten_util import ravel_pytree
from small_networks import (
    HEADS,
    apply,
    apply_train,
    assert_equivariant,
    board_symmetries,
    make_sampler,
    tied,
)

from azjax.games import make
from azjax.networks import (
    Network,
    NetworkConfig,
    TorsoAxes,
    Variables,
    check_equivariance,
    make_network,
    parameter_permutations,
)
from azjax.networks import weight_decay_mask as is_kernel
from azjax.support.errors import InputError

pytestmark = pytest.mark.slow

GAME = make("quixo_3")  # eight symmetries, and moves from cell to cell
BOARDS = np.random.default_rng(1).normal(size=(5, *GAME.observation_shape)).astype(np.float32)

_init = jax.jit(Network.init, static_argnums=0)


class Layer(nnx.Module):
    """Attention and two dense layers, each added to what it reads."""

    def __init__(self, channels, num_heads, rngs):
        self.norms = nnx.List([nnx.LayerNorm(channels, rngs=rngs) for _ in range(2)])
        self.attention = nnx.MultiHeadAttention(num_heads, channels, decode=False, rngs=rngs)
        self.first = nnx.Linear(channels, 2 * channels, rngs=rngs)
        self.second = nnx.Linear(2 * channels, channels, rngs=rngs)

    def __call__(self, cells):
        cells += self.attention(self.norms[0](cells))
        return cells + self.second(nnx.relu(self.first(self.norms[1](cells))))


class Transformer(nnx.Module):
    """Attends from cell to cell; without positions it is equivariant by construction."""

    def __init__(self, config, shape, rngs):
        height, width, planes = shape
        self.embedding = nnx.Linear(planes, config.channels, rngs=rngs)
        if config.has_positions:
            positions = jax.random.normal(rngs.params(), (height * width, config.channels))
            self.positions = nnx.Param(positions)
        self.layers = nnx.List(
            [Layer(config.channels, config.num_heads, rngs) for _ in range(config.depth)]
        )
        self.norm = nnx.LayerNorm(config.channels, rngs=rngs)

    def __call__(self, observations):
        batch, height, width, planes = observations.shape
        cells = self.embedding(observations.reshape(batch, height * width, planes))
        if hasattr(self, "positions"):
            cells += self.positions[...][None]
        for layer in self.layers:
            cells = layer(cells)
        return self.norm(cells).reshape(batch, height, width, -1)


@dataclasses.dataclass(frozen=True)
class TransformerConfig(NetworkConfig):
    name: ClassVar[str] = "transformer"

    channels: int = 8
    depth: int = 1
    num_heads: int = 2
    has_positions: bool = False

    def make_torso(self, observation_shape, *, kernel_init, rngs):
        return Transformer(self, observation_shape, rngs)

    def torso_axes(self):
        return TorsoAxes("fixed", layers={"positions": ("cells of planes", "fixed")})


TRANSFORMER = TransformerConfig(equivariant=True, value_head="wdl")


class OneLayer(nnx.Module):
    def __init__(self, channels, rngs):
        self.layer = nnx.Linear(BOARDS[0].size, channels, rngs=rngs)

    def __call__(self, observations):
        return self.layer(observations.reshape(len(observations), -1))


class Normalized(OneLayer):
    def __init__(self, channels, rngs):
        super().__init__(channels, rngs)
        self.norm = nnx.BatchNorm(channels, rngs=rngs)

    def __call__(self, observations):
        return self.norm(super().__call__(observations))


class Dropping(OneLayer):
    def __init__(self, channels, rngs):
        super().__init__(channels, rngs)
        self.dropout = nnx.Dropout(0.5, rngs=rngs)


class OfCells(OneLayer):
    def __call__(self, observations):
        return observations


def config_of(torso):
    """Returns a configuration whose torso is of a class."""

    @dataclasses.dataclass(frozen=True)
    class Own(NetworkConfig):
        name: ClassVar[str] = "own"

        def make_torso(self, observation_shape, *, kernel_init, rngs):
            return torso(self.channels, rngs)

    return Own(channels=8)


def network_of(config, heads=()):
    return make_network(config, GAME.observation_shape, GAME.num_actions, heads)


def trained(network):
    """Returns variables as after an update: none is zero, some are tied."""
    fresh = _init(network, jax.random.key(0))
    sample = make_sampler()
    noisy = jax.tree.map(lambda x: x + 0.5 * sample(x), fresh)
    return tied(network, board_symmetries(GAME), Variables(noisy.params, fresh.batch_stats))


@pytest.mark.parametrize("has_positions", [False, True])
def test_a_transformer_over_cells_is_equivariant_and_stays_so_as_it_learns(has_positions):
    """With positions, which symmetries of the board permute, these are tied."""
    network = network_of(dataclasses.replace(TRANSFORMER, has_positions=has_positions), HEADS)
    check_equivariance(network, board_symmetries(GAME))
    variables = trained(network)
    assert_equivariant(network, GAME, variables, BOARDS)

    def loss(params):
        outputs, _ = network.apply_train(Variables(params, {}), BOARDS)
        losses = [jnp.square(x - 0.5).mean() for x in outputs.auxiliary.values()]
        logits = outputs.policy_logits
        return sum(losses) + jnp.square(logits[:, 0] - 1).mean() + jnp.square(outputs.value).mean()

    gradient, _ = ravel_pytree(jax.jit(jax.grad(loss))(variables.params))
    vector, as_tree = ravel_pytree(variables.params)
    permutations = parameter_permutations(network, board_symmetries(GAME))
    ties = permutations[:, permutations.min(axis=0)]
    step = 0.05 * sum(gradient[tied_to] for tied_to in ties) / len(ties)
    assert np.abs(step).max() > 0.01
    assert_equivariant(network, GAME, Variables(as_tree(vector - step), {}), BOARDS)
    untied = Variables(as_tree(vector - 0.05 * gradient), {})
    with pytest.raises(AssertionError):
        assert_equivariant(network, GAME, untied, BOARDS)


def test_no_weight_of_a_torso_that_is_equivariant_by_construction_is_tied():
    network = network_of(TRANSFORMER, HEADS)
    permutations = parameter_permutations(network, board_symmetries(GAME))
    assert all(sorted(x) == list(range(len(x))) for x in permutations.tolist())
    _, as_tree = ravel_pytree(jax.tree.map(lambda x: np.zeros(x.shape), network.shapes.params))
    num_distinct = np.array([len(set(orbit)) for orbit in permutations.T])
    found = as_tree(num_distinct)
    of_heads = found.pop("heads")
    assert all((x == 1).all() for x in jax.tree.leaves(found))
    assert (of_heads["planes"]["kernel"] == 1).all()
    # The first action's images are other actions, and a corner's other corners.
    assert (of_heads["policy_logits"]["kernel"] > 1).any()
    assert (of_heads["value_hidden"]["kernel"].reshape(9, -1)[0] == 4).all()


def test_a_torso_that_is_not_equivariant_is_refused_in_one_line():
    network = network_of(dataclasses.replace(config_of(OneLayer), equivariant=True))
    coins = make("coins")
    check_equivariance(network, board_symmetries(coins))  # nothing is tied without symmetries
    message = "^network.equivariant=True: must be False, as the torso of network 'own' is not equ"
    with pytest.raises(ValueError, match=message):
        check_equivariance(network, board_symmetries(GAME))


@pytest.mark.parametrize(
    "config",
    [TRANSFORMER, config_of(OneLayer), config_of(Normalized)],
    ids=["cells", "board", "batch normalization"],
)
def test_heads_are_put_on_a_torso_of_cells_or_of_the_board(config):
    network = network_of(dataclasses.replace(config, value_head="wdl"), HEADS)
    variables = trained(network)
    outputs, _ = apply_train(network, variables, BOARDS)
    sizes = {"policy_logits": GAME.num_actions, "value_logits": 3}
    assert all(getattr(outputs, name).shape == (5, size) for name, size in sizes.items())
    assert {name: x.shape for name, x in outputs.auxiliary.items()} == {
        "reply_logits": (5, GAME.num_actions),
        "action_values": (5, GAME.num_actions),
        "ownership": (5, 9),
        "margin": (5,),
    }
    logits, values = apply(network, variables, BOARDS)
    turned, _ = apply(network, variables, BOARDS[::-1])  # each is evaluated independently
    np.testing.assert_allclose(turned, logits[::-1], rtol=1e-5, atol=1e-5)
    assert (np.abs(values) < 1).all()
    fresh, other = (_init(network, jax.random.key(seed)).params for seed in (0, 1))
    differs = jax.tree.map(lambda x, y: bool((x != y).any()), fresh, other)
    assert all(jax.tree.leaves(jax.tree.map(lambda x, k: x or not k, differs, is_kernel(fresh))))


@pytest.mark.parametrize(
    ("torso", "error", "message"),
    [
        (Dropping, ValueError, r"^network Dropping has arrays of type Rng.*: all must be nnx"),
        (OfCells, InputError, r"^network own: .* to \[2, 3, 3, 2\]: must be \[2, 3, 3, 8\] or \["),
    ],
)
def test_a_wrong_torso_is_refused_in_one_line(torso, error, message):
    with pytest.raises(error, match=message):
        network_of(config_of(torso)).init(jax.random.key(0))
