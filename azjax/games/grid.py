"""Text of boards: notation of cells, positions in one line, and renderings.

A board is [rows, columns] int8, the owner of each cell: 0, 1, or EMPTY.
"""

import string

import numpy as np

EMPTY = -1
SYMBOLS = "XO."  # indexed by owner; EMPTY, -1, is the last


def format_board(board: np.ndarray, player: int) -> str:
    """Returns the rows from the top, joined by `/`, then a space and the side to move."""
    rows = ["".join(SYMBOLS[owner] for owner in row) for row in np.asarray(board)]
    return f"{'/'.join(rows)} {SYMBOLS[int(player)]}"


def parse_board(
    text: str, rows: int, columns: int, line: str | None = None
) -> tuple[np.ndarray, int]:
    """Returns the board and the side to move that `format_board` wrote.

    Raises:
      ValueError: The text is not such a line; the message states why. It shows `line`, if given,
        which begins with the text.
    """
    example = f"{'/'.join(['.' * columns] * rows)} X"
    board_text, _, player_text = text.strip().partition(" ")
    text = text if line is None else line
    lines = board_text.split("/")
    if len(lines) != rows or any(len(line) != columns for line in lines):
        raise ValueError(f"position {text!r} is not {rows} rows of {columns}, as in {example!r}")
    wrong = set(board_text) - set(SYMBOLS + "/")
    if wrong:
        raise ValueError(f"position {text!r} has {sorted(wrong)[0]!r}; cells are X, O or .")
    if player_text not in ("X", "O"):
        raise ValueError(f"position {text!r} does not end in the side to move, as in {example!r}")
    owners = {"X": 0, "O": 1, ".": EMPTY}
    board = np.array([[owners[symbol] for symbol in line] for line in lines], np.int8)
    return board, owners[player_text]


def format_cell(cell: int, columns: int) -> str:
    """Returns the cell: its column as a letter, its row counted from the top, as in `b3`."""
    row, column = divmod(int(cell), columns)
    return f"{string.ascii_lowercase[column]}{row + 1}"


def parse_cell(text: str, rows: int, columns: int) -> int:
    """Returns the cell that `format_cell` wrote.

    Raises:
      ValueError: The text is no cell of the board; the message states the valid notation.
    """
    cells = {format_cell(cell, columns): cell for cell in range(rows * columns)}
    if text.strip().lower() not in cells:
        last = format_cell(rows * columns - 1, columns)
        raise ValueError(
            f"{text.strip()!r} is not a cell: "
            f"write a column, a to {last[0]}, and a row, 1 to {last[1:]}, such as {last}"
        )
    return cells[text.strip().lower()]


def render_board(board: np.ndarray, column_names: list[str], row_names: list[str]) -> str:
    """Returns the board as lines of text, with column names above and row names at the left."""
    width = max(len(name) for name in column_names)
    margin = max(len(name) for name in row_names)
    lines = [" " * (margin + 1) + " ".join(name.rjust(width) for name in column_names)]
    for name, row in zip(row_names, np.asarray(board), strict=True):
        cells = " ".join(SYMBOLS[owner].rjust(width) for owner in row)
        lines.append(f"{name.rjust(margin)} {cells}".rstrip())
    return "\n".join(line.rstrip() for line in lines)


def check_turns(board: np.ndarray, player: int, text: str) -> None:
    """Checks that the players have placed stones in turns, player 0 first.

    Raises:
      ValueError: The numbers of stones do not fit the side to move.
    """
    first, second = int((board == 0).sum()), int((board == 1).sum())
    if first - second != player:
        raise ValueError(
            f"position {text!r} has {first} X and {second} O with {SYMBOLS[player]} to move; "
            "X moves first and the players take turns"
        )
