"""The search of a position in words."""

import textwrap

from azjax.evaluation import PositionSearch

_WIDTH = 80
_WHY_THEY_DIFFER = {
    "gumbel": (
        "Gumbel visits its last candidates equally often; which of them is best, the policy says, "
        "and that is what a network learns."
    ),
    "puct": "Their share is the policy, and that is what a network learns.",
    "uct": "Their share is the policy.",
}
_OF_OTHER_SEARCHES = "The policy is what a network learns from the search."


def describe_value(value: float, person: str) -> str:
    """Returns such as `value +0.35 for you`; the value is from the person's view."""
    return f"value {round(value, 2) + 0.0:+.2f} for {person}"  # -0.0 + 0.0 is 0.0


def list_moves(found: PositionSearch, most: int) -> str:
    """Returns lines with the best moves: their policy, and their visits if the search says them."""
    names = {action: found.game.format_action(action) for action in found.tried_actions()[:most]}
    width = max(len("move"), *map(len, names.values()))
    lines = [f"  {'move':{width}}  policy" + ("" if found.visits is None else "  visits")]
    for action, name in names.items():
        visits = "" if found.visits is None else f"  {found.visits[action]:6}"
        lines.append(f"  {name:{width}}  {found.policy[action]:6.1%}{visits}")
    return "\n".join(lines)


def explain_columns(algorithm: str) -> str:
    """Returns what policy and visits are, and why they differ, for a search of this algorithm."""
    why = _WHY_THEY_DIFFER.get(algorithm, _OF_OTHER_SEARCHES)
    return textwrap.fill(f"Visits are simulations that begin with the move. {why}", _WIDTH)
