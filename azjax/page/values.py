"""How every view tells values and results: in words, in percent, and by colours.

The colours are readable without telling red from green. A value becomes the chance of winning, in
which a draw counts as half a win.
"""

FIRST, SECOND = "#2b5c8a", "#d9822b"  # player 0 and player 1, X and O
WINS, LOSES = "#5e3c99", "#e66101"  # values: +1 and -1, with white between
# From so many percent; inaccuracies, mistakes and blunders begin where those of lichess do.
_LOSSES = ((15, "#c2356b"), (10, "#e8893a"), (5, "#f0d264"), (2, "#8fcf9f"), (-200, "#2a9d8f"))
SERIES = (
    *(FIRST, SECOND, "#4d9078", "#8e5572", "#7a7a7a", "#b8a11e", "#4aa3c7", "#a04040"),
    *("#d77fb3", "#6c54b8", "#8fbf3f", "#127a7a", "#a8672a", "#b49be0", "#4f74e8", "#e0506e"),
)
VALUE_WORDS = {1: "win", 0: "draw", -1: "loss"}  # by the value for the player to move
RESULT_WORDS = {1: "X wins", 0: "draw", -1: "O wins", None: "unfinished"}  # by the value for X


def win_percent(value: float) -> float:
    """Returns the chance of winning in percent, of a value from -1 to 1."""
    return round(min(100.0, max(0.0, 50 * (1 + value))), 1)


def describe_chance(value: float) -> str:
    """Returns the chance of winning in words, such as `62.5%`, of a value from -1 to 1."""
    return f"{win_percent(value):.1f}%"


def describe_loss(percent: float) -> str:
    """Returns what a move loses against the best one, in percent of the expected result."""
    return f"\u2212{percent:.0f}" if percent >= 0.5 else "0"  # a minus sign


def loss_colour(percent: float) -> str:
    """Returns the colour of what a move loses: from teal, as good as the best, to crimson."""
    return next(colour for least, colour in _LOSSES if percent >= least)


def value_colour(value: float) -> str:
    """Returns the colour of a value: white for 0, the colour of wins for 1, of losses for -1."""
    end = WINS if value > 0 else LOSES
    weight = min(1.0, abs(value))
    channels = (int(end[i : i + 2], 16) for i in (1, 3, 5))
    return "#" + "".join(f"{round(255 + weight * (channel - 255)):02x}" for channel in channels)
