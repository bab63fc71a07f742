"""The model that a search runs over: where an action leads, and what a position is worth."""

from collections.abc import Callable
from typing import Any, NamedTuple

import chex
import jax
import jax.numpy as jnp
import mctx

from azjax.games import Game
from azjax.search.evaluation import ILLEGAL_LOGIT, Evaluate, Evaluation


class Root(NamedTuple):
    """B roots before they are evaluated."""

    embedding: Any  # [B, ...] what the model knows of the position
    legal: chex.Array  # [B, A] bool


class Transition(NamedTuple):
    """Where B actions lead."""

    reward: chex.Array  # [B] float32, of the action, from the view of the player who takes it
    discount: chex.Array  # [B] float32: -1 where the turn passes, 1 where not, 0 at a game's end
    embedding: Any  # [B, ...]


class Model(NamedTuple):
    """Representation, dynamics and prediction, B positions at once.

    `root` and `recurrent` compose them as mctx has them. A search uses the three by themselves: it
    predicts roots and leaves by one call, so that a compiled search holds the network once.

    Prior logits that a model masks are ILLEGAL_LOGIT. The rules mask illegal actions everywhere. A
    learnt model need not mask any: the search masks those of the root by `Root.legal`.
    """

    num_actions: int
    represent: Callable[[Any, chex.PRNGKey, Any], Root]  # (params, keys [B], states [B])
    transition: Callable[[Any, chex.Array, Any], Transition]  # (params, actions [B], embedding)
    predict: Evaluate  # (params, keys [B], embedding); the value after a game's end is not used

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
        reward, discount, embedding = self.transition(params, actions, embedding)
        prior_logits, value = self.predict(params, keys, embedding)
        output = mctx.RecurrentFnOutput(
            reward=reward,
            discount=discount,
            prior_logits=prior_logits,
            value=jnp.where(discount == 0, 0.0, value),
        )
        return output, embedding


def rules_model(game: Game, evaluate: Evaluate) -> Model:
    """Returns the model of AlphaZero: the game's rules, and an evaluation of its states."""

    def represent(params: Any, keys: chex.PRNGKey, states: Any) -> Root:
        del params, keys
        return Root(states, jax.vmap(game.legal_action_mask)(states))

    def transition(params: Any, actions: chex.Array, states: Any) -> Transition:
        del params
        after = jax.vmap(game.step)(states, actions)
        # mctx goes on below terminal nodes, where `after` still holds the rewards of the end.
        reward = jnp.where(states.terminated, 0.0, reward_of_mover(states, after))
        return Transition(reward, discount_of_mover(states, after), after)

    def predict(params: Any, keys: chex.PRNGKey, states: Any) -> Evaluation:
        return evaluate(params, keys, states)

    return Model(game.num_actions, represent, transition, predict)


def reward_of_mover(states: Any, after: Any) -> chex.Array:
    """Returns [B] float32: the reward that the player to move at `states` has got at `after`."""
    mover = states.current_player.astype(jnp.int32)
    return jnp.take_along_axis(after.rewards, mover[:, None], axis=1)[:, 0].astype(jnp.float32)


def discount_of_mover(states: Any, after: Any) -> chex.Array:
    """Returns [B] float32: the factor that turns a value at `after` into one at `states`.

    It is 0 where the game is over, -1 where the turn passes, +1 where the mover moves again.
    """
    same_player = states.current_player == after.current_player
    return jnp.where(after.terminated, 0.0, jnp.where(same_player, 1.0, -1.0))
