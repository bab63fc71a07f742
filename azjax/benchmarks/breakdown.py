"""The time of an iteration by parts, from programs that leave parts out."""

import functools
import pathlib

import jax
import jax.numpy as jnp
import numpy as np

from azjax.benchmarks.phases import Loop, Phase
from azjax.benchmarks.timing import best_seconds
from azjax.games import Game, State
from azjax.networks import Network, Variables


class LinearNetwork(Network):
    """Replaces a network at almost no cost; priors and values still depend on the position."""

    def apply(self, variables: Variables, observations: jax.Array) -> tuple[jax.Array, jax.Array]:
        """Returns policy logits [B, A] and values [B], linear in the observations."""
        del variables
        flat = observations.reshape(observations.shape[0], -1).astype(jnp.float32)
        weights = np.random.default_rng(0).normal(size=(flat.shape[1], self.num_actions + 1))
        outputs = flat @ jnp.asarray(weights / np.sqrt(len(weights)), jnp.float32)
        return outputs[:, :-1], jnp.tanh(outputs[:, -1])


def seconds_by_part(loop: Loop, repeats: int) -> dict[str, float]:
    """Returns the seconds of an iteration, by part.

    - network: the difference between self-play with the network and with `LinearNetwork`
    - rules: as many steps, masks and observations as self-play makes, without a search
    - tree: self-play with `LinearNetwork`, without the rules
    - learning: the iteration without self-play
    """
    network = loop.context.network
    linear = LinearNetwork(network.config, network.observation_shape, network.num_actions)
    iteration = best_seconds(loop.iterate, repeats)
    selfplay = best_seconds(loop.selfplay(), repeats)
    without = best_seconds(loop.selfplay(linear), repeats)
    rules = best_seconds(_rules(loop), repeats)
    return {
        "network": selfplay - without,
        "tree": without - rules,
        "rules": rules,
        "learning": iteration - selfplay,
    }


def write_trace(loop: Loop, folder: pathlib.Path) -> None:
    """Writes a trace of one warm iteration, for TensorBoard's profiler or Perfetto."""
    with jax.profiler.trace(folder):
        jax.block_until_ready(loop.iterate())


def _rules(loop: Loop) -> Phase:
    """Returns a program of the steps, masks and observations of an iteration's searches."""
    config = loop.context.config
    num_steps = config.num_moves * (config.search.num_simulations + 1)
    return loop.over_games(functools.partial(_play_first_legal, loop.context.game, num_steps))


def _play_first_legal(game: Game, num_steps: int, states: State) -> jax.Array:
    """Plays the first legal action of [B] states repeatedly; returns [B] sums of observations."""

    def step(states, _):
        first_legal = jax.vmap(game.legal_action_mask)(states).argmax(axis=-1)
        after = jax.vmap(game.step)(states, first_legal)
        return after, jax.vmap(game.observe)(after).sum(axis=(1, 2, 3))

    return jax.lax.scan(step, states, length=num_steps)[1].sum(axis=0)
