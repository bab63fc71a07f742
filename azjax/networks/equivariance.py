"""Networks to which a position and its images by the board's symmetries are one (Cohen and Welling
2016, "Group Equivariant Convolutional Networks").

Hidden units come in groups of S, one unit for each symmetry: what one finds in a position, another
finds in the position's image. So the policy of an image is the image of the policy, and its value
is the same, to rounding. Such a network is an ordinary one with tied weights: every symmetry takes
each weight to another, and all that it is taken to are equal. They start equal and, where gradients
are averaged over them, stay equal. The network runs as any other, no slower, and learns from every
position what it would learn from all its S images.
"""

from typing import Any, NamedTuple

import jax
import numpy as np

from azjax.networks.config import Architecture, NetworkConfig

# What the axes of a layer's inputs and outputs are; of layers not named, both are hidden units.
_BOARD_HEADS = {
    "policy_logits": ("cells of units", "actions"),
    "value_hidden": ("cells of units", "units"),
    "value": ("units", "fixed"),
}
_AXES: dict[Architecture, dict[str, tuple[str, str]]] = {
    "mlp": {
        "stem": ("cells of planes", "units"),
        "policy_logits": ("units", "actions"),
        "value": ("units", "fixed"),
    },
    "convnet": {"first": ("fixed", "units"), **_BOARD_HEADS},
    "resnet": {"stem": ("fixed", "units"), **_BOARD_HEADS},
}


class BoardSymmetries(NamedTuple):
    """S symmetries: seen through s, a flat board is `board[cells[s]]`, as `azjax.games` has it."""

    rows: int
    columns: int
    cells: np.ndarray  # [S, rows * columns] int32
    actions: np.ndarray  # [S, A] int32


def check_equivariance(config: NetworkConfig, symmetries: BoardSymmetries) -> None:
    """Raises ValueError where the board or the sizes forbid the network to be equivariant.

    The units of each hidden layer come in groups, one for each symmetry.
    """
    if not ties_weights(config, symmetries):
        return
    if min(symmetries.rows, symmetries.columns) < 2:
        raise ValueError("an equivariant network needs a board of two rows and columns or more")
    sizes = {"channels": config.channels}
    if config.architecture != "mlp":
        sizes["policy_planes"], sizes["value_planes"] = config.policy_planes, config.value_planes
        sizes["value_features"] = config.value_features or config.channels
    num_symmetries = len(symmetries.cells)
    unfit = [f"{name} is {size}" for name, size in sizes.items() if size % num_symmetries]
    if unfit:
        raise ValueError(
            f"{', '.join(unfit)}: where the network is equivariant, a multiple of {num_symmetries},"
            " the symmetries of the board"
        )


def ties_weights(config: NetworkConfig, symmetries: BoardSymmetries) -> bool:
    """Tells whether there are weights to tie: the network is equivariant, the board symmetric."""
    return config.equivariant and len(symmetries.cells) > 1


def parameter_permutations(
    config: NetworkConfig, symmetries: BoardSymmetries, parameters: Any
) -> np.ndarray:
    """Returns `[S, N]` int32: where in the vector of all parameters each symmetry takes each."""
    images, num_before = [], 0
    for path, array in jax.tree.leaves_with_path(parameters):
        axes = _axes(config.architecture, path[-2].key, path[-1].key, array)
        images.append(num_before + _images(symmetries, axes))
        num_before += array.size
    return np.concatenate(images, axis=1)


def _axes(
    architecture: Architecture, layer: str, name: str, array: jax.Array
) -> list[tuple[str, int]]:
    """Returns what each axis of a layer's array is, and its size; a window counts as one axis."""
    inputs, outputs = _AXES[architecture].get(layer, ("units", "units"))
    if name != "kernel":  # a bias or a scale
        return [*(("fixed", n) for n in array.shape[:-1]), (outputs, array.shape[-1])]
    is_conv = array.ndim >= 4
    first = array.ndim - (4 if is_conv else 2)  # the axes before are of blocks
    return [
        *(("fixed", n) for n in array.shape[:first]),
        (inputs, array.shape[first]),
        *([("window", 9)] if is_conv else []),
        (outputs, array.shape[-1]),
    ]


def _images(symmetries: BoardSymmetries, axes: list[tuple[str, int]]) -> np.ndarray:
    """Returns `[S, size]` int32: where in the flat array each symmetry takes each element."""
    images = np.zeros((len(symmetries.cells), 1), np.int32)
    for kind, size in axes:
        images = _pair(images, _permutation(symmetries, kind, size))
    return images


def _permutation(symmetries: BoardSymmetries, kind: str, size: int) -> np.ndarray:
    """Returns `[S, size]` int32: where the symmetries take the elements of such an axis."""
    cells, actions = symmetries.cells, symmetries.actions
    num_symmetries, num_cells = cells.shape
    match kind:
        case "fixed":
            return np.tile(np.arange(size, dtype=np.int32), (num_symmetries, 1))
        case "units":  # groups, one after another
            groups = _permutation(symmetries, "fixed", size // num_symmetries)
            return _pair(groups, _products(symmetries))
        case "actions":
            return actions
        case "window":
            return _window(symmetries)
        case "cells of planes":
            return _pair(cells, _permutation(symmetries, "fixed", size // num_cells))
        case "cells of units":
            return _pair(cells, _permutation(symmetries, "units", size // num_cells))
    raise ValueError(kind)


def _pair(outer: np.ndarray, inner: np.ndarray) -> np.ndarray:
    """Returns `[S, M * N]`: the permutations of pairs, of what `[S, M]` and `[S, N]` permute."""
    pairs = outer[:, :, None] * inner.shape[1] + inner[:, None, :]
    return pairs.reshape(len(pairs), -1)


def _products(symmetries: BoardSymmetries) -> np.ndarray:
    """Returns `[S, S]` int32: which symmetry it is to look through the first, then the second."""
    cells, actions = symmetries.cells, symmetries.actions
    views = np.concatenate([cells, cells.shape[1] + actions], axis=1)
    one_after_another = views[:, views]  # [S, S, cells and actions]
    return (one_after_another[:, :, None] == views).all(axis=-1).argmax(axis=-1).astype(np.int32)


def _window(symmetries: BoardSymmetries) -> np.ndarray:
    """Returns `[S, 9]` int32: where the symmetries take the cells of a window, row by row."""
    places = np.stack(np.divmod(symmetries.cells, symmetries.columns), axis=-1)  # [S, cells, 2]
    down, right = (places[:, n] - places[:, 0] for n in (symmetries.columns, 1))
    steps = np.arange(-1, 2)[:, None]
    to = (steps * down[:, None])[:, :, None] + (steps * right[:, None])[:, None]  # [S, 3, 3, 2]
    return ((to + 1) @ np.array([3, 1])).reshape(-1, 9).astype(np.int32)
