"""Speaks GTP for BitBully, a perfect solver of Connect Four: `python bitbully_gtp.py`.

BitBully is licensed under the AGPL. This program runs it in a process of its own, imports nothing
of azjax, and is never imported by it. A vertex is the number of a column, from 1.
"""

import random
import sys


class Solver:
    """A game that BitBully plays: a random one of its best moves."""

    def __init__(self):
        """Loads the solver with its book of 12 plies."""
        import bitbully  # here, so that importing this module needs no BitBully

        self._new_board = bitbully.Board
        self._agent = bitbully.BitBully()
        self._random = random.Random()
        self._board = self._new_board()

    def protocol_version(self) -> str:
        return "2"

    def list_commands(self) -> str:
        return "\n".join(name for name in vars(Solver) if not name.startswith("_"))

    def boardsize(self, size: str) -> str:
        if size != "7":
            raise ValueError("unacceptable size")
        return ""

    def clear_board(self) -> str:
        self._board = self._new_board()
        return ""

    def set_random_seed(self, seed: str) -> str:
        self._random.seed(int(seed))
        return ""

    def play(self, colour: str, column: str) -> str:
        del colour  # the players alternate
        if not self._board.play(int(column) - 1):
            raise ValueError("illegal move")
        return ""

    def genmove(self, colour: str) -> str:
        del colour
        scores = self._agent.score_all_moves(self._board)
        best = [column for column, score in scores.items() if score == max(scores.values())]
        column = self._random.choice(sorted(best))
        self._board.play(column)
        return str(column + 1)

    def bitbully_score(self, rows: str) -> str:
        """Answers `COLUMN:SCORE` for each legal move; the score is BitBully's: 0 for a draw.

        The position is its rows from the top, joined by `/`, of 0, 1 for the first player, and 2.
        """
        board = self._new_board([[int(cell) for cell in row] for row in rows.split("/")])
        scores = self._agent.score_all_moves(board)
        return " ".join(f"{column + 1}:{score}" for column, score in sorted(scores.items()))


def main() -> None:
    """Answers commands until the end of the input."""
    solver = Solver()
    commands = set(solver.list_commands().split())
    for line in sys.stdin:
        name, *arguments = line.split() or [""]
        try:
            if name not in commands:
                raise ValueError("unknown command")
            answer = f"= {getattr(solver, name)(*arguments)}"
        except (TypeError, ValueError) as error:
            answer = f"? {error}"
        print(f"{answer}\n", flush=True)


if __name__ == "__main__":
    main()
