"""The rules of Go in plain Python, one game at a time."""

EMPTY = "."
OTHER = {"X": "O", "O": "X"}


class GoReference:
    """A game of Go with area scoring, positional superko, and no suicide."""

    def __init__(self, size: int, komi: float):
        self.size, self.komi = size, komi
        self.board = EMPTY * size**2
        self.earlier = {self.board}
        self.mover, self.passes, self.moves = "X", 0, 0

    def beside(self, cell: int) -> list[int]:
        row, column = divmod(cell, self.size)
        around = ((row - 1, column), (row + 1, column), (row, column - 1), (row, column + 1))
        return [r * self.size + c for r, c in around if 0 <= r < self.size and 0 <= c < self.size]

    def region(self, board: str, cell: int) -> tuple[set[int], set[str]]:
        """Returns the connected cells of this one's symbol, and the symbols around them."""
        region, borders, todo = {cell}, set(), [cell]
        while todo:
            for near in self.beside(todo.pop()):
                if board[near] != board[cell]:
                    borders.add(board[near])
                elif near not in region:
                    region.add(near)
                    todo.append(near)
        return region, borders

    def after(self, cell: int) -> str | None:
        """Returns the board after a stone on the cell, None where no stone may be placed."""
        if self.board[cell] != EMPTY:
            return None
        board = self.board[:cell] + self.mover + self.board[cell + 1 :]
        for near in self.beside(cell):
            if board[near] == OTHER[self.mover]:
                chain, borders = self.region(board, near)
                if EMPTY not in borders:
                    board = "".join(EMPTY if i in chain else s for i, s in enumerate(board))
        suicide = EMPTY not in self.region(board, cell)[1]
        return None if suicide or board in self.earlier else board

    def legal(self) -> list[bool]:
        cells = [self.after(cell) is not None for cell in range(self.size**2)]
        return [*cells, True]

    def play(self, action: int) -> None:
        self.passes = self.passes + 1 if action == self.size**2 else 0
        if not self.passes:
            self.board = self.after(action)
        self.earlier.add(self.board)
        self.mover = OTHER[self.mover]
        self.moves += 1

    @property
    def over(self) -> bool:
        return self.passes == 2 or self.moves == 2 * self.size**2

    def result(self) -> int:
        """Returns player 0's reward: 1, 0 or -1."""
        lead = -self.komi
        for cell in range(self.size**2):
            _, borders = self.region(self.board, cell)
            owners = borders - {EMPTY} if self.board[cell] == EMPTY else {self.board[cell]}
            lead += (owners == {"X"}) - (owners == {"O"})
        return (lead > 0) - (lead < 0)
