"""Networks to which a position and its images by the board's symmetries are one (Cohen and Welling
2016, "Group Equivariant Convolutional Networks").

Hidden units come in groups of S, one unit for each symmetry: what one finds in a position, another
finds in the position's image. So the policy of an image is the image of the policy, and its value
is the same, exactly. Such a network is an ordinary one with tied weights: every symmetry takes each
weight to another, and all that it is taken to are equal. They start equal and, where gradients are
averaged over them, stay equal. The network runs as any other, no slower, and learns from every
position what it would learn from all its S images.
"""

from typing import Any, NamedTuple

import jax
import numpy as np

from azjax.networks.config import Architecture, NetworkConfig

# What the axes of a layer's inputs and outputs are; of layers not named, both are hidden units.
_BOARD_HEADS = {
    "policy_logits": ("units of cells", "actions"),
    "value_hidden": ("units of cells", "units"),
    "value": ("units", "fixed"),
}
_AXES: dict[Architecture, dict[str, tuple[str, str]]] = {
    "mlp": {
        "stem": ("planes of cells", "units"),
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
    """Raises ValueError where a network cannot be equivariant: its units must come in groups."""
    num_symmetries = len(symmetries.cells)
    sizes = {"channels": config.channels}
    if config.architecture != "mlp":
        sizes["policy_planes"], sizes["value_planes"] = config.policy_planes, config.value_planes
        sizes["value_features"] = config.value_features or config.channels
    for name, size in sizes.items():
        if config.equivariant and size % num_symmetries:
            raise ValueError(
                f"{name} is {size}: an equivariant network needs a multiple of {num_symmetries}, "
                "the symmetries of the board"
            )


def parameter_images(
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
        permutation = _permutation(symmetries, kind, size)
        images = _flatten(images[:, :, None] * size + permutation[:, None, :])
    return images


def _permutation(symmetries: BoardSymmetries, kind: str, size: int) -> np.ndarray:
    """Returns `[S, size]` int32: where the symmetries take the elements of such an axis."""
    _, _, cells, actions = symmetries
    fixed = np.broadcast_to(np.arange(size, dtype=np.int32), (len(cells), size))
    match kind:
        case "fixed":
            return fixed
        case "units":
            first_of_group = fixed[:, :: len(cells)]
            return _flatten(first_of_group[:, :, None] + _products(cells)[:, None, :])
        case "actions":
            return actions
        case "window":
            return _window(symmetries)
        case "planes of cells" | "units of cells":
            planes = size // cells.shape[1]
            inner = _permutation(symmetries, "fixed" if "planes" in kind else "units", planes)
            return _flatten(cells[:, :, None] * planes + inner[:, None, :])
    raise ValueError(kind)


def _flatten(permutations: np.ndarray) -> np.ndarray:
    return permutations.reshape(len(permutations), -1)


def _products(cells: np.ndarray) -> np.ndarray:
    """Returns `[S, S]` int32: which symmetry it is to look through the first, then the second."""
    both = cells[:, cells]  # [S, S, cells]
    return (both[:, :, None] == cells).all(axis=-1).argmax(axis=-1).astype(np.int32)


def _window(symmetries: BoardSymmetries) -> np.ndarray:
    """Returns `[S, 9]` int32: where the symmetries take the cells of a window, row by row."""
    row, column = np.divmod(symmetries.cells, symmetries.columns)
    steps = np.stack([row, column], axis=-1)
    down, right = (steps[:, n] - steps[:, 0] for n in (symmetries.columns, 1))
    around = np.arange(-1, 2)
    to = around[:, None, None] * down[:, None, None] + around[:, None] * right[:, None, None]
    return _flatten((to + 1) @ np.array([3, 1])).astype(np.int32)
