"""What `vmap` calls once for each member of a population."""

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp


def member_by_member(function: Callable[..., Any]) -> Callable[..., Any]:
    """Makes `vmap` call a function of pytrees once for each member, and stack the results.

    That is faster than one call of batched kernels where a member fills the device: each call is
    what the compiler knows best, such as a convolution with its bias and activation. It has no
    gradient of its own.
    """
    mapped = jax.custom_batching.custom_vmap(function)

    @mapped.def_vmap
    def call(axis_size: int, is_batched: list[Any], *arguments: Any) -> tuple[Any, Any]:
        def of_member(i: int) -> Any:
            own = jax.tree.map(
                lambda x, batched: x[i] if batched else x, list(arguments), is_batched
            )
            return mapped(*own)

        stacked = jax.tree.map(lambda *x: jnp.stack(x), *map(of_member, range(axis_size)))
        return stacked, jax.tree.map(lambda _: True, stacked)

    return mapped
