"""Recorded games: files with a line of moves for each, and replay that holds such games."""

import functools
import pathlib
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from azjax import games
from azjax.games import Game
from azjax.search import discount_of_mover, reward_of_mover
from azjax.support.errors import InputError, reading_errors
from azjax.support.files.atomic_files import write_text_atomically
from azjax.support.files.reading import read_text
from azjax.training import TrainConfig
from azjax.training.state import Replay, Trajectory

_PADDING = -1  # in place of an action


class RecordedGame(NamedTuple):
    """A game of a file."""

    line: int  # its number in the file, from 1
    actions: list[int]


def read_games(game: Game, path: pathlib.Path) -> list[RecordedGame]:
    """Returns the games of a file, whose moves need not be legal.

    Raises:
      InputError: The file cannot be read or has no game, or a word is no move.
    """
    with reading_errors(path):
        lines = read_text(path).splitlines()
    records = [
        RecordedGame(number, _parse(game, path, number, line))
        for number, line in enumerate(lines, start=1)
        if line.strip()
    ]
    if not records:
        raise InputError(f"{path} holds no games: write the moves of each in a line")
    return records


def write_games(game: Game, path: pathlib.Path, records: list[list[int]]) -> None:
    """Writes the actions of games as `read_games` reads them."""
    lines = (" ".join(map(game.format_action, record)) for record in records)
    write_text_atomically(path, "".join(f"{line}\n" for line in lines))


def replay_of_games(config: TrainConfig, path: pathlib.Path) -> Replay:
    """Returns replay [C, B] that is filled with games from a file, whatever their number.

    A column has games one after another: the file's in turn, from the first again if need be.

    Raises:
      InputError: The file cannot be read, or a line is no game.
    """
    game = games.make(config.game)
    records = read_games(game, path)
    actions = np.full((len(records), max(len(x.actions) for x in records)), _PADDING, np.int32)
    for row, record in zip(actions, records, strict=True):
        row[: len(record.actions)] = record.actions
    is_move = actions != _PADDING
    moves, is_legal = jax.device_get(_play(game, actions))
    wrong = np.argwhere(is_move & ~is_legal.T)
    if len(wrong):
        number, ply = wrong[0]
        raise InputError(f"{path}, line {records[number].line}: move {ply + 1} is not legal")
    return _fill(config, moves, is_move)


class WholeGame(NamedTuple):
    """A game in replay, from the initial position to its end."""

    actions: list[int]
    result: int  # for player 0: 1, 0 or -1


def whole_games(game: Game, moves: Trajectory) -> tuple[list[WholeGame], int]:
    """Returns the games of moves [R, B, ...] that are whole, and the number of all others."""
    initial = jax.device_get(game.init(jax.random.key(0)))
    is_initial = np.ones(moves.action.shape, bool)
    for x, at_start in zip(*map(jax.tree.leaves, (moves.state, initial)), strict=True):
        is_initial &= (x == at_start).reshape(*is_initial.shape, -1).all(axis=-1)
    result = (moves.reward * (1 - 2 * moves.state.current_player)).astype(int)
    fields = number_games(moves.discount)[1], is_initial, moves.discount, moves.action, result
    ply, is_initial, discount, action, result = (x.T.ravel() for x in fields)  # game after game
    first = np.flatnonzero(ply == 0)
    last = np.append(first[1:], len(ply)) - 1
    is_whole = is_initial[first] & (discount[last] == 0)
    ends = zip(first[is_whole], last[is_whole], strict=True)
    whole = [WholeGame(action[a : b + 1].tolist(), int(result[b])) for a, b in ends]
    return whole, len(first) - len(whole)


def number_games(discount: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Returns int32[R, B] of moves: the number of each one's game, and its ply there, both from 0.

    Games are numbered column by column. The ply is from the game's first move among these.
    """
    row = np.arange(len(discount), dtype=np.int32)[:, None]
    is_first = np.concatenate([np.ones_like(discount[:1], bool), discount[:-1] == 0])
    number = np.cumsum(is_first.T, dtype=np.int32).reshape(is_first.T.shape).T - 1
    return number, row - np.maximum.accumulate(np.where(is_first, row, 0))


def _parse(game: Game, path: pathlib.Path, number: int, line: str) -> list[int]:
    try:
        return [game.parse_action(move) for move in line.split()]
    except ValueError as error:
        raise InputError(f"{path}, line {number}: {error}") from None


@functools.partial(jax.jit, static_argnums=0)
def _play(game: Game, actions: jax.Array) -> tuple[Trajectory, jax.Array]:
    """Plays the actions [N, L] of N games.

    Returns:
      The moves [L, N, ...] as a trajectory, and bool[L, N]: whether each is legal, which none is
      after the end of a game.
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
