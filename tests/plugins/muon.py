"""Muon, with a learning rate that warms up, stays, and decays.

"Muon: An optimizer for hidden layers in neural networks", Jordan et al. 2024; the schedule is that
of "MiniCPM", Hu et al. 2024.
"""

import dataclasses
from typing import Annotated

import jax
import jax.numpy as jnp
import optax
from optax.contrib import MuonDimensionNumbers

from azjax.networks import KernelAxes, kernel_axes
from azjax.support.component_registry import register
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
    weight_decay: float = 1e-4
    """Weight decay of kernels."""
    warmup_share: float = 0.05
    """Share of the run over which the rate rises."""
    decay_share: Annotated[float, Range(0.1, 0.5)] = 0.2
    """Share of the run over which it falls, at the end."""

    def rate(self, progress):
        """Returns [] the learning rate."""
        risen = (progress + 0.01) / (self.warmup_share + 0.01)
        left = (1 - progress + 0.01) / (self.decay_share + 0.01)
        return self.learning_rate * jnp.minimum(1, jnp.minimum(risen, left))

    def transformation(self, params, rate):
        """Returns Muon over matrices, whose axes the network tells."""
        axes = jax.tree.map(
            lambda x: MuonDimensionNumbers(*x),
            kernel_axes(params),
            is_leaf=lambda x: isinstance(x, KernelAxes),
        )
        return optax.contrib.muon(
            rate,
            beta=self.momentum,
            weight_decay=self.weight_decay,
            muon_weight_dimension_numbers=axes,
        )
