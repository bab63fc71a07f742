"""The games of a match as SGF files, by sgfmill: Go, Othello, Gomoku and Hex."""

import importlib.util
import pathlib
import string
from collections.abc import Sequence

import numpy as np

from azjax.evaluation import FORFEITS, RESIGNS
from azjax.games import Game
from azjax.games.go.rules import Go
from azjax.games.hex import Hex
from azjax.games.mnk import Mnk
from azjax.games.othello import Othello

_COLOURS = "BW"  # of player 0 and player 1
_ENDS = {RESIGNS: "R", FORFEITS: "F"}  # of a result


def check_sgf(game: Game) -> None:
    """Raises ValueError if there are no SGF files of a game, or sgfmill is missing."""
    _game_number(game)
    if importlib.util.find_spec("sgfmill") is None:
        raise ValueError("SGF files need sgfmill: pip install 'azjax[engines]'")


def make_games_folder(folder: pathlib.Path) -> None:
    """Makes the folder of a match's games; raises ValueError if SGF files are in or below it."""
    folder.mkdir(parents=True, exist_ok=True)
    if any(folder.rglob("*.sgf")):
        raise ValueError(f"{folder} already holds games: choose another folder with --sgf")


def write_games(
    folder: pathlib.Path,
    game: Game,
    players: tuple[str, str],
    pairs: Sequence[Sequence[Sequence[int]]],
    rewards: np.ndarray,
) -> None:
    """Writes the games of a match as `0001.sgf`, `0002.sgf`, ... into a folder.

    Player A has seat 0 in the first game of each pair [P][2], and the rewards [P, 2].
    """
    for pair, (both, rewards_of_a) in enumerate(zip(pairs, rewards, strict=True)):
        for index, (actions, reward) in enumerate(zip(both, rewards_of_a, strict=True)):
            reward_of_black = -int(reward) if index else int(reward)
            write_game(folder, game, players, 2 * pair + index, actions, reward_of_black)


def write_game(
    folder: pathlib.Path,
    game: Game,
    players: tuple[str, str],
    number: int,
    actions: Sequence[int],
    reward_of_black: int,
) -> None:
    """Writes game 0, 1, ... of a match, as `write_games` does; player A is black in game 0."""
    seats = players[::-1] if number % 2 else players
    text = format_sgf(game, seats, actions, reward_of_black)
    (folder / f"{number + 1:04}.sgf").write_bytes(text)


def format_sgf(
    game: Game, players: Sequence[str], actions: Sequence[int], reward_of_black: int | None
) -> bytes:
    """Returns a game as SGF; black moves first, and has no reward in a game that is not finished.

    The last action may be `RESIGNS` or `FORFEITS`.
    """
    from sgfmill.sgf import Sgf_game  # an extra dependency

    number, size = _game_number(game)
    record = Sgf_game(size, encoding="UTF-8")
    root = record.get_root()
    root.set_raw("GM", str(number).encode())
    root.set("PB", players[0])
    root.set("PW", players[1])
    if isinstance(game, Go):
        root.set("KM", game.komi)
    if reward_of_black is not None:
        winner = {1: "B+", 0: "0", -1: "W+"}[reward_of_black]
        root.set("RE", winner + (_ENDS.get(actions[-1], "") if reward_of_black else ""))
    for move, action in enumerate(action for action in actions if action >= 0):
        node = record.extend_main_sequence()
        node.set_raw(_COLOURS[move % 2], _point(game, size, action).encode())
    return record.serialise()


def _game_number(game: Game) -> tuple[int, int]:
    """Returns SGF's number of the game, and the size of its board."""
    match game:
        case Go(size=size):
            return 1, size
        case Othello(size=size):
            return 2, size
        case Mnk(rows=size, columns=columns, length=5) if size == columns <= 26:
            return 4, size
        case Hex(size=size):
            return 11, size
    raise ValueError(f"{game.name} has no SGF files: Go, Othello, Gomoku and Hex have")


def _point(game: Game, size: int, action: int) -> str:
    """Returns `cd`, the column and the row from the top; nothing for a pass; `c4` in Hex."""
    if isinstance(game, Hex):
        return "swap-pieces" if action == size**2 else game.format_action(action)
    if action == size**2:
        return ""
    row, column = divmod(action, size)
    return string.ascii_lowercase[column] + string.ascii_lowercase[row]
