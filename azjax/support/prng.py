"""Random numbers for a batch of games, each from its game's own key.

The numbers equal those of `jax.random` under `vmap`, in JAX's default configuration, but are hashed
along a single axis: along two axes, the last of them short, XLA's CPU backend takes three times as
long to compile.
"""

import chex
import jax
import jax.numpy as jnp
from jax.extend.random import threefry2x32_p


def uniform(keys: chex.PRNGKey, num: int) -> chex.Array:
    """Samples [B, num] float32, at least 0 and below 1.

    Args:
      keys: [B].
      num: Numbers per key.
    """
    return _uniform(keys, num).reshape(-1, num)


def gumbel(keys: chex.PRNGKey, num: int) -> chex.Array:
    """Samples [B, num] float32 from the standard Gumbel distribution, all finite.

    Args:
      keys: [B].
      num: Numbers per key.
    """
    # A maximum, not a sum: XLA would fold the sum of `tiny` and the -1 of `_uniform` to -1.
    above_0 = jnp.maximum(_uniform(keys, num), jnp.finfo(jnp.float32).tiny)
    return -jnp.log(-jnp.log(above_0)).reshape(-1, num)


def hash_below(numbers: chex.Array, bound: chex.Numeric) -> chex.Array:
    """Hashes numbers: returns [...] int32 from 0 to below a bound, the same for equal numbers.

    The hash is the finalizer of MurmurHash3, so numbers that differ in a bit are hashed apart.

    Args:
      numbers: [...] uint32.
      bound: [...] or [], small beside 2**32.
    """
    mixed = numbers ^ numbers >> 16
    mixed = mixed * jnp.uint32(0x85EBCA6B)
    mixed = mixed ^ mixed >> 13
    mixed = mixed * jnp.uint32(0xC2B2AE35)
    mixed = mixed ^ mixed >> 16
    return (mixed % jnp.asarray(bound).astype(jnp.uint32)).astype(jnp.int32)


def _uniform(keys: chex.PRNGKey, num: int) -> chex.Array:
    """Returns [B * num] numbers of 23 random bits each, those of the first key first."""
    if jax.random.key_impl(keys) != "threefry2x32":
        return jax.vmap(lambda key: jax.random.uniform(key, (num,)))(keys).reshape(-1)
    halves = jnp.repeat(jax.random.key_data(keys), num, axis=0).T
    number = jnp.tile(jnp.arange(num, dtype=jnp.uint32), len(keys))
    high, low = threefry2x32_p.bind(*halves, jnp.zeros_like(number), number)
    mantissa = (high ^ low) >> jnp.uint32(9)
    between_1_and_2 = jax.lax.bitcast_convert_type(mantissa | jnp.uint32(0x3F800000), jnp.float32)
    return between_1_and_2 - 1
