"""Recorded games as the replay of a run."""

import functools
import pathlib

import jax
import jax.numpy as jnp
import numpy as np

from azjax import games
from azjax.games import Game
from azjax.runs.recorded_games import PADDING, pad, read_games
from azjax.search import discount_of_mover, reward_of_mover
from azjax.training import TrainConfig
from azjax.training.state import Replay, Trajectory


def read_replay(config: TrainConfig, path: str) -> Replay:
    """Returns replay [C, B] that is filled with games from a file, whatever their number.

    Every environment has games one after another, those of the file in turn, again if need be.

    Args:
      config: The game and the sizes.
      path: The file; moves are in the game's notation, with spaces between them.

    Raises:
      InputError: The file cannot be read, or a line is no game.
    """
    game = games.make(config.game)
    padded = pad(read_games(game, pathlib.Path(path)))
    moves = _replay_moves(game, padded)
    return _fill(config, jax.device_get(moves), padded != PADDING)


@functools.partial(jax.jit, static_argnums=0)
def _replay_moves(game: Game, actions: jax.Array) -> Trajectory:
    """Returns [L, N, ...]: the moves of N games as a trajectory, the search's part left out."""

    def play(states, actions):
        after = jax.vmap(game.step)(states, actions)
        row = Trajectory(
            state=states,
            action_weights=jax.nn.one_hot(actions, game.num_actions),
            search_value=jnp.zeros(len(actions)),
            reward=reward_of_mover(states, after),
            discount=discount_of_mover(states, after),
        )
        return after, row

    start = game.init(jax.random.key(0))
    states = jax.tree.map(lambda x: jnp.broadcast_to(x, (len(actions), *x.shape)), start)
    return jax.lax.scan(play, states, actions.T)[1]


def _fill(config: TrainConfig, moves: Trajectory, is_move: np.ndarray) -> Replay:
    """Returns replay [C, B] of the moves [L, N, ...] of games, where bool[N, L] tells which are."""
    game, ply = np.nonzero(is_move)  # all moves, game after game
    num_rows, num_envs = config.replay_moves, config.num_games
    in_turn = np.arange(num_rows * num_envs) % len(game)
    order = in_turn.reshape(num_envs, num_rows).T  # an environment's moves are in a column
    trajectory = jax.tree.map(lambda x: jnp.asarray(x[ply[order], game[order]]), moves)
    return Replay(trajectory, num_written=jnp.int32(num_rows))
