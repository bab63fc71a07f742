"""Networks that are equivariant to the board's symmetries (Cohen and Welling 2016, "Group
Equivariant Convolutional Networks").

The policy of a transformed position is the transformed policy, and its value is the same, to
rounding. The network is an ordinary one with tied weights. Hidden units come in groups of S, one
unit per symmetry: a symmetry of the board permutes the units of each group, and so permutes the
weights. Weights that some symmetry maps to each other are equal. They start equal, and stay equal
where gradients are averaged over them. Evaluation costs the same as for an ordinary network, and
each position trains the network as all its S transforms would.
"""

from typing import Any, Literal, NamedTuple

import jax
import numpy as np

from azjax.networks.config import NetworkConfig

AxisKind = Literal["fixed", "units", "actions", "window", "cells of planes", "cells of units"]

# The kind of a layer's input and output axes. In layers not listed, both are hidden units.
_BOARD_HEADS: dict[str, tuple[AxisKind, AxisKind]] = {
    "policy_logits": ("cells of units", "actions"),
    "reply_logits": ("cells of units", "actions"),
    "action_values": ("cells of units", "actions"),
    "value_hidden": ("cells of units", "units"),
    "value": ("units", "fixed"),
    "ownership": ("units", "fixed"),
    "margin": ("units", "fixed"),
}
_AXES: dict[str, dict[str, tuple[AxisKind, AxisKind]]] = {
    "mlp": {
        "stem": ("cells of planes", "units"),
        "policy_logits": ("units", "actions"),
        "reply_logits": ("units", "actions"),
        "action_values": ("units", "actions"),
        "value": ("units", "fixed"),
        "ownership": ("units", "cells of planes"),
        "margin": ("units", "fixed"),
    },
    "convnet": {"first": ("fixed", "units"), **_BOARD_HEADS},
    "resnet": {"stem": ("fixed", "units"), **_BOARD_HEADS},
}


class BoardSymmetries(NamedTuple):
    """S symmetries of a game: symmetry s transforms a flat board to `board[cells[s]]`."""

    rows: int
    columns: int
    cells: np.ndarray  # [S, rows * columns] int32
    actions: np.ndarray  # [S, A] int32


def check_equivariance(config: NetworkConfig, symmetries: BoardSymmetries) -> None:
    """Raises ValueError where the network, the board or the layer sizes do not allow equivariance.

    The size of each hidden layer must be a multiple of the number of symmetries.
    """
    if not ties_weights(config, symmetries):
        return
    if config.architecture not in _AXES:
        raise ValueError(
            f"network.architecture={config.architecture!r}: with network.equivariant must be "
            f"{', '.join(_AXES)}; --network.no-equivariant allows any"
        )
    if min(symmetries.rows, symmetries.columns) < 2:
        raise ValueError("an equivariant network needs a board of two rows and columns or more")
    sizes = {"channels": config.channels}
    if config.architecture != "mlp":
        sizes["policy_planes"] = config.policy_planes
        if config.value_head != "none":
            sizes["value_planes"] = config.value_planes
            sizes["value_features"] = config.value_features or config.channels
    num_symmetries = len(symmetries.cells)
    unfit = [f"network.{name}={size}" for name, size in sizes.items() if size % num_symmetries]
    if unfit:
        raise ValueError(
            f"{', '.join(unfit)}: must be a multiple of {num_symmetries}, the number of "
            "symmetries of the board, where network.equivariant is set"
        )


def ties_weights(config: NetworkConfig, symmetries: BoardSymmetries) -> bool:
    """Tells whether weights are tied: the network is equivariant and the board has symmetries."""
    return config.equivariant and len(symmetries.cells) > 1


def parameter_permutations(
    config: NetworkConfig, symmetries: BoardSymmetries, params: dict[str, Any]
) -> np.ndarray:
    """Returns `[S, N]` int32: the permutation of the flat vector of N parameters by each symmetry.

    Entry [s, n] is the index to which symmetry s maps parameter n.

    Args:
      config: The network's configuration.
      symmetries: The board's symmetries.
      params: Nested dicts of arrays, or of their shapes; `Variables.params` of the network.
    """
    permutations, num_before = [], 0
    for path, array in jax.tree.leaves_with_path(params):
        axes = _axes(config.architecture, path[-2].key, path[-1].key, array)
        permutations.append(num_before + _array_permutations(symmetries, axes))
        num_before += array.size
    return np.concatenate(permutations, axis=1)


def _axes(architecture: str, layer: str, name: str, array: jax.Array) -> list[tuple[AxisKind, int]]:
    """Returns the kind and the size of each axis of a layer's array.

    The two axes of a 3x3 window count as one.
    """
    inputs, outputs = _AXES[architecture].get(layer, ("units", "units"))
    if name != "kernel":  # a bias or a scale
        return [*_fixed(array.shape[:-1]), (outputs, array.shape[-1])]
    is_conv = array.ndim >= 4
    first = array.ndim - (4 if is_conv else 2)  # a tower's arrays have an axis of blocks before
    axes = [*_fixed(array.shape[:first]), (inputs, array.shape[first])]
    if is_conv:
        axes.append(("window", 9))
    return [*axes, (outputs, array.shape[-1])]


def _fixed(sizes: tuple[int, ...]) -> list[tuple[AxisKind, int]]:
    """Returns axes that no symmetry permutes."""
    return [("fixed", size) for size in sizes]


def _array_permutations(
    symmetries: BoardSymmetries, axes: list[tuple[AxisKind, int]]
) -> np.ndarray:
    """Returns `[S, size]` int32: the permutation of a flat array by each symmetry."""
    permutations = np.zeros((len(symmetries.cells), 1), np.int32)
    for kind, size in axes:
        permutations = _pair(permutations, _axis_permutations(symmetries, kind, size))
    return permutations


def _axis_permutations(symmetries: BoardSymmetries, kind: AxisKind, size: int) -> np.ndarray:
    """Returns `[S, size]` int32: the permutation of an axis by each symmetry."""
    cells, actions = symmetries.cells, symmetries.actions
    num_symmetries, num_cells = cells.shape
    match kind:
        case "fixed":
            return np.tile(np.arange(size, dtype=np.int32), (num_symmetries, 1))
        case "units":  # groups of S units
            groups = _axis_permutations(symmetries, "fixed", size // num_symmetries)
            return _pair(groups, _compositions(symmetries))
        case "actions":
            return actions
        case "window":
            return _window_permutations(symmetries)
        case "cells of planes":
            return _pair(cells, _axis_permutations(symmetries, "fixed", size // num_cells))
        case "cells of units":
            return _pair(cells, _axis_permutations(symmetries, "units", size // num_cells))


def _pair(outer: np.ndarray, inner: np.ndarray) -> np.ndarray:
    """Returns `[S, M * N]`: the permutations of pairs, from those of both members."""
    pairs = outer[:, :, None] * inner.shape[1] + inner[:, None, :]
    return pairs.reshape(len(pairs), -1)


def _compositions(symmetries: BoardSymmetries) -> np.ndarray:
    """Returns `[S, S]` int32: the index of the composition of each two symmetries.

    Entry [s, t] is the symmetry that applies s first, then t.
    """
    cells, actions = symmetries.cells, symmetries.actions
    permutations = np.concatenate([cells, cells.shape[1] + actions], axis=1)
    composed = permutations[:, permutations]  # [S, S, cells and actions]
    is_equal = (composed[:, :, None] == permutations).all(axis=-1)
    return is_equal.argmax(axis=-1).astype(np.int32)


def _window_permutations(symmetries: BoardSymmetries) -> np.ndarray:
    """Returns `[S, 9]` int32: the permutation of a 3x3 window, row by row, by each symmetry."""
    coordinates = np.stack(
        np.divmod(symmetries.cells, symmetries.columns), axis=-1
    )  # [S, cells, 2]
    down, right = (coordinates[:, n] - coordinates[:, 0] for n in (symmetries.columns, 1))
    steps = np.arange(-1, 2)[:, None]
    targets = (steps * down[:, None])[:, :, None] + (steps * right[:, None])[:, None]
    # [S, 3, 3, 2], rows and columns from -1 to 1
    return ((targets + 1) @ np.array([3, 1])).reshape(-1, 9).astype(np.int32)
