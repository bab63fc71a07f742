"""Surprising positions are sampled more often: "policy surprise weighting" of KataGo.

Wu, https://github.com/lightvector/KataGo, docs/KataGoMethods.md.
"""

import dataclasses
from typing import Any

import chex
import jax
import jax.numpy as jnp
import optax

from azjax.games import Game
from azjax.search import SearchResult
from azjax.support.errors import InputError
from azjax.support.validation import check_share
from azjax.training.hooks import Part, TrainConfig, TrainContext
from azjax.training.sampling import by_group, from_groups
from azjax.training.state import Replay

_LEAST_SURPRISE = 1e-6  # nats; a group of positions without surprise is sampled uniformly


@dataclasses.dataclass(frozen=True)
class SurpriseSampling(Part):
    """Samples in proportion to how much the search has changed the network's policy."""

    name = "surprise_sampling"

    weight: float = 0.5
    """Share of the samples that are in proportion to the surprise; 0 samples uniformly."""

    def check(self) -> None:
        check_share("weight", self.weight)

    def check_fit(self, config: TrainConfig, game: Game) -> None:
        """Raises ValueError if the search does not know the whole prior."""
        if getattr(config.search, "sampled_actions", 0):
            raise ValueError(
                "search.sampled_actions: must be 0 with surprise_sampling, which needs the whole "
                "prior"
            )

    def record_search(self, context: TrainContext, result: SearchResult) -> dict[str, Any]:
        """Records `surprise`, [B] float32: KL(action weights || prior without noise), in nats.

        Raises:
          InputError: The search returns no prior.
        """
        if result.prior_logits is None:
            raise InputError("surprise_sampling: the search must return `prior_logits`")
        log_prior = jax.nn.log_softmax(result.prior_logits)
        divergence = optax.losses.kl_divergence(log_prior, result.action_weights)
        return {"surprise": jnp.maximum(divergence, 0.0)}

    def weights(
        self, context: TrainContext, state: Any, replay: Replay, weights: chex.Array
    ) -> chex.Array:
        """Returns [C, B]: times (1 - s) + s * surprise / its mean over the group.

        Positions that learn no policy, as after a fast search, keep their weight and have no part
        in the mean, so both kinds keep their shares of the samples.
        """
        moves = replay.trajectory
        learns_policy = True if moves.policy_weight is None else moves.policy_weight > 0
        counts = by_group(context, (weights > 0) & learns_policy)
        surprise = by_group(context, moves.records["surprise"]) + _LEAST_SURPRISE
        mean = surprise.mean(axis=1, keepdims=True, where=counts)
        relative = jnp.where(counts, surprise / mean, 1.0)  # the mean is NaN where nothing counts
        return weights * from_groups(context, (1 - self.weight) + self.weight * relative)
