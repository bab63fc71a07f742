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

# The kind of a layer's input and output axes, by its name and its module's if another layer has the
# name too. In layers not listed, both are hidden units.
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
    "resnet": {
        "stem": ("fixed", "units"),
        "consistency.first": ("cells of units", "units"),
        **_BOARD_HEADS,
    },
}


class _Axis(NamedTuple):
    """An axis of an array; after the entries of its kind may come some that stay in place."""

    kind: AxisKind
    size: int
    num_fixed: int = 0


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
        axes = _axes(config.architecture, [key.key for key in path], array)
        permutations.append(num_before + _array_permutations(symmetries, axes))
        num_before += array.size
    return np.concatenate(permutations, axis=1)


def _axes(architecture: str, path: list[str], array: jax.Array) -> list[_Axis]:
    """Returns the axes of a layer's array; the two axes of a 3x3 window count as one."""
    *_, layer, name = path
    layers = _AXES[architecture]
    kinds = layers.get(".".join(path[-3:-1]), layers.get(layer, ("units", "units")))
    outputs = _Axis(kinds[1], array.shape[-1])
    if name != "kernel":  # a bias or a scale
        return [*_fixed(array.shape[:-1]), outputs]
    is_conv = array.ndim >= 4
    first = array.ndim - (4 if is_conv else 2)  # a tower's arrays have an axis of blocks before
    num_inputs, num_planes = array.shape[first], 0
    if layer == "turn_stem":  # it reads the planes of an action after the channels of a latent
        num_planes = num_inputs - array.shape[-1]
    axes = [
        *_fixed(array.shape[:first]),
        _Axis(kinds[0], num_inputs - num_planes, num_fixed=num_planes),
    ]
    if is_conv:
        axes.append(_Axis("window", 9))
    return [*axes, outputs]


def _fixed(sizes: tuple[int, ...]) -> list[_Axis]:
    """Returns axes that no symmetry permutes."""
    return [_Axis("fixed", size) for size in sizes]


def _array_permutations(symmetries: BoardSymmetries, axes: list[_Axis]) -> np.ndarray:
    """Returns `[S, size]` int32: the permutation of a flat array by each symmetry."""
    permutations = np.zeros((len(symmetries.cells), 1), np.int32)
    for kind, size, num_fixed in axes:
        of_kind = _axis_permutations(symmetries, kind, size)
        after = size + _axis_permutations(symmetries, "fixed", num_fixed)
        permutations = _pair(permutations, np.concatenate([of_kind, after], axis=1))
    return permutations


def _axis_permutations(symmetries: BoardSymmetries, kind: AxisKind, size: int) -> np.ndarray:
    """Returns `[S, size]` int32: the permutation of entries of one kind by each symmetry."""
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
