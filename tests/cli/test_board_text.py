import pytest

from azjax.cli.terminal.board_text import mark_changes

BEFORE_AND_AFTER = {
    "a stone": (
        ["  a b c", "1 . . .", "2 . X .", "3 . . ."],
        ["  a b c", "1 . . .", "2 . X .", "3 . . O"],
        ["  a b c", "1 . . .", "2 . X .", "3 . . O*"],
    ),
    "columns of two digits": (
        ["   9 10", "9  .  .", "10 X  ."],
        ["   9 10", "9  O  .", "10 X  ."],
        ["   9 10", "9  O* .", "10 X  ."],
    ),
    "the swap of Hex": (
        ["  a b c", "1 . X .", " 2 . . .", "  3 . . ."],
        ["  a b c", "1 . . .", " 2 O . .", "  3 . . ."],
        ["  a b c", "1 . .*.", " 2 O*. .", "  3 . . ."],
    ),
}


@pytest.mark.parametrize(
    ("before", "after", "marked"), BEFORE_AND_AFTER.values(), ids=BEFORE_AND_AFTER.keys()
)
def test_cells_that_differ_are_marked_and_keep_their_place(before, after, marked):
    assert mark_changes("\n".join(before), "\n".join(after)).split("\n") == marked
