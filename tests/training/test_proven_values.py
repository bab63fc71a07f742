"""Training from a search that proves results: what is recorded, and the targets."""

import dataclasses

import jax
import numpy as np
import pytest

from azjax.evaluation import solve
from azjax.search import unpack_bounds
from azjax.training import make_context
from azjax.training.replay import insert
from azjax.training.targets import compute_targets

from .tiny import CONFIG, GAME, PROGRESS, as_float32, legal_at, start

PROVING = dataclasses.replace(
    CONFIG, search=dataclasses.replace(CONFIG.search, proven_values=True, num_simulations=32)
)


@pytest.fixture(scope="module")
def replay():
    """Returns a full replay of self-play by an untrained network."""

    @jax.jit
    def fill(config, state, key):
        context = make_context(config)
        games, moves, _ = config.algorithm.play(context, state, key, PROGRESS)
        return state._replace(games=games, replay=insert(state.replay, moves))

    state = start(PROVING)
    for i in range(4):
        state = fill(as_float32(PROVING), state, jax.random.key(i))
    return jax.device_get(state.replay)


def rows_in_solution(moves):
    """Returns [C * B]: the indices of positions in the solution; their stones tell the turn."""
    boards = solve(GAME).states.board
    index = {x.tobytes(): i for i, x in enumerate(boards)}
    return [index[x.tobytes()] for x in moves.state.board.reshape(-1, *boards.shape[1:])]


@pytest.mark.slow
def test_proven_positions_have_exact_targets_and_weights_on_best_moves_alone(replay):
    solution, moves = solve(GAME), replay.trajectory
    rows = rows_in_solution(moves)
    bounds = jax.tree.map(np.ravel, jax.device_get(unpack_bounds(moves.records["bounds"])))
    exact, values = solution.value[rows], solution.action_values[rows]
    assert ((bounds.lower <= exact) & (exact <= bounds.upper)).all()
    is_proven = bounds.lower == bounds.upper
    assert 0.2 < is_proven.mean() < 1
    compiled = jax.jit(lambda replay: compute_targets(make_context(PROVING), replay, 0.5))
    targets = np.ravel(compiled(replay).value)
    np.testing.assert_array_equal(targets[is_proven], exact[is_proven])
    is_worse = values < values.max(axis=1, keepdims=True)
    weights = moves.action_weights.reshape(is_worse.shape)
    assert (weights[is_proven][is_worse[is_proven]] == 0).all()
    assert (weights[~legal_at(moves.state).reshape(is_worse.shape)] == 0).all()
