"""The weights of positions in sampling: the newest of a growing window, or surprising ones, more.

The window: "Accelerating self-play learning in Go", Wu 2019, appendix C. Surprise: "policy surprise
weighting" of KataGo (Wu, https://github.com/lightvector/KataGo, docs/KataGoMethods.md).
"""

import dataclasses
from typing import Any

import chex
import jax
import jax.numpy as jnp
import optax

from azjax.games import Game
from azjax.search import SearchResult
from azjax.support.validation import check_above, check_number, check_share
from azjax.training.hooks import Part, TrainConfig, TrainContext
from azjax.training.sampling import by_group, from_groups
from azjax.training.state import Replay

_LEAST_SURPRISE = 1e-6  # nats; a group of positions without surprise is sampled uniformly


@dataclasses.dataclass(frozen=True)
class GrowingWindow(Part):
    """A window of the newest rows, which grows with the moves made."""

    name = "growing_window"

    min_moves: float = 32.0
    """c, the moves of each game up to which it holds all, below replay_moves."""
    growth: float = 0.4
    """beta, by how much it grows per move at c moves."""
    exponent: float = 0.75
    """alpha; in the long run the window grows as moves^alpha."""

    def check(self) -> None:
        check_number("growth", self.growth)
        check_above("exponent", self.exponent, 0)

    def check_fit(self, config: TrainConfig, game: Game) -> None:
        """Raises ValueError if the window would always hold all of replay."""
        if not 1 <= self.min_moves < config.replay_moves:
            raise ValueError(
                f"growing_window.min_moves={self.min_moves}: must be from 1 to below "
                f"replay_moves={config.replay_moves}"
            )

    def weights(
        self, context: TrainContext, state: Any, replay: Replay, weights: chex.Array
    ) -> chex.Array:
        """Returns [C, B]: 0 outside the window."""
        window = self.window_size(replay.num_written, replay.num_rows)
        is_inside = replay.order(jnp.arange(replay.num_rows)) >= replay.num_rows - window
        return weights * is_inside[:, None]

    def window_size(self, num_written: chex.Array, num_rows: int) -> chex.Array:
        """Returns [] int32: the number of newest rows that are sampled, at most all written.

        For n rows ever written it is c * (1 + beta * ((n / c)^alpha - 1) / alpha) beyond the first
        c; its slope at n = c is beta.
        """
        c, alpha = self.min_moves, self.exponent
        growth = (jnp.maximum(num_written / c, 1.0) ** alpha - 1) / alpha
        window = c * (1 + self.growth * growth)
        return jnp.minimum(window, jnp.minimum(num_written, num_rows)).astype(jnp.int32)


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
          ValueError: The search returns no prior.
        """
        if result.prior_logits is None:
            raise ValueError("surprise_sampling: the search must return `prior_logits`")
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
