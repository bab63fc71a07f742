"""Tic-tac-toe in plain Python: a board is a string of nine of `X`, `O` and `.`."""

import functools

import numpy as np

LINES = ((0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6))
EMPTY = "." * 9


def as_strings(states):
    """Returns the boards of azjax's states."""
    symbols = np.array(list("XO."))
    return ["".join(symbols[board.reshape(-1)]) for board in np.asarray(states.board)]


def mover(board):
    return "XO"[(9 - board.count(".")) % 2]


def winner(board):
    for a, b, c in LINES:
        if board[a] == board[b] == board[c] != ".":
            return board[a]
    return None


def is_over(board):
    return winner(board) is not None or "." not in board


def after(board, cell):
    return board[:cell] + mover(board) + board[cell + 1 :]


def moves(board):
    return [] if is_over(board) else [cell for cell in range(9) if board[cell] == "."]


@functools.cache
def value(board):
    """Returns 1, 0 or -1, from the mover's view."""
    if is_over(board):
        return -1 if winner(board) else 0  # the opponent completed the line
    return max(-value(after(board, cell)) for cell in moves(board))


def minimax_values(board, depth, discount):
    """Returns {cell: value} of a search of this depth, discounted by move."""
    values = {}
    for cell in moves(board):
        below = after(board, cell)
        if is_over(below) or depth == 1:
            values[cell] = 1 if winner(below) else 0
        else:
            values[cell] = -discount * max(minimax_values(below, depth - 1, discount).values())
    return values


def best_moves(board):
    return [cell for cell in moves(board) if -value(after(board, cell)) == value(board)]


def best_response(board, seat, choose, replies=moves):
    """Returns the opponent's best result, by `replies(board)`, to a seat that plays `choose`."""
    if is_over(board):
        return {None: 0, seat: -1}.get(winner(board), 1)
    cells = [choose(board)] if mover(board) == seat else replies(board)
    return max(best_response(after(board, cell), seat, choose, replies) for cell in cells)


@functools.cache
def reachable():
    """Returns every position that play can reach."""
    found, waiting = {EMPTY}, [EMPTY]
    while waiting:
        board = waiting.pop()
        new = {after(board, cell) for cell in moves(board)} - found
        found |= new
        waiting += new
    return found


def lines(board, seat, choose):
    """Returns (lost, all) lines in which the seat, X or O, plays `choose(board)`."""
    if is_over(board):
        return int(winner(board) not in (None, seat)), 1
    cells = [choose(board)] if mover(board) == seat else moves(board)
    below = [lines(after(board, cell), seat, choose) for cell in cells]
    return sum(lost for lost, _ in below), sum(total for _, total in below)
