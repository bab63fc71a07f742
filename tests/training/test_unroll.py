"""MuZero's targets: K steps from a position, in replay and beyond the end of its game."""

import jax
import numpy as np
import pytest

from azjax.training.algorithms.muzero import unroll_targets
from azjax.training.state import Positions, Replay, Trajectory

from .tiny_muzero import CONFIG, CONTEXT, GAME

ROWS, GAMES, STEPS = CONFIG.replay_moves, CONFIG.num_games, CONFIG.algorithm.unroll_steps
ACTIONS = GAME.num_actions
ROW, GAME_OF = (x.reshape(-1) for x in np.mgrid[:ROWS, :GAMES])


def random_replay(num_written, **records):
    """Returns a replay of random moves, a quarter of which end their game."""
    rng = np.random.default_rng(num_written)
    shape = ROWS, GAMES
    discount = np.where(rng.random(shape) < 0.25, 0, -1).astype(np.float32)
    discount[num_written:] = 0
    trajectory = Trajectory(
        state=np.zeros(shape, np.float32),
        action=rng.integers(0, ACTIONS, shape).astype(np.int16),
        action_weights=rng.dirichlet(np.ones(ACTIONS), shape).astype(np.float32),
        search_value=np.zeros(shape, np.float32),
        reward=np.where(discount == 0, rng.choice([-1.0, 0.0, 1.0], shape), 0).astype(np.float32),
        discount=discount,
        records=records,
    )
    return Replay(trajectory, np.int32(num_written))


def all_positions(seed=0):
    keys = jax.random.split(jax.random.key(seed), 1)
    return Positions(ROW.astype(np.int32), GAME_OF.astype(np.int32), np.zeros(ROW.shape, int), keys)


@jax.jit
def compiled(replay, values, positions):
    return unroll_targets(CONTEXT, replay, values, positions, STEPS)


def targets_of(replay, positions=None):
    """Returns the targets of all positions in replay, and their values [ROWS, GAMES]."""
    values = np.random.default_rng(1).uniform(-1, 1, (ROWS, GAMES)).astype(np.float32)
    found = compiled(replay, values, positions or all_positions())
    return jax.device_get(found), values


def follow(replay, row, game):
    """Yields row, whether the game has ended, and the result for the mover, of K + 1 steps."""
    moves, result = replay.trajectory, None
    for step in range(STEPS + 1):
        if result is not None:
            yield None, result
            result = -result
            continue
        if row is None:
            yield None, None
            continue
        yield row, None
        if moves.discount[row, game] == 0:
            result = -moves.reward[row, game]
        following = (row + 1) % ROWS
        row = None if following == int(replay.num_written) % ROWS else following
        del step


@pytest.mark.parametrize("num_written", [4, 3 * ROWS + 8])
def test_each_step_is_that_of_following_the_game(num_written):
    replay = random_replay(num_written)
    targets, values = targets_of(replay)
    moves, written = replay.trajectory, min(num_written, ROWS)
    kinds = set()
    for sample in range(written * GAMES):
        game = GAME_OF[sample]
        for step, (row, result) in enumerate(follow(replay, ROW[sample], game)):
            found = jax.tree.map(lambda x, i=sample, k=step: x[i, k], targets)
            assert found.is_known == (row is not None or result is not None)
            assert found.policy_weight == found.is_known
            assert found.is_ended == (result is not None)
            if row is not None:
                kinds.add("in the game")
                assert found.action == moves.action[row, game]
                assert found.value == values[row, game]
                np.testing.assert_array_equal(found.action_weights, moves.action_weights[row, game])
            elif result is not None:
                kinds.add("beyond the end")
                assert found.value == result
                np.testing.assert_allclose(found.action_weights, 1 / ACTIONS)
            else:
                kinds.add("unknown")
    assert kinds == {"in the game", "beyond the end", "unknown"}


def test_actions_beyond_the_end_are_uniform():
    replay = random_replay(ROWS)
    counts = np.zeros((STEPS, ACTIONS))
    for seed in range(40):
        targets, _ = targets_of(replay, all_positions(seed))
        for step in range(STEPS):
            ended = targets.action[:, step + 1][targets.is_ended[:, step + 1]]
            counts[step] += np.bincount(ended, minlength=ACTIONS)
    np.testing.assert_allclose(counts / counts.sum(axis=1, keepdims=True), 1 / ACTIONS, rtol=0.15)


def test_the_policy_of_a_fast_search_has_no_weight_and_an_end_has_one():
    weight = np.zeros((ROWS, GAMES), np.float32)
    weight[::2] = 4.0
    replay = random_replay(ROWS, policy_weight=weight)
    targets, _ = targets_of(replay)
    rows = (ROW[:, None] + np.arange(STEPS + 1)) % ROWS
    expected = np.where(targets.is_ended, 1, weight[rows, GAME_OF[:, None]] * targets.is_known)
    np.testing.assert_array_equal(targets.policy_weight, expected)
    assert targets.is_known.min() == 0  # a position without a next one is among them
