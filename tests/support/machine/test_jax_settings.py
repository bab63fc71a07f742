"""azjax's settings of JAX, whatever those of the user."""

import jax
import jax.numpy as jnp
import numpy as np

from azjax.support.machine.jax_settings import own_settings, use_own_settings


def types():
    numbers = jnp.arange(3) * jnp.float32(0.5) + np.ones(3, np.int32)
    return str(numbers.dtype), str(jax.random.key(0).dtype)


def test_types_are_azjax_s_in_a_thread_for_a_while_or_in_the_process(other_jax_settings):
    with own_settings():
        assert types() == ("float32", "key<fry>")
    assert jnp.dtype(int) == np.int64
    use_own_settings()
    assert types() == ("float32", "key<fry>")
