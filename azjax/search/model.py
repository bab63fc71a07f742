"""The models that a search runs over: the rules with an evaluation, or a network's own.

A model is representation, dynamics and prediction. The rules with a network's evaluation are
AlphaZero's model, a learnt one is MuZero's.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import chex
import jax
import jax.numpy as jnp
import mctx

from azjax.games import Game, State, sample_from_mask
from azjax.networks import ModelNetwork, Network, Variables, member_by_member
from azjax.support.machine.target import targets_cpu

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
    search masks the illegal actions of the root by `Root.legal`.

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


def network_model(
    game: Game, network: Network, rollout_weight: chex.Numeric | None = None
) -> Model:
    """Returns the model that a network is searched over: its own, or else the rules.

    Args:
      game: The game.
      network: Evaluates leaves. If it predicts no values, they are the results of random rollouts
        alone.
      rollout_weight: The weight of a random rollout in a leaf's value, if it has any; then the
        search is over the rules, whatever the network.
    """
    if rollout_weight is None and isinstance(network, ModelNetwork):
        return learnt_model(game, network)
    evaluate = evaluate_with_network(game, network)
    weight = 1.0 if network.config.value_head == "none" else rollout_weight
    if weight is not None:
        evaluate = evaluate_with_mixture(game, evaluate, weight)
    return rules_model(game, evaluate)


def rules_model(game: Game, evaluate: Evaluate) -> Model:
    """Returns AlphaZero's model: the game's rules, and an evaluation of its states.

    The embedding of a position is its state.
    """

    def represent(params: Any, keys: chex.PRNGKey, states: State) -> Root:
        return Root(states, jax.vmap(game.legal_action_mask)(states))

    def transition(
        params: Any, keys: chex.PRNGKey, actions: chex.Array, states: State
    ) -> Transition:
        after = jax.vmap(game.step)(states, actions)
        # mctx goes on below terminal nodes, where `after` still holds the rewards of the end.
        reward = jnp.where(states.terminated, 0.0, reward_of_mover(states, after))
        return Transition(reward, discount_of_mover(states, after), after)

    return Model(game.num_actions, represent, transition, evaluate)


def reward_of_mover(states: State, after: State) -> chex.Array:
    """Returns [B] float32: the reward that the player to move at `states` has got at `after`."""
    mover = states.current_player.astype(jnp.int32)
    return jnp.take_along_axis(after.rewards, mover[:, None], axis=1)[:, 0].astype(jnp.float32)


def discount_of_mover(states: State, after: State) -> chex.Array:
    """Returns [B] float32: the factor that turns a value at `after` into one at `states`.

    It is 0 where the game is over, -1 where the turn passes, +1 where the mover moves again.
    """
    same_player = states.current_player == after.current_player
    return jnp.where(after.terminated, 0.0, jnp.where(same_player, 1.0, -1.0))


def evaluate_with_network(game: Game, network: Network) -> Evaluate:
    """Returns the evaluation by the network: its policy on the legal actions, and its value."""

    def evaluate(variables: Variables, keys: chex.PRNGKey, states: State) -> Evaluation:
        apply = in_populations(network, network.apply)
        logits, value = apply(variables, jax.vmap(game.observe)(states))
        return Evaluation(mask_illegal(logits, jax.vmap(game.legal_action_mask)(states)), value)

    return evaluate


def evaluate_with_rollouts(game: Game) -> Evaluate:
    """Returns the evaluation by one random rollout: a uniform prior, its result as the value."""

    def evaluate(params: Any, keys: chex.PRNGKey, states: State) -> Evaluation:
        legal = jax.vmap(game.legal_action_mask)(states)
        uniform_prior = mask_illegal(jnp.zeros(legal.shape), legal)
        return Evaluation(uniform_prior, _roll_out(game, keys, states))

    return evaluate


def evaluate_with_mixture(game: Game, evaluate: Evaluate, rollout_weight: float) -> Evaluate:
    """Returns an evaluation whose value is mixed with a rollout's; the prior is unchanged.

    Weight 1/2 is AlphaGo's: "Mastering the game of Go with deep neural networks and tree
    search", Silver et al., Nature 2016.
    """
    evaluate_by_rollout = evaluate_with_rollouts(game)

    def evaluate_both(params: Any, keys: chex.PRNGKey, states: State) -> Evaluation:
        prior_logits, value = evaluate(params, keys, states)
        rollout = evaluate_by_rollout((), keys, states).value
        return Evaluation(prior_logits, (1 - rollout_weight) * value + rollout_weight * rollout)

    return evaluate_both


def _roll_out(game: Game, keys: chex.PRNGKey, states: State) -> chex.Array:
    """Returns [B] float32: the results of random play, from the view of the player to move."""

    def move(carry):
        states, num_moves = carry
        move_keys = jax.vmap(jax.random.fold_in, in_axes=(0, None))(keys, num_moves)
        actions = jax.vmap(sample_from_mask)(move_keys, jax.vmap(game.legal_action_mask)(states))
        return jax.vmap(game.step)(states, actions), num_moves + 1

    final, _ = jax.lax.while_loop(lambda carry: ~carry[0].terminated.all(), move, (states, 0))
    return reward_of_mover(states, final)


def learnt_model(game: Game, network: ModelNetwork) -> Model:
    """Returns MuZero's model: the network's own latents, without rules but for the roots.

    "Mastering Atari, Go, Chess and Shogi by planning with a learned model", Schrittwieser et al.,
    Nature 2020. The rules give the roots and what is legal there.

    The embedding of a position is a latent. Every action is taken as one that passes the turn, and
    none as one that ends the game: what is beyond the end has the value of the result.
    """

    def represent(variables: Variables, keys: chex.PRNGKey, states: State) -> Root:
        compute = in_populations(network, network.represent)
        latents = compute(variables, jax.vmap(game.observe)(states))
        return Root(latents, jax.vmap(game.legal_action_mask)(states))

    def transition(
        variables: Variables, keys: chex.PRNGKey, actions: chex.Array, latents: chex.Array
    ) -> Transition:
        planes = jnp.asarray(game.action_planes)[actions]
        zero = jnp.zeros(actions.shape)
        compute = in_populations(network, network.transition)
        return Transition(zero, zero - 1, compute(variables, latents, planes))

    def predict(variables: Variables, keys: chex.PRNGKey, latents: Any) -> Evaluation:
        logits, value = in_populations(network, network.predict)(variables, latents)
        return Evaluation(logits - logits.max(axis=-1, keepdims=True), value)

    return Model(game.num_actions, represent, transition, predict)


def in_populations(network: Network, function: Callable[..., Any]) -> Callable[..., Any]:
    """Returns a function of the network as `vmap` over a population is to compute it.

    On a GPU that is member by member: convolutions with kernels of several members run as grouped
    ones, which are slow, and without their biases and activations.
    """
    is_slow = network.config.is_convolutional and not targets_cpu()
    return member_by_member(function) if is_slow else function
