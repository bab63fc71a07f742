"""Fixtures of the tests of evaluation: tic-tac-toe, its solution, its positions as strings."""

import jax
import pytest
from plain_tic_tac_toe import as_strings

from azjax import games
from azjax.evaluation import all_positions, choose_actions, solve
from azjax.evaluation.truth.solution import ILLEGAL
from azjax.networks import MLPConfig, make_network


@pytest.fixture(scope="session")
def tic_tac_toe():
    return games.make("tic_tac_toe")


@pytest.fixture(scope="session")
def solution(tic_tac_toe):
    return solve(tic_tac_toe)


@pytest.fixture(scope="session")
def boards(solution):
    """Returns the solution's positions in its order, as strings of nine."""
    return as_strings(solution.states)


@pytest.fixture(scope="session")
def positions(tic_tac_toe):
    """Returns every unfinished position, solved."""
    return all_positions(tic_tac_toe)


@pytest.fixture(scope="session")
def unfinished_boards(positions):
    return as_strings(positions.states)


@pytest.fixture(scope="session")
def legal(solution):
    """Returns [4520, 9]: the legal actions of every unfinished position."""
    return solution.action_values[~solution.states.terminated] != ILLEGAL


@pytest.fixture(scope="session")
def moves_of(positions):
    """Returns `moves_of(player, seed)`: a player's moves in every unfinished position."""

    def call(player, seed=0, num_devices=1):
        keys = jax.random.split(jax.random.key(seed), len(positions.is_best))
        return choose_actions(player, positions.states, keys, num_devices)

    return call


@pytest.fixture(scope="session")
def network(tic_tac_toe):
    """Returns an untrained network and its variables."""
    config = MLPConfig(channels=16, blocks=1)
    made = make_network(config, tic_tac_toe.observation_shape, tic_tac_toe.num_actions)
    return made, jax.jit(made.init)(jax.random.key(0))
