"""Random numbers for a batch of games, each from its game's own key.

`uniform` and `gumbel` give the numbers of `jax.random` under `vmap`, in JAX's default
configuration, but hashed along a single axis: along two axes, the last of them short, XLA's CPU
backend takes three times as long to compile.
"""

import functools
import zlib

import chex
import jax
import jax.numpy as jnp
import numpy as np
from jax.extend.random import threefry2x32_p

_GOLDEN_RATIO = np.uint32(0x9E3779B9)  # an odd step: the numbers of a key are all different


def named_key(key: chex.PRNGKey, name: str) -> chex.PRNGKey:
    """Returns the key of a role, or the keys [B]; none that a count is folded into, below 2**31."""
    number = jnp.uint32(zlib.crc32(name.encode()) | 2**31)
    fold = functools.partial(jax.random.fold_in, data=number)
    return fold(key) if key.ndim == 0 else jax.vmap(fold)(key)


def uniform(keys: chex.PRNGKey, num: int) -> chex.Array:
    """Samples [B, num] float32, at least 0 and below 1, by keys [B]."""
    return _uniform(keys, num).reshape(-1, num)


def gumbel(keys: chex.PRNGKey, num: int) -> chex.Array:
    """Samples [B, num] float32 from the standard Gumbel distribution, all finite, by keys [B]."""
    return _to_gumbel(_uniform(keys, num)).reshape(-1, num)


def hashed_gumbel(keys: chex.PRNGKey, num: int) -> chex.Array:
    """Samples [B, num] float32 as `gumbel` does, for many numbers per key of [B].

    They are hashed from two random words of each key, unlike the numbers of `jax.random`: on a CPU,
    Threefry takes forty times as long.
    """
    words = jax.vmap(lambda key: jax.random.bits(key, (2,), jnp.uint32))(keys)
    numbers = words[:, :1] + _GOLDEN_RATIO * jnp.arange(num, dtype=jnp.uint32)[None]
    return _to_gumbel(_to_uniform(mix(mix(numbers) ^ words[:, 1:])))


def hash_below(numbers: chex.Array, bound: chex.Numeric) -> chex.Array:
    """Hashes numbers: returns [...] int32 from 0 to below a bound, the same for equal numbers.

    Args:
      numbers: [...] uint32.
      bound: [...] or [], small beside 2**32.
    """
    return (mix(numbers) % jnp.asarray(bound).astype(jnp.uint32)).astype(jnp.int32)


def mix(numbers: chex.Array) -> chex.Array:
    """Hashes uint32 by the finalizer of MurmurHash3: those that differ in a bit come apart."""
    mixed = numbers ^ numbers >> 16
    mixed = mixed * jnp.uint32(0x85EBCA6B)
    mixed = mixed ^ mixed >> 13
    mixed = mixed * jnp.uint32(0xC2B2AE35)
    return mixed ^ mixed >> 16


def _uniform(keys: chex.PRNGKey, num: int) -> chex.Array:
    """Returns [B * num] numbers of 23 random bits each, the numbers of the first key first."""
    if jax.random.key_impl(keys) != "threefry2x32":
        return jax.vmap(lambda key: jax.random.uniform(key, (num,)))(keys).reshape(-1)
    halves = jnp.repeat(jax.random.key_data(keys), num, axis=0).T
    number = jnp.tile(jnp.arange(num, dtype=jnp.uint32), len(keys))
    high, low = threefry2x32_p.bind(*halves, jnp.zeros_like(number), number)
    return _to_uniform(high ^ low)


def _to_uniform(bits: chex.Array) -> chex.Array:
    """Returns float32, at least 0 and below 1, of the upper 23 of 32 random bits."""
    mantissa = bits >> jnp.uint32(9)
    between_1_and_2 = jax.lax.bitcast_convert_type(mantissa | jnp.uint32(0x3F800000), jnp.float32)
    return between_1_and_2 - 1


def _to_gumbel(uniform: chex.Array) -> chex.Array:
    # A maximum, not a sum: XLA would fold the sum of `tiny` and the -1 of `_to_uniform` to -1.
    above_0 = jnp.maximum(uniform, jnp.finfo(jnp.float32).tiny)
    return -jnp.log(-jnp.log(above_0))
