"""The model that a search runs over: representation, dynamics and prediction."""

from collections.abc import Callable
from typing import Any, NamedTuple

import chex
import jax
import jax.numpy as jnp
import mctx

# Finite: minus infinity turns into NaN in a softmax over no legal action.
ILLEGAL_LOGIT = -1e9


class Evaluation(NamedTuple):
    """Prior and value of a batch of positions."""

    prior_logits: chex.Array  # [B, A] float32, ILLEGAL_LOGIT where an action is known to be illegal
    value: chex.Array  # [B] float32, from the view of the player to move


# (params, keys [B], states [B]) -> Evaluation; the value of a finished state is not used
Evaluate = Callable[[Any, chex.PRNGKey, Any], Evaluation]


def mask_illegal(logits: chex.Array, legal: chex.Array) -> chex.Array:
    """Returns the logits with a legal maximum of 0, and ILLEGAL_LOGIT for illegal actions.

    The maximum has no gradient: it would be zero, and JAX computes 0 / 0 if XLA evaluates the
    logits twice and rounds them differently.
    """
    masked = jnp.where(legal, logits, ILLEGAL_LOGIT)
    best = jax.lax.stop_gradient(masked.max(axis=-1, keepdims=True))
    return jnp.where(legal, logits - best, ILLEGAL_LOGIT)


def is_legal(prior_logits: chex.Array) -> chex.Array:
    """Tells which actions are not masked; `prior_logits` may have been shifted."""
    return prior_logits > ILLEGAL_LOGIT / 2


class Root(NamedTuple):
    """B roots before they are evaluated."""

    embedding: Any  # [B, ...]
    legal: chex.Array  # [B, A] bool


class Transition(NamedTuple):
    """The outcome of B actions."""

    reward: chex.Array  # [B] float32, from the view of the player who takes the action
    discount: chex.Array  # [B] float32: -1 where the turn passes, 1 where not, 0 at a game's end
    embedding: Any  # [B, ...]


class Model(NamedTuple):
    """Representation, dynamics and prediction, B positions at once.

    `root` and `recurrent` compose them to mctx's two functions. A search calls the three by
    themselves: it predicts roots and leaves by one call, so a compiled search holds the network
    once.

    A discount of 0 ends the game: the search adds no node below. Where roots are expanded, the
    search calls `transition` with an action of -1 and discards its result. Masked prior logits are
    ILLEGAL_LOGIT. `rules_model` masks illegal actions everywhere; `learnt_model` masks none, as the
    search masks those of the root by `Root.legal`.

    Attributes:
      num_actions: A.
      represent: (params, keys [B], states or observations [B]) -> Root.
      transition: (params, keys [B], actions [B], embedding [B, ...]) -> Transition.
      predict: (params, keys [B], embedding [B, ...]) -> Evaluation.
    """

    num_actions: int
    represent: Callable[[Any, chex.PRNGKey, Any], Root]
    transition: Callable[[Any, chex.PRNGKey, chex.Array, Any], Transition]
    predict: Evaluate

    def root(self, params: Any, keys: chex.PRNGKey, states: Any) -> mctx.RootFnOutput:
        """Evaluates B roots: prior logits [B, A], value [B] of the player to move, embedding."""
        embedding, legal = self.represent(params, keys, states)
        prior_logits, value = self.predict(params, keys, embedding)
        prior_logits = jnp.where(legal, prior_logits, ILLEGAL_LOGIT)
        return mctx.RootFnOutput(prior_logits=prior_logits, value=value, embedding=embedding)

    def recurrent(
        self, params: Any, keys: chex.PRNGKey, actions: chex.Array, embedding: Any
    ) -> tuple[mctx.RecurrentFnOutput, Any]:
        """Takes B actions; returns reward, discount, prior logits and value, and the embedding."""
        reward, discount, embedding = self.transition(params, keys, actions, embedding)
        prior_logits, value = self.predict(params, keys, embedding)
        output = mctx.RecurrentFnOutput(
            reward=reward,
            discount=discount,
            prior_logits=prior_logits,
            value=jnp.where(discount == 0, 0.0, value),
        )
        return output, embedding
