"""Muon, with a learning rate that warms up, stays, and decays.

"Muon: An optimizer for hidden layers", Jordan et al. 2024; the schedule: "MiniCPM", Hu et al. 2024.
"""

import dataclasses
from typing import Annotated

import jax.numpy as jnp
import optax

from azjax.networks import kernel_axes
from azjax.support.component import register
from azjax.support.ranges import Range
from azjax.training import Optimizer


@register
@dataclasses.dataclass(frozen=True)
class Muon(Optimizer):
    """Muon for kernels, AdamW for all other parameters."""

    name = "muon"

    learning_rate: Annotated[float, Range(1e-3, 0.1, log=True)] = 0.01
    """The learning rate between warm-up and decay."""
    momentum: Annotated[float, Range(0.8, 0.99)] = 0.95
    """Decay of the momentum of kernels."""
    decay_share: Annotated[float, Range(0.1, 0.5)] = 0.2
    """Share of the run over which the rate falls, at its end; it rises over a quarter of that."""

    def rate(self, progress):
        """Returns [] the learning rate."""
        steps = 4 * progress / self.decay_share + 0.02, (1 - progress) / self.decay_share + 0.02
        return self.learning_rate * jnp.minimum(1, jnp.minimum(*steps))

    def transformation(self, params, rate):
        """Returns Muon over matrices, whose axes the network tells."""
        axes = kernel_axes(params)
        return optax.contrib.muon(rate, beta=self.momentum, muon_weight_dimension_numbers=axes)
