"""MuZero's model: a network's own latents, in which no rule is known but who is to move.

"Mastering Atari, Go, Chess and Shogi by planning with a learned model", Schrittwieser et al.,
Nature 2020.
"""

from typing import Any

import chex
import jax
import jax.numpy as jnp

from azjax.games import Game, State
from azjax.networks import ModelNetwork, Variables
from azjax.search.models.evaluation import Evaluation, in_populations
from azjax.search.models.model import Model, Root, Transition


def learnt_model(game: Game, network: ModelNetwork) -> Model:
    """Returns the model of a network's dynamics; the rules give the roots and what is legal there.

    The embedding of a position is a latent. Every action is taken as one that passes the turn, and
    none as one that ends the game: what is beyond the end has the value of the result.
    """

    def represent(variables: Variables, keys: chex.PRNGKey, states: State) -> Root:
        del keys
        compute = in_populations(network, network.represent)
        latents = compute(variables, jax.vmap(game.observe)(states))
        return Root(latents, jax.vmap(game.legal_action_mask)(states))

    def transition(
        variables: Variables, keys: chex.PRNGKey, actions: chex.Array, latents: chex.Array
    ) -> Transition:
        del keys
        planes = jnp.asarray(game.action_planes)[actions]
        zero = jnp.zeros(actions.shape)
        compute = in_populations(network, network.transition)
        return Transition(zero, zero - 1, compute(variables, latents, planes))

    def predict(variables: Variables, keys: chex.PRNGKey, latents: Any) -> Evaluation:
        del keys
        logits, value = in_populations(network, network.predict)(variables, latents)
        return Evaluation(logits - logits.max(axis=-1, keepdims=True), value)

    return Model(game.num_actions, represent, transition, predict)
