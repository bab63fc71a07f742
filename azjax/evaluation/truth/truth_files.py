"""Finds solved positions: all of a small game, or the rows of a CSV file."""

import contextlib
import hashlib
import pathlib
import re
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import chex
import jax
import jax.numpy as jnp
import numpy as np

from azjax import games
from azjax.evaluation.truth.solution import ILLEGAL, is_solvable, keeps_value, why_unsolved
from azjax.evaluation.truth.solved_positions import (
    SolvedPositions,
    all_positions,
    make_solved_positions,
)
from azjax.games import Game, State
from azjax.support.files.reading import read_csv, read_text
from azjax.support.program_cache import cache_programs
from azjax.support.suggestions import did_you_mean

_FOLDER = pathlib.Path(__file__).parent / "positions"
_SWAPPED = str.maketrans("XO", "OX")
_VALUES = {"w": 1, "d": 0, "l": -1, "x": ILLEGAL}


def find_positions(game: Game, given: str | pathlib.Path | None = None) -> SolvedPositions | None:
    """Returns the solved positions to measure accuracy on.

    They are, in this order: the positions of the given CSV file, or name of one that comes with
    azjax; all positions of a game that is small enough to be solved; the positions of the file that
    comes with azjax for this game; else None.

    Raises:
      ValueError: The given file cannot be read, or a line of it is wrong.
    """
    if given is not None:
        return read_positions(game, _find_file(given))
    if is_solvable(game):
        return all_positions(game)
    is_standard = game.name in games.names() and games.make(game.name) == game  # in its sizes
    if game.name in shipped_names() and is_standard:
        return read_positions(game, _FOLDER / f"{game.name}.csv")
    return None


def require_positions(
    game: Game, given: str | pathlib.Path | None = None, *, with_actions: bool = True
) -> SolvedPositions:
    """Returns what `find_positions` finds; raises ValueError for none, or ones without actions."""
    positions = find_positions(game, given)
    if positions is None:
        raise ValueError(
            f"give --truth FILE: no solved positions of {game.name} come with azjax, and "
            f"{why_unsolved(game)}"
        )
    if with_actions and not positions.has_actions:
        raise ValueError(
            f"truth file {given} has the scores of positions, not of their moves: azjax accuracy "
            "and azjax train measure an agent's values by it"
        )
    return positions


def shipped_names() -> list[str]:
    """Returns the names of the files of solved positions that come with azjax."""
    return sorted(path.stem for path in _FOLDER.glob("*.csv"))


def read_positions(game: Game, path: str | pathlib.Path) -> SolvedPositions:
    """Reads a CSV file of positions; capitals in its header do not matter.

    The position is in the column `moves`, a game record from the start, or `board`, its rows
    without separators from the mover's view (X is the mover's), or `coins`, the number left. The
    best actions are in the column

    * `values`: for every action w, d or l from the mover's view, or x where it is illegal; or
    * `actions` or `best`: the actions that keep the value, in notation; or
    * `scores`: `cell:score` for every legal action, positive where it wins, 0 where it draws.

    Or the column `score` has the position's score, for its mover: nothing is known of actions then.
    Lines of `moves` and `score` alone, separated by a blank and without a header, are read so too:
    Pascal Pons has published such files for Connect Four.

    Raises:
      ValueError: The file cannot be read, or a line of it is wrong; the message says which.
    """
    rows = _read_rows(path)
    header = rows[0][1].keys()
    source = _find_column(_POSITION_PARSERS, header, path)
    label = _find_column(_LABEL_PARSERS, header, path)
    given, labels = [], []
    for line, row in rows:
        try:
            given.append(_POSITION_PARSERS[source](game, row[source]))
            labels.append(_LABEL_PARSERS[label](game, row[label]))
        except ValueError as error:
            raise _wrong_line(game, path, line, error) from None
    if source == "moves":
        states, all_legal = _replay(game, given)
    else:
        states = jax.tree.map(lambda *x: np.stack(x), *given)
        all_legal = np.ones(len(given), bool)
    values = np.stack(labels)
    is_listed = values != ILLEGAL
    digest = hashlib.sha256(pathlib.Path(path).read_bytes()).hexdigest()[:16]
    positions = make_solved_positions(
        game, states, keeps_value(values), f"{pathlib.Path(path).name}, sha256 {digest}"
    )
    if label == "score":
        positions = positions._replace(is_legal=is_listed, has_actions=False)
    lists_best_only, legal = label in ("actions", "best"), positions.is_legal
    wrongly_listed = (is_listed & ~legal if lists_best_only else is_listed != legal).any(axis=1)
    faults = (
        (~all_legal, "a move is illegal, or comes after the end of the game"),
        (np.asarray(states.terminated), "the game is over in this position"),
        (wrongly_listed, _LISTED_WRONGLY.get(label)),
    )
    for is_wrong, message in faults:
        if is_wrong.any():
            raise _wrong_line(game, path, rows[is_wrong.argmax()][0], message)
    return positions


def read_records(game: Game, given: str | pathlib.Path) -> list[Sequence[int]]:
    """Returns the moves from the start that lead to each position of a file of `find_positions`.

    Raises ValueError if it cannot be read, has no column `moves`, or names a move wrongly.
    """
    path = _find_file(given)
    rows = _read_rows(path)
    column = _find_column(["moves"], rows[0][1].keys(), path)
    return [game.parse_moves(row[column] or "") for _, row in rows]


def _find_file(given: str | pathlib.Path) -> pathlib.Path:
    """Returns the path of a file that is given by its path, or by its name among the shipped."""
    path = pathlib.Path(given)
    if path.is_file() or path.name != str(given) or path.suffix:
        return path
    if str(given) not in shipped_names():
        hint = did_you_mean(str(given), shipped_names())
        raise ValueError(f"no solved positions are named {str(given)!r}; {hint}")
    return _FOLDER / f"{given}.csv"


def _wrong_line(game: Game, path: str | pathlib.Path, line: int, what: object) -> ValueError:
    """Returns the error of a line; it names the game, because the file may be for another."""
    return ValueError(f"truth file {path}, line {line}: {what} (read as {game.name})")


def _read_rows(path: str | pathlib.Path) -> list[tuple[int, dict[str, str]]]:
    """Returns the rows with any content, each with the number of its line in the file."""
    try:
        lines = read_text(pathlib.Path(path)).splitlines()
        if lines and re.fullmatch(r"\d+\s+-?\d+\s*", lines[0]):  # without a header
            cells = [(*line.split(None, 1), "", "")[:2] for line in lines]
            rows = [(n, {"moves": m, "score": s.strip()}) for n, (m, s) in enumerate(cells, 1)]
        else:
            rows = read_csv(pathlib.Path(path))
    except (OSError, ValueError) as error:
        why = error.strerror if isinstance(error, OSError) else error
        raise ValueError(f"truth file {path} cannot be read: {why}") from None
    rows = [
        (line, {k.lower(): v for k, v in row.items()}) for line, row in rows if any(row.values())
    ]
    if not rows:
        raise ValueError(f"truth file {path} has no positions below its header")
    return rows


def _find_column(known: Iterable[str], header: Iterable[str], path: str | pathlib.Path) -> str:
    for column in known:
        if column in header:
            return column
    names, found = " or ".join(known), ", ".join(map(repr, header))
    raise ValueError(f"truth file {path}, line 1: the header must name {names}; it names {found}")


def _parse_moves(game: Game, text: str) -> Sequence[int]:
    moves = game.parse_moves(text)
    if len(moves) > game.max_moves:
        raise ValueError(f"{len(moves)} moves, but a game has at most {game.max_moves}")
    return moves


def _parse_board(game: Game, text: str) -> State:
    """Returns the position; the mover is the first player, unless the stones forbid it."""
    columns = game.observation_shape[1]
    rows = "/".join(text[i : i + columns] for i in range(0, len(text), columns))
    try:
        return game.parse_state(f"{rows} X")
    except ValueError:
        with contextlib.suppress(ValueError):
            return game.parse_state(f"{rows.translate(_SWAPPED)} O")
        raise


def _parse_values(game: Game, text: str) -> np.ndarray:
    entries = text.split()
    if len(entries) != game.num_actions:
        raise ValueError(f"{len(entries)} values, but {game.name} has {game.num_actions} actions")
    for entry in entries:
        if entry not in _VALUES:
            raise ValueError(f"value {entry!r} is not one of w, d, l, x")
    return np.array([_VALUES[entry] for entry in entries])


def _parse_scores(game: Game, text: str) -> np.ndarray:
    values = np.full(game.num_actions, ILLEGAL)
    for entry in text.split():
        cell, colon, score = entry.partition(":")
        if not (colon and score.removeprefix("-").isdecimal()):
            raise ValueError(f"score {entry!r} is not a cell, a colon and a number")
        moves = game.parse_moves(cell)
        if len(moves) != 1 or values[moves[0]] != ILLEGAL:
            raise ValueError(f"score {entry!r}: {cell!r} is no single move, or has a score already")
        values[moves[0]] = np.sign(int(score))
    return values


def _parse_score(game: Game, text: str) -> np.ndarray:
    del game
    if not text.removeprefix("-").isdecimal():
        raise ValueError(f"score {text!r} is not a number")
    return np.where(np.arange(-1, 2) == np.sign(int(text)), 1, -1)  # of the actions `VALUES`


def _parse_actions(game: Game, text: str) -> np.ndarray:
    values = np.full(game.num_actions, ILLEGAL)
    values[[game.parse_action(action) for action in text.split()]] = 1
    if (values == ILLEGAL).all():
        raise ValueError("no action is named that keeps the value")
    return values


# By column: from its text to the moves or the state.
_POSITION_PARSERS: dict[str, Callable[[Game, str], Any]] = {
    "moves": _parse_moves,
    "board": _parse_board,
    "coins": lambda game, text: game.parse_state(f"{text} X"),
}
# To the values of the actions: [A], or of the three `VALUES`; ILLEGAL where none is listed.
_LABEL_PARSERS: dict[str, Callable[[Game, str], np.ndarray]] = {
    "values": _parse_values,
    "actions": _parse_actions,
    "best": _parse_actions,
    "scores": _parse_scores,
    "score": _parse_score,
}
_LISTED_WRONGLY = {
    "values": "x must stand for exactly the illegal moves",
    "actions": "an action is illegal",
    "best": "an action is illegal",
    "scores": "exactly the legal moves must have a score",
}


def _replay(game: Game, records: list[Sequence[int]]) -> tuple[State, np.ndarray]:
    """Returns the state at the end of each record, and whether all its moves were legal."""
    longest = max(map(len, records))
    padded = [[*record, *[-1] * (longest - len(record))] for record in records]
    states, all_legal = _compile_replay(game)(np.array(padded, np.int32))
    return states, np.asarray(all_legal)


@cache_programs
def _compile_replay(game: Game) -> Callable[[np.ndarray], tuple[State, chex.Array]]:
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

    return replay
