"""Growth of a network into more blocks, channels or planes, which changes none of its outputs.

As in Net2Net (Chen et al. 2016, "Accelerating Learning via Knowledge Transfer"), but new units
start as those of a fresh network, except that no old unit reads them: those weights start at zero.
So the old units keep their values. A fresh block is the identity, so new blocks are fresh ones,
after the old. Tied weights stay tied: symmetries map new units to new units.
"""

import jax
import numpy as np

from azjax.networks.config import NetworkConfig
from azjax.networks.network import Variables

_SIZES = ("channels", "blocks", "policy_planes", "value_planes", "value_features")
# The sizes that matter to an architecture; to one that is not listed, all of them, and none grows.
_SIZES_OF = {
    "mlp": ("channels", "blocks"),
    "convnet": ("channels", "policy_planes", "value_planes", "value_features"),
    "resnet": _SIZES,
}
# The layers that read all cells of a head's planes.
_PLANES_READ = {
    "policy_logits": "policy_planes",
    "reply_logits": "policy_planes",
    "action_values": "policy_planes",
    "value_hidden": "value_planes",
}


def check_growth(old: NetworkConfig, new: NetworkConfig) -> None:
    """Raises ValueError unless a network of one configuration can grow into another.

    It cannot shrink, and keeps its architecture, its kind of value and its normalization; a policy
    alone may begin to predict values. Layer normalization mixes all channels, so with it their
    number stays too. Auxiliary heads change no policy and no value, so any may be added or left
    out. Global pooling, which starts at zero, may be added.
    """
    for name in ("architecture", "value_head", "norm"):
        wanted, given = getattr(old, name), getattr(new, name)
        may_begin = name == "value_head" and wanted == "none"
        if wanted != given and not may_begin:
            raise ValueError(f"network.{name}={given!r}: must be {wanted!r}, as in the agent")
    if new.equivariant and not old.equivariant:
        raise ValueError("network.equivariant=True: must be False, as in the agent")
    if old.global_pooling and not new.global_pooling:
        raise ValueError("network.global_pooling=False: must be True, as in the agent")
    before, after = _sizes(old), _sizes(new)
    can_grow = {*_SIZES_OF.get(old.architecture, ())}
    if old.norm == "layer":
        can_grow -= {"channels"}  # the mean and the variance are those of all channels
    unfit = [
        name
        for name, size in after.items()
        if size != before.get(name, size) and (size < before[name] or name not in can_grow)
    ]
    if unfit:
        found = ", ".join(f"network.{name}={after[name]}" for name in unfit)
        needed = ", ".join(
            f"{before[name]}{' or more' if name in can_grow else ''}" for name in unfit
        )
        raise ValueError(f"{found}: must be {needed}, as in the agent")


def describe_growth(old: NetworkConfig, new: NetworkConfig) -> str:
    """Returns what changes, as in `channels 32 to 64, blocks 3 to 5`; "" if nothing does."""
    before, after = _sizes(old), _sizes(new)
    changes = [
        f"{name.replace('_', ' ')} {before[name]} to {size}"
        for name, size in after.items()
        if size != before.get(name, size)
    ]
    if old.global_pooling != new.global_pooling:
        changes.append("global pooling")
    if old.value_head != new.value_head:
        changes.append("a value head")
    if old.auxiliary_heads != new.auxiliary_heads:
        heads = (" and ".join(x.auxiliary_heads) or "none" for x in (old, new))
        changes.append("auxiliary heads {} to {}".format(*heads))
    return ", ".join(changes)


def grow(
    old: NetworkConfig, variables: Variables, new: NetworkConfig, fresh: Variables
) -> Variables:
    """Returns variables of a larger network with the outputs of a smaller one, to rounding.

    Args:
      old: The configuration of the smaller network.
      variables: Its variables.
      new: The configuration of the larger network, which `check_growth` accepts.
      fresh: Initial variables of the larger network: the values of the new units.
    """
    known = dict(jax.tree.leaves_with_path(variables))

    def grow_array(path: jax.tree_util.KeyPath, array: jax.Array) -> np.ndarray:
        if path not in known:  # of blocks or heads that the smaller network does not have
            return np.asarray(array)
        return _grow_array(old, new, path, np.asarray(known[path]), np.array(array))

    return jax.tree.map_with_path(grow_array, fresh)


def _sizes(config: NetworkConfig) -> dict[str, int]:
    """Returns the sizes that matter to the configuration's architecture."""
    features = config.value_features or config.channels
    sizes = {name: getattr(config, name) for name in _SIZES} | {"value_features": features}
    names = _SIZES_OF.get(config.architecture, _SIZES)
    has_value = config.value_head != "none"
    return {name: sizes[name] for name in names if has_value or not name.startswith("value_")}


def _grow_array(
    old: NetworkConfig,
    new: NetworkConfig,
    path: jax.tree_util.KeyPath,
    array: np.ndarray,
    fresh: np.ndarray,
) -> np.ndarray:
    """Returns a fresh array with a smaller one in the places of the old units; changes `fresh`."""
    *parents, layer, name = (key.key for key in path if isinstance(key, jax.tree_util.DictKey))
    places = [np.arange(size) for size in array.shape]
    places[-1] = _output_places(old, new, layer, places[-1])
    if name == "kernel":
        inputs = 1 if "blocks" in parents else 0  # a tower's arrays have an axis of blocks before
        everywhere = np.arange(fresh.shape[inputs])
        fresh[np.ix_(*places[:inputs], everywhere, *places[inputs + 1 :])] = 0
        places[inputs] = _input_places(old, new, layer, places[inputs])
    fresh[np.ix_(*places)] = array
    return fresh


def _output_places(
    old: NetworkConfig, new: NetworkConfig, layer: str, units: np.ndarray
) -> np.ndarray:
    """Returns where a layer's outputs are in the larger network."""
    if layer != "planes":
        return units
    # The planes of the policy head come before those of the value head.
    return _places_of_two(units, old.policy_planes, new.policy_planes)


def _input_places(
    old: NetworkConfig, new: NetworkConfig, layer: str, units: np.ndarray
) -> np.ndarray:
    """Returns where a layer's inputs are in the larger network."""
    if layer == "pooled":  # the means of all channels come before the maxima
        return _places_of_two(units, old.channels, new.channels)
    planes_read = _PLANES_READ.get(layer)
    if planes_read is None or old.architecture == "mlp":
        return units
    before, after = getattr(old, planes_read), getattr(new, planes_read)
    cells, planes = np.divmod(units, before)
    return cells * after + planes


def _places_of_two(units: np.ndarray, before: int, after: int) -> np.ndarray:
    """Returns where the units of two groups are once the first has grown from `before` units."""
    return np.where(units < before, units, units + after - before)
