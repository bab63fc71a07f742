"""Moves as the Universal Chess Interface (UCI) writes them: `e2e4`, `e7e8q`, a drop `C@b2`."""

import functools
import importlib
import string
from collections.abc import Iterable
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from azjax.games import Game, State
from azjax.games.pgx_adapter import PgxGame, PgxState, allow_rank_promotion

_UNDERPROMOTIONS = "rbn"  # as Pgx numbers them
_DROPS = "CEG"  # chick, elephant and giraffe, as Fairy-Stockfish names them


class UciBoard(NamedTuple):
    """The moves of a game as UCI writes them; most depend on who moves, some on what moves."""

    variant: str  # Fairy-Stockfish's name of the game
    texts: np.ndarray  # [2, A], of the actions of player 0 and 1, without the promotion of a pawn
    origins: np.ndarray  # [A], the cell that a piece leaves, from the mover's view
    reaches_end: np.ndarray  # [A] bool, whether a pawn promotes by the action
    field: str  # of a state, of the pieces from the mover's view
    pawn: int  # the mover's, in this field
    promotion: str  # what the text of such a pawn's move ends in

    def format(self, state: State, action: int) -> str:
        """Returns the text of an action."""
        return self._format_all(state, [action])[0]

    def legal_moves(self, state: State, legal: np.ndarray) -> dict[str, int]:
        """Returns the actions that are legal, [A] bool, by their texts."""
        actions = np.flatnonzero(legal).tolist()
        return dict(zip(self._format_all(state, actions), actions, strict=True))

    def _format_all(self, state: State, actions: Iterable[int]) -> list[str]:
        assert isinstance(state, PgxState)
        pieces, texts = np.asarray(state.position[self.field]), self.texts[state.current_player]
        promotes = self.reaches_end & (pieces[self.origins] == self.pawn)
        return [texts[action] + self.promotion * int(promotes[action]) for action in actions]


@functools.cache
def uci_board(game: Game) -> UciBoard:
    """Returns how UCI writes the moves of a game.

    Raises:
      ValueError: It is none of Pgx's chess, Gardner's chess and animal shogi.
    """
    match game:
        case PgxGame(env_id="chess"):
            return _chess_board(game, "chess", "pgx._src.games.chess", size=8, field="_x.board")
        case PgxGame(env_id="gardner_chess"):
            return _chess_board(game, "gardner", "pgx.gardner_chess", size=5, field="_board")
        case PgxGame(env_id="animal_shogi"):
            return _animal_shogi_board(game)
    raise ValueError(
        f"{game.name} is not played by UCI: pgx:chess, pgx:gardner_chess and pgx:animal_shogi are"
    )


def _chess_board(game: Game, variant: str, module: str, size: int, field: str) -> UciBoard:
    """Returns the board of chess; cells are numbered up each file, ranks from the mover's side."""
    moves, cells = _decode_actions(game, module), np.arange(size**2)
    files, ranks = cells // size, cells % size
    names = [_cells(string.ascii_lowercase, files, r + 1) for r in (ranks, size - 1 - ranks)]
    pieces = np.array([*_UNDERPROMOTIONS, ""])[moves.underpromotion]  # -1 is none
    texts = np.array([own[moves.from_] + own[moves.to] + pieces for own in names])
    reaches_end = (moves.underpromotion < 0) & (ranks[moves.to] == size - 1)
    return UciBoard(variant, texts, moves.from_, reaches_end, field, pawn=1, promotion="q")


def _animal_shogi_board(game: Game) -> UciBoard:
    """Returns the board; cells are numbered down each file, files from the mover's right."""
    moves, cells = _decode_actions(game, "pgx.animal_shogi"), np.arange(12)
    files, ranks = cells // 4, cells % 4
    names = _cells("cba", files, 4 - ranks), _cells("abc", files, ranks + 1)
    dropped = np.array([f"{piece}@" for piece in _DROPS])[moves.drop_piece]
    texts = np.array(
        [np.where(moves.is_drop, dropped, own[moves.from_]) + own[moves.to] for own in names]
    )
    reaches_end = ~moves.is_drop & (ranks[moves.to] == 0)
    return UciBoard("dobutsu", texts, moves.from_, reaches_end, "_board", pawn=0, promotion="+")


def _cells(letters: str, files: np.ndarray, numbers: np.ndarray) -> np.ndarray:
    return np.array([letters[file] + str(n) for file, n in zip(files, numbers, strict=True)], "O")


def _decode_actions(game: Game, module: str) -> Any:
    """Returns Pgx's own decoding of all actions; -1 is what an action does not have."""
    decode = importlib.import_module(module).Action._from_label
    with jax.ensure_compile_time_eval(), allow_rank_promotion():
        decoded = jax.jit(jax.vmap(decode))(jnp.arange(game.num_actions))
    return jax.tree.map(np.asarray, decoded)
