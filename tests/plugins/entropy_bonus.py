"""AlphaZero whose policy loss rewards entropy, so that it stays broad longer."""

import dataclasses
from typing import Annotated

import jax
import jax.numpy as jnp

from azjax.search import mask_illegal
from azjax.support.component import register
from azjax.support.ranges import Range
from azjax.training import AlphaZero


@register
@dataclasses.dataclass(frozen=True)
class EntropyBonus(AlphaZero):
    """AlphaZero with a bonus."""

    name = "entropy_bonus"

    entropy_weight: Annotated[float, Range(1e-3, 0.1, log=True)] = 0.01
    """Weight of the policy's entropy."""

    def losses(self, context, outputs, batch):
        """Returns the losses less the weighted entropy, which is a column of the metrics."""
        losses = super().losses(context, outputs, batch)
        log_policy = jax.nn.log_softmax(mask_illegal(outputs.policy_logits, batch.legal))
        terms = jnp.where(batch.legal, jnp.exp(log_policy) * log_policy, 0)
        entropy = -terms.sum(axis=-1).mean()
        loss = losses.loss - self.entropy_weight * entropy
        return losses._replace(loss=loss, extra=losses.extra | {"entropy": entropy})
