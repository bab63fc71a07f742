"""Boards drawn as text, with marks at the cells that a move has changed."""

MARK = "*"


def mark_changes(before: str, after: str) -> str:
    """Returns a drawn board with a mark behind each cell that differs from the board before.

    Rows are marked that consist of cells of one character, with spaces between them, and perhaps a
    row's name at the left. All other lines stay as they are.
    """
    old, new = before.split("\n"), after.split("\n")
    if len(old) != len(new):
        return after
    return "\n".join(map(_mark_row, old, new))


def _mark_row(before: str, after: str) -> str:
    if len(before) != len(after) or not _is_row(after):
        return after
    marked = list(f"{after} ")
    for i, symbol in enumerate(after):
        if symbol != before[i]:
            marked[i + 1] = MARK
    return "".join(marked).rstrip()


def _is_row(line: str) -> bool:
    name, *cells = line.split() or [""]
    has_cells = len(cells) > 0 and all(len(x) == 1 and not x.isdigit() for x in cells)
    return has_cells and (name.isdigit() or len(name) == 1)
