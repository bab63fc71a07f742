"""A search tree as a figure."""

from typing import TYPE_CHECKING

from azjax.games import Game
from azjax.search.inspection import Node

if TYPE_CHECKING:  # importing matplotlib takes longer than --help should
    from matplotlib.axes import Axes

_COLORMAP = "PuOr"  # purple wins, orange loses: readable without red and green


def plot_tree(axes: "Axes", game: Game, nodes: list[Node]) -> None:
    """Plots a search tree, its root at the top.

    A node shows the move into it, its visits, and its value from the view of the player to move at
    the root, as a number and as a color. The width of an edge grows with its visits.

    Args:
      axes: The matplotlib axes.
      game: The rules.
      nodes: As from `inspect_tree`, in breadth-first order; every parent is among them.
    """
    import matplotlib

    positions = {i: (x, -depth) for i, (x, depth) in _layout(nodes).items()}
    colormap = matplotlib.colormaps[_COLORMAP]
    most = max(node.visits for node in nodes)
    for node in nodes:
        x, y = positions[node.index]
        if node.parent is not None:
            above = positions[node.parent]
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
                "facecolor": colormap((1 + node.value) / 2),
                "edgecolor": "black" if node.is_terminal else "0.6",
            },
        )
    axes.set_axis_off()
    axes.set_xlim(-0.6, max(x for x, _ in positions.values()) + 0.6)
    axes.set_ylim(min(y for _, y in positions.values()) - 0.4, 0.4)


def _layout(nodes: list[Node]) -> dict[int, tuple[float, int]]:
    """Returns each node's column and depth: leaves side by side, parents above their middle."""
    children: dict[int, list[Node]] = {node.index: [] for node in nodes}
    for node in nodes:
        if node.parent is not None:
            children[node.parent].append(node)
    layout: dict[int, tuple[float, int]] = {}
    num_leaves = 0

    def arrange(node: Node) -> float:
        nonlocal num_leaves
        below = [arrange(child) for child in children[node.index]]
        x = (below[0] + below[-1]) / 2 if below else num_leaves
        num_leaves += not below
        layout[node.index] = (x, node.depth)
        return x

    arrange(nodes[0])
    return layout


def _label(game: Game, node: Node) -> str:
    move = "root" if node.action is None else game.format_action(node.action)
    return f"{move}\n{node.visits}\n{node.value:+.2f}"
