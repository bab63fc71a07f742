"""Sharding games over devices, and collectives over them; None as the axis is one device."""

import math

import chex
import jax
import jax.numpy as jnp


def split_over_games(
    key: chex.PRNGKey, shape: tuple[int, ...], axis_name: str | None
) -> chex.PRNGKey:
    """Returns [T, B / devices, ...]: the keys of this device's games or groups, of [T, B, ...].

    The key is the same on every device.
    """
    keys = jax.random.split(key, math.prod(shape))  # of one axis: one split to compile
    return local_shard(keys.reshape(shape), axis_name)


def local_shard(array: chex.Array, axis_name: str | None) -> chex.Array:
    """Returns [T, B / devices, ...]: this device's shard of an array [T, B, ...]."""
    if axis_name is None:
        return array
    num_games = array.shape[1] // jax.lax.axis_size(axis_name)
    first = jax.lax.axis_index(axis_name) * num_games
    return jax.lax.dynamic_slice_in_dim(array, first, num_games, axis=1)


def gather_shards(array: chex.Array, axis_name: str | None) -> chex.Array:
    """Returns [T, B]: the shards [T, B / devices] of all devices, by `psum` alone."""
    if axis_name is None:
        return array
    num_moves, num_games = array.shape
    whole = jnp.zeros((num_moves, num_games * jax.lax.axis_size(axis_name)), array.dtype)
    first = jax.lax.axis_index(axis_name) * num_games
    placed = jax.lax.dynamic_update_slice_in_dim(whole, array, first, axis=1)
    return jax.lax.psum(placed, axis_name)


def mean_over_devices(tree: chex.ArrayTree, axis_name: str | None) -> chex.ArrayTree:
    """Returns the mean over devices of every array."""
    return tree if axis_name is None else jax.lax.pmean(tree, axis_name)


def sum_over_devices(tree: chex.ArrayTree, axis_name: str | None) -> chex.ArrayTree:
    """Returns the sum over devices of every array."""
    return tree if axis_name is None else jax.lax.psum(tree, axis_name)
