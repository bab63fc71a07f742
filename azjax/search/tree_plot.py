"""A search tree as a picture."""

from typing import Any

from azjax.games import Game
from azjax.search import Node

_COLOURS = "PuOr"  # purple wins, orange loses: told apart without red and green


def plot_tree(axes: Any, game: Game, nodes: list[Node]) -> None:
    """Draws a search tree, its root above.

    A node shows the move into it, its visits, and its value from the view of the player to move at
    the root, in words and as a colour; the lines are as thick as they were often gone along.

    Args:
      axes: Those of matplotlib to draw into.
      game: The rules.
      nodes: As from `inspect_tree`, layer by layer; a node without its parent is not allowed.
    """
    import matplotlib

    places = {i: (x, -depth) for i, (x, depth) in _lay_out(nodes).items()}
    colours = matplotlib.colormaps[_COLOURS]
    most = max(node.visits for node in nodes)
    for node in nodes:
        x, y = places[node.index]
        if node.parent is not None:
            above = places[node.parent]
            width = 0.5 + 5 * node.visits / most
            axes.plot([above[0], x], [above[1], y], color="0.6", linewidth=width, zorder=1)
        axes.text(
            x,
            y,
            _label(game, node),
            ha="center",
            va="center",
            fontsize=8,
            color="white" if abs(node.value) > 0.6 else "black",
            bbox={
                "boxstyle": "round",
                "facecolor": colours((1 + node.value) / 2),
                "edgecolor": "black" if node.state.terminated else "0.6",
            },
        )
    axes.set_axis_off()
    axes.set_xlim(-0.6, max(x for x, _ in places.values()) + 0.6)
    axes.set_ylim(min(y for _, y in places.values()) - 0.4, 0.4)


def _lay_out(nodes: list[Node]) -> dict[int, tuple[float, int]]:
    """Returns each node's place, across and down: leaves side by side, parents above the middle."""
    children = {node.index: [] for node in nodes}
    for node in nodes[1:]:
        children[node.parent].append(node)
    places = {}
    num_leaves = 0

    def place(node):
        nonlocal num_leaves
        below = [place(child) for child in children[node.index]]
        x = (below[0] + below[-1]) / 2 if below else num_leaves
        num_leaves += not below
        places[node.index] = (x, node.depth)
        return x

    place(nodes[0])
    return places


def _label(game: Game, node: Node) -> str:
    move = "root" if node.action is None else game.format_action(node.action)
    return f"{move}\n{node.visits}\n{node.value:+.2f}"
