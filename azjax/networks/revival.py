"""Dead units of residual blocks begin again, which changes none of a network's outputs.

A hidden unit that no position activates (a dying ReLU, Lu et al. 2020) has no gradient, and weight
decay takes its weights to zero: the network has fewer units than its configuration says.
"""

from typing import Any

import jax
import numpy as np

from azjax.networks.config import NetworkConfig, NormalizedConfig
from azjax.networks.mlp import MLPConfig
from azjax.networks.network import Variables
from azjax.networks.resnet import ResNetConfig

_NEGLIGIBLE = 1e-2  # norm of the weights that a unit reads by, and is read by; a fresh one has 1.4


def count_dead_units(config: NetworkConfig, variables: Variables) -> int:
    """Returns the number of dead hidden units of a network's residual blocks.

    With a normalization, with global pooling, or in a learnt model, a unit is never counted as
    dead.
    """
    blocks = _blocks(config, variables.params)
    return int(_is_dead(blocks).sum()) if blocks else 0


def revive(config: NetworkConfig, variables: Variables, fresh: Variables) -> Variables:
    """Returns variables with fresh weights for the dead hidden units of residual blocks.

    No later unit reads them: those weights start at zero, and learn. Tied weights stay tied.

    Args:
      config: The configuration of the network, before it has grown if it has.
      variables: Its variables.
      fresh: Initial variables of the same sizes.
    """
    params = jax.tree.map(np.array, variables.params)
    blocks = _blocks(config, params)
    if blocks:
        is_dead, new = _is_dead(blocks), _blocks(config, fresh.params)
        for name in ("kernel", "bias"):
            array, begun = blocks["first"][name], np.asarray(new["first"][name])
            units_last = np.expand_dims(is_dead, tuple(range(1, array.ndim - 1)))
            blocks["first"][name] = np.where(units_last, begun, array)
        readers = blocks["second"]["kernel"]
        units_second = np.expand_dims(is_dead, tuple(range(2, readers.ndim)))
        blocks["second"]["kernel"] = np.where(units_second, 0, readers).astype(readers.dtype)
    return variables._replace(params=params)


def _blocks(config: NetworkConfig, params: dict[str, Any]) -> dict[str, Any]:
    """Returns the residual blocks, or nothing where other units than ReLUs read hidden units."""
    if not isinstance(config, NormalizedConfig) or type(config) not in (MLPConfig, ResNetConfig):
        return {}
    if config.norm != "none" or config.pools_value:
        return {}
    return params.get("tower", {}).get("blocks", {})


def _is_dead(blocks: dict[str, Any]) -> np.ndarray:
    """Returns [blocks, units]: whether what a unit adds to the network is negligible.

    The weights that it reads by and is read by are, and no bias keeps it active.
    """
    reads = _norms(blocks["first"]["kernel"], axis=-1)
    is_read = _norms(blocks["second"]["kernel"], axis=1)
    bias = np.asarray(blocks["first"]["bias"])
    return np.maximum.reduce([reads, is_read, bias]) < _NEGLIGIBLE


def _norms(kernels: np.ndarray, axis: int) -> np.ndarray:
    """Returns [blocks, units]: the norms of kernels `[blocks, ...]` whose units are on an axis."""
    units = np.moveaxis(np.asarray(kernels), axis, 1)
    return np.linalg.norm(units.reshape(*units.shape[:2], -1), axis=-1)
