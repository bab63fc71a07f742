"""Playout caps and the growth of simulations: which search a ply has, and what is learned of it."""

import dataclasses
import functools

import jax
import numpy as np
import pytest
from azjax.training.selfplay.simulations import list_searches, sample_searches

from azjax.training import make_context
from azjax.training.algorithms.alphazero import Batch, alphazero_loss
from azjax.training.replay.targets import Targets
from azjax.training.selfplay.games import init_games, play

from .table_network import Table
from .tiny import CONFIG, CONTEXT, HYPERPARAMETERS, NETWORK, as_float32

GROWING = dataclasses.replace(CONFIG, initial_simulations=2, num_moves=64, replay_moves=64)
CAPPED = dataclasses.replace(GROWING, fast_simulations=1)


def searches_of(config, progress, seed=0, **changes):
    numbers = HYPERPARAMETERS._replace(**changes)
    return np.asarray(sample_searches(config, numbers, progress, jax.random.key(seed)))


def test_simulations_double_in_equal_shares_of_a_run_s_length():
    searches = list_searches(GROWING, HYPERPARAMETERS)
    assert [one.config.num_simulations for one in searches] == [2, 4, 8]
    assert all(one.hyperparameters.gumbel_scale == 1 for one in searches)
    stages = [searches_of(GROWING, share) for share in (0.0, 0.32, 0.34, 0.65, 0.67, 1.0)]
    assert [set(x) for x in stages] == [{0}, {0}, {1}, {1}, {2}, {2}]


def test_without_growth_and_caps_there_is_one_search():
    (one,) = list_searches(CONFIG, HYPERPARAMETERS)
    assert one.config == CONFIG.search
    assert (searches_of(CONFIG, 0.5) == 0).all()


def test_a_share_of_the_plies_is_searched_in_full_and_the_others_fast_without_noise():
    *_, fast = list_searches(CAPPED, HYPERPARAMETERS)
    assert fast.config.num_simulations == 1
    assert fast.hyperparameters.gumbel_scale == 0
    plies = np.concatenate([searches_of(CAPPED, 0.5, seed) for seed in range(30)])
    assert set(plies) == {1, 3}
    assert (plies == 1).mean() == pytest.approx(0.25, abs=0.04)
    assert (searches_of(CAPPED, 0.5, full_search_share=1.0) == 1).all()


def test_simulations_that_do_not_double_to_the_last_are_refused():
    with pytest.raises(
        ValueError, match=r"initial_simulations=3: must be search\.num_simulations=8"
    ):
        dataclasses.replace(CONFIG, initial_simulations=3)
    for field in ("initial_simulations", "fast_simulations"):
        with pytest.raises(ValueError, match=f"{field}=9: must be at most 8"):
            dataclasses.replace(CONFIG, **{field: 9})


def test_moves_of_fast_searches_have_no_policy_weight_and_count_as_fast():
    """A search of one simulation can tell itself from one of two by its improved policy."""
    config = dataclasses.replace(CAPPED, initial_simulations=8, num_moves=16)
    context, numbers = make_context(config), as_float32(HYPERPARAMETERS)
    variables = jax.jit(NETWORK.init)(jax.random.key(0))
    run = jax.jit(functools.partial(play, context, numbers))
    key = jax.random.key(3)
    _, moves, progress = run(variables, init_games(context), key, 1.0)
    weights = np.asarray(moves.policy_weight)
    assert (weights == weights[:, :1]).all()
    assert set(weights[:, 0]) == {0, 4}
    simulations = np.where(weights[:, 0] == 0, 1, 8)
    assert progress.simulations_per_move == pytest.approx(simulations.mean())


def test_the_policy_is_learned_from_full_searches_alone():
    rng = np.random.default_rng(0)
    target = rng.dirichlet(np.ones(9), 4).astype(np.float32)
    batch = Batch(
        observation=np.zeros((4, 3, 3, 2), np.float32),
        legal=np.ones((4, 9), bool),
        action_weights=target,
        targets=Targets(np.zeros(4, np.float32)),
        of_parts={},
        policy_weight=np.array([4, 0, 0, 0], np.float32),
    )
    params = {"policy_logits": rng.normal(size=(4, 9)).astype(np.float32)}
    context = dataclasses.replace(CONTEXT, network=Table())
    differentiate = jax.grad(
        lambda x: alphazero_loss(x, {}, context, batch, HYPERPARAMETERS), has_aux=True
    )
    gradient, (losses, _) = jax.jit(differentiate)(params)
    policy = jax.nn.softmax(params["policy_logits"])
    np.testing.assert_allclose(gradient["policy_logits"][0], policy[0] - target[0], atol=1e-6)
    assert (np.asarray(gradient["policy_logits"])[1:] == 0).all()
    entropy = -(target[0] * np.log(policy[0])).sum()
    assert losses.policy_loss == pytest.approx(entropy, rel=1e-5)
