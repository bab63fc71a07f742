"""Optimizers; AdamW at a learning rate that rises, then falls by a cosine."""

import dataclasses
from typing import Annotated, Any, ClassVar

import chex
import jax
import jax.numpy as jnp
import optax
from jax.flatten_util import ravel_pytree

from azjax.networks import weight_decay_mask
from azjax.support.component import Component
from azjax.support.ranges import Range
from azjax.support.validation import check_above, check_number, check_share

_TINY = 1e-6  # instead of a division by 0


@dataclasses.dataclass(frozen=True)
class Optimizer(Component):
    """An optimizer, and the schedule of its learning rate over a run.

    Attributes:
      is_elementwise: Whether it treats each parameter by itself, but for the norm of the gradient:
        then equal parameters of an equivariant network stay equal. Else they are tied again.
    """

    kind: ClassVar[str] = "optimizer"
    is_elementwise: ClassVar[bool] = False

    def rate(self, progress: chex.Numeric) -> chex.Array:
        """Returns [] the learning rate, given the share of the run's length that is done."""
        raise NotImplementedError

    def transformation(
        self, params: dict[str, Any], rate: chex.Numeric
    ) -> optax.GradientTransformation:
        """Returns the transformation of gradients like `params`, at a learning rate."""
        raise NotImplementedError


@dataclasses.dataclass(frozen=True)
class AdamW(Optimizer):
    """AdamW with clipped gradients, a linear warm-up and a cosine decay."""

    name = "adamw"
    is_elementwise: ClassVar[bool] = True

    learning_rate: Annotated[float, Range(3e-4, 3e-2, log=True)] = 1e-3
    """The highest learning rate."""
    warmup_share: float = 0.03
    """Share of the run's length over which the learning rate rises to the highest; then it falls by
    a cosine until the end of the run."""
    final_learning_rate: float = 0.1
    """Learning rate at the start and at the end of a run, as a share of the highest."""
    weight_decay: Annotated[float, Range(1e-4, 1.0, log=True)] = 1e-4
    """Weight decay of the kernels, scaled by the learning rate."""
    max_gradient_norm: float = 1.0
    """Gradients are clipped to this global norm."""

    def check(self) -> None:
        check_above("learning_rate", self.learning_rate, 0)
        check_number("warmup_share", self.warmup_share)
        check_share("final_learning_rate", self.final_learning_rate)
        check_number("weight_decay", self.weight_decay)
        check_above("max_gradient_norm", self.max_gradient_norm, 0)

    def rate(self, progress: chex.Numeric) -> chex.Array:
        """Returns []: a linear rise over the warm-up, then a cosine, to the final share."""
        warmup, final = self.warmup_share, self.final_learning_rate
        risen = progress / jnp.maximum(warmup, _TINY)
        fallen = jnp.clip((progress - warmup) / jnp.maximum(1 - warmup, _TINY), 0, 1)
        cosine = 0.5 * (1 + jnp.cos(jnp.pi * fallen))
        share = jnp.where(progress < warmup, risen, cosine)
        return self.learning_rate * (final + (1 - final) * share)

    def transformation(
        self, params: dict[str, Any], rate: chex.Numeric
    ) -> optax.GradientTransformation:
        """Returns AdamW over all parameters as one vector, which compiles faster; kernels decay."""
        kernels = jax.tree.map(lambda x, k: jnp.full(x.shape, k), params, weight_decay_mask(params))
        decay = self.weight_decay * ravel_pytree(kernels)[0]
        clip = optax.clip_by_global_norm(self.max_gradient_norm)
        return optax.flatten(optax.chain(clip, optax.adamw(rate, weight_decay=decay)))
