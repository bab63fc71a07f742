"""Positions whose moves' exact values are known."""

import csv
import pathlib
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from azjax.evaluation.solve import ILLEGAL, solve
from azjax.games import Game

_VALUES = {"w": 1, "d": 0, "l": -1, "x": ILLEGAL}


class Truth(NamedTuple):
    """P unfinished positions and the exact value of every action, from the mover's view."""

    states: Any  # [P, ...]
    action_values: np.ndarray  # [P, A] int8: 1, 0, -1, or ILLEGAL

    @property
    def is_best(self) -> np.ndarray:
        """[P, A] bool: the actions that keep the position's value."""
        return self.action_values == self.action_values.max(axis=1, keepdims=True)


def solved_truth(game: Game) -> Truth:
    """Returns all unfinished positions that play can reach, for a game small enough to solve.

    Raises:
      ValueError: The game is too large.
    """
    solution = solve(game)
    unfinished = ~solution.states.terminated
    states = jax.tree.map(lambda x: x[unfinished], solution.states)
    return Truth(states, solution.action_values[unfinished])


def read_truth(game: Game, path: str | pathlib.Path) -> Truth:
    """Reads a CSV file with the columns `moves`, a game record from the start, and `values`.

    `values` has an entry for every action, spaces between: w, d or l for the mover, x illegal.

    Raises:
      ValueError: The file cannot be read, or a line of it is wrong; the message says which.
    """
    try:
        with open(path, newline="", encoding="utf-8") as file:
            reader = csv.DictReader(file)
            header = set(reader.fieldnames or ())
            rows = [(reader.line_num, row) for row in reader]
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise ValueError(f"truth file {path} cannot be read: {error}") from None
    if not {"moves", "values"} <= header:
        raise ValueError(f"truth file {path}, line 1: the header must name moves and values")
    if not rows:
        raise ValueError(f"truth file {path} has no positions below its header")
    records, values = [], []
    for line, row in rows:
        try:
            records.append(game.parse_moves(row["moves"] or ""))
            values.append(_parse_values(game, row["values"] or ""))
        except ValueError as error:
            raise ValueError(f"truth file {path}, line {line}: {error}") from None
    states, all_legal = _replay(game, records)
    values = np.array(values, np.int8)
    legal = np.asarray(jax.vmap(game.legal_action_mask)(states))
    faults = (
        (~all_legal, "a move is illegal, or comes after the end of the game"),
        (np.asarray(states.terminated), "the game is over after these moves"),
        (((values == ILLEGAL) == legal).any(axis=1), "x must stand for exactly the illegal moves"),
    )
    for wrong, message in faults:
        if wrong.any():
            raise ValueError(f"truth file {path}, line {rows[wrong.argmax()][0]}: {message}")
    return Truth(states, values)


def _parse_values(game: Game, text: str) -> list[int]:
    entries = text.split()
    if len(entries) != game.num_actions:
        raise ValueError(f"{len(entries)} values, but {game.name} has {game.num_actions} actions")
    for entry in entries:
        if entry not in _VALUES:
            raise ValueError(f"value {entry!r} is not one of w, d, l, x")
    return [_VALUES[entry] for entry in entries]


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
