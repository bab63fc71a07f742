"""The whole iteration: pure, compiled once, with correct metrics; and it learns."""

import functools

import jax
import numpy as np
import pytest
from trees import assert_close, assert_same

from azjax.evaluation import accuracy, all_positions, choose_actions, network_player
from azjax.networks import MLPConfig
from azjax.training import TrainConfig, make_context
from azjax.training.metrics import _distinct_share
from azjax.training.state import Trajectory

from .tiny import (
    CONFIG,
    GAME,
    NETWORK,
    change,
    compiled,
    in_order,
    iterate,
    run,
    start,
    stones,
    without_key,
)

ITERATIONS = 5
FROM_THE_START = change(CONFIG, random_starts={"fraction": 0.0})


@pytest.fixture(scope="module")
def history():
    return run(ITERATIONS)


def test_a_run_is_determined_by_its_seed_and_seeds_differ(history):
    again = run.__wrapped__(ITERATIONS)
    assert_same(without_key(again.states[-1]), without_key(history.states[-1]))
    other = run(ITERATIONS, seed=1)
    for part in (lambda s: s.learner.variables.params, lambda s: s.replay.trajectory.state):
        mine, others = part(history.states[-1]), part(other.states[-1])
        leaves = zip(jax.tree.leaves(mine), jax.tree.leaves(others), strict=True)
        assert any((x != y).any() for x, y in leaves)
    keys = {tuple(np.asarray(jax.random.key_data(state.key))) for state in history.states}
    assert len(keys) == ITERATIONS + 1


def test_a_restored_state_continues_bit_for_bit(history):
    for i in (0, 3):
        restored = jax.tree.map(np.array, without_key(history.states[i]))
        restored = restored._replace(key=jax.random.wrap_key_data(restored.key))
        after, _ = jax.device_get(iterate(CONFIG, restored))
        assert_same(without_key(after), without_key(history.states[i + 1]))


def test_a_run_on_the_replay_of_another_learns_what_that_has_learnt(history):
    """And its metrics are of that replay's moves, which it goes through in order."""
    fixed = change(CONFIG, replay="games.npz")
    for i in (0, 2):
        before, after = history.states[i : i + 2]
        state = before._replace(replay=after.replay)
        state, metrics = jax.device_get(iterate(fixed, state))
        assert_same(state.replay, after.replay)
        assert_same(state.games, before.games)
        assert_close(state.learner, after.learner)
        own = history.metrics[i]._replace(simulations_per_move=0, game_length=metrics.game_length)
        assert_close(metrics, own)


def test_one_program_serves_all_iterations_states_and_numbers():
    other = change(CONFIG, optimizer={"learning_rate": 0.5}, algorithm={"temperature_moves": 1.0})
    state, _ = iterate(CONFIG, start())
    iterate(other, state, 0.5)
    iterate(other, jax.device_get(state))
    traced = compiled(CONFIG).traced
    assert all(types == traced[0] for types in traced)


def test_games_of_one_run_are_not_copies_of_each_other():
    empty = run(3, config=change(FROM_THE_START, algorithm={"temperature_moves": 8.0}))
    boards = in_order(empty.states[-1].replay).state.board  # [12, 16, 3, 3]
    lines = boards.swapaxes(0, 1).reshape(16, -1)
    assert len(np.unique(lines, axis=0)) == 16


def test_metrics_are_those_of_the_iteration_s_moves(history):
    for i, metrics in enumerate(history.metrics):
        after = history.states[i + 1]
        moves = jax.tree.map(lambda x: x[-4:], in_order(after.replay))
        ended = moves.discount == 0
        sign = np.where(moves.state.current_player == 0, 1, -1)
        result = (moves.reward * sign)[ended]
        assert metrics.games_finished == ended.sum() > 0
        assert metrics.first_player_wins == pytest.approx((result > 0).mean())
        assert metrics.second_player_wins == pytest.approx((result < 0).mean())
        assert metrics.draws == pytest.approx((result == 0).mean(), abs=1e-6)
        boards = moves.state.board.reshape(64, -1)  # the board determines whose turn it is
        assert metrics.distinct_positions == pytest.approx(len(np.unique(boards, axis=0)) / 64)
        weights = moves.action_weights
        entropy = -(weights * np.log(np.maximum(weights, 1e-30))).sum(axis=-1).mean()
        assert metrics.policy_entropy == pytest.approx(entropy, rel=1e-4)


def test_a_position_that_is_reached_by_more_moves_is_not_another_one():
    context = make_context(TrainConfig(game="quixo_3", network=MLPConfig(channels=8, blocks=1)))
    state = jax.jit(context.game.init)(jax.random.key(0))
    states = jax.tree.map(lambda x: np.stack([x, x])[None], state)
    later = states._replace(num_moves=np.arange(2, dtype=np.int16)[None])
    share_of = jax.jit(functools.partial(_distinct_share, context))
    assert share_of(Trajectory(later, *[None] * 5, records={})) == 0.5


def test_game_length_counts_the_search_s_moves_over_iterations():
    history = run(ITERATIONS, config=FROM_THE_START)
    for i, metrics in enumerate(history.metrics):
        moves = jax.tree.map(lambda x: x[-4:], in_order(history.states[i + 1].replay))
        lengths = stones(moves.state)[moves.discount == 0] + 1
        if len(lengths):
            assert metrics.game_length == pytest.approx(lengths.mean())


def test_shares_are_nan_where_no_game_has_finished():
    metrics = run(1, config=FROM_THE_START).metrics[0]  # four moves end no game
    assert metrics.games_finished == 0
    assert np.isnan([metrics.first_player_wins, metrics.draws, metrics.game_length]).all()
    assert np.isfinite([metrics.loss, metrics.distinct_positions]).all()


def test_the_ema_variables_play():
    """Self-play depends on the EMA of the parameters, not on the newest ones."""
    state = start()
    shifted = jax.tree.map(lambda x: x + 1.0, state.learner.variables.params)
    newest = state.learner._replace(variables=state.learner.variables._replace(params=shifted))
    ema = state.learner._replace(ema_variables=state.learner.ema_variables._replace(params=shifted))
    moves = [
        jax.device_get(iterate(CONFIG, state._replace(learner=learner))[0].replay)
        for learner in (state.learner, newest, ema)
    ]
    weights = [replay.trajectory.action_weights for replay in moves]
    np.testing.assert_array_equal(weights[0], weights[1])
    assert np.abs(weights[0] - weights[2]).max() > 0.01


def test_it_learns_to_play():
    positions = all_positions(GAME)
    keys = jax.random.split(jax.random.key(0), len(positions.is_best))
    players = [network_player(GAME, NETWORK, run(50).states[i].actor) for i in (0, -1)]
    moves = (choose_actions(player, positions.states, keys) for player in players)
    fresh, learnt = (accuracy(positions, actions) for actions in moves)
    assert fresh < 0.65
    assert learnt > fresh + 0.1
