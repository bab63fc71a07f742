"""An equivariant network transforms its policy with the position, and keeps its value."""

import jax
import numpy as np
import pytest
from small_networks import (
    HEADS,
    assert_equivariant,
    board_symmetries,
    config_of,
    ravel,
    tied,
    unravel,
)

from azjax import games
from azjax.networks import (
    check_equivariance,
    make_model_network,
    make_network,
    parameter_permutations,
    weight_decay_mask,
)

BATCH = 3
# A mirror; a half turn, and an action beside the cells; eight symmetries; eight and moves from cell
# to cell.
GAMES = {
    "connect_four": games.make("connect_four", rows=4, columns=5),
    "hex": games.make("hex", size=4, swap=True),
    "tic_tac_toe": games.make("tic_tac_toe"),
    "quixo_3": games.make("quixo_3"),
}


def _config(architecture, norm="none", **changes):
    sizes = dict(channels=16, blocks=2, policy_planes=8, value_planes=8, value_features=16)
    return config_of(
        architecture, norm=norm, equivariant=True, precision="float32", **(sizes | changes)
    )


def _network(architecture, game, norm="none", heads=(), **changes):
    config = _config(architecture, norm, **changes)
    return make_network(config, game.observation_shape, game.num_actions, heads)


def _tied_variables(network, symmetries):
    """Returns random variables with tied weights, none of them zero."""
    shapes = network.shapes
    size = sum(x.size for x in jax.tree.leaves(shapes.params))
    sampled = np.random.default_rng(1).normal(0.0, 0.2, size).astype(np.float32)
    return tied(network, symmetries, shapes._replace(params=unravel(sampled, shapes.params)))


@pytest.mark.parametrize(
    ("name", "architecture", "options"),
    [
        ("hex", "mlp", {"norm": "layer"}),
        ("quixo_3", "mlp", {"value_head": "wdl"}),
        ("hex", "convnet", {}),
        ("quixo_3", "resnet", {"norm": "layer", "value_head": "wdl", "global_pooling": True}),
    ],
)
def test_what_a_network_says_is_transformed_with_the_position(name, architecture, options):
    game = GAMES[name]
    # So many features of the value that not all are zero on every board.
    network = _network(architecture, game, heads=HEADS, value_features=64, **options)
    variables = _tied_variables(network, board_symmetries(game))
    positions = np.random.default_rng(2).normal(size=(BATCH, *game.observation_shape))
    assert_equivariant(network, game, variables, np.float32(positions))


def test_a_learnt_model_takes_transformed_actions_to_transformed_positions():
    game = GAMES["quixo_3"]  # an action has two planes
    network = _model_network(game)
    variables = _tied_variables(network, board_symmetries(game))
    random = np.random.default_rng(2)
    positions = random.normal(size=(3, BATCH, *game.observation_shape))  # and the two that follow
    played = random.integers(game.num_actions, size=(2, BATCH))

    @jax.jit
    def unrolled(variables, positions, planes):
        return network.unroll(variables, positions[0], planes, positions[1:])

    def unroll(*arguments):
        return jax.device_get(unrolled(*arguments))

    expected = unroll(variables, np.float32(positions), game.action_planes[played])
    for cells, actions in zip(*game.symmetries, strict=True):
        flat = positions.reshape(*positions.shape[:2], len(cells), -1)
        transformed = np.float32(flat[:, :, cells].reshape(positions.shape))
        found = unroll(variables, transformed, game.action_planes[np.argsort(actions)[played]])
        logits = expected.outputs.policy_logits
        pairs = [
            (found.outputs.policy_logits, logits[..., actions]),
            (found.outputs.value, expected.outputs.value),
            (found.similarity, expected.similarity),
        ]
        for one, other in pairs:
            assert np.ptp(other, axis=1).min() > 1e-4
            np.testing.assert_allclose(one, other, rtol=0, atol=1e-4 * np.abs(other).max())


def _model_network(game):
    planes = game.action_planes.shape[-1]
    return make_model_network(
        _config("resnet"), game.observation_shape, game.num_actions, planes, consistency=True
    )


@pytest.mark.parametrize(
    ("architecture", "options"),
    [("mlp", {"heads": HEADS}), ("convnet", {}), ("resnet", {"global_pooling": True})],
)
def test_every_kernel_is_tied_by_exactly_the_symmetries_of_the_board(architecture, options):
    game = GAMES["tic_tac_toe"]
    _check_ties(game, _network(architecture, game, **options))


def test_every_kernel_of_a_learnt_model_is_tied_by_the_symmetries():
    _check_ties(GAMES["quixo_3"], _model_network(GAMES["quixo_3"]))


def _check_ties(game, network):
    params = network.shapes.params
    permutations = parameter_permutations(network, board_symmetries(game))
    kernels = jax.tree.map(lambda x, k: np.full(x.shape, k), params, weight_decay_mask(params))
    is_kernel = ravel(kernels)
    for permutation in permutations:
        np.testing.assert_array_equal(np.sort(permutation), np.arange(len(permutation)))
    num_distinct = np.array([len(set(orbit)) for orbit in permutations.T])
    assert (num_distinct[is_kernel] == 8).all()


@pytest.mark.parametrize(
    ("architecture", "field", "size"),
    [("mlp", "channels", 12), ("resnet", "policy_planes", 2), ("convnet", "value_planes", 4)],
)
def test_sizes_that_are_not_a_multiple_of_the_symmetries_are_refused(architecture, field, size):
    eight, two = GAMES["tic_tac_toe"], GAMES["connect_four"]
    with pytest.raises(ValueError, match=f"^network.{field}={size}: .* a multiple of 8, "):
        check_equivariance(_network(architecture, eight, **{field: size}), board_symmetries(eight))
    check_equivariance(_network(architecture, two, **{field: size}), board_symmetries(two))


def test_a_board_of_one_row_may_have_no_symmetry_but_the_identity():
    coins, one_row = games.make("coins"), games.make("gomoku_9", rows=1)
    for architecture in ("mlp", "resnet"):
        check_equivariance(_network(architecture, coins), board_symmetries(coins))
        with pytest.raises(ValueError, match="two rows and columns or more"):
            check_equivariance(_network(architecture, one_row), board_symmetries(one_row))
