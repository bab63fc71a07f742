"""The chance of winning, in which the page shows every value; a draw counts as half a win."""

from azjax.page.colours import LOSES, WINS


def win_percent(value: float) -> float:
    """Returns the chance of winning in percent, of a value from -1 to 1."""
    return round(min(100.0, max(0.0, 50 * (1 + value))), 1)


def describe_chance(value: float) -> str:
    """Returns the chance of winning in words, such as `62.5%`, of a value from -1 to 1."""
    return f"{win_percent(value):.1f}%"


def value_colour(value: float) -> str:
    """Returns the colour of a value: white for 0, the colour of wins for 1, of losses for -1."""
    end = WINS if value > 0 else LOSES
    weight = min(1.0, abs(value))
    channels = (int(end[i : i + 2], 16) for i in (1, 3, 5))
    return "#" + "".join(f"{round(255 + weight * (channel - 255)):02x}" for channel in channels)
