"""Value targets against a slow reference that follows every game to its end."""

import dataclasses

import jax
import numpy as np
import pytest

from azjax.search import Bounds
from azjax.training import WeightedTraces, make_context
from azjax.training.replay import insert
from azjax.training.state import Replay, Trajectory
from azjax.training.targets import (
    compute_targets,
    draw_probabilities,
    lambda_returns,
    result_probabilities,
)

from .tiny import CONFIG, CONTEXT, with_parts

ROWS, GAMES, STEP = 12, 5, 4
NETWORK = dataclasses.replace(CONFIG.network, value_head="wdl")
PREDICTING_DRAWS = make_context(dataclasses.replace(CONFIG, network=NETWORK))


def compile_targets(context):
    """Returns the function of a replay and the weight w of search values."""
    return jax.jit(lambda replay, weight: compute_targets(context, replay, 1 - weight))


compiled_targets = compile_targets(CONTEXT)
compiled_insert = jax.jit(insert)
compiled_returns = jax.jit(lambda_returns)
compiled_draws = jax.jit(draw_probabilities)


def random_moves(rng, num_moves):
    """Returns a trajectory [num_moves, GAMES] in which turns may be kept and games end."""
    shape = (num_moves, GAMES)
    discount = rng.choice([-1.0, -1.0, 1.0, 0.0], size=shape).astype(np.float32)
    reward = np.where(discount == 0, rng.choice([-1.0, 0.0, 1.0], size=shape), 0.0)
    search_value = rng.uniform(-1, 1, size=shape)
    return Trajectory(
        state=np.zeros(shape, np.int32),
        action=np.zeros(shape, np.int16),
        action_weights=np.zeros((*shape, 1), np.float32),
        search_value=search_value.astype(np.float32),
        reward=reward.astype(np.float32),
        discount=discount,
        records={},
    )


def slow_returns(moves, weight):
    """Follows each game from each of its moves to its end, or to the last move made.

    It adds the search values on its way, with the geometric weights of lambda-returns.
    """
    num_moves, num_games = moves.reward.shape
    total = np.zeros(moves.reward.shape)
    for t in range(num_moves):
        for game in range(num_games):
            sign, remaining = (
                1.0,
                1.0,
            )  # the sign turns the view of the mover at u into that of the mover at t
            for u in range(t, num_moves):
                total[t, game] += sign * remaining * weight * moves.search_value[u, game]
                remaining *= 1 - weight
                if moves.discount[u, game] == 0:
                    total[t, game] += sign * remaining * moves.reward[u, game]
                    break
                if u == num_moves - 1:
                    total[t, game] += sign * remaining * moves.search_value[u, game]
                sign *= moves.discount[u, game]
    return total


def ring_of(moves):
    """Returns the replay that holds the moves, `STEP` of them written at a time."""
    replay = Replay(jax.tree.map(lambda x: np.zeros((ROWS, *x.shape[1:]), x.dtype), moves), 0)
    for begin in range(0, len(moves.reward), STEP):
        replay = compiled_insert(
            replay._replace(num_written=np.int32(replay.num_written)),
            jax.tree.map(lambda x, b=begin: x[b : b + STEP], moves),
        )
    return jax.device_get(replay)


@pytest.mark.parametrize("weight", [0.0, 0.3, 1.0])
def test_returns_are_those_of_following_every_game_to_its_end(weight):
    moves = random_moves(np.random.default_rng(0), ROWS)
    found = compiled_returns(moves.reward, moves.discount, moves.search_value, np.float32(weight))
    np.testing.assert_allclose(found, slow_returns(moves, weight), atol=1e-6)


@pytest.mark.parametrize("num_moves", [STEP, ROWS, ROWS + STEP, 3 * ROWS + 2 * STEP])
def test_targets_are_right_at_every_ring_offset(num_moves):
    moves = random_moves(np.random.default_rng(num_moves), num_moves)
    replay = ring_of(moves)
    targets = np.asarray(compiled_targets(replay, np.float32(0.5)).value)
    assert np.isfinite(targets).all()
    kept = range(max(0, num_moves - ROWS), num_moves)
    slow = slow_returns(moves, 0.5)
    for t in kept:
        np.testing.assert_allclose(targets[t % ROWS], slow[t], atol=1e-6)


def with_trace(moves, trace):
    """Returns moves of action 1, which have a trace: their weight over that of action 0."""
    weights = np.stack([np.ones_like(trace), trace], axis=-1) / (1 + trace[..., None])
    action = np.ones(trace.shape, np.int16)
    return moves._replace(action=action, action_weights=weights.astype(np.float32))


def test_with_weighted_traces_an_unlikely_move_counts_less_for_the_positions_before():
    moves = random_moves(np.random.default_rng(7), ROWS)
    trace = np.random.default_rng(8).choice([0.0, 0.25, 1.0], moves.reward.shape)
    moves = with_trace(moves, trace)
    compiled = compile_targets(make_context(with_parts(CONFIG, WeightedTraces())))
    found = compiled(Replay(moves, np.int32(ROWS)), np.float32(0.2)).value
    expected = np.zeros((ROWS + 1, GAMES))
    expected[ROWS] = moves.discount[-1] * moves.search_value[-1]
    for t in reversed(range(ROWS)):
        outcome = moves.reward[t] + moves.discount[t] * expected[t + 1]
        lasting = 0.8 * trace[t]
        expected[t] = (1 - lasting) * moves.search_value[t] + lasting * outcome
    np.testing.assert_allclose(found, expected[:ROWS], atol=1e-6)


def test_a_win_is_plus_one_for_the_winner_s_positions_and_minus_one_for_the_loser_s():
    discount = np.array([-1, -1, -1, 0], np.float32)[:, None].repeat(GAMES, 1)
    reward = np.array([0, 0, 0, 1], np.float32)[:, None].repeat(GAMES, 1)
    reward, discount = (np.concatenate([x, x, x]) for x in (reward, discount))
    value = np.full((ROWS, GAMES), 0.3, np.float32)
    outcome = compiled_returns(reward, discount, value, np.float32(0.0))
    np.testing.assert_array_equal(np.asarray(outcome)[:4, 0], [-1, 1, -1, 1])


def test_returns_lie_within_proven_bounds_and_carry_them_to_earlier_moves():
    """A proven win is played to a loss: it and the moves before it keep its value."""
    discount = np.array([-1, -1, -1, 0], np.float32)[:, None]
    reward = np.array([0, 0, 0, 1], np.float32)[:, None]
    value = np.zeros((4, 1), np.float32)
    lower = np.array([-1, -1, 1, -1], np.float32)[:, None]
    plain = lambda_returns(reward, discount, value, 0.0)
    np.testing.assert_array_equal(plain[:, 0], [-1, 1, -1, 1])
    clipped = lambda_returns(reward, discount, value, 0.0, Bounds(lower, np.ones_like(lower)))
    np.testing.assert_array_equal(clipped[:, 0], [1, -1, 1, 1])


def test_draws_are_those_that_the_bounds_allow():
    """A drawn game: its first position was proven a win, the second a draw, the third neither."""
    discount, reward = (np.array(x, np.float32)[:, None] for x in ([-1, -1, -1, 0], [0, 0, 0, 0]))
    lower, upper = (np.array(x, np.float32)[:, None] for x in ([1, 0, -1, -1], [1, 0, 1, 1]))
    draws = draw_probabilities(reward, discount, 0.5, Bounds(lower, upper))
    np.testing.assert_array_equal(draws[:, 0], [0, 1, 0.25, 0.5])


def slow_draws(moves, weight):
    """Follows each game to its end, past search values that stand for a win or a loss."""
    num_moves, num_games = moves.reward.shape
    draws = np.zeros(moves.reward.shape)
    for t in range(num_moves):
        for game in range(num_games):
            ends = np.flatnonzero(moves.discount[t:, game] == 0)
            if len(ends) and moves.reward[t + ends[0], game] == 0:
                draws[t, game] = (1 - weight) ** (ends[0] + 1)
    return draws


@pytest.mark.parametrize("weight", [0.3, 1.0])
def test_draws_come_from_games_that_ended_drawn_alone(weight):
    moves = random_moves(np.random.default_rng(3), ROWS)
    draws = compiled_draws(moves.reward, moves.discount, np.float32(weight))
    expected = slow_draws(moves, weight)
    assert (expected.max() > 0) == (weight < 1)
    np.testing.assert_allclose(draws, expected, atol=1e-6)
    returns = compiled_returns(moves.reward, moves.discount, moves.search_value, np.float32(weight))
    probabilities = np.asarray(result_probabilities(returns, draws))
    assert probabilities.min() > -1e-6
    np.testing.assert_allclose(probabilities.sum(axis=-1), 1, atol=1e-6)
    np.testing.assert_allclose(probabilities @ [1, 0, -1], returns, atol=1e-6)


def test_under_weighted_traces_no_probability_of_a_result_is_negative():
    moves = random_moves(np.random.default_rng(4), ROWS)
    replay = ring_of(with_trace(moves, np.zeros_like(moves.reward)))
    config = with_parts(PREDICTING_DRAWS.config, WeightedTraces())
    found = compile_targets(make_context(config))(replay, np.float32(0.2))
    np.testing.assert_array_equal(found.value, moves.search_value)
    expected = np.minimum(slow_draws(moves, 0.2), 1 - np.abs(moves.search_value))
    np.testing.assert_allclose(found.draw, expected, atol=1e-6)
    assert (expected < slow_draws(moves, 0.2)).sum() > 5


def test_a_network_that_predicts_draws_has_targets_for_them_at_every_ring_offset():
    compiled = compile_targets(PREDICTING_DRAWS)
    moves = random_moves(np.random.default_rng(4), ROWS + STEP)
    replay = ring_of(moves)
    found, scalar = (f(replay, np.float32(0.2)) for f in (compiled, compiled_targets))
    assert scalar.draw is None
    np.testing.assert_array_equal(found.value, scalar.value)
    expected = slow_draws(moves, 0.2)[STEP:]
    np.testing.assert_allclose(np.roll(found.draw, -STEP, axis=0), expected, atol=1e-6)
