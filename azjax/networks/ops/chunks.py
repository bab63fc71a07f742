"""Boards a chunk at a time, so that what is computed of a chunk stays in a core's cache."""

import functools
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp

from azjax.networks.ops.bfloat16_bits import from_bits, to_bits
from azjax.networks.ops.mesh import vary_like


def map_chunks(function: Callable[[Any], Any], boards: Any, size: int) -> Any:
    """Returns `function(boards)`, computed chunk by chunk; it has no gradient in bfloat16.

    Args:
      function: Maps arrays `[B, ...]` to arrays `[B, ...]`, each board by itself.
      boards: Arrays `[B, ...]`.
      size: Of a chunk.
    """
    chunks, rest = _split(boards, size)
    if chunks is None:
        return function(rest)
    function = jax.jit(function)  # so that what follows traces it once
    chunk = jax.eval_shape(lambda chunks: jax.tree.map(lambda x: x[0], chunks), chunks)
    shapes = jax.eval_shape(function, chunk)
    go_through = _replace_each if shapes == chunk else jax.lax.map
    results = go_through(lambda bits: to_bits(function(from_bits(bits, chunk))), to_bits(chunks))
    results = from_bits(results, like=shapes)
    results = jax.tree.map(lambda x: x.reshape(-1, *x.shape[2:]), results)
    if rest is None:
        return results
    return jax.tree.map(lambda x, y: jnp.concatenate([x, y]), results, function(rest))


def _replace_each(function: Callable[[Any], Any], chunks: Any) -> Any:
    """Does what `lax.map` does, for results like the arguments, whose places they take.

    For `lax.map` a second array is filled with zeros first. A gradient through this is slow.
    """
    at = functools.partial(
        jax.lax.dynamic_index_in_dim, axis=0, keepdims=False, allow_negative_indices=False
    )
    put = functools.partial(
        jax.lax.dynamic_update_index_in_dim, axis=0, allow_negative_indices=False
    )

    def replace(i: jax.Array, chunks: Any) -> Any:
        result = function(jax.tree.map(lambda x: at(x, i), chunks))
        return jax.tree.map(lambda x, y: put(x, y, i), chunks, result)

    return jax.lax.fori_loop(0, len(jax.tree.leaves(chunks)[0]), replace, chunks)


def sum_chunks(function: Callable[[Any], Any], boards: Any, size: int) -> Any:
    """Returns `function(boards)`, computed as the sum over chunks.

    Args:
      function: Maps arrays `[B, ...]` to a sum over boards.
      boards: Arrays `[B, ...]`.
      size: Of a chunk.
    """
    chunks, rest = _split(boards, size)
    if chunks is None:
        return function(rest)

    function = jax.jit(function)  # so that what follows traces it once

    def add(total: Any, chunk: Any) -> tuple[Any, None]:
        return jax.tree.map(jnp.add, total, function(chunk)), None

    shapes = jax.eval_shape(function, jax.tree.map(lambda x: x[0], chunks))
    some = jax.tree.leaves(boards)[0]
    nothing = jax.tree.map(lambda x: vary_like(jnp.zeros(x.shape, x.dtype), some), shapes)
    total, _ = jax.lax.scan(add, nothing, chunks)
    return total if rest is None else add(total, rest)[0]


def _split(boards: Any, size: int) -> tuple[Any, Any]:
    """Returns arrays `[chunks, size, ...]` and `[rest, ...]`; None for what there is none of."""
    batch = len(jax.tree.leaves(boards)[0])
    if batch <= size:
        return None, boards
    whole = batch // size * size
    chunks = jax.tree.map(lambda x: x[:whole].reshape(-1, size, *x.shape[1:]), boards)
    rest = jax.tree.map(lambda x: x[whole:], boards) if whole < batch else None
    return chunks, rest
