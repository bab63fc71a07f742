"""The search of a position in words."""

from azjax.evaluation import PositionSearch

_PLAYED = ">"
EXPLANATION = (
    "> marks the move to play. Visits are simulations that begin with a move. The policy\n"
    "is what a network learns from the search; a move that Gumbel left out early may\n"
    "end with a higher one than the move that it plays."
)


def describe_value(value: float, person: str) -> str:
    """Returns such as `value +0.35 for you`; the value is from the person's view."""
    return f"value {round(value, 2) + 0.0:+.2f} for {person}"  # -0.0 + 0.0 is 0.0


def list_moves(found: PositionSearch, most: int) -> str:
    """Returns lines with the best moves, the one to play marked: their policy, and their visits.

    The last line tells of the others. There are no visits if the search does not say them.
    """
    names = {action: found.game.format_action(action) for action in found.tried_actions()[:most]}
    width = max(len("move"), *map(len, names.values()))
    lines = [f"  {'move':{width}}  policy" + ("" if found.visits is None else "  visits")]
    for action, name in names.items():
        move = f"{mark_of(found, action)} {name:{width}}"
        visits = "" if found.visits is None else f"  {found.visits[action]:6}"
        lines.append(f"{move}  {found.policy[action]:6.1%}{visits}")
    lines += [f"  {rest}"] if (rest := found.describe_rest(most)) else []
    return "\n".join(lines)


def mark_of(found: PositionSearch, action: int) -> str:
    """Returns the mark of the action to play, and a space for others."""
    return _PLAYED if action == found.action else " "
