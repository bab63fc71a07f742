"""An equivariant network transforms its policy with the position, and keeps its value."""

import jax
import numpy as np
import pytest
from jax.flatten_util import ravel_pytree
from small_networks import HEADS, apply, apply_train, board_symmetries, config_of, tied

from azjax import games
from azjax.networks import (
    Network,
    check_equivariance,
    make_model_network,
    make_network,
    parameter_permutations,
    weight_decay_mask,
)

BATCH = 3
# A mirror; a half turn, and an action beside the cells; four symmetries; eight; eight and moves
# from cell to cell.
GAMES = {
    "connect_four": games.make("connect_four", rows=4, columns=5),
    "hex": games.make("hex", size=4, swap=True),
    "rectangle": games.make("mnk_6_6_4", rows=3, columns=4),
    "tic_tac_toe": games.make("tic_tac_toe"),
    "quixo_3": games.make("quixo_3"),
}
_init = jax.jit(Network.init, static_argnums=0)


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
    variables = _init(network, jax.random.key(0))
    vector, as_tree = ravel_pytree(variables.params)
    sampled = np.random.default_rng(1).normal(0.0, 0.2, size=vector.shape)
    return tied(network, symmetries, variables._replace(params=as_tree(np.float32(sampled))))


@pytest.mark.parametrize(
    ("architecture", "norm"), [("mlp", "layer"), ("convnet", "none"), ("resnet", "layer")]
)
@pytest.mark.parametrize(
    "name", [*["hex", "quixo_3"], pytest.param("rectangle", marks=pytest.mark.slow)]
)
def test_a_transformed_position_has_the_transformed_policy_and_the_same_value(
    name, architecture, norm
):
    game = GAMES[name]
    network = _network(architecture, game, norm)
    variables = _tied_variables(network, board_symmetries(game))
    positions = np.random.default_rng(2).normal(size=(BATCH, *game.observation_shape))
    policy, value = apply(network, variables, np.float32(positions))
    assert np.ptp(value) > 1e-3
    assert np.ptp(policy, axis=0).min() > 1e-3
    for cells, actions in zip(*game.symmetries, strict=True):
        transformed = positions.reshape(BATCH, len(cells), -1)[:, cells].reshape(positions.shape)
        transformed_policy, transformed_value = apply(network, variables, np.float32(transformed))
        scale = np.abs(policy).max()
        np.testing.assert_allclose(
            transformed_policy, policy[:, actions], rtol=0, atol=1e-5 * scale
        )
        np.testing.assert_allclose(transformed_value, value, rtol=0, atol=1e-5)


@pytest.mark.parametrize("architecture", ["mlp", "resnet"])
def test_what_training_reads_is_transformed_with_the_position(architecture):
    game = GAMES["quixo_3"]
    options = {"global_pooling": True} if architecture == "resnet" else {}
    network = _network(
        architecture,
        game,
        heads=HEADS,
        value_head="wdl",
        value_features=64,  # so many that not all are zero on every board
        **options,
    )
    variables = _tied_variables(network, board_symmetries(game))
    positions = np.random.default_rng(2).normal(size=(BATCH, *game.observation_shape))
    outputs, _ = apply_train(network, variables, np.float32(positions))
    for cells, actions in zip(*game.symmetries, strict=True):
        transformed = positions.reshape(BATCH, len(cells), -1)[:, cells].reshape(positions.shape)
        found, _ = apply_train(network, variables, np.float32(transformed))
        auxiliary = outputs.auxiliary
        expected = outputs._replace(
            policy_logits=outputs.policy_logits[:, actions],
            auxiliary={
                "reply_logits": auxiliary["reply_logits"][:, actions],
                "action_values": auxiliary["action_values"][:, actions],
                "ownership": auxiliary["ownership"][:, cells],
                "margin": auxiliary["margin"],
            },
        )
        for one, other in zip(*map(jax.tree.leaves, (found, expected)), strict=True):
            assert np.ptp(other, axis=0).min() > 1e-4
            np.testing.assert_allclose(one, other, rtol=0, atol=1e-5 * np.abs(other).max())


def test_a_learnt_model_takes_transformed_actions_to_transformed_positions():
    game = GAMES["quixo_3"]  # an action has two planes
    network = _model_network(game)
    variables = _tied_variables(network, board_symmetries(game))
    random = np.random.default_rng(2)
    positions = random.normal(size=(3, BATCH, *game.observation_shape))  # and the two that follow
    played = random.integers(game.num_actions, size=(2, BATCH))

    @jax.jit
    def unroll(variables, positions, planes):
        return network.unroll(variables, positions[0], planes, positions[1:])

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
    [
        ("mlp", {}),
        ("mlp", {"heads": HEADS}),
        ("convnet", {}),
        ("resnet", {}),
        ("resnet", {"global_pooling": True}),
    ],
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
    is_kernel = ravel_pytree(kernels)[0]
    for permutation in permutations:
        np.testing.assert_array_equal(np.sort(permutation), np.arange(len(permutation)))
    num_distinct = np.array([len(set(orbit)) for orbit in permutations.T])
    assert (num_distinct[is_kernel] == 8).all()


@pytest.mark.parametrize(
    ("architecture", "field", "size"),
    [
        ("mlp", "channels", 12),
        ("resnet", "policy_planes", 2),
        ("convnet", "value_planes", 4),
        ("resnet", "value_features", 20),
    ],
)
def test_sizes_that_are_not_a_multiple_of_the_symmetries_are_refused(architecture, field, size):
    eight, two = GAMES["tic_tac_toe"], GAMES["connect_four"]
    with pytest.raises(ValueError, match=f"^network.{field}={size}: .* a multiple of 8, "):
        check_equivariance(_network(architecture, eight, **{field: size}), board_symmetries(eight))
    check_equivariance(_network(architecture, two, **{field: size}), board_symmetries(two))


def test_sizes_of_a_value_head_that_is_not_there_do_not_matter():
    game = GAMES["tic_tac_toe"]
    network = _network("resnet", game, value_head="none", value_planes=4)
    check_equivariance(network, board_symmetries(game))


def test_a_board_of_one_row_may_have_no_symmetry_but_the_identity():
    coins, one_row = games.make("coins"), games.make("gomoku_9", rows=1)
    for architecture in ("mlp", "resnet"):
        check_equivariance(_network(architecture, coins), board_symmetries(coins))
        with pytest.raises(ValueError, match="two rows and columns or more"):
            check_equivariance(_network(architecture, one_row), board_symmetries(one_row))


def test_batch_statistics_are_refused():
    with pytest.raises(ValueError, match=r"norm='batch': must be none or layer"):
        _config("resnet", norm="batch")
