"""Recorded games as the replay of a run."""

import functools
import pathlib

import jax
import jax.numpy as jnp
import numpy as np

from azjax import games
from azjax.games import Game
from azjax.runs.recorded_games import RecordedGame, read_games
from azjax.search import discount_of_mover, reward_of_mover
from azjax.support.errors import InputError
from azjax.training import TrainConfig
from azjax.training.state import Replay, Trajectory

_PADDING = -1  # in place of an action


def read_replay(config: TrainConfig, path: str) -> Replay:
    """Returns replay [C, B] that is filled with games from a file, whatever their number.

    A column has games one after another: the file's in turn, from the first again if need be.

    Args:
      config: The game and the sizes.
      path: The file; moves are in the game's notation, with spaces between them.

    Raises:
      InputError: The file cannot be read, or a line is no game.
    """
    game = games.make(config.game)
    records = read_games(game, pathlib.Path(path))
    actions = _pad(records)
    is_move = actions != _PADDING
    moves, is_legal = jax.device_get(_play(game, actions))
    wrong = np.argwhere(is_move & ~is_legal.T)
    if len(wrong):
        number, ply = wrong[0]
        raise InputError(f"{path}, line {records[number].line}: move {ply + 1} is not legal")
    return _fill(config, moves, is_move)


def _pad(records: list[RecordedGame]) -> np.ndarray:
    """Returns [N, L]: the actions of N games, padded to the longest."""
    padded = np.full((len(records), max(len(x.actions) for x in records)), _PADDING, np.int32)
    for row, record in zip(padded, records, strict=True):
        row[: len(record.actions)] = record.actions
    return padded


@functools.partial(jax.jit, static_argnums=0)
def _play(game: Game, actions: jax.Array) -> tuple[Trajectory, jax.Array]:
    """Plays the actions [N, L] of N games.

    Returns:
      The moves [L, N, ...] as a trajectory, the search's part left out; and bool[L, N], whether
      each is legal; after the end of a game none is.
    """

    def play(states, actions):
        after = jax.vmap(game.step)(states, actions)
        row = Trajectory(
            state=states,
            action=actions.astype(jnp.int16),
            action_weights=jax.nn.one_hot(actions, game.num_actions),
            search_value=jnp.zeros(len(actions)),
            reward=reward_of_mover(states, after),
            discount=discount_of_mover(states, after),
            records={},
        )
        return after, (row, jax.vmap(game.is_legal)(states, actions) & ~states.terminated)

    start = game.init(jax.random.key(0))
    states = jax.tree.map(lambda x: jnp.broadcast_to(x, (len(actions), *x.shape)), start)
    return jax.lax.scan(play, states, actions.T)[1]


def _fill(config: TrainConfig, moves: Trajectory, is_move: np.ndarray) -> Replay:
    """Returns replay [C, B] of the moves [L, N, ...] of games, where bool[N, L] tells which are."""
    game, ply = np.nonzero(is_move)  # all moves, game after game
    num_rows, num_games = config.replay_moves, config.num_games
    in_turn = np.arange(num_rows * num_games) % len(game)
    order = in_turn.reshape(num_games, num_rows).T  # games follow each other in a column
    trajectory = jax.tree.map(lambda x: jnp.asarray(x[ply[order], game[order]]), moves)
    return Replay(trajectory, num_written=jnp.int32(num_rows))
