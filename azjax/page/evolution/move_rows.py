"""The table of the moves that a search has looked at."""

from azjax.evaluation import PositionSearch

_MOST_ROWS = 12
_LABELS = {"move": "move", "policy": "policy", "visits": "visits", "q": "Q", "prior": "network"}


def move_columns() -> list[dict[str, str]]:
    """Returns the columns of the table."""
    return [
        {"name": name, "label": label, "field": name, "align": "left"}
        for name, label in _LABELS.items()
    ]


def move_rows(found: PositionSearch) -> list[dict[str, str]]:
    """Returns a row for each move, the best first; Q is from the view of the player to move."""
    return [_row(found, action) for action in found.tried_actions()[:_MOST_ROWS]]


def _row(found: PositionSearch, action: int) -> dict[str, str]:
    row = {"move": found.game.format_action(action), "policy": f"{found.policy[action]:.1%}"}
    if found.visits is None or found.q_values is None or found.prior is None:
        return row
    value = float(found.q_values[action]) + 0.0  # -0.0 + 0.0 is 0.0
    return row | {
        "visits": str(found.visits[action]),
        "q": f"{value:+.2f}" if found.visits[action] else "",
        "prior": f"{found.prior[action]:.1%}",
    }
