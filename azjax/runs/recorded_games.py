"""Recorded games as the replay of a run: a text file with the moves of a game in each line."""

import functools
import pathlib

import jax
import jax.numpy as jnp
import numpy as np

from azjax import games
from azjax.games import Game
from azjax.search import discount_of_mover, reward_of_mover
from azjax.support.bounded_files import read_text
from azjax.support.errors import InputError, reading_errors
from azjax.training import TrainConfig
from azjax.training.state import Replay, Trajectory

_PADDING = -1


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
    padded = _pad(read_games(game, pathlib.Path(path)))
    moves = _replay_moves(game, padded)
    return _fill(config, jax.device_get(moves), padded != _PADDING)


def read_games(game: Game, path: pathlib.Path) -> list[list[int]]:
    """Returns the actions of each game in a file.

    Raises:
      InputError: The file cannot be read or has no game, or a line is no game.
    """
    with reading_errors(path):
        lines = read_text(path).splitlines()
    records = [
        (number, _parse(game, path, number, line))
        for number, line in enumerate(lines, start=1)
        if line.strip()
    ]
    if not records:
        raise InputError(f"{path} holds no games: write the moves of each in a line")
    illegal = _find_illegal(game, [record for _, record in records])
    if illegal is not None:
        index, move = illegal
        raise InputError(f"{path}, line {records[index][0]}: move {move + 1} is not legal")
    return [record for _, record in records]


def write_games(game: Game, path: pathlib.Path, records: list[list[int]]) -> None:
    """Writes games as `read_games` reads them."""
    lines = (" ".join(map(game.format_action, record)) for record in records)
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")


def _parse(game: Game, path: pathlib.Path, number: int, line: str) -> list[int]:
    try:
        return [game.parse_action(move) for move in line.split()]
    except ValueError as error:
        raise InputError(f"{path}, line {number}: {error}") from None


def _pad(records: list[list[int]]) -> np.ndarray:
    """Returns [N, L]: the actions of N games, padded to the longest."""
    padded = np.full((len(records), max(map(len, records))), _PADDING, np.int32)
    for row, record in zip(padded, records, strict=True):
        row[: len(record)] = record
    return padded


def _find_illegal(game: Game, records: list[list[int]]) -> tuple[int, int] | None:
    """Returns the first game and move that is not legal, or comes after the end; or None."""
    padded = _pad(records)
    legal = np.asarray(_are_legal(game, padded)) | (padded == _PADDING)
    wrong = np.argwhere(~legal)
    return (int(wrong[0][0]), int(wrong[0][1])) if len(wrong) else None


@functools.partial(jax.jit, static_argnums=0)
def _are_legal(game: Game, actions: jax.Array) -> jax.Array:
    """Returns [N, L] bool: whether each action is legal where it is played."""

    def play(state, action):
        return game.step(state, action), game.is_legal(state, action) & ~state.terminated

    def play_game(actions):
        return jax.lax.scan(play, game.init(jax.random.key(0)), actions)[1]

    return jax.vmap(play_game)(actions)


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
