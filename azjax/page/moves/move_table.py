"""The table of the moves that a search has looked at, as HTML."""

from collections.abc import Mapping
from html import escape

from azjax.evaluation import PositionSearch
from azjax.page.analysis.rules import Rules
from azjax.page.analysis.search_analysis import SearchSummary
from azjax.page.moves.chances import describe_chance, value_colour
from azjax.page.outcomes import VALUE_WORDS

TABLE_STYLES = """
.moves { border-collapse: collapse; font-size: 0.85rem; font-variant-numeric: tabular-nums; }
.moves th { font-weight: 500; color: #64748b; }
.moves th, .moves td { padding: 1px 10px 1px 0; text-align: right; white-space: nowrap; }
.moves th:first-child, .moves td:first-child, .moves th:last-child, .moves td:last-child {
  text-align: left;
}
.moves tbody tr:hover { background: #eef2f7; }
.moves .chosen td:first-child { font-weight: 700; }
.moves .value { padding: 0 4px; border-radius: 3px; }
"""
_MOST_ROWS = 30
_DARK = 0.6  # a value whose colour needs white text
_HEADS = {
    "move": "bold: the move that is played, the best of those that were searched most",
    "prior": "of the network",
    "visits": "simulations that begin with the move",
    "wins": "chance that the player to move wins, by the Q-value",
    "policy": "improved by the search, as training learns it; it may prefer a move of few visits",
    "exact": "with best play",
    "variation": "the most visited moves from here",
}


def move_table(analysis: SearchSummary, rules: Rules, exact: Mapping[int, int]) -> str:
    """Returns a table with a row for each move, the best first.

    A row has `data-for`, the action, by which the board shows the move that is pointed at.

    Args:
      analysis: The search.
      rules: Of the game.
      exact: By action its value with best play, for the player to move; none if not shown.
    """
    found = analysis.found
    rows = [
        _row(analysis, rules, action, exact.get(action))
        for action in found.tried_actions()[:_MOST_ROWS]
    ]
    head = "".join(
        f'<th title="{meaning}">{name}</th>'
        for name, meaning in _HEADS.items()
        if exact or name != "exact"
    )
    rest = found.describe_rest(_MOST_ROWS)
    foot = f'<tfoot><tr><td colspan="{len(_HEADS)}">{rest}</td></tr></tfoot>' if rest else ""
    body = f"<tbody>{''.join(rows)}</tbody>"
    return f'<table class="moves"><thead><tr>{head}</tr></thead>{body}{foot}</table>'


def _row(analysis: SearchSummary, rules: Rules, action: int, exact: int | None) -> str:
    found = analysis.found
    line = analysis.lines.get(action, (action,))
    cells = [
        escape(rules.game.format_action(action)),
        _percent(None if found.prior is None else found.prior[action]),
        "" if found.visits is None else str(found.visits[action]),
        _wins(found, action),
        _percent(found.policy[action]),
    ]
    if exact is not None:
        cells.append(VALUE_WORDS[exact])
    cells.append(escape(" ".join(rules.names(line))))
    chosen = ' class="chosen"' if action == found.action else ""
    return f'<tr data-for="{action}"{chosen}>{"".join(f"<td>{cell}</td>" for cell in cells)}</tr>'


def _percent(share: float | None) -> str:
    return "" if share is None else f"{share:.1%}"


def _wins(found: PositionSearch, action: int) -> str:
    if found.q_values is None or found.visits is None or not found.visits[action]:
        return ""
    value = float(found.q_values[action])
    text = "white" if abs(value) > _DARK else "inherit"
    style = f"background:{value_colour(value)};color:{text}"
    return f'<span class="value" style="{style}">{describe_chance(value)}</span>'
