"""Networks that are equivariant to the board's symmetries (Cohen and Welling 2016, "Group
Equivariant Convolutional Networks").

The policy of a transformed position is the transformed policy, and its value is the same, to
rounding. The network is an ordinary one with tied weights. Hidden units come in groups of S, one
unit per symmetry: a symmetry of the board permutes the units of each group, and so permutes the
weights. Weights that some symmetry maps to each other are equal. They start equal, and stay equal
where gradients are averaged over them. Evaluation costs the same as for an ordinary network, and
each position trains the network as all its S transforms would.

A torso says what its axes are (`TorsoAxes`). No symmetry permutes the units of one that is
equivariant by construction, and only the heads that read it have tied weights.
"""

from typing import NamedTuple

import jax
import numpy as np

from azjax.networks.config import AxisKind, NetworkConfig, TorsoAxes
from azjax.networks.network import Network


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


def check_equivariance(network: Network, symmetries: BoardSymmetries) -> None:
    """Raises ValueError where the torso, the board or the layer sizes do not allow equivariance.

    The size of each layer of hidden units that symmetries permute must be a multiple of their
    number.
    """
    config, axes = network.config, network.torso_axes
    if not ties_weights(config, symmetries):
        return
    if axes is None:
        raise ValueError(
            "network.equivariant=True: must be False, as the torso of network "
            f"{config.name!r} is not equivariant"
        )
    if axes.hidden == "fixed":
        return
    if min(symmetries.rows, symmetries.columns) < 2:
        raise ValueError("an equivariant network needs a board of two rows and columns or more")
    sizes = {"channels": config.channels}
    if axes.features == "cells":
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


def parameter_permutations(network: Network, symmetries: BoardSymmetries) -> np.ndarray:
    """Returns `[S, N]` int32: the permutation of the flat vector of N parameters by each symmetry.

    Entry [s, n] is the index to which symmetry s maps parameter n of a network that
    `check_equivariance` accepts.
    """
    torso = network.torso_axes
    assert torso is not None, "check_equivariance refuses others"
    heads = _head_axes(network, torso)
    permutations, num_before = [], 0
    for path, array in jax.tree.leaves_with_path(network.shapes.params):
        names = [key.key for key in path]
        axes = _axes(heads if names[0] == "heads" else torso, names, array)
        permutations.append(num_before + _array_permutations(symmetries, axes))
        num_before += array.size
    return np.concatenate(permutations, axis=1)


def _head_axes(network: Network, torso: TorsoAxes) -> TorsoAxes:
    """Returns what the axes of the heads' arrays are, above the features of a torso."""
    units: AxisKind = torso.hidden
    by_cell: AxisKind = "cells of units" if units == "units" else "cells of planes"
    has_cells = network.has_cell_features
    to_actions: tuple[AxisKind, ...] = (by_cell if has_cells else units, "actions")
    auxiliary: dict[str, tuple[AxisKind, ...]] = {
        "actions": to_actions,
        "cells": (units, "fixed" if has_cells else "cells of planes"),
        "scalar": (units, "fixed"),
    }
    layers: dict[str, tuple[AxisKind, ...]] = {
        "heads.policy_logits": to_actions,
        "heads.value_hidden": (by_cell, units),
        "heads.value": (units, "fixed"),
    }
    for head in network.heads:
        layers[f"heads.auxiliary.{head.name}"] = auxiliary[head.outputs]
    return TorsoAxes(torso.hidden, layers=layers)


def _axes(known: TorsoAxes, path: list[str], array: jax.ShapeDtypeStruct) -> list[_Axis]:
    """Returns the axes of an array; the two axes of a 3x3 window count as one."""
    listed = known.layers.get(".".join(path))
    if listed is not None:
        return [_Axis(kind, size) for kind, size in zip(listed, array.shape, strict=True)]
    kinds = known.layers.get(".".join(path[:-1]), (known.hidden, known.hidden))
    if set(kinds) == {"fixed"}:
        return _fixed(array.shape)
    outputs = _Axis(kinds[1], array.shape[-1])
    if path[-1] != "kernel":  # a bias or a scale
        return [*_fixed(array.shape[:-1]), outputs]
    is_conv = array.ndim >= 4
    first = array.ndim - (4 if is_conv else 2)  # a tower's arrays have an axis of blocks before
    inputs = _Axis(kinds[0], array.shape[first])
    if inputs.kind == "units and planes":
        inputs = _Axis("units", outputs.size, num_fixed=inputs.size - outputs.size)
    window = [_Axis("window", 9)] * is_conv
    return [*_fixed(array.shape[:first]), inputs, *window, outputs]


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
            if size % num_symmetries:
                raise ValueError(
                    f"{size} hidden units of an equivariant network: must be a multiple of "
                    f"{num_symmetries}, the number of symmetries of the board"
                )
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
        case "units and planes":
            raise AssertionError("an axis of units, with fixed entries after them")


def _pair(outer: np.ndarray, inner: np.ndarray) -> np.ndarray:
    """Returns `[S, M * N]`: the permutations of pairs, from the permutations of both members."""
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
