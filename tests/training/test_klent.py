"""KLENT: its improved policy and its targets, against plain Python."""

import dataclasses
import functools

import jax
import numpy as np
import pytest

from azjax.search import ILLEGAL_LOGIT, Policy
from azjax.training.algorithms.klent import Klent, improved_logits
from azjax.training.state import Positions

from . import tiny

CONFIG = dataclasses.replace(tiny.CONFIG, search=Policy(), algorithm=Klent(td_lambda=0.7))


def objective(policy, q, prior, alpha, beta):
    """Returns E[Q] - beta KL(policy || prior) + alpha H(policy)."""
    divergence = (policy * np.log(policy / prior)).sum()
    return policy @ q - beta * divergence - alpha * (policy * np.log(policy)).sum()


def test_no_policy_is_better_than_the_improved_one():
    rng = np.random.default_rng(0)
    for alpha, beta in [(0.03, 0.1), (0.3, 0.05), (0.0, 0.2)]:
        q, prior = rng.uniform(-1, 1, 6), rng.dirichlet(np.ones(6))
        logits = np.append(np.log(prior), ILLEGAL_LOGIT).astype(np.float32)
        values = np.append(q, 1.0).astype(np.float32)
        improved = np.asarray(jax.nn.softmax(improved_logits(logits, values, alpha, beta)))
        assert improved[-1] == 0
        best = objective(improved[:-1], q, prior, alpha, beta)
        for _ in range(300):
            share = rng.uniform(0, 1)
            other = share * improved[:-1] + (1 - share) * rng.dirichlet(np.ones(6))
            assert objective(other / other.sum(), q, prior, alpha, beta) < best + 1e-6


@pytest.mark.slow
def test_action_values_learn_the_return_of_the_move_that_was_played():
    history = tiny.run(5, config=CONFIG)
    context = tiny.make_context(CONFIG)
    replay = history.states[-1].replay
    compute_targets = functools.partial(CONFIG.algorithm.compute_targets, context)
    targets = jax.device_get(jax.jit(compute_targets)(replay))
    rows = (replay.num_written + np.arange(replay.num_rows)) % replay.num_rows  # oldest first
    moves = jax.tree.map(lambda x: np.asarray(x)[rows], replay.trajectory)
    for game in range(CONFIG.num_games):
        # After the newest move a game that goes on is worth what its position was.
        following = moves.discount[-1, game] ** 2 * moves.search_value[-1, game]
        for t in reversed(range(len(rows))):
            q = moves.reward[t, game] + following
            is_last = t == len(rows) - 1 and moves.discount[t, game] != 0
            value = 0.3 * moves.search_value[t, game] + 0.7 * q
            assert targets.of_state.value[rows[t], game] == pytest.approx(value, abs=1e-5)
            expected = value if is_last else q
            assert targets.q[rows[t], game] == pytest.approx(expected, abs=1e-5)
            following = moves.discount[t - 1, game] * value


@pytest.mark.slow
def test_the_action_is_transformed_with_its_position():
    context, replay = tiny.make_context(CONFIG), tiny.run(5, config=CONFIG).states[-1].replay
    moves = replay.trajectory
    played = jax.nn.one_hot(moves.action, 9)
    replay = replay._replace(trajectory=moves._replace(action_weights=played))
    rng = np.random.default_rng(0)
    rows, games, symmetry = (rng.integers(n, size=64) for n in (len(played), CONFIG.num_games, 8))

    @jax.jit
    def sample(replay):
        targets = CONFIG.algorithm.compute_targets(context, replay)
        positions = Positions(rows, games, symmetry, keys=None)
        return CONFIG.algorithm.make_batch(context, replay, targets, positions)

    batch = jax.device_get(sample(replay))
    np.testing.assert_array_equal(batch.action, batch.positions.action_weights.argmax(axis=1))
    assert (batch.action != moves.action[rows, games]).any()
