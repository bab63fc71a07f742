"""Positions whose best moves are known exactly."""

import csv
import pathlib
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from azjax.evaluation.solve import ILLEGAL, solve
from azjax.games import Game

_VALUES = {"w": 1, "d": 0, "l": -1, "x": ILLEGAL}


class Truth(NamedTuple):
    """P unfinished positions, and the actions that keep each one's value for its mover."""

    states: Any  # [P, ...]
    is_best: np.ndarray  # [P, A] bool


class _Label(NamedTuple):
    """What a row says about the actions."""

    is_best: np.ndarray  # [A] bool
    is_named: np.ndarray  # [A] bool


def all_positions(game: Game) -> Truth:
    """Returns all unfinished positions that play can reach, for a game small enough to solve.

    Raises:
      ValueError: The game is too large.
    """
    solution = solve(game)
    unfinished = ~solution.states.terminated
    states = jax.tree.map(lambda x: x[unfinished], solution.states)
    return Truth(states, _keeps_value(solution.action_values[unfinished]))


def read_positions(game: Game, path: str | pathlib.Path) -> Truth:
    """Reads a CSV file of positions.

    The position is in the column `moves`, a game record from the start, or `board`, its rows
    without a break as the mover sees them, X the mover's, or `coins`, how many are left. What is
    best is in the column

    * `values`: for every action w, d or l for the mover, or x where it is illegal; or
    * `actions` or `best`: the actions that keep the value, in notation; or
    * `scores`: `cell:score` for every legal action, positive where it wins, 0 where it draws.

    Raises:
      ValueError: The file cannot be read, or a line of it is wrong; the message says which.
    """
    rows = _read_rows(path)
    header = rows[0][1].keys()
    place, label = _find_column(_PLACES, header, path), _find_column(_LABELS, header, path)
    positions, labels = [], []
    for line, row in rows:
        try:
            positions.append(_PLACES[place](game, row[place] or ""))
            labels.append(_LABELS[label](game, row[label] or ""))
        except ValueError as error:
            raise _wrong_line(game, path, line, error) from None
    states, all_legal = _replay(game, positions) if place == "moves" else _stack(positions)
    is_best, is_named = (np.stack(masks) for masks in zip(*labels, strict=True))
    legal = np.asarray(jax.jit(jax.vmap(game.legal_action_mask))(states))
    names_best_only = label in ("actions", "best")
    named_wrongly = is_named & ~legal if names_best_only else is_named != legal
    faults = (
        (~all_legal, "a move is illegal, or comes after the end of the game"),
        (np.asarray(states.terminated), "the game is over in this position"),
        (named_wrongly.any(axis=1), _NAMED_WRONGLY[label]),
    )
    for wrong, message in faults:
        if wrong.any():
            raise _wrong_line(game, path, rows[wrong.argmax()][0], message)
    return Truth(states, is_best)


def _wrong_line(game: Game, path: str | pathlib.Path, line: int, what: object) -> ValueError:
    """Returns the error of a line; it names the game, as the file may be of another."""
    return ValueError(f"truth file {path}, line {line}: {what} (read as {game.name})")


def _read_rows(path: str | pathlib.Path) -> list[tuple[int, dict[str, str]]]:
    """Returns the rows with their lines in the file."""
    try:
        with open(path, newline="", encoding="utf-8") as file:
            reader = csv.DictReader(file)
            rows = [(reader.line_num, row) for row in reader]
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        why = error.strerror if isinstance(error, OSError) else error
        raise ValueError(f"truth file {path} cannot be read: {why}") from None
    if not rows:
        raise ValueError(f"truth file {path} has no positions below its header")
    return rows


def _find_column(known: Iterable[str], header: Iterable[str], path: str | pathlib.Path) -> str:
    for column in known:
        if column in header:
            return column
    raise ValueError(f"truth file {path}, line 1: the header must name {' or '.join(known)}")


def _parse_board(game: Game, text: str) -> Any:
    columns = game.observation_shape[1]
    rows = [text[i : i + columns] for i in range(0, len(text), columns)]
    return game.parse_state(f"{'/'.join(rows)} X")


def _parse_values(game: Game, text: str) -> _Label:
    entries = text.split()
    if len(entries) != game.num_actions:
        raise ValueError(f"{len(entries)} values, but {game.name} has {game.num_actions} actions")
    for entry in entries:
        if entry not in _VALUES:
            raise ValueError(f"value {entry!r} is not one of w, d, l, x")
    values = np.array([_VALUES[entry] for entry in entries])
    return _Label(_keeps_value(values), values != ILLEGAL)


def _parse_scores(game: Game, text: str) -> _Label:
    values = np.full(game.num_actions, ILLEGAL)
    for entry in text.split():
        cell, colon, score = entry.partition(":")
        if not (colon and score.removeprefix("-").isdecimal()):
            raise ValueError(f"score {entry!r} is not a cell, a colon and a number")
        values[game.parse_moves(cell)] = np.sign(int(score))
    return _Label(_keeps_value(values), values != ILLEGAL)


def _parse_actions(game: Game, text: str) -> _Label:
    is_best = np.zeros(game.num_actions, bool)
    is_best[[game.parse_action(action) for action in text.split()]] = True
    if not is_best.any():
        raise ValueError("no action is named that keeps the value")
    return _Label(is_best, is_best)


def _keeps_value(action_values: np.ndarray) -> np.ndarray:
    """Returns bool[..., A]: the actions of the highest value."""
    return action_values == action_values.max(axis=-1, keepdims=True)


_PLACES: dict[str, Callable[[Game, str], Any]] = {
    "moves": lambda game, text: game.parse_moves(text),
    "board": _parse_board,
    "coins": lambda game, text: game.parse_state(f"{text} X"),
}
_LABELS: dict[str, Callable[[Game, str], _Label]] = {
    "values": _parse_values,
    "actions": _parse_actions,
    "best": _parse_actions,
    "scores": _parse_scores,
}
_NAMED_WRONGLY = {
    "values": "x must stand for exactly the illegal moves",
    "actions": "an action is illegal",
    "best": "an action is illegal",
    "scores": "exactly the legal moves must have a score",
}


def _stack(states: list[Any]) -> tuple[Any, np.ndarray]:
    """Returns the states as one batch, none of which was reached by an illegal move."""
    return jax.tree.map(lambda *x: np.stack(x), *states), np.ones(len(states), bool)


def _replay(game: Game, records: list[list[int]]) -> tuple[Any, np.ndarray]:
    """Returns the state at the end of each record, and whether all its moves were legal."""
    longest = max(map(len, records))
    moves = np.array(
        [list(record) + [-1] * (longest - len(record)) for record in records], np.int32
    )

    @jax.jit
    @jax.vmap
    def replay(moves):
        def play(carry, move):
            state, all_legal = carry
            legal = game.legal_action_mask(state)[move]
            after = (game.step(state, move), all_legal & legal)
            return jax.tree.map(lambda old, new: jnp.where(move < 0, old, new), carry, after), None

        start = (game.init(jax.random.key(0)), jnp.array(True))
        return jax.lax.scan(play, start, moves)[0]

    states, all_legal = replay(moves)
    return states, np.asarray(all_legal)
