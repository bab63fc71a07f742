"""Functions of a batch, computed part by part: boards in chunks, and a population by its members.

What is computed from one chunk fits into a core's cache.
"""

import functools
from collections.abc import Callable
from typing import Any, TypeVar

import jax
import jax.numpy as jnp

from azjax.networks.ops.bfloat16_bits import from_bits, to_bits
from azjax.networks.ops.gradients import vary_like

BoardsT = TypeVar("BoardsT")  # a pytree of arrays [B, ...]
ResultT = TypeVar("ResultT")  # a pytree of arrays


def map_chunks(function: Callable[[BoardsT], ResultT], boards: BoardsT, chunk_size: int) -> ResultT:
    """Returns `function(boards)`, computed chunk by chunk; it has no gradient in bfloat16.

    The function maps arrays `[B, ...]` to arrays `[B, ...]`, each board independently.
    """
    chunks, remainder = _split(boards, chunk_size)
    if chunks is None:
        return function(boards)
    compiled = jax.jit(function)  # traced once for all uses below
    chunk = jax.eval_shape(lambda chunks: jax.tree.map(lambda x: x[0], chunks), chunks)
    shapes = jax.eval_shape(compiled, chunk)
    map_function = _map_in_place if shapes == chunk else jax.lax.map
    bits = map_function(lambda bits: to_bits(compiled(from_bits(bits, chunk))), to_bits(chunks))
    results = from_bits(bits, like=shapes)
    results = jax.tree.map(lambda x: x.reshape(-1, *x.shape[2:]), results)
    if remainder is None:
        return results
    return jax.tree.map(lambda x, y: jnp.concatenate([x, y]), results, compiled(remainder))


def _map_in_place(function: Callable[[BoardsT], BoardsT], chunks: BoardsT) -> BoardsT:
    """Maps like `lax.map`, but writes each result over its argument, which has the same shapes.

    `lax.map` first fills a second array with zeros. The gradient of this function is slow.
    """
    read = functools.partial(
        jax.lax.dynamic_index_in_dim, axis=0, keepdims=False, allow_negative_indices=False
    )
    write = functools.partial(
        jax.lax.dynamic_update_index_in_dim, axis=0, allow_negative_indices=False
    )

    def replace(i: jax.Array, chunks: BoardsT) -> BoardsT:
        result = function(jax.tree.map(lambda x: read(x, i), chunks))
        return jax.tree.map(lambda x, y: write(x, y, i), chunks, result)

    return jax.lax.fori_loop(0, len(jax.tree.leaves(chunks)[0]), replace, chunks)


def sum_chunks(function: Callable[[BoardsT], ResultT], boards: BoardsT, chunk_size: int) -> ResultT:
    """Returns `function(boards)`, a sum over boards `[B, ...]`, computed as the sum over chunks."""
    chunks, remainder = _split(boards, chunk_size)
    if chunks is None:
        return function(boards)

    compiled = jax.jit(function)  # traced once for all uses below

    def add(total: ResultT, chunk: BoardsT) -> tuple[ResultT, None]:
        return jax.tree.map(jnp.add, total, compiled(chunk)), None

    shapes = jax.eval_shape(compiled, jax.tree.map(lambda x: x[0], chunks))
    leaf = jax.tree.leaves(boards)[0]
    zeros = jax.tree.map(lambda x: vary_like(jnp.zeros(x.shape, x.dtype), leaf), shapes)
    total, _ = jax.lax.scan(add, zeros, chunks)
    return total if remainder is None else add(total, remainder)[0]


def _split(boards: BoardsT, chunk_size: int) -> tuple[BoardsT | None, BoardsT | None]:
    """Splits boards into arrays `[chunks, chunk_size, ...]` and a remainder `[remainder, ...]`.

    Chunks are None where the batch is no larger than one; the remainder is None where it is empty.
    """
    batch_size = len(jax.tree.leaves(boards)[0])
    if batch_size <= chunk_size:
        return None, boards
    whole = batch_size // chunk_size * chunk_size
    chunks = jax.tree.map(lambda x: x[:whole].reshape(-1, chunk_size, *x.shape[1:]), boards)
    remainder = jax.tree.map(lambda x: x[whole:], boards) if whole < batch_size else None
    return chunks, remainder


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
