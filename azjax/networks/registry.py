"""The architectures of networks by name. `register_network` adds one to `network.architecture`."""

import inspect
from collections.abc import Callable
from typing import Any

import jax
from flax import nnx

from azjax.networks.architectures.initializers import KernelInitializer, sample_truncated_normal
from azjax.support.registry import Registry, calling_module

# (config, observation_shape, num_actions, *, rngs or kernel_init) -> module
MakeNetwork = Callable[..., nnx.Module]

_NETWORKS: Registry[MakeNetwork] = Registry("network")


def register_network(name: str, make: MakeNetwork) -> None:
    """Registers an architecture: `--network.architecture name` then trains it.

    Args:
      name: The name.
      make: A class of Flax NNX modules, or a function that returns a module. It is called as
        `make(config, observation_shape, num_actions, rngs=rngs)`, with a `NetworkConfig`, (H, W, C)
        and A; or with `kernel_init=`, a `KernelInitializer`, in place of `rngs=` if that is its
        parameter, as it is of azjax's own layers. The module maps observations [B, H, W, C] to
        policy logits [B, A] and values [B] in (-1, 1), from the view of the player to move. Its
        arrays are of the types `nnx.Param` and `nnx.BatchStat`.

    Raises:
      ValueError: The name is taken, or `make` has neither parameter.
    """
    if not {"rngs", "kernel_init"} & _parameters(make):
        raise ValueError(f"network {name!r}: its function must have a parameter rngs, an nnx.Rngs")
    _NETWORKS.register(name, make, calling_module())


def network_names() -> list[str]:
    """Returns the names of the registered architectures."""
    return _NETWORKS.names()


def check_network(field: str, name: str) -> None:
    """Raises ValueError if the value of a field names no registered architecture."""
    _NETWORKS.check(field, name)


def get_network(name: str) -> MakeNetwork:
    """Returns the function that makes the modules of an architecture.

    Raises:
      ValueError: None is registered under the name.
    """
    return _NETWORKS.get(name)


def plugin_of_network(name: str) -> str | None:
    """Returns the module outside azjax that registered an architecture; None if it is built in."""
    return _NETWORKS.plugin(name)


def build_module(make: MakeNetwork, arguments: tuple[Any, ...], key: jax.Array) -> nnx.Module:
    """Returns a module with initial arrays.

    Args:
      make: A registered function.
      arguments: A configuration, an observation shape and a number of actions.
      key: Samples the arrays.
    """
    if "kernel_init" not in _parameters(make):
        return make(*arguments, rngs=nnx.Rngs(key))
    counting = KernelInitializer()
    nnx.eval_shape(lambda: make(*arguments, kernel_init=counting))
    values = sample_truncated_normal(key, counting.num_used)
    return make(*arguments, kernel_init=KernelInitializer(values))


def _parameters(make: MakeNetwork) -> set[str]:
    # The signature of a class of NNX modules hides those of its initializer.
    function = make.__init__ if isinstance(make, type) else make  # type: ignore[misc]
    return set(inspect.signature(function).parameters)
